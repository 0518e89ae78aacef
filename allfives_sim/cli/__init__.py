"""The command ``allfives``: thin, every job is done by the library."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from allfives_sim import __version__
from allfives_sim.cli.commands import COMMANDS
from allfives_sim.cli.options import INTERRUPTED
from allfives_sim.core.compiled import LOGGER
from allfives_sim.core.errors import InputError

FINE, WRONG_USAGE = 0, 2


@click.group(
    commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 fine, 1 a check found a problem, 2 wrong usage, 130 interrupted with Ctrl-C.",
)
@click.version_option(__version__, prog_name="allfives")
def allfives() -> None:
    """A laboratory for All Fives dominoes: compare strategies, and say how sure you are."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit code."""
    code = run(arguments)
    if code == INTERRUPTED:  # without waiting for an agent that never answers
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit code.  What is wrong is told in one sentence, never as a traceback."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # gives back what it does not need, unlike Arrow's own
    with _telling_of_the_compiler():
        try:
            code = allfives.main(arguments, prog_name="allfives", standalone_mode=False)
            sys.stdout.flush()
            return code if isinstance(code, int) else FINE
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help() if error.ctx else error.format_message(), err=True)
            return WRONG_USAGE
        except click.ClickException as error:
            return _complain(error.format_message())
        except InputError as error:
            return _complain(str(error))
        except (KeyboardInterrupt, click.Abort):
            click.echo("allfives: interrupted before anything was finished", err=True)
            return INTERRUPTED
        except (BrokenPipeError, SystemExit):  # the reader, such as head, has had enough: click leaves by SystemExit
            _close_stdout()
            return FINE
        except OSError as error:
            _close_stdout()
            return _complain(f"cannot read or write: {error.strerror}")


def _close_stdout() -> None:
    """Let nothing more be written, so that leaving does not fail again."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def _complain(message: str) -> int:
    sentence = " ".join(line.strip() for line in message.splitlines())
    click.echo(f"allfives: {sentence}".encode("utf-8", "backslashreplace").decode(), err=True)
    return WRONG_USAGE


class _Teller(logging.Handler):
    """Says once that the first start takes longer."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo("compiling for this machine what is used for the first time: some seconds, once …", err=True)
        LOGGER.removeHandler(self)


@contextmanager
def _telling_of_the_compiler() -> Iterator[None]:
    teller, level = _Teller(), LOGGER.level
    LOGGER.addHandler(teller)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.removeHandler(teller)
        LOGGER.setLevel(level)
