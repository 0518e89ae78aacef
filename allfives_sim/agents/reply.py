"""What the next player may do after a move: the look one play ahead that several agents take."""

from __future__ import annotations

from typing import Any

from allfives_sim.core.bits import int64, lowest, popcount
from allfives_sim.core.combinations import CHOOSE, INVERSE
from allfives_sim.core.compiled import compiled
from allfives_sim.core.tables import MAX_COUNT
from allfives_sim.core.view import find_unseen, next_seat

MAX_BEST = 16  # replies that are looked at: more score only in sets and rules far from any table's


@compiled
def find_next_hand(view: Any) -> tuple[int, int]:
    """Make ``view.unseen`` the tiles that the next seat may hold; how many they are, and how many of them it holds."""
    seat = next_seat(view)
    unseen = find_unseen(view, seat)
    return unseen, min(view.tiles[seat], unseen)


@compiled
def chance_of_none(unseen: int, held: int, marked: int) -> float:
    """The chance that a hand of `held` out of `unseen` tiles has none of `marked` ones."""
    return CHOOSE[unseen - marked, held] / CHOOSE[unseen, held]


@compiled
def fitting(rows: Any, ends: int) -> int:
    """Number of tiles, given as rows, that fit an end; `ends` is the mask of open pips."""
    once, twice, doubles = 0, 0, 0
    left = ends
    while left:
        pip = lowest(left)
        left &= left - 1
        row = int64(rows[pip])
        once += popcount(row)
        twice += popcount(row & ends)  # both pips fit: it stands in two rows
        doubles += row >> pip & 1  # but a double in one
    return once - (twice - doubles) // 2


@compiled
def expected_reply(view: Any, unseen: int, held: int) -> float:
    """Expected points of the best reply on ``view.trial`` of a hand of `held` out of the tiles in ``view.unseen``.

    With the replies sorted by what they score, the best is the first one that the hand holds: out of n tiles it holds
    the first with chance h / n, the second but not the first with (1 - h / n) h / (n - 1), and so on.

    Parameters
    ----------
    view : record of dtype `VIEW`
        After `find_unseen` and `try_move`.
    unseen : int
        How many tiles ``view.unseen`` has.
    held : int
        How many of them the hand has, any with the same chance.
    """
    layout, rules = view.trial, view.rules
    found = 0
    for end in range(4 * layout.words):
        pip = int64(layout.pip[end])
        row = int64(view.unseen[pip])
        rest = layout.count - layout.value[end]
        scorers = row & int64(rules.scorers[rest & (MAX_COUNT - 1)]) & ~(1 << pip)
        if row >> pip & 1 and rules.points[(rest + pip + pip * layout.double) & (MAX_COUNT - 1)] > 0:
            scorers |= 1 << pip
        while scorers:
            partner = lowest(scorers)
            scorers &= scorers - 1
            count = rest + partner + (partner == pip) * pip * layout.double
            points = int64(rules.points[count & (MAX_COUNT - 1)])
            tile = 15 * min(pip, partner) + pip + partner
            found = _insert(view.best, found, points << 8 | tile)
    reply, none_yet = 0.0, 1.0
    for rank in range(found):
        chance = held * INVERSE[unseen - rank]
        reply += none_yet * chance * (view.best[rank] >> 8)
        none_yet *= 1.0 - chance
    return reply


@compiled
def _insert(best: Any, found: int, key: int) -> int:
    """Put a scoring tile into a list sorted from high to low, each tile once, with the most it scores."""
    for place in range(found):
        if best[place] & 0xFF == key & 0xFF:
            if best[place] >= key:
                return found
            for later in range(place, found - 1):
                best[later] = best[later + 1]
            found -= 1
            break
    if found == MAX_BEST:
        if best[found - 1] >= key:
            return found
        found -= 1
    place = found
    while place > 0 and best[place - 1] < key:
        best[place] = best[place - 1]
        place -= 1
    best[place] = key
    return found + 1
