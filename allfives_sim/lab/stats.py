"""Estimates with their intervals."""

from __future__ import annotations

import math
from typing import NamedTuple

Z95 = 1.959963984540054  # the 97.5% point of the normal distribution


class Estimate(NamedTuple):
    """A figure with its 95% interval; `sd` is that of one deal's value.  NaN where the deals do not give it."""

    value: float
    low: float
    high: float
    sd: float


def ratio_estimate(n: int, y: int, yy: int, x: int, xx: int, xy: int, scale: float) -> Estimate:
    """Mean of y per x over deals, such as points a hand, with its 95% interval.

    The unit is the deal, since the hands of a deal share their tiles.  Where every deal has as many hands this is the
    mean over deals with its usual normal interval; where their number varies (whole games) it is the ratio estimator
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
    Estimate(value=1.0, low=-0.3859..., high=2.3859..., sd=1.4142...)
    """
    if n == 0 or x == 0:
        return Estimate(math.nan, math.nan, math.nan, math.nan)
    value = y / x
    if n == 1:
        return Estimate(value / scale, math.nan, math.nan, math.nan)
    # Sum over deals of (y - (Y/X) x)^2, times X^2 and so still a whole number.
    squares = yy * x * x - 2 * xy * y * x + xx * y * y
    sd = math.sqrt(squares / (x * x) / (n - 1)) / (x / n)
    half = Z95 * sd / math.sqrt(n)
    return Estimate(value / scale, (value - half) / scale, (value + half) / scale, sd / scale)
