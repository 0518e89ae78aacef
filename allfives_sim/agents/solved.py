"""What was solved before: a table of positions, by all that what is still to be gained depends on.

Which tiles are left says in whose hands they are, since all hands are known, and whether a double was played.  That
mask is kept in full; all else goes into a key of 64 bits: seat, count and ends, whatever their numbers are, since ends
that look alike are played on alike.  An entry is taken for another position's only where both agree.

Scores are the one thing that makes it matter how a position came about: points that would pass an exact target are not
scored, a play that reaches the target ends the game, no settlement takes a score below the floor.  So a side's score
goes into the key where one of these is within reach of what the side can still gain or lose in this hand.  Elsewhere it
must not: what is still to be gained is then the same for all scores, and most positions that are met again are met with
other scores.

The table has a fixed size, and the newest entry replaces the one in its place (Breuker, Uiterwijk and van den Herik,
"Replacement schemes for transposition tables", ICCA Journal 17, 1994).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.belief.cohorts import place_in_set
from allfives_sim.core.bits import int64
from allfives_sim.core.board import BARE
from allfives_sim.core.compiled import compiled, record_type
from allfives_sim.core.settlement import hand_pips
from allfives_sim.core.streams import STEP, mix
from allfives_sim.core.tables import FAR, MAX_COUNT
from allfives_sim.core.tiles import PIPS
from allfives_sim.core.view import tile

MOST_ENTRIES = 14  # a table of 2**14 entries: more does not pay below some hundred thousand nodes
EXACT, AT_LEAST, AT_MOST = range(1, 4)  # what an entry says of a value; 0: an empty entry
_S32 = np.uint64(32)

# fmt: off
ENTRY = record_type([
    ("left", np.int64), ("key", np.uint64),      # whose value it is
    ("value", np.int32), ("hint", np.int16), ("kind", np.int8),
])
REACH = record_type([
    ("play", np.int64),                          # the most that a play can score
    ("settlement", np.int64),                    # the most that a settlement can give or take
])
# fmt: on


@compiled
def new_memory(tiles: int) -> Any:
    """A table for `solve`: small for positions with few tiles, which have few successors."""
    return np.zeros(1 << min(tiles, MOST_ENTRIES), ENTRY)


@compiled
def position_key(table: Any, reach: Any, world: np.uint64) -> np.uint64:
    """All of a position that the mask of the tiles left does not tell, in 64 bits."""
    layout, rules = table.layout, table.rules
    ends = np.uint64(0)
    for end in range(layout.ends):
        pip, kind = int64(layout.pip[end]), int64(layout.kind[end])
        look = pip | kind << 4
        if kind == BARE:
            look |= int64(layout.covered[pip]) << 8
        ends += mix(np.uint64(look) + STEP)  # a sum: the order of the ends is no matter
    key = mix(mix(world) ^ np.uint64(layout.count << 3 | int64(table.seat))) ^ ends
    top = min(rules.stop_score, rules.ceiling)
    for side in range(2):
        tiles = 0
        for seat in range(side, rules.players, 2):
            tiles += table.tiles[seat]
        score = table.scores[side]
        near_top = score + tiles * reach.play + reach.settlement >= top
        near_floor = score - reach.settlement < rules.floor
        key = mix(key + np.uint64(score + FAR if near_top or near_floor else 0))
    return key


@compiled
def find_reach(table: Any, hidden: Any, reach: Any) -> None:
    """Find bounds for what a play, and a settlement, from here on can be worth.

    A play raises the count by its tile's pips at most: by one of them, or by a double's both.  Where spinners count
    more than twice, or more the more of their sides are covered, it is as many times the pips.
    """
    rules = table.rules
    pips, settled = 0, rules.bonus
    for seat in range(rules.players):
        held = hand_pips(hidden, seat, rules.highest_pip)
        pips += held
        settled += rules.settled[held]
    reach.settlement = settled + rules.settled[pips]  # hands rounded each, or together
    times = 1
    for covered in range(4):
        times = max(times, rules.multiple[covered + 1] - rules.multiple[covered], (rules.multiple[covered] + 1) // 2)
    reach.play = 0
    for count in range(min(table.layout.count + times * pips + 1, MAX_COUNT)):
        reach.play = max(reach.play, int64(rules.points[count]))


@compiled
def bit_of(table: Any, move: int) -> int:
    """The bit of a move's tile in masks of tiles, which are those of the largest set."""
    return 1 << place_in_set(PIPS - 1, tile(table, move))


@compiled
def all_tiles(table: Any, hidden: Any) -> int:
    """Mask of the tiles in all hands."""
    left = 0
    for seat in range(table.rules.players):
        for low in range(PIPS):
            for high in range(low, PIPS):
                left |= (int64(hidden.hands[seat, low]) >> high & 1) << place_in_set(PIPS - 1, 16 * low + high)
    return left


@compiled
def looks_of(layout: Any, move: int) -> int:
    """A move as the table keeps it: the partner, and the pip and kind of the end, whatever its number is."""
    end = move >> 4
    return int64(layout.pip[end]) | int64(layout.kind[end]) << 4 | (move & 15) << 8


@compiled
def place_of(memory: Any, frame: Any) -> int:
    """Where in the table a position has its entry."""
    word = mix(frame.key ^ np.uint64(frame.left))
    return int64(word >> _S32) & (memory.shape[0] - 1)


@compiled
def recall(memory: Any, frame: Any) -> bool:
    """Whether the table tells enough of a position's value, which is then its best; else it may hint at a play."""
    place = place_of(memory, frame)
    kind = memory[place].kind
    if kind == 0 or memory[place].left != frame.left or memory[place].key != frame.key:
        return False
    value = int64(memory[place].value)
    frame.hint = memory[place].hint
    if kind == EXACT or (kind == AT_LEAST and value >= frame.beta) or (kind == AT_MOST and value <= frame.alpha):
        frame.best = value
        return True
    return False


@compiled
def keep(memory: Any, frame: Any) -> None:
    """Write down what was found of a position."""
    place = place_of(memory, frame)
    memory[place].left, memory[place].key = frame.left, frame.key
    memory[place].value = frame.best
    if frame.best >= frame.beta:
        memory[place].kind = AT_LEAST
    else:
        memory[place].kind = AT_MOST if frame.best <= frame.alpha else EXACT
    memory[place].hint = looks_of(frame.layout, frame.best_move)
