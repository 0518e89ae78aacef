"""`montecarlo`: play it out and see."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.policy import Number, agent
from allfives_sim.agents.sampling import TO_THE_END, best_on_average

OWN = 4  # parameters of its own, before those of the base


@agent(samples_deals=True, samples=Number(64, least=1), base="greedy", belief=True, prior=Number(64, least=0))
def montecarlo(view: Any, word: Any) -> int:
    """Plays every choice out in sampled deals, with a base policy at all seats, and takes the best on average.

    A flat Monte Carlo search over determinizations (Ginsberg, "GIB: imperfect information in a computationally
    challenging game", JAIR 14, 2001, plays out by search instead), its samples spent by successive halving: see
    sampling.py.  Where drawing is a choice it never draws.

    Parameters: samples (deals a choice on average), base (the agent that plays the hands out; one that sees all hands
    is no cheat there), belief (on: deals agree with what everybody has seen; off: any), prior (how many
    samples the value that `risk` gives a play is worth; 0: none).

    On the ladder (docs/agents.md): 19.6 points a hand over `greedy` with 32 samples, 21.4 with 128.
    """
    samples, base, belief, prior = view.parameters[0], view.parameters[1], view.parameters[2], view.parameters[3]
    return best_on_average(view, word, samples, belief > 0, 0.0, prior, True, 0, TO_THE_END, int(base), OWN)
