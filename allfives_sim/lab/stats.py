"""Estimates with their intervals.

Every interval is over deals: the hands of a deal share their tiles, so hands are not independent, and deals are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054  # the 97.5% point of the normal distribution


class Estimate(NamedTuple):
    """A figure with its 95% interval; `sd` is that of one deal's value.  NaN where the deals do not give it."""

    value: float
    low: float
    high: float
    sd: float

    def widened(self, deals: int, comparisons: int) -> Estimate:
        """The same with an interval that, with those of `comparisons` figures, holds all true values at once in 95%.

        Notes
        -----
        Bonferroni's: each has an error of 5% over their number, however they depend on one another.  Source: Dunn,
        "Multiple comparisons among means", Journal of the American Statistical Association 56 (1961).
        """
        half = t_quantile(1 - 0.025 / comparisons, deals - 1) * self.sd / math.sqrt(deals) if deals > 1 else math.nan
        return self._replace(low=self.value - half, high=self.value + half)


NO_ESTIMATE = Estimate(math.nan, math.nan, math.nan, math.nan)


def ratio_estimate(n: int, y: int, yy: int, x: int, xx: int, xy: int, scale: float = 1) -> Estimate:
    """Mean of y per x over deals, such as points a hand, with its 95% interval.

    The unit is the deal, since the hands of a deal share their tiles.  Where every deal has as many hands this is the
    mean over deals with Student's interval; where their number varies (whole games) it is the ratio estimator
    with the variance of its linear part, y - r x.

    Parameters
    ----------
    n : int
        Number of deals.
    y, yy : int
        Sum and sum of squares over deals of the summed margin, in units of 1/scale point.
    x, xx : int
        Sum and sum of squares over deals of the number of hands.
    xy : int
        Sum of the products.
    scale : float

    Notes
    -----
    Source: Cochran, "Sampling Techniques", 3rd edition (1977), sections 2.11 and 6.4.  Sums are integers, so that
    equal agents have an estimate of exactly 0 and an interval from 0 to 0.

    Examples
    --------
    >>> ratio_estimate(4, 8, 40, 8, 16, 16, 1)  # deals of 2 hands with summed margins 0, 0, 2 and 6
    Estimate(value=1.0, low=-1.2503..., high=3.2503..., sd=1.4142...)
    """
    if n == 0 or x == 0:
        return NO_ESTIMATE
    value = y / x
    if n == 1:
        return Estimate(value / scale, math.nan, math.nan, math.nan)
    # Sum over deals of (y - (Y/X) x)^2, times X^2 and so still a whole number.
    squares = yy * x * x - 2 * xy * y * x + xx * y * y
    sd = math.sqrt(squares / (x * x) / (n - 1)) / (x / n)
    half = t_quantile(0.975, n - 1) * sd / math.sqrt(n)
    return Estimate(value / scale, (value - half) / scale, (value + half) / scale, sd / scale)


def share_estimate(n: int, y: int, yy: int, x: int, xx: int, xy: int) -> Estimate:
    """A share of hands, y of x, with its 95% interval over deals: within 0 and 1, and right for rare events too.

    Parameters
    ----------
    n, y, yy, x, xx, xy : int
        As for `ratio_estimate`.

    Notes
    -----
    Wilson's interval for as many independent trials as would give the variance that is found over deals, but no fewer
    than deals and no more than hands; where the share is 0 or 1, for as many as deals.  Source: Korn and Graubard,
    "Confidence intervals for proportions with small expected number of positive counts estimated from survey data",
    Survey Methodology 24 (1998), with Wilson's interval instead of the exact one.
    """
    found = ratio_estimate(n, y, yy, x, xx, xy)
    if n == 0 or x == 0:
        return found
    spread = found.sd**2 / n if n > 1 else 0.0
    trials = found.value * (1 - found.value) / spread if spread > 0 else n
    low, high = wilson(found.value, min(max(trials, min(n, x)), x))
    return found._replace(low=low, high=high)


def wilson(share: float, trials: float) -> tuple[float, float]:
    """The 95% interval of a share of independent trials, such as worlds in which a play wins; (NaN, NaN) of none.

    Notes
    -----
    Source: Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    Statistical Association 22 (1927).  It stays within 0 and 1, and holds for shares near them.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(0.0, 10)], [round(end, 3) for end in wilson(0.5, 10)]
    ([0.0, 0.278], [0.237, 0.763])
    """
    if trials == 0:
        return math.nan, math.nan
    square = Z95 * Z95 / trials
    middle = share + square / 2
    half = Z95 * math.sqrt(share * (1 - share) / trials + square / (4 * trials))
    return max(0.0, min((middle - half) / (1 + square), share)), min(1.0, max((middle + half) / (1 + square), share))


def confidence_sequence(value: float, sd: float, deals: int, error: float = 0.05) -> tuple[float, float]:
    """An interval that holds at all looks at once: over a whole run it is wrong at any time with the chance `error`.

    Parameters
    ----------
    value, sd : float
        Mean and standard deviation over the deals so far.
    deals : int

    Notes
    -----
    The two-sided asymptotic confidence sequence for a mean, with its boundary narrowest after `NARROWEST` deals.
    Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic
    confidence sequences", Annals of Statistics 52 (2024).

    Examples
    --------
    >>> [round(end, 2) for end in confidence_sequence(0.0, 20.0, 10_000)]
    [-0.62, 0.62]
    """
    log = -2 * math.log(error)
    rho2 = (log + math.log(log + 1)) / NARROWEST
    spread = deals * rho2 + 1
    half = sd * math.sqrt(2 * spread / (deals * deals * rho2) * math.log(math.sqrt(spread) / error))
    return value - half, value + half


NARROWEST = 20_000  # deals, about where studies stop that ask for a few tenths of a point


def t_quantile(share: float, freedom: int) -> float:
    """The point below which Student's t lies with a chance of `share`; from 400 degrees of freedom on, the normal's."""
    if freedom >= 400:  # where they differ by a third of a percent
        return normal_quantile(share)
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def normal_quantile(share: float) -> float:
    """The point below which a normal variable lies with a chance of `share`."""
    return NormalDist().inv_cdf(share)


def jackknife(groups: NDArray[Any], figure: Callable[[NDArray[Any]], NDArray[Any]]) -> tuple[Any, Any, Any]:
    """Figures of a run's sums with their 95% intervals, from leaving out one group of deals at a time.

    Parameters
    ----------
    groups : array (groups, …)
        The sums over each group of deals.  Groups that are empty are left aside.
    figure : callable
        Gives an array of figures of the sums over some groups together.

    Returns
    -------
    value, low, high : arrays
        NaN ends where there are fewer than two groups.

    Notes
    -----
    The delete-a-group jackknife: with g groups the variance is (g - 1)/g times the sum of squares of the figures'
    changes when a group is left out, and the interval takes Student's t with g - 1 degrees of freedom.  It knows what
    the figures share: all pairs of a study play the same deals.  Source: Kott, "The delete-a-group jackknife",
    Journal of Official Statistics 17 (2001).
    """
    total = groups.sum(axis=0)
    value = np.asarray(figure(total), dtype=float)
    used = [group for group in groups if group.any()]
    count = len(used)
    if count < 2:
        return value, np.full_like(value, math.nan), np.full_like(value, math.nan)
    without = np.array([figure(total - group) for group in used], dtype=float)
    variance = (count - 1) / count * ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    half = t_quantile(0.975, count - 1) * np.sqrt(variance)
    return value, value - half, value + half
