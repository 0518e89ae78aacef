"""The commands that look at single hands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import click

from allfives_sim.agents import load_code
from allfives_sim.cli import show
from allfives_sim.cli.options import INTERRUPTED, complete_agents
from allfives_sim.cli.progress import progress_bar
from allfives_sim.core.errors import InputError
from allfives_sim.core.records import Record, RecordError, parse_record
from allfives_sim.lab.analysis import analyse, review
from allfives_sim.lab.interrupt import CtrlC


def _analysis_options(worlds: int) -> Callable[[Any], Any]:
    def decorate(command: Any) -> Any:
        for option in (
            click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else."),
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
@click.argument("file", metavar="FILE")
@click.option("--line", type=click.IntRange(1), default=1, show_default=True, help="Which record, from 1.")
@click.option("--event", type=click.IntRange(0), required=True, help="Which play of it; the first event is 0.")
@_analysis_options(1000)
def analyse_command(
    file: str, line: int, event: int, base: str, worlds: int, seed: int, code: tuple[str, ...], as_json: bool
) -> None:
    """Value each play that was possible at an event of a recorded hand.

    The mover's hand, the layout and what draws and passes have shown are as they were; the tiles that the mover could
    not see are dealt anew in each world, and each play is played out in all of them.  A margin is what the mover's side
    then gains from here on, less the mean of the other sides.
    """
    for path in code:
        load_code(path)
    for number, record in records_of(file):
        if number == line:
            try:
                frame = analyse(record, event, base=base, worlds=worlds, seed=seed).frame()
            except RecordError as error:
                raise RecordError(f"{file}, line {number}: {error}") from error
            if as_json:
                click.echo(json.dumps(frame.to_dict("records")))
            else:
                show.print_analysis(frame, record, event, base, worlds)
            return
    raise InputError(f"{file} has no line {line}")


@click.command("review")
@click.argument("file", metavar="FILE")
@_analysis_options(200)
def review_command(file: str, base: str, worlds: int, seed: int, code: tuple[str, ...], as_json: bool) -> int:
    """Tell what the plays of recorded hands lost against the best ones.

    For each seat: how many plays were a choice, and the points that they lost, a hand and a play; then the five worst
    plays.  `allfives analyse` looks closer at one of them.
    """
    for path in code:
        load_code(path)
    plays: list[dict[str, Any]] = []
    hands = 0
    with CtrlC() as ctrl_c, progress_bar("hands") as progress:
        for number, record in records_of(file):
            if ctrl_c.pressed:
                break
            try:
                plays += [{"line": number} | play for play in review(record, base=base, worlds=worlds, seed=seed)]
            except RecordError as error:
                raise RecordError(f"{file}, line {number}: {error}") from error
            hands += 1
            progress(1)
    if as_json:
        click.echo(json.dumps({"hands": hands, "plays": plays}))
    else:
        show.print_review(plays, hands)
    if ctrl_c.pressed:
        click.echo("allfives: interrupted; the hands after these were not reviewed", err=True)
        return INTERRUPTED
    return 0


def records_of(file: str) -> Iterator[tuple[int, Record]]:
    """The records of a file with their line numbers."""
    for number, line in enumerate(lines_of(file), 1):
        if line.strip():
            try:
                yield number, parse_record(line)
            except RecordError as error:
                raise RecordError(f"{file}, line {number}: {error}") from error


def lines_of(file: str) -> Iterator[str]:
    """The lines of a text file."""
    try:
        with open(file, encoding="utf-8") as lines:
            yield from lines
    except UnicodeDecodeError as error:
        raise RecordError(f"{file} is not a text file; records are JSON Lines in UTF-8") from error
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from error
