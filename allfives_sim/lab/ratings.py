"""Several agents at once: one rating for each, and where no rating can be right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

POINTS_A_TENFOLD = 400  # rating points that make the odds of winning a hand ten to one, as in chess


def bradley_terry(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ratings of some agents by the hands that each won of each other one.

    Parameters
    ----------
    wins : array (agents, agents)
        How many hands the agent of a row won against that of a column; a tie is half a win for each.

    Returns
    -------
    array (agents,)
        Ratings with mean 0; NaN for all where they cannot be told: where some agents never win against the others.

    Notes
    -----
    The maximum likelihood estimate, fitted by scipy, of the model in which an agent beats another with the chance
    1 / (1 + 10**(-d/400)), d being the difference of their ratings.  It exists where no group of agents has lost all
    hands against the others.  Sources: Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39
    (1952); Ford, "Solution of a ranking problem from binary comparisons", American Mathematical Monthly 64 (1957).

    Examples
    --------
    >>> bradley_terry(np.array([[0.0, 10.0], [1.0, 0.0]])).round(1).tolist()
    [200.0, -200.0]
    """
    if len(wins) == 2 and wins[0, 1] > 0 and wins[1, 0] > 0:
        apart = POINTS_A_TENFOLD * math.log10(wins[0, 1] / wins[1, 0])
        return np.array([apart / 2, -apart / 2])
    from scipy.optimize import minimize
    from scipy.sparse.csgraph import connected_components
    from scipy.special import expit, log_expit

    parts, _ = connected_components(wins > 0, connection="strong")
    if len(wins) < 2 or parts > 1:
        return np.full(len(wins), math.nan)
    total = wins.sum()

    def surprise(strength: Any) -> tuple[float, Any]:
        """Mean negative log-likelihood, and its gradient."""
        apart = strength[:, None] - strength[None, :]
        unexpected = wins * expit(-apart) / total
        return -(wins * log_expit(apart)).sum() / total, unexpected.sum(axis=0) - unexpected.sum(axis=1)

    found = minimize(surprise, np.zeros(len(wins)), jac=True, method="BFGS", options={"gtol": 1e-10})
    return POINTS_A_TENFOLD / math.log(10) * (found.x - found.x.mean())


def find_cycles(pairs: Sequence[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Three agents of which each beats the next one, the last the first.

    Parameters
    ----------
    pairs : sequence of dict
        Figures of pairs; one beats the other where the margin's interval, adjusted for all pairs, is clear of zero.
    """
    beats = {(one["a"], one["b"]) for one in pairs if one["margin_low_all"] > 0}
    beats |= {(one["b"], one["a"]) for one in pairs if one["margin_high_all"] < 0}
    names = list(dict.fromkeys(name for pair in beats for name in pair))
    return [(x, y, z) for x, y, z in permutations(names, 3) if x == min(x, y, z) and {(x, y), (y, z), (z, x)} <= beats]
