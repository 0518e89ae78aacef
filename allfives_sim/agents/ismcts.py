"""`ismcts`: a tree of the plays that may follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.agents.playout import seat_base
from allfives_sim.agents.policy import Number, agent
from allfives_sim.agents.sampling import halvings, keep_better_half, list_choices
from allfives_sim.agents.tree import NODE, WALK, walk_down, weigh_choices
from allfives_sim.belief.slots import SLOTS
from allfives_sim.belief.table import draw_deal, tabulate
from allfives_sim.core.bits import copy_record, int64
from allfives_sim.core.hand import HIDDEN
from allfives_sim.core.streams import STEP, mix
from allfives_sim.core.view import NO_MOVE

OWN = 4  # parameters of its own, before those of the base


@agent(
    samples_deals=True, iterations=Number(128, least=1, whole=True), base="greedy", explore=Number(40, least=0),
    prior=Number(64, least=0),
)  # fmt: skip
def ismcts(view: Any, word: Any) -> int:
    """Searches the plays that may follow in a tree over sampled worlds, in which every seat looks after its own side.

    Information-set Monte Carlo tree search with one tree for the mover (SO-ISMCTS: Cowling, Powley and Whitehouse,
    "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4, 2012).  Each iteration draws a deal that agrees with all
    that everybody has seen, goes down the tree by UCB among the plays that are possible in this deal, with
    the other ones counted as not available, adds one node, and plays the hand out with a base policy.  A side's reward
    is its points from here on less the mean of the other sides'.  Below the root every play begins with four visits
    of the value that `risk` gives it (agents/tree.py).  At the root iterations go where the choice is close, as
    `montecarlo` has it: all plays are tried in the same deals, and the better half goes on (Pepels, Cazenave, Winands
    and Lanctot, "Minimizing simple and cumulative regret in Monte-Carlo tree search", CGW 2014).  Where drawing is a
    choice, nobody draws in the tree.

    Parameters: iterations (hands played out a decision), base (the agent that plays them out below the tree), explore
    (the constant of UCB, in points), prior (how many iterations the value that `risk` gives a play of the mover is
    worth; 0: none).

    On the ladder (docs/agents.md): 19.0 points a hand over `greedy`, 5.0 under `expert`.
    """
    moves = list_choices(view)
    left = len(moves)
    totals = np.zeros(left)
    if left == 1:
        return moves[0]
    iterations, prior = int(view.parameters[0]), view.parameters[3]
    nodes = np.zeros(iterations + 3 * left, NODE)  # every round tries all plays that are left, however few iterations
    # Records are looked up where they are used: a variable for one would not keep its array alive.
    walk, world, slots = np.zeros(1, WALK), np.zeros(1, HIDDEN), np.zeros(1, SLOTS)
    copy_record(walk[0].table.rules, view.rules)
    walk[0].policy, walk[0].explore, walk[0].nodes = int(view.parameters[1]), view.parameters[2], 1
    seat_base(walk[0].hidden, view.parameters, OWN)
    deals = tabulate(view, slots[0], True, 0.0)
    weigh_choices(view, walk[0].worth)
    for number in range(left):
        totals[number] = prior * walk[0].worth[moves[number]]
    mine = int64(view.seat) & view.rules.side_mask
    rounds = halvings(left)
    for _ in range(rounds):
        for _ in range(max(1, int(iterations / (rounds * left)))):
            word += STEP
            draw_deal(view, slots[0], deals, world[0], mix(word))
            for number in range(left):
                if not walk_down(view, world[0], moves[number], nodes, walk[0]):
                    return NO_MOVE
                totals[number] += walk[0].margins[mine]
        left = keep_better_half(moves, totals, left)
    return moves[0]
