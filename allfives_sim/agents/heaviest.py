"""`heaviest`: get rid of pips."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.policy import agent
from allfives_sim.core.bits import lowest
from allfives_sim.core.view import pips


@agent
def heaviest(view: Any, word: Any) -> int:
    """Plays the heaviest tile that fits, on the lowest end; looks at no points.

    What a beginner is told to do: it keeps the settlement small.

    On the ladder (docs/agents.md): 24.9 points a hand under `greedy`.
    """
    best = 0
    for moves_word in range(view.layout.words):
        moves = view.moves[moves_word]
        while moves:
            move = 64 * moves_word + lowest(moves)
            best = max(best, pips(view, move) << 9 | (511 - move))
            moves &= moves - 1
    return 511 - (best & 511)
