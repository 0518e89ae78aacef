"""`expert`: the strongest play there is here."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.endgame import solved_move
from allfives_sim.agents.policy import agent
from allfives_sim.agents.sampling import best_on_average
from allfives_sim.core.view import NO_MOVE

OWN = 6  # parameters of its own, before those of the base


@agent(samples_deals=True, samples=54, base="peek", belief=True, prior=64.0, halving=True, nodes=20000.0)
def expert(view: Any, word: Any) -> int:
    """Plays every choice out in sampled deals with a base that sees them, and endings exactly where hands are known.

    It is `montecarlo` played out by `peek`, which looks at the sampled hands; and where nobody can draw any more and
    only one deal is possible, it plays as `endgame`.  Each part can be switched off to see what it is worth
    (docs/agents.md).

    Parameters: samples (deals a choice, on average), base, belief (on: deals agree with what draws and passes have
    shown), prior (how many samples the value that `risk` gives a play is worth), halving (on: samples go where the
    choice is close), nodes (how many positions an exact search may look at; 0: none).

    On the ladder (docs/agents.md): 19.0 points a hand over `greedy`, 2.5 over `montecarlo:samples=128`.
    """
    parameters = view.parameters
    move = solved_move(view, int(parameters[5]))
    if move != NO_MOVE:
        return move
    samples, base, belief, prior = parameters[0], int(parameters[1]), parameters[2] > 0, parameters[3]
    return best_on_average(view, word, samples, belief, prior, parameters[4] > 0, 0, base, OWN)
