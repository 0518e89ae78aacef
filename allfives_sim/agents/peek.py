"""`peek`: points now against what the next player's hand gives them."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.policy import agent
from allfives_sim.agents.reply import fitting
from allfives_sim.core.bits import int64, lowest
from allfives_sim.core.board import count_after, open_pips
from allfives_sim.core.compiled import compiled
from allfives_sim.core.hand import all_hands
from allfives_sim.core.tables import MAX_COUNT
from allfives_sim.core.view import NO_MOVE, first_move, next_move, next_seat, pips, points, try_move

NONE_FITS = -1


@agent(sees_all=True, reply=0.7, block=5.0, pips=0.3, keep=1.0)
def peek(view: Any, word: Any) -> int:
    """A cheat: looks at the next player's hand and weighs the points of a play against the best reply in it.

    The value of a play is its points, less `reply` times the points of the next player's best reply, or plus `block`
    where they have none, plus `pips` for each pip put down, plus `keep` for each tile of the own hand that fits
    afterwards.  It is cheap, and made to be the base of agents that play hands out in sampled deals: there it gives
    nobody's secrets away, and is worth some points over a base that looks at its own hand alone (docs/agents.md).
    """
    best, best_value = NO_MOVE, -1e18
    seat = next_seat(view)
    move = first_move(view)
    while move != NO_MOVE:
        try_move(view, move)
        value = points(view, move) + view.parameters[2] * pips(view, move)
        value += view.parameters[3] * fitting(view.hand, open_pips(view.trial))
        reply = best_points(view, seat)
        value += view.parameters[1] if reply == NONE_FITS else -view.parameters[0] * reply
        if value > best_value:
            best, best_value = move, value
        move = next_move(view, move)
    return best


@compiled
def best_points(view: Any, seat: int) -> int:
    """Points of a seat's best play on ``view.trial``; `NONE_FITS` where it has none."""
    layout, best = view.trial, NONE_FITS
    for end in range(4 * layout.words):
        pip = int64(layout.pip[end])
        row = int64(all_hands(view).hands[seat, pip])
        best = max(best, 0 if row else NONE_FITS)
        # A double counts for more than its pip, so it is always looked at; of the others only those that score.
        row &= int64(view.rules.scorers[(layout.count - layout.value[end]) & (MAX_COUNT - 1)]) | 1 << pip
        while row:
            move = 16 * end + lowest(row)
            row &= row - 1
            best = max(best, int64(view.rules.points[count_after(layout, move) & (MAX_COUNT - 1)]))
    return best
