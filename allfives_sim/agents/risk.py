"""`risk`: points now against what they give away."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.policy import agent
from allfives_sim.agents.reply import chance_of_none, expected_reply, fitting
from allfives_sim.core.board import open_pips
from allfives_sim.core.view import NO_MOVE, find_unseen, first_move, next_move, next_seat, pips, points, try_move


@agent(reply=1.0, block=15.0, pips=0.1, keep=1.0)
def risk(view: Any, word: Any) -> int:
    """Weighs points now against the reply they allow."""
    reply, block, worth_of_pips, keep = view.parameters[0], view.parameters[1], view.parameters[2], view.parameters[3]
    seat = next_seat(view)
    unseen = find_unseen(view, seat)
    held = min(view.tiles[seat], unseen)
    best, best_value = NO_MOVE, -1e18
    move = first_move(view)
    while move != NO_MOVE:
        try_move(view, move)
        ends = open_pips(view.trial)
        stuck = chance_of_none(unseen, held, fitting(view.unseen, ends))
        value = points(view, move) - reply * expected_reply(view, unseen, held) + block * stuck
        value += worth_of_pips * pips(view, move) + keep * fitting(view.hand, ends)
        if value > best_value:
            best, best_value = move, value
        move = next_move(view, move)
    return best
