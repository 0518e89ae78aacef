"""`greedy`: the most points now."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.policy import agent
from allfives_sim.core.bits import lowest
from allfives_sim.core.view import pips, points


@agent
def greedy(view: Any, word: Any) -> int:
    """Takes the most points now, then the heaviest tile, then the lowest end, then the lowest tile.

    The tie-break is part of the definition: other ones move its figures by several points a hand.

    On the ladder (docs/agents.md): what the others are measured by.
    """
    best = 0
    for moves_word in range(view.layout.words):
        moves = view.moves[moves_word]
        while moves:
            move = 64 * moves_word + lowest(moves)
            # One number that compares in the order of the tie-break; a branch on it would be hard to predict.
            best = max(best, points(view, move) << 15 | pips(view, move) << 9 | (511 - move))
            moves &= moves - 1
    return 511 - (best & 511)
