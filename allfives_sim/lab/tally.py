"""Integer sums over hands and deals: they merge exactly, in any order."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.core.compiled import new_record, record_type

BINS = 2048
ZERO_BIN = 1024  # the bin of 0 points; the first and the last bin also hold what lies beyond

# fmt: off
TALLY = record_type([
    ("deals", np.int64), ("hands", np.int64), ("games", np.int64),
    ("plays", np.int64), ("draws", np.int64),
    ("out", np.int64), ("blocked", np.int64), ("target", np.int64),
    # Over hands: won by the agent whose seat alone has the most points; and over games.
    ("wins", np.int64, (2,)), ("ties", np.int64), ("game_wins", np.int64, (2,)), ("unfinished", np.int64),
    # Leader's points less the next seat's, over hands.
    ("leader_margin", np.int64), ("leader_margin_sq", np.int64),
    # Over deals: m is the summed margin of all its hands, in units of 1/scale point (see pairing.py), h their number.
    ("margin", np.int64), ("margin_sq", np.int64), ("hands_sq", np.int64), ("margin_hands", np.int64),
    # Hands by the points of a seat, for the seats of each agent.
    ("points", np.int64, (2, BINS)),
])
# fmt: on


def new_tally() -> Any:
    """An empty tally: a record of dtype `TALLY`."""
    return new_record(TALLY)


def merge(total: Any, part: Any) -> None:
    """Add one tally to another."""
    for name in TALLY.names or ():
        total[name] += part[name]
