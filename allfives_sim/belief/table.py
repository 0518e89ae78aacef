"""All deals that agree with what the mover knows, in one table; drawing them from it, each by its weight.

A *slot* is a cohort of a seat (see cohorts.py).  The unseen tiles are gone through one by one: each goes to a slot that
may hold it, or stays in the boneyard.  Entry (i, s) of the table is the number of complete deals that come of it when
the first i tiles have filled the slots as the state s says: one number, the tiles in each slot as its digits.  A walk
through the table that goes to each next entry in proportion to its number meets every deal with the same chance.  Where
something is read into plays (tells.py), tiles have weights and deals the product of theirs: then an entry is a sum of
weights, and a walk meets every deal in proportion to its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.belief.cohorts import COHORTS, MAX_COHORTS, find_cohorts, make_coarse
from allfives_sim.belief.tells import weigh_tiles
from allfives_sim.core.bits import int64, lowest
from allfives_sim.core.compiled import compiled, compiled_apart, record_type
from allfives_sim.core.hand import add_tile
from allfives_sim.core.streams import STEP, below, mix
from allfives_sim.core.tiles import MAX_PLAYERS, MAX_TILES

MAX_SLOTS = 3 * MAX_COHORTS
MAX_STATES = 1 << 17  # of all slots together; where there would be more, hands are told of coarsely
_UNIT = 2.0**-32
_S32 = np.uint64(32)

# fmt: off
SLOTS = record_type([
    ("tiles", np.int64),                     # how many are unseen
    ("tile", np.uint8, (MAX_TILES + 1,)),
    ("open", np.int64, (MAX_TILES + 1,)),     # for each unseen tile: mask of the slots that may hold it
    ("weight", np.float64, (MAX_TILES + 1, MAX_PLAYERS)),  # how likely a tile is with a seat, 1 where nothing is told
    ("number", np.int64),                    # of slots
    ("seat", np.uint8, (MAX_SLOTS,)),
    ("most", np.int64, (MAX_SLOTS,)),        # tiles that a slot can have
    ("stride", np.int64, (MAX_SLOTS,)),      # what a tile in it adds to the state
    ("filled", np.int64, (MAX_SLOTS,)),      # room for a walk
    ("bars", np.int64, (MAX_SLOTS,)),        # mask of the tiles of the set that it cannot hold
])
# fmt: on


@compiled_apart
def tabulate(view: Any, slots: Any, history: bool, tells: float) -> Any:
    """Make the table of the deals that agree with what the mover knows.

    Parameters
    ----------
    view : record of dtype `VIEW`
    slots : record of dtype `SLOTS`
        Filled.
    history : bool
        Without it, hands may hold any unseen tiles, whatever draws and passes have shown.
    tells : float
        How much is read into points that the others have not scored: see tells.py.  0: all deals are as likely.

    Returns
    -------
    float64 array (unseen tiles + 1, states)

    Notes
    -----
    What the choice of the leader says (where it is the holder of the highest double, say) is left out.  Where drawing
    is a choice, a draw of several tiles and a play are taken to say nothing, though a player who could not play would
    have stopped at the first that fitted.
    """
    cohorts = np.zeros(1, COHORTS)
    slots.number = 0
    last = np.ones(1)
    for turn in range(1, view.rules.players):
        seat = (view.seat + turn) % view.rules.players
        if history:
            ways = find_cohorts(view, seat, cohorts[0])
            if last.shape[0] * ways.shape[0] > MAX_STATES:
                ways = make_coarse(cohorts[0], ways)
        else:
            held = view.tiles[seat]
            cohorts[0].number, cohorts[0].came[0], cohorts[0].bars[0] = 1, held, 0
            ways = np.zeros(held + 1)
            ways[held] = 1.0
        last = add_slots(slots, seat, cohorts[0], ways, last)
    list_unseen(view, slots)
    weigh_tiles(view, slots, tells)
    table = np.empty((slots.tiles + 1, last.shape[0]))
    table[slots.tiles] = last
    for tile in range(slots.tiles - 1, -1, -1):
        for state in range(last.shape[0]):
            deals = table[tile + 1, state]
            for slot in range(slots.number):
                stride = slots.stride[slot]
                if slots.open[tile] >> slot & 1 and state // stride % (slots.most[slot] + 1) < slots.most[slot]:
                    deals += slots.weight[tile, slots.seat[slot]] * table[tile + 1, state + stride]
            table[tile, state] = deals
    return table


@compiled_apart
def add_slots(slots: Any, seat: int, cohorts: Any, ways: Any, last: Any) -> Any:
    """Make a seat's cohorts slots, without those that are empty; the last row of the table with them."""
    first, states = slots.number, last.shape[0]
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
    grown = np.zeros(stride)
    for entry in range(ways.shape[0]):
        if ways[entry] > 0:
            state, rest = 0, entry
            for cohort in range(cohorts.number):
                state += rest % (cohorts.came[cohort] + 1) * slots.stride[first + cohort]
                rest //= cohorts.came[cohort] + 1
            for before in range(states):
                grown[before + state] = last[before] * ways[entry]
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
        slots.tile[slots.tiles] = tile
        slots.open[slots.tiles] = 0
        for slot in range(slots.number):
            if slots.most[slot] > 0 and not slots.bars[slot] >> place & 1:
                slots.open[slots.tiles] |= 1 << slot
        slots.tiles += 1


