"""The command that draws hands."""

from __future__ import annotations

from pathlib import Path

import click

from allfives_sim.cli.analysis import naming, records_of
from allfives_sim.cli.options import complete_agents
from allfives_sim.core.errors import InputError
from allfives_sim.core.records import Record
from allfives_sim.lab.analysis import review
from allfives_sim.lab.output import write_text, write_whole
from allfives_sim.pictures.hand import ending, read_hand


@click.command("show")
@click.argument("file", metavar="FILE")
@click.option("--line", type=click.IntRange(1), default=1, show_default=True, help="Which record of FILE, from 1.")
@click.option("--event", type=int, help="After which event; the first is 0, the deal -1.  [default: the last]")
@click.option("--out", metavar="NAME", help="Draw into a file: its name ends in .svg or .png.")
@click.option("--page", metavar="NAME.html", help="Write a page that steps through the hand with the arrow keys.")
@click.option(
    "--review", "worlds", type=int, metavar="WORLDS", help="On the page tell better plays, tried in so many worlds."
)
@click.option("--base", default="greedy", show_default=True, shell_complete=complete_agents, help="Who plays them out.")
def show_command(
    file: str, line: int, event: int | None, out: str | None, page: str | None, worlds: int | None, base: str
) -> None:
    """Draw a recorded hand: the layout after an event, in the terminal or as a picture; or all of it, as a page."""
    if out is not None and not out.endswith((".svg", ".png")):
        raise InputError(f"cannot draw into {out}; valid: a name that ends in .svg or .png")
    if worlds is not None and page is None:
        raise click.UsageError("--review is for the page: give --page too")
    record = _record(file, line)
    with naming(f"{file}, line {line}: "):
        hand = read_hand(record)
        step = hand.step_of(event)
    if out is not None:
        from allfives_sim.pictures.svg import layout_png, layout_svg

        picture = layout_svg(hand, step).encode() if out.endswith(".svg") else layout_png(hand, step)
        write_whole(Path(out), lambda beside: beside.write_bytes(picture))
        click.echo(f"wrote {out}", err=True)
    if page is not None:
        from allfives_sim.pictures.page import better_plays, hand_page

        better = {} if worlds is None else better_plays(review(record, worlds=worlds, base=base))
        text = hand_page(hand, better, -1 if event is None else event)
        write_text(Path(page), text)
        click.echo(f"wrote {page}", err=True)
    if out is None and page is None:
        from allfives_sim.pictures.terminal import layout_text

        click.echo(layout_text(hand, step))
        if step is hand.steps[-1]:
            click.echo(ending(record))


def _record(file: str, line: int) -> Record:
    with naming(f"{file}, "):
        for number, record in records_of(file):
            if number == line:
                return record
    raise InputError(f"{file} has no record on line {line}")
