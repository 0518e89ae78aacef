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

from allfives_sim.belief.cohorts import (
    ALL_TILES,
    APART,
    NO_TILE,
    add_cohort,
    bar,
    find_cohorts,
    fitting_tiles,
    place_in_set,
    take,
)
from allfives_sim.belief.slots import MAX_STATES, add_ways
from allfives_sim.core.bits import int64
from allfives_sim.core.compiled import compiled_apart
from allfives_sim.core.game import NOBODY, lead_rank
from allfives_sim.core.tables import LEADS_DOUBLE
from allfives_sim.core.view import DREW, PLAYED, event_drawn, event_kind, event_open, event_seat, event_tile


@compiled_apart
def can_tell(view: Any, slots: Any, cohorts: Any, states: int) -> bool:
    """Whether a table with parts can be made: it is not too large, and no hand is told of coarsely."""
    for turn in range(1, view.rules.players):
        if not slots.bars[slots.first[(view.seat + turn) % view.rules.players]] & APART:
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
    slots.dealt = slots.leaders = 0
    for turn in range(1, view.rules.players):
        seat = (view.seat + turn) % view.rules.players
        slots.dealt |= 1 << slots.first[seat]
        if seat == view.leader:
            slots.leaders = 1 << slots.first[seat]
    parts = 0
    for place in range(view.rules.set_size):
        holder = holder_of(view, int64(view.rules.set[place]))
        if (holder == NOBODY and view.seat != view.leader) or holder == view.leader:
            last = count_ways(view, slots, cohorts, place)
            if last.any():
                rows[parts] = last
                note_part(view, slots, parts, int64(view.rules.set[place]))
                parts += 1
    slots.parts = max(parts, 1)
    return rows


@compiled_apart
def holder_of(view: Any, tile: int) -> int:
    """The seat that is seen to have a tile or to have played it, or `NOBODY`."""
    if view.hand[tile >> 4] >> (tile & 15) & 1:
        return int64(view.seat)
    for event in range(view.events):
        if event_kind(view, event) == PLAYED and event_tile(view, event) == tile:
            return event_seat(view, event)
    return NOBODY


@compiled_apart
def note_part(view: Any, slots: Any, part: int, reason: int) -> None:
    """Note which unseen tile the leader was dealt in a part, and which nobody was."""
    doubles_first = view.led_by == LEADS_DOUBLE
    slots.undealt[part], slots.reason[part] = 0, -1
    for number in range(slots.tiles):
        tile = int64(slots.tile[number])
        if tile == reason:
            slots.reason[part] = number
        elif lead_rank(tile, doubles_first) > lead_rank(reason, doubles_first):
            slots.undealt[part] |= 1 << number


@compiled_apart
def count_ways(view: Any, slots: Any, cohorts: Any, reason: int) -> Any:
    """The ways of all hands together, the mover's with them, where a tile was the reason: a last row of the table."""
    rules, doubles_first = view.rules, view.led_by == LEADS_DOUBLE
    not_dealt = APART
    for place in range(rules.set_size):
        if lead_rank(int64(rules.set[place]), doubles_first) > lead_rank(int64(rules.set[reason]), doubles_first):
            not_dealt |= 1 << place
    last = np.full(1, count_own_ways(view, not_dealt, reason, cohorts))
    for turn in range(1, rules.players):
        seat = (view.seat + turn) % rules.players
        last = add_ways(slots, seat, cohorts, find_cohorts(view, seat, not_dealt, reason, cohorts), last)
    return last


@compiled_apart
def count_own_ways(view: Any, not_dealt: int, reason: int, cohorts: Any) -> float:
    """In how many ways the mover's hand and what it has played can have come from its cohorts."""
    ways = find_cohorts(view, view.seat, not_dealt, reason, cohorts)
    last = view.events - 1
    if view.drawn and last >= 0 and event_kind(view, last) == DREW and not view.rules.may_draw:
        facing = fitting_tiles(cohorts, event_open(view, last))
        bar(cohorts, facing)
        ways = add_cohort(cohorts, ways, event_drawn(view, last) - 1, facing)
        ways = add_cohort(cohorts, ways, 1, ALL_TILES ^ facing)  # the last one drawn fits, and it is to play
    else:
        ways = add_cohort(cohorts, ways, view.drawn, 0)
    for low in range(view.rules.highest_pip + 1):
        for high in range(low, view.rules.highest_pip + 1):
            if view.hand[low] >> high & 1:
                ways = take(cohorts, ways, place_in_set(view.rules.highest_pip, 16 * low + high), reason)
    return ways[0]
