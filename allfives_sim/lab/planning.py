"""How many deals a difference needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from allfives_sim.core.errors import InputError
from allfives_sim.lab.runner import Progress
from allfives_sim.lab.stats import normal_quantile
from allfives_sim.lab.study import Study


@dataclass(frozen=True)
class Plan:
    """What a pilot says of the study to come.

    Attributes
    ----------
    a, b : str
        The agents.
    difference, power : float
        What is to be found out, in points a hand, and with which chance.
    pilot_deals : int
    sd : float
        Of a deal's margin, in the pilot.
    deals, deals_low, deals_high : int
        How many the study needs, and what the pilot leaves open of that (95%).
    pairing_saves : float
        How many times as many it would need without paired deals.
    seconds : float
        How long those deals take one worker.
    """

    a: str
    b: str
    difference: float
    power: float
    pilot_deals: int
    sd: float
    deals: int
    deals_low: int
    deals_high: int
    pairing_saves: float
    seconds: float


def plan(study: Study, difference: float, power: float = 0.9, progress: Progress | None = None) -> Plan:
    """Find how many deals a pair needs, from a pilot.

    Parameters
    ----------
    study : Study
        The pilot: two agents, and some hundred deals or more.
    difference : float
        In points a hand.
    power : float
        The chance that the 95% interval of a true difference of that size will be clear of 0.

    Raises
    ------
    InputError
        A number is not valid, or the pilot cannot tell, since the agents always play alike.

    Notes
    -----
    n = ((z(0.975) + z(power)) sd / difference)^2, for the two-sided test of a mean.  The pilot's standard deviation has
    a relative standard error of about 1 / sqrt(2 (n - 1)).  Source: Cohen, "Statistical Power Analysis for the
    Behavioral Sciences", 2nd edition (1988), chapter 2.
    """
    if not 1e-6 <= difference <= 1e6:
        raise InputError(f"difference cannot be {difference}; valid: points a hand, from 1e-06")
    if not 0.5 <= power < 1:
        raise InputError(f"power cannot be {power}; valid: a chance from 0.5 to below 1")
    if study.deals < 100:
        raise InputError(f"pilot cannot be {study.deals}; valid: 100 deals or more")
    results = study.run(progress=progress)
    if results.partial:
        raise KeyboardInterrupt
    figures = results.figures[0]
    sd, deals = figures["sd"], figures["deals"]
    if not sd > 0:
        raise InputError(f"{figures['a']} and {figures['b']} play alike in all of {deals:,} deals; no plan can be made")
    reach = ((normal_quantile(0.975) + normal_quantile(power)) / difference) ** 2
    spread = 1.96 / math.sqrt(2 * (deals - 1))
    needed = math.ceil(reach * sd**2)
    return Plan(
        figures["a"], figures["b"], difference, power, deals, sd, needed,
        math.ceil(reach * (sd * (1 - spread)) ** 2), math.ceil(reach * (sd * (1 + spread)) ** 2),
        figures["pairing_saves"], figures["seconds"] * needed / deals,
    )  # fmt: skip
