"""`omniscient`: how much there would be to gain."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.agents.playout import play_out, seat_base
from allfives_sim.agents.policy import agent
from allfives_sim.core.bits import copy_record
from allfives_sim.core.hand import HIDDEN, all_hands
from allfives_sim.core.view import NO_MOVE, VIEW, first_move, next_move

OWN = 1  # parameters of its own, before those of the base


@agent(sees_all=True, base="greedy")
def omniscient(view: Any, word: Any) -> int:
    """A cheat: sees all hands and the order of the boneyard, plays every choice out in them and takes the best.

    A yardstick: no agent that keeps to the rules can be expected to come near it, so it tells how much of the
    possible others reach.  Hands are played out with `base` at all seats, so it is not perfect play either, and it
    gains most from opponents who play as `base` does.

    On the ladder (docs/agents.md): 51.6 points a hand over `greedy`.
    """
    table, hidden = np.zeros(1, VIEW), np.zeros(1, HIDDEN)
    copy_record(table[0].rules, view.rules)
    seat_base(hidden[0], view.parameters, OWN)
    agents, numbers = np.zeros(4, np.int64), np.zeros((2, 4), np.int64)
    base = int(view.parameters[0])
    best, best_margin = NO_MOVE, -1e18
    move = first_move(view)
    while move != NO_MOVE:
        margin = play_out(view, all_hands(view), table[0], hidden[0], move, base, agents, numbers)
        if margin > best_margin:
            best, best_margin = move, margin
        move = next_move(view, move)
    return best
