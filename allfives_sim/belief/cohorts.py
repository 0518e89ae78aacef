"""What draws, passes and plays say about one hidden hand.

When a seat draws or passes, no tile that it then held fits an open end, and no tile that it drew and kept does; tiles
drawn later are not bound by that.  So a hand falls into *cohorts*: tiles that came at the same time and cannot be the
same ones.  Which cohort a played tile came from stays hidden, so a table counts the *ways*: entry (r_0, r_1, …) is the
number of ways in which the tiles that have left the hand can have come from the cohorts, with r_c tiles now left of
cohort c.  Sets of tiles are masks: bit k is tile k of the set, lowest first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.core.bits import int64
from allfives_sim.core.combinations import CHOOSE
from allfives_sim.core.compiled import compiled, compiled_apart, record_type
from allfives_sim.core.tables import ANY_TILE, HIGHEST_DOUBLE
from allfives_sim.core.tiles import MAX_TILES, PIPS
from allfives_sim.core.view import (
    DREW,
    PASSED,
    PLAYED,
    event_drawn,
    event_kind,
    event_open,
    event_seat,
    event_tile,
)

MAX_COHORTS = 16
MAX_WAYS = 1 << 12  # entries of a hand's table; a hand that needs more is told of coarsely
ALL_TILES = (1 << MAX_TILES) - 1
APART = 1 << MAX_TILES  # in a mask: no tile, but no other cohort has it, so that this one is merged with none
NO_TILE = -1

# fmt: off
COHORTS = record_type([
    ("number", np.int64),
    ("came", np.int64, (MAX_COHORTS,)),  # how many tiles each had when it came into the hand
    ("bars", np.int64, (MAX_COHORTS,)),  # mask of the tiles that it cannot hold
    ("with_pip", np.int64, (PIPS,)),     # masks of the tiles of the set that have a pip
    ("doubles", np.int64),
])
# fmt: on


@compiled_apart
def find_cohorts(view: Any, seat: int, not_dealt: int, reason: int, cohorts: Any) -> Any:
    """Read the public history for what it says about a seat's hand.

    Parameters
    ----------
    view : record of dtype `VIEW`
    seat : int
        A draw that the seat has not yet ended with a play or a pass is left out.
    not_dealt : int
        Mask of the tiles that it was not dealt, as the choice of the leader says (leader.py); with `APART` in it, the
        tiles that were dealt stay a cohort of their own, the first.
    reason : int
        A tile that, if the seat has played it, was dealt to it; `NO_TILE`: nothing is said of that.
    cohorts : record of dtype `COHORTS`
        Filled, the oldest first.

    Returns
    -------
    float64 array
        The ways, flat: entry ``r_0 + (size_0 + 1) * (r_1 + (size_1 + 1) * …)``.
    """
    rules = view.rules
    sort_tiles(rules, cohorts)
    cohorts.number, cohorts.came[0], cohorts.bars[0] = 1, rules.tiles_each, not_dealt
    ways = np.zeros(rules.tiles_each + 1)
    ways[rules.tiles_each] = 1.0
    boneyard = rules.set_size - rules.players * rules.tiles_each
    drawn, facing, led = 0, 0, False
    for event in range(view.events):
        kind, ours = event_kind(view, event), event_seat(view, event) == seat
        if kind == DREW:
            boneyard -= event_drawn(view, event)
            if ours:  # what it says depends on the play or pass that follows
                drawn, facing = event_drawn(view, event), fitting_tiles(cohorts, event_open(view, event))
        elif ours and kind == PASSED:
            facing = fitting_tiles(cohorts, event_open(view, event))
            goes_on = drawn < rules.draw_limit and boneyard > rules.reserve
            ways = note_pass(cohorts, ways, drawn, facing, rules.play_drawn != 0, goes_on)
            drawn = 0
        elif ours:
            tile = place_in_set(rules.highest_pip, event_tile(view, event))
            if drawn and not rules.may_draw:  # the tile drawn last was the first to fit, and was played
                bar(cohorts, facing)
                ways = add_cohort(cohorts, ways, drawn - 1, facing)
                if tile == reason:
                    ways[:] = 0.0
            else:  # where drawing is a choice, nobody knows whether it was one
                ways = take(cohorts, add_cohort(cohorts, ways, drawn, 0), tile, reason)
            if not led:
                bar(cohorts, unled(rules, cohorts, tile))
            drawn = 0
        led = led or kind == PLAYED
        ways = merge_equals(cohorts, ways)
    return ways


@compiled_apart
def sort_tiles(rules: Any, cohorts: Any) -> None:
    """Find the masks of the tiles with each pip, and of the doubles."""
    for pip in range(PIPS):
        cohorts.with_pip[pip] = 0
    cohorts.doubles = 0
    for place in range(rules.set_size):
        low, high = int64(rules.set[place]) >> 4, int64(rules.set[place]) & 15
        cohorts.with_pip[low] |= 1 << place
        cohorts.with_pip[high] |= 1 << place
        if low == high:
            cohorts.doubles |= 1 << place


@compiled
def place_in_set(highest_pip: int, tile: int) -> int:
    """Which tile of a set it is: row `low` begins after the rows of the lower pips."""
    low, high = tile >> 4, tile & 15
    return low * (2 * highest_pip + 3 - low) // 2 + high - low


@compiled_apart
def fitting_tiles(cohorts: Any, ends: int) -> int:
    """Mask of the tiles that have one of some pips."""
    tiles = 0
    for pip in range(PIPS):
        if ends >> pip & 1:
            tiles |= cohorts.with_pip[pip]
    return tiles


@compiled_apart
def unled(rules: Any, cohorts: Any, tile: int) -> int:
    """Mask of the tiles that whoever led this one cannot have had, as `lead_tile` says."""
    if rules.lead_tile == ANY_TILE:
        return 0
    if not cohorts.doubles >> tile & 1:
        return cohorts.doubles
    return (cohorts.doubles >> (tile + 1)) << (tile + 1) if rules.lead_tile == HIGHEST_DOUBLE else 0


@compiled_apart
def note_pass(cohorts: Any, ways: Any, drawn: int, facing: int, play_drawn: bool, goes_on: bool) -> Any:
    """A turn without a play, after so many draws: nothing that was held fitted, nor what was drawn.

    Where a drawn tile may not be played, drawing still stops at the first that fits: if it could have gone on, the last
    one does, and if it could not, nobody knows.
    """
    if drawn and not play_drawn:
        return add_drawn(cohorts, ways, drawn, facing, goes_on)
    bar(cohorts, facing)
    return add_cohort(cohorts, ways, drawn, facing)


@compiled_apart
def add_drawn(cohorts: Any, ways: Any, drawn: int, facing: int, last_fits: bool) -> Any:
    """Tiles drawn by who could not play, all still there: none but the last fits, and of that it may be known."""
    bar(cohorts, facing)
    ways = add_cohort(cohorts, ways, drawn - 1, facing)
    return add_cohort(cohorts, ways, 1, ALL_TILES ^ facing if last_fits else 0)


@compiled_apart
def bar(cohorts: Any, tiles: int) -> None:
    """No tile of the hand is one of these."""
    for cohort in range(cohorts.number):
        cohorts.bars[cohort] |= tiles


@compiled_apart
def add_cohort(cohorts: Any, ways: Any, size: int, bars: int) -> Any:
    """Tiles come into the hand, all still there; the ways with them."""
    if size == 0:
        return ways
    if cohorts.number == MAX_COHORTS or ways.shape[0] * (size + 1) > MAX_WAYS:
        ways = make_coarse(cohorts, ways)
    cohorts.came[cohorts.number], cohorts.bars[cohorts.number] = size, bars
    cohorts.number += 1
    grown = np.zeros(ways.shape[0] * (size + 1))
    grown[ways.shape[0] * size :] = ways
    return grown


@compiled_apart
def take(cohorts: Any, ways: Any, tile: int, reason: int) -> Any:
    """A tile has left the hand: it came from any cohort that may have held it, the reason to lead from the first."""
    fewer = np.zeros(ways.shape[0])
    stride = 1
    for cohort in range(1 if tile == reason else cohorts.number):
        span = cohorts.came[cohort] + 1
        if not cohorts.bars[cohort] >> tile & 1:
            for entry in range(ways.shape[0]):
                if entry // stride % span:
                    fewer[entry - stride] += ways[entry]
        stride *= span
    return fewer


@compiled_apart
def merge_equals(cohorts: Any, ways: Any) -> Any:
    """Neighbours that cannot hold the same tiles are one cohort."""
    cohort = 0
    while cohort + 1 < cohorts.number:
        if cohorts.bars[cohort] == cohorts.bars[cohort + 1]:
            ways = merge(cohorts, ways, cohort)
        else:
            cohort += 1
    return ways


@compiled_apart
def merge(cohorts: Any, ways: Any, cohort: int) -> Any:
    """Make a cohort and the next one; of r_a + r_b tiles any r_a may be the first one's."""
    first, second = cohorts.came[cohort] + 1, cohorts.came[cohort + 1] + 1
    stride = 1
    for older in range(cohort):
        stride *= cohorts.came[older] + 1
    span = first + second - 1
    rest = ways.shape[0] // (stride * first * second)
    merged = np.zeros(stride * span * rest)
    for entry in range(ways.shape[0]):
        a, b = entry // stride % first, entry // (stride * first) % second
        above = entry // (stride * first * second)
        merged[entry % stride + stride * (a + b + span * above)] += ways[entry] * CHOOSE[a + b, a]
    cohorts.came[cohort] += cohorts.came[cohort + 1]
    for later in range(cohort + 1, cohorts.number - 1):
        cohorts.came[later], cohorts.bars[later] = cohorts.came[later + 1], cohorts.bars[later + 1]
    cohorts.number -= 1
    return merged


@compiled_apart
def make_coarse(cohorts: Any, ways: Any) -> Any:
    """Keep only what is known of every tile of the hand: one cohort of as many tiles as are left."""
    left, bars = 0, ALL_TILES
    for entry in range(ways.shape[0]):
        if ways[entry] > 0:
            left, rest = 0, entry
            for cohort in range(cohorts.number):
                left += rest % (cohorts.came[cohort] + 1)
                rest //= cohorts.came[cohort] + 1
    for cohort in range(cohorts.number):
        bars &= cohorts.bars[cohort]
    cohorts.number, cohorts.came[0], cohorts.bars[0] = 1, left, bars
    coarse = np.zeros(left + 1)
    coarse[left] = 1.0
    return coarse
