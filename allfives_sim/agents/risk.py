"""`risk`: points now against what they give away."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.policy import agent
from allfives_sim.agents.reply import chance_of_none, expected_reply, find_next_hand, fitting
from allfives_sim.core.board import open_pips
from allfives_sim.core.compiled import compiled
from allfives_sim.core.view import NO_MOVE, first_move, next_move, pips, points, try_move

REPLY, BLOCK, PIPS, KEEP = 1.0, 15.0, 0.1, 1.0


@agent(reply=REPLY, block=BLOCK, pips=PIPS, keep=KEEP)
def risk(view: Any, word: Any) -> int:
    """Weighs the points of a play against the reply that it allows.

    The value of a play is its points, less `reply` times the next player's expected best reply, plus `block` times the
    chance that they cannot play at all, plus `pips` for each pip put down, plus `keep` for each tile of the own hand
    that fits afterwards.  The next player's hand is any of the unseen tiles that draws and passes leave it, all equally
    likely.  The weights were tuned on paired deals against greedy, with 7 and 9 tiles, three players, four, and
    partners, and confirmed on fresh ones (docs/agents.md).

    On the ladder (docs/agents.md): 13.2 points a hand over `greedy`.
    """
    best, best_value = NO_MOVE, -1e18
    unseen, held = find_next_hand(view)
    move = first_move(view)
    while move != NO_MOVE:
        weights = view.parameters
        value = risk_value(view, move, unseen, held, weights[0], weights[1], weights[2], weights[3])
        if value > best_value:
            best, best_value = move, value
        move = next_move(view, move)
    return best


@compiled
def risk_value(
    view: Any, move: int, unseen: int, held: int, reply: float, block: float, worth_of_pips: float, keep: float
) -> float:
    """The value of a move, as `risk` defines it; after `find_unseen`."""
    try_move(view, move)
    ends = open_pips(view.trial)
    stuck = chance_of_none(unseen, held, fitting(view.unseen, ends))
    value = points(view, move) - reply * expected_reply(view, unseen, held) + block * stuck
    return value + worth_of_pips * pips(view, move) + keep * fitting(view.hand, ends)
