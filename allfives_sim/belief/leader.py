"""What the choice of the leader says of the hands.

Where the holder of the highest double leads, or of the heaviest tile, one tile was the *reason*: the leader was dealt
it, and nobody was dealt one that ranks above it.  Which one it was, nobody has said.  So the table of deals gets a part
for each tile that may have been the reason, and a deal belongs to one part only.  What was dealt stays a cohort of its
own, the first of each hand.  The mover's hand has cohorts then too: which of its tiles it was dealt and which it drew
is not in what it sees, and some of the ways in which its own hand came about do not agree with the leader.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.belief.cohorts import APART, NO_TILE, add_cohort, add_drawn, find_cohorts, fitting_tiles, take
from allfives_sim.belief.slots import MAX_STATES, add_ways
from allfives_sim.core.bits import int64, popcount
from allfives_sim.core.compiled import compiled, compiled_apart
from allfives_sim.core.game import NOBODY, lead_rank
from allfives_sim.core.tables import LEADS_DOUBLE
from allfives_sim.core.view import DREW, PLAYED, event_drawn, event_kind, event_open, event_seat, event_tile


@compiled_apart
def can_tell(view: Any, slots: Any, cohorts: Any, states: int) -> bool:
    """Whether a table with parts can be made: it is not too large, and no hand is told of coarsely."""
    if popcount(slots.dealt) < view.rules.players - 1:
        return False
    count_own_ways(view, APART, NO_TILE, cohorts)
    return cohorts.bars[0] & APART != 0 and view.rules.set_size * states <= MAX_STATES


@compiled_apart
def find_parts(view: Any, slots: Any, cohorts: Any, states: int) -> Any:
    """Find the tiles that may have been the reason, and the last row of the table for each.

    Parameters
    ----------
    view : record of dtype `VIEW`
    slots : record of dtype `SLOTS`
        After `list_unseen`; its parts are filled.
    cohorts : record of dtype `COHORTS`
        Room.
    states : int
        Of all slots together.

    Returns
    -------
    float64 array (tiles of the set, states)
        A row for each part; one part, of zeros, where no tile can have been the reason.
    """
    rows = np.zeros((view.rules.set_size, states))
    slots.leaders = 1 << slots.first[view.leader]  # of no use where the mover leads: what it was dealt is seen
    parts = 0
    for place in range(view.rules.set_size):
        holder = holder_of(view, int64(view.rules.set[place]))
        if (holder == NOBODY and view.seat != view.leader) or holder == view.leader:
            undealt = tiles_above(view, place)
            last = count_ways(view, slots, cohorts, undealt, place)
            if last.any():
                rows[parts] = last
                slots.undealt[parts], slots.reason[parts] = undealt, place
                parts += 1
    slots.parts = max(parts, 1)
    return rows


@compiled_apart
def holder_of(view: Any, tile: int) -> int:
    """The seat that is seen to have a tile or to have played it, or `NOBODY`."""
    if holds(view, tile):
        return int64(view.seat)
    for event in range(view.events):
        if event_kind(view, event) == PLAYED and event_tile(view, event) == tile:
            return event_seat(view, event)
    return NOBODY


@compiled
def holds(view: Any, tile: int) -> bool:
    """Whether a tile is in the mover's hand."""
    return (view.hand[tile >> 4] >> (tile & 15) & 1) != 0


@compiled_apart
def tiles_above(view: Any, reason: int) -> int:
    """Mask of the tiles of the set that rank above one of them."""
    doubles_first, above = view.led_by == LEADS_DOUBLE, 0
    rank = lead_rank(int64(view.rules.set[reason]), doubles_first)
    for place in range(view.rules.set_size):
        if lead_rank(int64(view.rules.set[place]), doubles_first) > rank:
            above |= 1 << place
    return above


@compiled_apart
def count_ways(view: Any, slots: Any, cohorts: Any, undealt: int, reason: int) -> Any:
    """The ways of all hands together, the mover's with them, where a tile was the reason: a last row of the table."""
    not_dealt = APART | undealt
    last = np.full(1, count_own_ways(view, not_dealt, reason, cohorts))
    for turn in range(1, view.rules.players):
        seat = (view.seat + turn) % view.rules.players
        last = add_ways(slots, seat, cohorts, find_cohorts(view, seat, not_dealt, reason, cohorts), last)
    return last


@compiled_apart
def count_own_ways(view: Any, not_dealt: int, reason: int, cohorts: Any) -> float:
    """In how many ways the mover's hand and what it has played can have come from its cohorts."""
    ways = find_cohorts(view, view.seat, not_dealt, reason, cohorts)
    last = view.events - 1
    if view.drawn and last >= 0 and event_kind(view, last) == DREW and not view.rules.may_draw:
        facing = fitting_tiles(cohorts, event_open(view, last))
        ways = add_drawn(cohorts, ways, event_drawn(view, last), facing, True)  # the last one fits, and is to be played
    else:
        ways = add_cohort(cohorts, ways, view.drawn, 0)
    for place in range(view.rules.set_size):
        if holds(view, int64(view.rules.set[place])):
            ways = take(cohorts, ways, place, reason)
    return ways[0]