@compiled
def draw_deal(view: Any, slots: Any, table: Any, world: Any, word: np.uint64) -> None:
    """Draw a deal: hands and boneyard for what the mover does not see.

    Parameters
    ----------
    view : record of dtype `VIEW`
    slots, table : as `tabulate` leaves them
    world : record of dtype `HIDDEN`
        Filled: hands, boneyard, and streams for the policies that play in it.
    word : uint64
        A random word.
    """
    for seat in range(MAX_PLAYERS):
        for pip in range(16):
            world.hands[seat, pip] = 0
    for pip in range(16):
        world.hands[view.seat, pip] = view.hand[pip]
    for seat in range(view.rules.players):
        word += STEP
        world.streams[seat] = mix(word)
    for slot in range(slots.number):
        slots.filled[slot] = 0
    state, boneyard = 0, 0
    for number in range(slots.tiles):
        word += STEP
        dice, tile = mix(word), int64(slots.tile[number])
        pick = int64(dice >> _S32) * _UNIT * table[number, state] - table[number + 1, state]
        slot = -1 if pick < 0 else pick_slot(slots, table, number, state, pick)
        if slot < 0:  # to a random place of the boneyard, and the tile that lay there to the end
            other = below(dice << _S32, boneyard + 1)
            world.deck[boneyard] = world.deck[other]
            world.deck[other] = tile
            boneyard += 1
        else:
            state += slots.stride[slot]
            slots.filled[slot] += 1
            add_tile(world, int64(slots.seat[slot]), tile)
    world.left = (1 << boneyard) - 1
    world.draws = 0


@compiled
def pick_slot(slots: Any, table: Any, number: int, state: int, pick: float) -> int:
    """The slot that a tile goes to, by a number below the sum of what its slots lead to; -1 for the boneyard."""
    chosen = -1
    for slot in range(slots.number):
        if slots.open[number] >> slot & 1 and slots.filled[slot] < slots.most[slot]:
            deals = slots.weight[number, slots.seat[slot]] * table[number + 1, state + slots.stride[slot]]
            if deals > 0:  # the last one that leads anywhere takes what rounding leaves over
                chosen = slot
                pick -= deals
                if pick < 0:
                    return chosen
    return chosen


@compiled_apart
def find_chances(slots: Any, table: Any, chances: Any) -> None:
    """Find the chance that each unseen tile is in each seat's hand.

    Parameters
    ----------
    slots, table : as `tabulate` leaves them
    chances : float64 array (unseen tiles, MAX_PLAYERS)
        Filled; what is left of 1 is the chance of the boneyard.
    """
    states = table.shape[1]
    now = np.zeros(states)
    now[0] = 1.0 / table[0, 0]  # of being in each state, over the deals that come of it
    for number in range(slots.tiles):
        after = now.copy()
        for slot in range(slots.number):
            stride = slots.stride[slot]
            for state in range(states):
                if slots.open[number] >> slot & 1 and state // stride % (slots.most[slot] + 1) < slots.most[slot]:
                    came = now[state] * slots.weight[number, slots.seat[slot]]
                    after[state + stride] += came
                    chances[number, slots.seat[slot]] += came * table[number + 1, state + stride]
        now = after


@compiled_apart
def only_deal(view: Any, slots: Any, table: Any, world: Any) -> bool:
    """Whether only one combination of hidden hands is possible; the hands of `world` are then filled with it.

    It is where, in every state that deals go through, each tile has one place only: a hand, whichever of its cohorts it
    came with, or the boneyard.  Nothing is computed with the numbers of deals but whether there are any.

    Parameters
    ----------
    view : record of dtype `VIEW`
    slots, table : as `tabulate` leaves them
    world : record of dtype `HIDDEN`
        Only its hands are filled.
    """
    for pip in range(16):
        for seat in range(MAX_PLAYERS):
            world.hands[seat, pip] = 0
        world.hands[view.seat, pip] = view.hand[pip]
    states = table.shape[1]
    met = np.zeros(states, np.bool_)  # states that some deal goes through
    met[0] = table[0, 0] > 0
    for number in range(slots.tiles):
        after = np.zeros(states, np.bool_)
        places = 0  # mask of the seats that may have the tile, and of the boneyard: bit MAX_PLAYERS
        for state in range(states):
            if not met[state]:
                continue
            if table[number + 1, state] > 0:
                after[state] = True
                places |= 1 << MAX_PLAYERS
            for slot in range(slots.number):
                stride = slots.stride[slot]
                has_room = state // stride % (slots.most[slot] + 1) < slots.most[slot]
                if slots.open[number] >> slot & 1 and has_room and table[number + 1, state + stride] > 0:
                    after[state + stride] = True
                    places |= 1 << int64(slots.seat[slot])
        if places & (places - 1) or places == 0:
            return False
        if places >> MAX_PLAYERS == 0:
            add_tile(world, lowest(places), int64(slots.tile[number]))
        met = after
    return True
