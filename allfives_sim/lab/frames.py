"""Results as tidy pandas frames."""

from __future__ import annotations

import pandas as pd

from allfives_sim.lab.runner import Comparison
from allfives_sim.lab.tally import BINS, ZERO_BIN


def pairs_frame(comparison: Comparison) -> pd.DataFrame:
    """One row a pair of agents, with every figure by its name in ``allfives compare --json``."""
    frame = pd.DataFrame([pair.figures() for pair in comparison.pairs]).replace({None: float("nan")})
    return frame.assign(partial=[pair.partial for pair in comparison.pairs])


def distribution_frame(comparison: Comparison) -> pd.DataFrame:
    """How the points of a hand are distributed: one row for each pair, agent and number of points that occurred.

    Columns: a, b (the pair), agent (which of the two), points (of a seat in a hand, with its settlement), hands (how
    many seats of that agent ended a hand with them), share (of that agent's).
    """
    rows = []
    for pair in comparison.pairs:
        for number, agent in enumerate((pair.a, pair.b)):
            counts = pair.tally.points[number]
            total = int(counts.sum())
            rows += [
                (pair.a, pair.b, agent, place - ZERO_BIN, int(counts[place]), int(counts[place]) / total)
                for place in range(BINS)
                if counts[place]
            ]
    return pd.DataFrame(rows, columns=["a", "b", "agent", "points", "hands", "share"])
