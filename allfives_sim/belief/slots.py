"""The slots that unseen tiles can fill: the cohorts of all hidden hands."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.belief.cohorts import APART, MAX_COHORTS, NO_TILE, find_cohorts, make_coarse
from allfives_sim.core.bits import int64
from allfives_sim.core.compiled import compiled_apart, record_type
from allfives_sim.core.tiles import MAX_PLAYERS, MAX_TILES

MAX_SLOTS = 3 * MAX_COHORTS
MAX_STATES = 1 << 17  # of all slots together; where there would be more, hands are told of coarsely

# fmt: off
SLOTS = record_type([
    ("tiles", np.int64),                     # how many are unseen
    ("tile", np.uint8, (MAX_TILES + 1,)),
    ("place", np.uint8, (MAX_TILES + 1,)),    # of each unseen tile in the set
    ("open", np.int64, (MAX_TILES + 1,)),     # for each unseen tile: mask of the slots that may hold it, in one part
    ("may", np.int64, (MAX_TILES + 1,)),      # the same, in any part
    ("weight", np.float64, (MAX_TILES + 1, MAX_PLAYERS)),  # how likely a tile is with a seat, 1 where nothing is told
    ("number", np.int64),                    # of slots
    ("seat", np.uint8, (MAX_SLOTS,)),
    ("most", np.int64, (MAX_SLOTS,)),        # tiles that a slot can have
    ("stride", np.int64, (MAX_SLOTS,)),      # what a tile in it adds to the state
    ("filled", np.int64, (MAX_SLOTS,)),      # room for a walk
    ("bars", np.int64, (MAX_SLOTS,)),        # mask of the tiles of the set that it cannot hold
    ("first", np.int64, (MAX_PLAYERS,)),     # of each seat's slots
    ("parts", np.int64),                     # of the table: see leader.py
    ("dealt", np.int64),                     # mask of the slots of tiles that were dealt
    ("leaders", np.int64),                   # mask of the slot of the leader's
    ("undealt", np.int64, (MAX_TILES + 1,)),  # for each part: mask of the tiles of the set that nobody was dealt
    ("reason", np.int64, (MAX_TILES + 1,)),   # for each part: the tile for which the leader leads, or `NO_TILE`
    ("forced", np.int64),                    # its number in the part turned to, or -1 where it is not unseen
])
# fmt: on


@compiled_apart
def find_slots(view: Any, slots: Any, cohorts: Any, history: bool, not_dealt: int) -> Any:
    """Make the cohorts of all hidden hands slots; the last row of the table, in which each state is full.

    Parameters
    ----------
    view : record of dtype `VIEW`
    slots : record of dtype `SLOTS`
        Filled, but for what depends on the unseen tiles.
    cohorts : record of dtype `COHORTS`
        Room.
    history : bool
        Without it, hands may hold any unseen tiles.
    not_dealt : int
        As for `find_cohorts`.
    """
    slots.number = slots.dealt = 0
    last = np.ones(1)
    for turn in range(1, view.rules.players):
        seat = (view.seat + turn) % view.rules.players
        if history:
            ways = find_cohorts(view, seat, not_dealt, NO_TILE, cohorts)
            if last.shape[0] * ways.shape[0] > MAX_STATES:
                ways = make_coarse(cohorts, ways)
        else:
            held = view.tiles[seat]
            cohorts.number, cohorts.came[0], cohorts.bars[0] = 1, held, 0
            ways = np.zeros(held + 1)
            ways[held] = 1.0
        add_slots(slots, seat, cohorts, ways, last.shape[0])
        last = add_ways(slots, seat, cohorts, ways, last)
    return last


@compiled_apart
def add_slots(slots: Any, seat: int, cohorts: Any, ways: Any, states: int) -> None:
    """Make a seat's cohorts slots, where there are so many states of the slots before."""
    slots.first[seat] = slots.number
    if cohorts.bars[0] & APART:
        slots.dealt |= 1 << slots.number
    stride, below_it = states, 1
    for cohort in range(cohorts.number):
        most, span = 0, cohorts.came[cohort] + 1
        for entry in range(ways.shape[0]):
            if ways[entry] > 0:
                most = max(most, entry // below_it % span)
        below_it *= span
        slot = slots.number
        slots.seat[slot], slots.most[slot], slots.bars[slot] = seat, most, cohorts.bars[cohort]
        slots.stride[slot] = stride
        slots.number += 1
        stride *= most + 1


@compiled_apart
def add_ways(slots: Any, seat: int, cohorts: Any, ways: Any, last: Any) -> Any:
    """The last row of the table with a seat's cohorts, from what it was without them."""
    first, before = slots.first[seat], last.shape[0]
    newest = first + cohorts.number - 1
    grown = np.zeros(slots.stride[newest] * (slots.most[newest] + 1))
    for entry in range(ways.shape[0]):
        if ways[entry] > 0:
            state, rest = 0, entry
            for cohort in range(cohorts.number):
                state += rest % (cohorts.came[cohort] + 1) * slots.stride[first + cohort]
                rest //= cohorts.came[cohort] + 1
            for other in range(before):
                grown[other + state] = last[other] * ways[entry]
    return grown


@compiled_apart
def list_unseen(view: Any, slots: Any) -> None:
    """List the tiles that the mover does not see, with the slots that may hold each."""
    slots.tiles = 0
    for place in range(view.rules.set_size):
        tile = int64(view.rules.set[place])
        low, high = tile >> 4, tile & 15
        if (int64(view.hand[low]) | int64(view.played[low])) >> high & 1:
            continue
        slots.tile[slots.tiles], slots.place[slots.tiles] = tile, place
        slots.may[slots.tiles] = 0
        for slot in range(slots.number):
            if slots.most[slot] > 0 and not slots.bars[slot] >> place & 1:
                slots.may[slots.tiles] |= 1 << slot
        slots.tiles += 1


@compiled_apart
def turn_to(slots: Any, part: int) -> None:
    """Find which slots may hold each unseen tile in a part of the table."""
    slots.forced = -1
    for number in range(slots.tiles):
        place = int64(slots.place[number])
        slots.open[number] = slots.may[number]
        if slots.undealt[part] >> place & 1:
            slots.open[number] &= ~slots.dealt
        elif place == slots.reason[part]:
            slots.open[number] &= slots.leaders
            slots.forced = number
