"""`endgame`: exact play where the hidden hands are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.agents.policy import Number, agent
from allfives_sim.agents.solved import new_memory
from allfives_sim.agents.solver import is_dead, new_frames, solve, tiles_left
from allfives_sim.belief.slots import SLOTS
from allfives_sim.belief.table import only_deal, tabulate
from allfives_sim.core.bits import copy_record
from allfives_sim.core.calls import call_policy
from allfives_sim.core.compiled import compiled, compiled_apart, keep_alive
from allfives_sim.core.hand import HIDDEN
from allfives_sim.core.view import MAX_PARAMETERS, NO_MOVE, VIEW

OWN = 2  # parameters of its own, before those of the base


@agent(base="risk", nodes=Number(20000, least=0, whole=True))
def endgame(view: Any, word: Any) -> int:
    """Plays exactly where nobody can draw any more and only one deal of the hidden hands is possible, for two sides.

    It then takes a play with the best margin of the hand, all sides playing their best from there on.  Two players know
    each other's hand when the boneyard is empty; also otherwise draws and passes can leave only one possibility.  Where
    that is not so, or the search is too long, its base plays.  The search is alpha-beta with a table of positions
    (Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6, 1975; Breuker, Uiterwijk and van
    den Herik, "Replacement schemes for transposition tables", ICCA Journal 17, 1994).

    It matters as often as that happens.  Under article rules one decision in thirteen is of this kind between two
    `risk`, one in forty between two `greedy`; where nobody draws and all tiles are dealt every one is, of which the
    search reaches the last half.  Where tiles stay in the boneyard hardly any is.  It takes the other side to play its
    best too: against one that errs another play may be worth more.

    Parameters: base (the agent that plays where nothing is solved), nodes (how many positions a search may look at).

    On the ladder (docs/agents.md): 13.5 points a hand over `greedy` with 2,000 nodes, 0.3 to 1.7 over its base
    `risk` by their number.
    """
    move = solved_move(view, int(view.parameters[1]))
    return ask_base(view, word) if move == NO_MOVE else move


@compiled_apart
def solved_move(view: Any, nodes: int) -> int:
    """A best move, or `NO_MOVE` where the hidden hands are not known or the search is too long."""
    if nodes < 1 or view.rules.sides != 2 or not is_dead(view):
        return NO_MOVE
    slots, hidden, table = np.zeros(1, SLOTS), np.zeros(1, HIDDEN), np.zeros(1, VIEW)
    deals = tabulate(view, slots[0], True, 0.0)
    move = NO_MOVE
    if only_deal(view, slots[0], deals, hidden[0]):
        copy_record(table[0], view)
        tiles = tiles_left(view)
        known, _, best, _ = solve(table[0], hidden[0], new_frames(tiles), new_memory(tiles), np.uint64(0), nodes)
        if known:
            move = best
    keep_alive(slots, hidden, table)
    return move


@compiled
def ask_base(view: Any, word: Any) -> int:
    """The answer of the base, which finds its parameters first in the view."""
    own = np.empty(MAX_PARAMETERS)
    copy_parameters(own, view.parameters, 0)
    base = int(own[0])
    copy_parameters(view.parameters, own, OWN)
    move = call_policy(base, 0, view, word)
    copy_parameters(view.parameters, own, 0)
    return move


@compiled
def copy_parameters(target: Any, source: Any, first: int) -> None:
    """Copy parameters, from number `first` of the source on; zeros after the last."""
    for number in range(MAX_PARAMETERS):
        target[number] = source[first + number] if first + number < MAX_PARAMETERS else 0.0
