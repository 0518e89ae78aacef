"""The pictures of docs/rules_in_pictures.md: positions that the rules page speaks of, drawn by the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from allfives_sim import Rules
from allfives_sim.pictures.hand import Hand, Step
from allfives_sim.pictures.placing import place_tiles
from allfives_sim.pictures.svg import layout_svg
from allfives_sim.pictures.tree import grow_tree

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"

FIVE_UP = Rules.preset("five-up")

# A name, the rules, the plays (tile and end), the count and the points after the last one, and what to say of it.
POSITIONS: list[tuple[str, Rules, str, int, int, str]] = [
    ("lead", Rules(), "5-5", 10, 10, "the lead, a double: both halves count"),
    ("sides", Rules(), "5-5 2-5@0", 12, 0, "one side covered"),
    ("spinner", Rules(), "5-5 2-5@0 0-5@1", 2, 0, "both sides covered: the cross ends 2 and 3 are open"),
    ("crosses", Rules(), "5-5 2-5@0 0-5@1 3-5@2 1-5@3", 6, 0, "four arms"),
    ("double", Rules(), "5-6 4-5@0 4-4@0", 14, 0, "a double on an arm, the spinner: both halves count"),
    ("five-up", FIVE_UP, "6-6 4-6@0 4-4@0 1-6@1 2-4@0 4-5@4 0-4@5", 8, 0, "Five-Up: every double spins"),
]


def draw(rules: Rules, plays: str, count: int, points: int, text: str) -> str:
    """A layout as SVG."""
    events: list[dict[str, Any]] = []
    for word in plays.split():
        tile, _, end = word.partition("@")
        events.append({"play": tile, "at": int(end) if end else "lead"})
    tree = grow_tree(events, rules)
    step = Step(len(events), tree.ends, [], 0, count, points, [], text, len(events) - 1)
    return layout_svg(Hand({}, rules, tree.pieces, place_tiles(tree), [step]), step)


def main() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for name, rules, plays, count, points, text in POSITIONS:
        (FOLDER / f"{name}.svg").write_text(draw(rules, plays, count, points, text), encoding="utf-8")


if __name__ == "__main__":
    main()
