"""`pimc`: search sampled deals."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.lookahead import MOST_PLAYS
from allfives_sim.agents.policy import Number, agent
from allfives_sim.agents.sampling import TO_THE_END, best_on_average

OWN = 4  # parameters of its own, before those of the base


@agent(
    samples_deals=True, samples=Number(24, least=1), base="greedy",
    plays=Number(1, least=0, most=MOST_PLAYS, whole=True), prior=Number(64, least=0),
)  # fmt: skip
def pimc(view: Any, word: Any) -> int:
    """Searches some plays deep in sampled deals, plays them out from there, and takes the best choice on average.

    Perfect information Monte Carlo (Levy, "The million pound bridge program", 1989; Ginsberg, "GIB", JAIR 14, 2001).
    In the search both sides see all hands, but draw from a boneyard that is shuffled anew: draws are chance (see
    lookahead.py).  Where drawing is a choice it never draws.

    Parameters: samples (deals a choice on average), base (the agent that plays the hands out after the search), plays
    (how many plays after the own are searched, up to 8), prior (how many samples the value that `risk` gives a play is
    worth).

    On the ladder (docs/agents.md): 17.5 points a hand over `greedy`, 6.7 under `expert`.
    """
    samples, base, plays, prior = view.parameters[0], view.parameters[1], view.parameters[2], view.parameters[3]
    return best_on_average(view, word, samples, True, 0.0, prior, True, int(plays), TO_THE_END, int(base), OWN)
