"""The command ``allfives``: thin, every job is done by the library."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from allfives_sim import __version__
from allfives_sim.cli.commands import COMMANDS
from allfives_sim.core.errors import InputError

FINE, FOUND_A_PROBLEM, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


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
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit code.  What is wrong is told in one sentence, never as a traceback."""
    try:
        code = allfives.main(arguments, prog_name="allfives", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else FINE
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else error.format_message(), err=True)
        return WRONG_USAGE
    except click.ClickException as error:
        return _complain(error.format_message().splitlines())
    except InputError as error:
        return _complain(str(error).splitlines())
    except (KeyboardInterrupt, click.Abort):
        click.echo("allfives: interrupted before anything was finished", err=True)
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as head, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE


def _complain(lines: list[str]) -> int:
    click.echo(f"allfives: {' '.join(line.strip() for line in lines)}", err=True)
    return WRONG_USAGE
