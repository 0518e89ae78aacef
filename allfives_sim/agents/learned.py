"""`learned`: what a play is worth, learned from hands played out."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.agents.features import FEATURES, describe_play
from allfives_sim.agents.network import evaluate
from allfives_sim.agents.policy import agent
from allfives_sim.agents.reply import find_next_hand
from allfives_sim.core.compiled import compiled, compiled_apart
from allfives_sim.core.view import NO_MOVE, first_move, next_move


@agent
def learned(view: Any, word: Any) -> int:
    """Plays what a small network takes to be worth most: no search, no samples.

    The network (one hidden layer: network.py) is told 48 numbers of each play (features.py) and answers with the margin
    to expect from it to the end of the hand.  It was trained on positions of single hands under sixteen sets of
    house rules, in which each play had been played out in sampled deals (experiments/learn.py).  Near the target of a
    game it plays as if there were none.

    On the ladder (docs/agents.md): 16.7 points a hand over `greedy`.
    """
    return learned_best(view, np.zeros(FEATURES, np.float32))[0]


@compiled_apart
def learned_value(view: Any, move: int, unseen: int, held: int, inputs: Any) -> float:
    """The margin to expect from a move to the end of the hand, in points; after `find_unseen`."""
    describe_play(view, move, unseen, held, inputs)
    return view.rules.worth * evaluate(inputs)


@compiled
def learned_best(view: Any, inputs: Any) -> tuple[int, float]:
    """The move that is worth most, and the margin to expect from it."""
    unseen, held = find_next_hand(view)
    best, best_value = NO_MOVE, -1e18
    move = first_move(view)
    while move != NO_MOVE:
        value = learned_value(view, move, unseen, held, inputs)
        if value > best_value:
            best, best_value = move, value
        move = next_move(view, move)
    return best, best_value
