"""When a study may stop before all its deals are played, so that looking at it on the way does not spoil its figures.

Looks are at fixed numbers of deals, whatever plays them: a study stops after the same deals on any machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from allfives_sim.core.errors import InputError, shown
from allfives_sim.lab.stats import Estimate, confidence_sequence

FIRST_LOOK = 500  # deals; before that the standard deviation is not known well enough
NEXT_LOOK = 1.1  # times as many


@dataclass(frozen=True)
class StopRule:
    """A rule that stops a pair, or a table, for its first agent, before all deals are played; one of the two.

    Attributes
    ----------
    margin : float, optional
        Stop when the margin is known to plus or minus so many points a hand, by a confidence sequence.
    better_by : float, optional
        Stop when it is decided whether the first agent is better by so many points a hand, rather than not better: by a
        sequential test.
    error : float
        The chance of a wrong figure or answer.

    Raises
    ------
    InputError
        None or both are set, or a number is not valid.
    """

    margin: float | None = None
    better_by: float | None = None
    error: float = 0.05

    def __post_init__(self) -> None:
        if (self.margin is None) == (self.better_by is None):
            raise InputError("stop needs one of the keys margin and better_by; valid: stop = {margin = 0.2}")
        for key in ("margin", "better_by"):
            value = getattr(self, key)
            if value is not None and not (_is_number(value) and 0 < value <= 1e6):
                raise InputError(f"stop.{key} cannot be {shown(repr(value))}; valid: points a hand, more than 0")
        if not (_is_number(self.error) and 0 < self.error < 0.5):
            raise InputError(f"stop.error cannot be {shown(repr(self.error))}; valid: a chance between 0 and 0.5")

    def to_dict(self) -> dict[str, Any]:
        """What is set of it."""
        return {key: value for key, value in vars(self).items() if value is not None}

    def decide(self, margin: Estimate, deals: int) -> str:
        """What can be said after some deals: ``""`` where nothing can yet.

        Parameters
        ----------
        margin : Estimate
            Over those deals.
        deals : int
        """
        if math.isnan(margin.sd):
            return ""
        if self.margin is not None:
            low, high = confidence_sequence(margin.value, margin.sd, deals, self.error)
            return "known" if (high - low) / 2 <= self.margin else ""
        return sequential_test(margin.value, margin.sd, deals, self.better_by or 0.0, self.error)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15


def looks(deals: int) -> Iterator[int]:
    """After how many deals a stopping rule looks: at fixed numbers, and when all are played.

    >>> list(looks(700))
    [500, 550, 605, 666, 700]
    """
    look = FIRST_LOOK
    while look < deals:
        yield look
        look = math.ceil(look * NEXT_LOOK - 1e-9)
    yield deals


def sequential_test(value: float, sd: float, deals: int, better_by: float, error: float) -> str:
    """Decide between a margin of `better_by` or more and one of nothing or less.

    Returns
    -------
    str
        ``"better"``, ``"not better"``, or ``""`` where more deals are needed.

    Notes
    -----
    Wald's sequential probability ratio test of the mean of normal values, with the standard deviation as it is found:
    the logarithm of the likelihood ratio is n d (m - d/2) / s^2, and the test ends where it leaves (log(e / (1 - e)),
    log((1 - e) / e)).  In between, where the margin is more than nothing and less than `better_by`, either answer is
    right for some purpose; the test gives the one that is nearer more often.  Sources: Wald, "Sequential Tests of
    Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945); with estimated variance, as chess engines are
    tested: Van den Bergh, "A practical introduction to the GSPRT" (2020).

    Examples
    --------
    >>> sequential_test(0.6, 20.0, 20_000, 0.5, 0.05), sequential_test(0.3, 20.0, 1000, 0.5, 0.05)
    ('better', '')
    """
    if sd == 0:
        return "better" if value >= better_by else "not better"
    ratio = deals * better_by * (value - better_by / 2) / sd**2
    bound = math.log((1 - error) / error)
    return "better" if ratio >= bound else "not better" if ratio <= -bound else ""
