"""`expert`: the strongest play there is here."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.endgame import solved_move
from allfives_sim.agents.policy import agent
from allfives_sim.agents.sampling import best_on_average
from allfives_sim.agents.solver import is_dead
from allfives_sim.core.view import NO_MOVE

OWN = 6  # parameters of its own, before those of the base
TYPICAL = 12.0  # tiles in hands, somewhere in the middle of a hand


@agent(samples_deals=True, samples=56, base="peek", belief=True, prior=64.0, late=True, nodes=20000.0)
def expert(view: Any, word: Any) -> int:
    """Plays every choice out in sampled deals with a base that sees them, and endings exactly where hands are known.

    It is `montecarlo` with three things more, each of which can be switched off to see what it is worth
    (docs/agents.md): hands are played out by `peek`, which looks at the sampled hands; samples go where they are cheap,
    late in the hand (late); and where nobody can draw any more and only one deal is possible, it plays as `endgame`.

    Parameters: samples (deals a choice, on average, where 12 tiles are in hands), base, belief (on: deals agree with
    what draws and passes have shown), prior (how many samples the value that `risk` gives a play is worth), late
    (whether the number of samples grows as tiles leave the hands), nodes (how many positions an exact search may look
    at; 0: none).

    On the ladder (docs/agents.md): 19.7 points a hand over `greedy`, 2.6 over `montecarlo:samples=128`.
    """
    parameters = view.parameters
    move = NO_MOVE
    if parameters[5] > 0 and view.rules.sides == 2 and is_dead(view):
        move = solved_move(view, int(parameters[5]))
    if move != NO_MOVE:
        return move
    samples = parameters[0]
    if parameters[4] > 0:
        in_hands = 0
        for seat in range(view.rules.players):
            in_hands += view.tiles[seat]
        samples *= TYPICAL / in_hands
    return best_on_average(view, word, samples, parameters[2] > 0, parameters[3], 0, int(parameters[1]), OWN)
