"""Which tile of a layout was played on which, read from the ends of a record's plays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from allfives_sim.core.rules import Rules
from allfives_sim.core.tiles import tile_from_name

LOW, HIGH, FAR, SIDE, CROSS = "low", "high", "far", "side", "cross"  # where a tile has an end

Record = dict[str, Any]


@dataclass
class Piece:
    """A tile on the layout.

    Attributes
    ----------
    tile : int
    inner, outer : int
        Its pips: the one that touches `parent`, and the other; of a lead, its lower and its higher.
    parent : int
        Which piece it was played on, by number; -1 for the lead.
    at : str
        On which of the parent's ends: a half of the lead (`LOW`, `HIGH`), the `FAR` half or side, the two sides of a
        lead double (`SIDE` twice), or a `CROSS` end.
    second : bool
        Whether it is the second of the two ends of that name.
    """

    tile: int
    inner: int
    outer: int
    parent: int
    at: str
    second: bool = False

    @property
    def double(self) -> bool:
        """Whether both halves are alike."""
        return self.inner == self.outer


@dataclass
class Tree:
    """The tiles of a layout in the order played, and what is open.

    Attributes
    ----------
    pieces : list of Piece
    ends : list of (piece, at, second)
        The open ends by their numbers.
    """

    pieces: list[Piece] = field(default_factory=list)
    ends: list[tuple[int, str, bool]] = field(default_factory=list)

    def open_pip(self, end: int) -> int:
        """The pip of an end."""
        piece, at, _ = self.ends[end]
        return self.pieces[piece].inner if at == LOW else self.pieces[piece].outer


def grow_tree(plays: Sequence[Record], rules: Rules) -> Tree:
    """The tree of some plays, events of a record with ``play`` and ``at``, in order.

    The ends are numbered as the rules page says: a spinner's cross ends take the next two numbers when they open.
    """
    tree = Tree()
    covered: dict[int, int] = {}  # how many sides of each spinner
    spinning = rules.spinner != "none"
    for number, play in enumerate(plays):
        tile = tile_from_name(play["play"])
        low, high = tile >> 4, tile & 15
        double = low == high
        if number == 0:
            tree.pieces.append(Piece(tile, low, high, -1, ""))
            tree.ends = [(0, SIDE, False), (0, SIDE, True)] if double else [(0, LOW, False), (0, HIGH, False)]
        else:
            parent, at, second = tree.ends[play["at"]]
            inner = tree.open_pip(play["at"])
            tree.pieces.append(Piece(tile, inner, low + high - inner, parent, at, second))
            tree.ends[play["at"]] = (number, FAR, False)
            if parent in covered:
                covered[parent] += 1
                _open_crosses(tree, parent, rules, covered)
        if double and spinning:
            spinning = rules.spinner == "all_doubles"
            covered[number] = 0 if number == 0 else 1
            _open_crosses(tree, number, rules, covered, played=True)
    return tree


def _open_crosses(tree: Tree, piece: int, rules: Rules, covered: dict[int, int], *, played: bool = False) -> None:
    """Open a spinner's cross ends if it is time: at once when it is played, or when both its sides are covered."""
    if played if rules.cross_arms == "at_once" else covered[piece] == 2 and not played:
        tree.ends += [(piece, CROSS, False), (piece, CROSS, True)]
