"""A hand as one HTML page that steps through it, without anything from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from allfives_sim.core.tiles import tile_from_name
from allfives_sim.pictures.hand import Hand, ending
from allfives_sim.pictures.svg import STYLE, end_marks, piece_svg, tile_svg, view_box


def hand_page(hand: Hand, better: Mapping[int, str] | None = None, event: int = -1) -> str:
    """The page of a hand.

    Parameters
    ----------
    hand : Hand
    better : mapping of int to str, optional
        What to say of a play, by the number of its event: see `better_plays`.
    event : int
        After which event it opens; -1 is the deal.
    """
    agents = hand.agents
    steps = [
        {
            "pieces": step.pieces, "hands": step.hands, "boneyard": step.boneyard, "count": step.count,
            "points": step.points, "scores": step.scores, "text": step.text, "event": step.event, "agents": agents,
            "seat": hand.record["events"][step.event]["seat"] if step.event >= 0 else -1,
            "better": (better or {}).get(step.event, ""),
        }
        for step in hand.steps
    ]  # fmt: skip
    left, top, width, height = view_box(hand.placed, caption=False)
    return (
        templates()
        .get_template("page.html.j2")
        .render(
            title=" against ".join(dict.fromkeys(agents)) or "A hand",
            rules=hand.rules.title,
            ending=ending(hand.record),
            style=Markup(STYLE.partition("@media")[0]),
            box=f"{left} {top} {width} {height}",
            pieces=[Markup(piece_svg(piece, placed)) for piece, placed in zip(hand.pieces, hand.placed, strict=True)],
            marks=[Markup(end_marks(hand, step)) for step in hand.steps],
            tiles=[(name, Markup(tile_svg(*pips))) for name, pips in sorted(_tiles_held(hand).items())],
            steps=script_json(steps),
            start=event + 1,
        )
    )


def _tiles_held(hand: Hand) -> dict[str, tuple[int, int]]:
    """The tiles that anybody ever holds, with their pips."""
    names = {name for step in hand.steps for held in step.hands for name in held}
    return {name: divmod(tile_from_name(name), 16) for name in names}


def better_plays(plays: Iterable[Mapping[str, Any]]) -> dict[int, str]:
    """What to say of the plays of a review (`lab.analysis.review`) that lost something."""
    return {
        int(play["event"]): (
            f"{play['best_tile']} on end {play['best_end']} is better by {play['lost']:.1f} ± {play['lost_half']:.1f} "
            "points"
        )
        for play in plays
        if play["lost"] > play["lost_half"]
    }


def templates() -> Environment:
    """The templates of this package; what they are given is escaped."""
    return Environment(loader=PackageLoader("allfives_sim", "pictures"), autoescape=True)


def script_json(value: Any) -> Markup:
    """JSON that may stand in a script element."""
    return Markup(json.dumps(value).replace("<", "\\u003c").replace("&", "\\u0026"))
