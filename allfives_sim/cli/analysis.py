"""The commands that look at single hands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from allfives_sim.agents import load_code
from allfives_sim.cli import show
from allfives_sim.cli.options import INTERRUPTED, complete_agents, json_option
from allfives_sim.cli.progress import progress_bar
from allfives_sim.core.errors import InputError
from allfives_sim.core.positions import PositionError, SeenPosition
from allfives_sim.core.records import Record, RecordError, parse_record
from allfives_sim.lab.analysis import Analysis, analyse, analyse_position, review_frame, review_summary
from allfives_sim.lab.interrupt import CtrlC

if TYPE_CHECKING:
    import pandas as pd


def _analysis_options(worlds: int) -> Callable[[Any], Any]:
    def decorate(command: Any) -> Any:
        for option in (
            json_option,
            click.option("--out", metavar="DIR", help="Write the frames (CSV, Parquet) into this folder."),
            click.option("--code", metavar="FILE", multiple=True, help="A Python file with agents of your own."),
            click.option("--seed", type=click.IntRange(0, 2**32), default=1, show_default=True),
            click.option("--worlds", type=int, default=worlds, show_default=True, help="Hidden deals tried a play."),
            click.option(
                "--base",
                default="greedy",
                show_default=True,
                shell_complete=complete_agents,
                help="Who plays hands out.",
            ),
        ):
            command = option(command)
        return command

    return decorate


@click.command("analyse")
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--position", metavar="TEXT", help="A position on one line, instead of FILE: see docs/positions.md.")
@click.option("--line", type=click.IntRange(1), help="Which record of FILE, from 1.  [default: 1]")
@click.option("--event", type=click.IntRange(0), help="Which play of the record; the first event is 0.")
@_analysis_options(1000)
def analyse_command(
    file: str | None,
    position: str | None,
    line: int | None,
    event: int | None,
    base: str,
    worlds: int,
    seed: int,
    code: tuple[str, ...],
    out: str | None,
    as_json: bool,
) -> None:
    """Value each play that is possible in a position: at an event of a recorded hand, or as it is given.

    FILE holds records (JSON Lines), of which --line and --event choose a play, or a position (its name ends in .toml).

    The mover's hand, the layout and what everybody has seen are as they were; the tiles that the mover could
    not see are dealt anew in each world, and each play is played out in all of them.  A margin is what the mover's side
    then gains from here on, less the mean of the other sides.
    """
    if (file is None) == (position is None):
        raise click.UsageError("give one thing to analyse: a FILE, or --position TEXT")
    _prepare(code, out)
    chosen: dict[str, Any] = {"base": base, "worlds": worlds, "seed": seed}
    if file is not None and not file.endswith(".toml"):
        title, analysis = _analyse_event(file, line or 1, event, chosen)
    elif line is not None or event is not None:
        raise click.UsageError(
            "--line and --event choose a play of a record; a position is one already: leave them out"
        )
    else:
        with naming(f"{file}: " if file else ""):
            seen = SeenPosition.read(file) if file else SeenPosition.from_text(position or "")
            analysis = analyse_position(seen, **chosen)
        title = f"seat {seen.mover} to play"
    frame = analysis.frame()
    if as_json:
        click.echo(json.dumps(frame.to_dict("records")))
    else:
        show.print_analysis(frame, title, base, worlds)
    _write({"analysis": frame}, out)


def _analyse_event(file: str, line: int, event: int | None, options: dict[str, Any]) -> tuple[str, Analysis]:
    if event is None:
        raise click.UsageError(f"--event is missing: which play of a record of {file}; the first event is 0")
    with naming(f"{file}, "):
        for number, record in records_of(file):
            if number == line:
                with naming(f"line {number}: "):
                    analysis = analyse(record, event, **options)
                return f"event {event}, seat {record['events'][event]['seat']} to play", analysis
    raise InputError(f"{file} has no line {line}")


@click.command("review")
@click.argument("file", metavar="FILE")
@_analysis_options(200)
def review_command(
    file: str, base: str, worlds: int, seed: int, code: tuple[str, ...], out: str | None, as_json: bool
) -> int:
    """Tell what the plays of recorded hands lost against the best ones.

    For each seat: how many plays were a choice, and the points that they lost, a hand and a play; then the five worst
    plays.  `allfives analyse` looks closer at one of them.
    """
    _prepare(code, out)
    hands = 0
    with CtrlC() as ctrl_c, progress_bar("hands") as progress:

        def until_ctrl_c() -> Iterator[tuple[int, Record]]:
            nonlocal hands
            for numbered in records_of(file):
                if ctrl_c.pressed:
                    return
                yield numbered
                hands += 1
                progress(1)

        with naming(f"{file}, "):
            plays = review_frame(until_ctrl_c(), base=base, worlds=worlds, seed=seed)
    seats = review_summary(plays)
    if as_json:
        click.echo(json.dumps({"hands": hands, "plays": plays.to_dict("records")}))
    else:
        show.print_review(plays, seats, hands)
    _write({"plays": plays, "seats": seats}, out)
    if ctrl_c.pressed:
        click.echo("allfives: interrupted; the hands after these were not reviewed", err=True)
        return INTERRUPTED
    return 0


def _prepare(code: tuple[str, ...], out: str | None) -> None:
    """Load the user's agents, and make sure that results can be written before they are worked out."""
    for path in code:
        load_code(path)
    if out is not None:
        from allfives_sim.lab.output import check_folder

        check_folder(out)


def _write(frames: dict[str, pd.DataFrame], out: str | None) -> None:
    if out is not None:
        from allfives_sim.lab.output import write_frames

        for path in write_frames(frames, out):
            click.echo(f"wrote {path}", err=True)


@contextmanager
def naming(where: str) -> Iterator[None]:
    """Say where a record or position that is wrong stands."""
    try:
        yield
    except (RecordError, PositionError) as error:
        raise type(error)(f"{where}{error}") from error


def records_of(file: str) -> Iterator[tuple[int, Record]]:
    """The records of a file with their line numbers."""
    for number, line in enumerate(lines_of(file), 1):
        if line.strip():
            with naming(f"line {number}: "):
                record = parse_record(line)
            yield number, record


def lines_of(file: str) -> Iterator[str]:
    """The lines of a text file."""
    try:
        with open(file, encoding="utf-8") as lines:
            yield from lines
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a text file; records are JSON Lines in UTF-8") from error
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from error
