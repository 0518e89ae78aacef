"""`random`: any choice, each as likely as any other."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.policy import agent
from allfives_sim.core.streams import below
from allfives_sim.core.view import DRAW, choices, first_move, next_move


@agent
def random(view: Any, word: Any) -> int:
    """Chooses uniformly among the different plays (equal ends are one), and drawing where that is a choice.

    The usual yardstick: what play without any thought is worth.

    On the ladder (docs/agents.md): 25.2 points a hand under `greedy`.
    """
    plays = choices(view)
    skip = below(word, plays + view.can_draw)
    if skip == plays:
        return DRAW
    move = first_move(view)
    for _ in range(skip):
        move = next_move(view, move)
    return move
