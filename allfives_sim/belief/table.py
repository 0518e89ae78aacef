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

from allfives_sim.belief.cohorts import APART, COHORTS, NO_TILE
from allfives_sim.belief.leader import can_tell, find_parts
from allfives_sim.belief.slots import find_slots, list_unseen, turn_to
from allfives_sim.belief.tells import weigh_tiles
from allfives_sim.core.bits import int64, lowest
from allfives_sim.core.compiled import compiled, compiled_apart, keep_alive
from allfives_sim.core.game import is_by_deal
from allfives_sim.core.hand import add_tile
from allfives_sim.core.streams import STEP, below, mix
from allfives_sim.core.tiles import MAX_PLAYERS

_UNIT = 2.0**-32
_S32 = np.uint64(32)


@compiled_apart
def tabulate(view: Any, slots: Any, history: bool, tells: float) -> Any:
    """Make the table of the deals that agree with what the mover knows.

    Parameters
    ----------
    view : record of dtype `VIEW`
    slots : record of dtype `SLOTS`
        Filled.
    history : bool
        Without it, hands may hold any unseen tiles, whatever draws, passes and the choice of the leader have shown.
    tells : float
        How much is read into points that the others have not scored: see tells.py.  0: all deals are as likely.

    Returns
    -------
    float64 array (parts * (unseen tiles + 1), states)
        The parts one below the other: more than one where the choice of the leader says something (leader.py).

    Notes
    -----
    Where drawing is a choice, a draw of several tiles and a play are taken to say nothing, though a player who could
    not play would have stopped at the first that fitted.  Which of its tiles the mover drew is not in the view, and
    counts only as far as the history tells.  Where the table would be too large, hands are told of coarsely and the
    choice of the leader says nothing.
    """
    cohorts = np.zeros(1, COHORTS)
    led = history and is_by_deal(view.led_by)
    last = find_slots(view, slots, cohorts[0], history, APART if led else 0)
    if led and not can_tell(view, slots, cohorts[0], last.shape[0]):
        led = False
        last = find_slots(view, slots, cohorts[0], history, 0)
    list_unseen(view, slots)
    weigh_tiles(view, slots, tells)
    rows = last.reshape(1, last.shape[0])
    slots.parts, slots.undealt[0], slots.reason[0] = 1, 0, NO_TILE
    if led:
        rows = find_parts(view, slots, cohorts[0], last.shape[0])
    keep_alive(cohorts)
    table = np.empty((slots.parts * (slots.tiles + 1), last.shape[0]))
    for part in range(slots.parts):
        turn_to(slots, part)
        fill_part(slots, rows[part], rows_of(slots, table, part))
    return table


@compiled
def rows_of(slots: Any, table: Any, part: int) -> Any:
    """The rows of a table that are a part's."""
    return table[part * (slots.tiles + 1) : (part + 1) * (slots.tiles + 1)]


@compiled_apart
def fill_part(slots: Any, last: Any, table: Any) -> None:
    """Fill a part of the table from its last row up."""
    table[slots.tiles] = last
    for tile in range(slots.tiles - 1, -1, -1):
        for state in range(last.shape[0]):
            deals = table[tile + 1, state] if tile != slots.forced else 0.0
            for slot in range(slots.number):
                stride = slots.stride[slot]
                if slots.open[tile] >> slot & 1 and state // stride % (slots.most[slot] + 1) < slots.most[slot]:
                    deals += slots.weight[tile, slots.seat[slot]] * table[tile + 1, state + stride]
            table[tile, state] = deals


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
    if slots.parts > 1:
        word += STEP
        part = pick_part(slots, table, int64(mix(word) >> _S32) * _UNIT)
        turn_to(slots, part)
        table = rows_of(slots, table, part)
    for slot in range(slots.number):
        slots.filled[slot] = 0
    state, boneyard, forced = 0, 0, slots.forced
    for number in range(slots.tiles):
        word += STEP
        dice, tile = mix(word), int64(slots.tile[number])
        pick = int64(dice >> _S32) * _UNIT * table[number, state] - table[number + 1, state]
        slot = -1 if pick < 0 and number != forced else pick_slot(slots, table, number, state, pick)
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


@compiled_apart
def count_deals(slots: Any, table: Any) -> float:
    """All deals of all parts."""
    deals = 0.0
    for part in range(slots.parts):
        deals += table[part * (slots.tiles + 1), 0]
    return deals


@compiled_apart
def pick_part(slots: Any, table: Any, dice: float) -> int:
    """The part that a deal is drawn from, in proportion to the deals in each, by a number below 1."""
    rows = slots.tiles + 1
    pick, chosen = dice * count_deals(slots, table), 0
    for part in range(slots.parts):
        if table[part * rows, 0] > 0:
            chosen = part
            pick -= table[part * rows, 0]
            if pick < 0:
                break
    return chosen


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
    states, deals = table.shape[1], count_deals(slots, table)
    for part in range(slots.parts):
        turn_to(slots, part)
        now = np.zeros(states)
        now[0] = 1.0 / deals  # of being in each state, over the deals that come of it
        for number in range(slots.tiles):
            after = now.copy() if number != slots.forced else np.zeros(states)
            below_it = rows_of(slots, table, part)[number + 1]
            for slot in range(slots.number):
                stride = slots.stride[slot]
                for state in range(states):
                    if slots.open[number] >> slot & 1 and state // stride % (slots.most[slot] + 1) < slots.most[slot]:
                        came = now[state] * slots.weight[number, slots.seat[slot]]
                        after[state + stride] += came
                        chances[number, slots.seat[slot]] += came * below_it[state + stride]
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
    places = np.zeros(slots.tiles, np.int64)
    for part in range(slots.parts):
        turn_to(slots, part)
        if not find_places(slots, rows_of(slots, table, part), places):
            return False
    for number in range(slots.tiles):
        if places[number] == 0:
            return False
        if places[number] >> MAX_PLAYERS == 0:
            add_tile(world, lowest(places[number]), int64(slots.tile[number]))
    return True


@compiled_apart
def find_places(slots: Any, table: Any, places: Any) -> bool:
    """Add what a part of the table says to the masks of the places of each tile; whether it has one place only.

    A place is a seat, or the boneyard: bit MAX_PLAYERS.
    """
    states = table.shape[1]
    met = np.zeros(states, np.bool_)  # states that some deal goes through
    met[0] = table[0, 0] > 0
    for number in range(slots.tiles):
        after = np.zeros(states, np.bool_)
        for state in range(states):
            if not met[state]:
                continue
            if table[number + 1, state] > 0 and number != slots.forced:
                after[state] = True
                places[number] |= 1 << MAX_PLAYERS
            for slot in range(slots.number):
                stride = slots.stride[slot]
                has_room = state // stride % (slots.most[slot] + 1) < slots.most[slot]
                if slots.open[number] >> slot & 1 and has_room and table[number + 1, state + stride] > 0:
                    after[state + stride] = True
                    places[number] |= 1 << int64(slots.seat[slot])
        if places[number] & (places[number] - 1):
            return False
        met = after
    return True
