"""Integer sums over hands and deals: they merge exactly, in any order."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from allfives_sim.core.compiled import new_record, record_type
from allfives_sim.core.tiles import MAX_TILES, PIPS, tile_of

MAX_AGENTS = 4
BINS = 2048
ZERO_BIN = 1024  # the bin of 0 points; the first and the last bin also hold what lies beyond
GROUPS = 64  # deals that leave the same remainder make a group: what the jackknife of stats.py leaves out in turn
LONGEST = 64  # plays of a hand, rounded up
NUMBERED_TILES = [tile_of(low, high) for high in range(PIPS) for low in range(high + 1)]  # as the kernel numbers them

# What is summed over deals, each with its squares: the deal is the unit of every interval.  An agent's value is that of
# its seats' points, as pairing.py weighs them; each agent has three figures of its own.
HANDS, TIES, OUT_HANDS, BLOCKED_HANDS, PLAYS, DRAWS, PASSES, LEADER_MARGIN, UNFINISHED, OF_AGENTS = range(10)
VALUE, WINS, GAME_WINS = range(3)
FIGURES = OF_AGENTS + 3 * MAX_AGENTS

# What is summed over the hands of a seat: its points by play and by settlement and their squares together, whether it
# went out, the hand was blocked or reached the target, its plays, draws and passes, the tiles left in its hand, and
# whether nobody had more points.
(SEAT_HANDS, SEAT_SCORED, SEAT_SETTLED, SEAT_SQUARES, SEAT_OUT, SEAT_BLOCKED, SEAT_TARGET, SEAT_PLAYS, SEAT_DRAWS,
 SEAT_PASSES, SEAT_LEFT, SEAT_MOST) = range(12)  # fmt: skip
SEAT_FIGURES = 12

# fmt: off
TALLY = record_type([
    ("deals", np.int64), ("games", np.int64),
    ("sums", np.int64, (FIGURES,)), ("squares", np.int64, (FIGURES,)), ("with_hands", np.int64, (FIGURES,)),
    ("products", np.int64, (MAX_AGENTS, MAX_AGENTS)),       # of the agents' values, over deals
    ("hand_products", np.int64, (MAX_AGENTS, MAX_AGENTS)),  # and over hands, as if these were not paired
    ("leader_margin_sq", np.int64),                         # leader's points less the next seat's, over hands
    # For each group of deals: hands; each agent's value; the hands that each won.
    ("groups", np.int64, (GROUPS, 1 + 2 * MAX_AGENTS)),
    # Hands by the points of a seat of each agent; and by the margin of each agent over the mean of the others, in units
    # of 1 / (scale * (agents - 1)) point.
    ("points", np.int64, (MAX_AGENTS, BINS)),
    ("margins", np.int64, (MAX_AGENTS, BINS)),
    # In detail; where a row is an agent's, twice its number, or one more where another seat leads.
    ("lengths", np.int64, (LONGEST,)),                                # hands by their number of plays
    ("by_play", np.int64, (2 * MAX_AGENTS, LONGEST, 3)),              # plays, points, squares by the play's number
    ("by_tile", np.int64, (2 * MAX_AGENTS, MAX_TILES, 3)),            # and by the tile
    ("by_lead", np.int64, (2 * MAX_AGENTS, MAX_TILES, SEAT_FIGURES)), # a seat's hands by the tile that was led
])
# fmt: on


def new_tally() -> Any:
    """An empty tally: a record of dtype `TALLY`."""
    return new_record(TALLY)


def merge(total: Any, part: Any) -> None:
    """Add one tally to another."""
    for name in TALLY.names or ():
        total[name] += part[name]


def pack(tally: Any) -> bytes:
    """A tally as bytes, mostly zeros and so a few kilobytes, with a check sum."""
    return zlib.compress(tally.tobytes(), 1)


def unpack(packed: bytes) -> Any:
    """The tally that `pack` was given; ValueError where the bytes are not one."""
    try:
        return np.frombuffer(zlib.decompress(packed), TALLY).view(np.recarray)[0]
    except (zlib.error, TypeError) as error:
        raise ValueError(str(error)) from error
