"""`expert`: the strongest player of the two-handed game that there is here."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.endgame import solved_move
from allfives_sim.agents.policy import Number, agent
from allfives_sim.agents.sampling import TO_THE_END, best_on_average
from allfives_sim.belief.tells import MOST_TELLS
from allfives_sim.core.view import NO_MOVE

OWN = 9  # parameters of its own, before those of the base


@agent(
    samples_deals=True,
    samples=Number(40, least=1), base="risk", belief=True, prior=Number(16, least=0), halving=True,
    nodes=Number(20000, least=0, whole=True), learned=True, turns=Number(2, least=0, whole=True),
    tells=Number(0.75, least=0, most=MOST_TELLS),
)  # fmt: skip
def expert(view: Any, word: Any) -> int:
    """Tries every choice in sampled deals a few plays deep, asks a network what comes of it, and solves endings.

    It is `montecarlo` with four things more.  A hand is not played out to its end: after some turns the network of
    `learned` says what it is worth, as it says what each choice is worth before anything is sampled.  The base weighs
    replies.  Deals are less likely in which the others left points on the table (belief/tells.py).  And where nobody
    can draw any more and only one deal is possible, it plays as `endgame`.  Each part can be switched off to see what
    it is worth (docs/agents.md).

    Parameters: samples (deals a choice, on average), base, belief (on: deals agree with what everybody has
    seen), prior (how many samples the value that a play is given before is worth), halving (on: samples go where the
    choice is close), nodes (how many positions an exact search may look at; 0: none), learned (off: hands are played
    out, and the value before is the one that `risk` gives), turns (how many own turns are played before the network is
    asked), tells (how much is read into a step of the score that others have not taken; 0: nothing).

    On the ladder (docs/agents.md): 20.7 points a hand over `greedy`, 5.3 over `montecarlo:samples=128`.
    """
    parameters = view.parameters
    move = solved_move(view, int(parameters[5]))
    if move != NO_MOVE:
        return move
    turns = int(parameters[7]) if parameters[6] > 0 else TO_THE_END
    samples, base, belief, prior = parameters[0], int(parameters[1]), parameters[2] > 0, parameters[3]
    return best_on_average(view, word, samples, belief, parameters[8], prior, parameters[4] > 0, 0, turns, base, OWN)
