"""`defensive`: leave the next player as little as possible."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.policy import agent
from allfives_sim.agents.reply import chance_of_none, expected_reply, find_next_hand, fitting
from allfives_sim.core.board import open_pips
from allfives_sim.core.view import NO_MOVE, first_move, next_move, pips, points, try_move


@agent(weight=1.0, block=3.0, points=0.0)
def defensive(view: Any, word: Any) -> int:
    """Gives the next player the least: the smallest expected best reply, and the highest chance of none at all.

    The value of a play is ``block * P(next player cannot play) - weight * E(their best reply)``, plus
    ``points * (points that it scores)``, which by default count nothing; among equals the heaviest tile.  The next
    player's hand is taken to be any of the tiles that this seat has not seen, less those that draws and passes have
    shown it not to hold, all equally likely.

    Parameters: weight (per point of the expected best reply), block (points that a player without a play is worth),
    points (per point scored at once).

    On the ladder (docs/agents.md): 0.4 points a hand over `greedy`.
    """
    weight, block, own = view.parameters[0], view.parameters[1], view.parameters[2]
    unseen, held = find_next_hand(view)
    best, best_value = NO_MOVE, -1e18
    move = first_move(view)
    while move != NO_MOVE:
        try_move(view, move)
        stuck = chance_of_none(unseen, held, fitting(view.unseen, open_pips(view.trial)))
        value = block * stuck - weight * expected_reply(view, unseen, held)
        value += own * points(view, move) + 1e-6 * pips(view, move)
        if value > best_value:
            best, best_value = move, value
        move = next_move(view, move)
    return best
