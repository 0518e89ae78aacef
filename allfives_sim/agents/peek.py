"""`peek`: points now against what the next player's hand gives them."""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.policy import agent
from allfives_sim.core.bits import int64, lowest
from allfives_sim.core.board import BARE, count_after
from allfives_sim.core.compiled import compiled
from allfives_sim.core.hand import all_hands
from allfives_sim.core.tables import MAX_COUNT
from allfives_sim.core.view import NO_MOVE, first_move, next_move, next_seat, pips, points, try_move

NONE_FITS = -1
NO_END = -1


@agent(sees_all=True, reply=0.7, block=5.0, pips=0.3)
def peek(view: Any, word: Any) -> int:
    """A cheat: looks at the next player's hand and weighs the points of a play against the best reply in it.

    The value of a play is its points, less `reply` times the points of the next player's best reply, or plus `block`
    where they have none, plus `pips` for each pip put down.  It is cheap, and made to be the base of agents that play
    hands out in sampled deals: there it gives nobody's secrets away, and is worth some points over a base that looks at
    its own hand alone (docs/agents.md).

    On the ladder (docs/agents.md): 17.7 points a hand over `greedy`.
    """
    best, best_value = NO_MOVE, -1e18
    seat = next_seat(view)
    move = first_move(view)
    while move != NO_MOVE:
        value = points(view, move) + view.parameters[2] * pips(view, move)
        reply = best_reply(view, move, seat)
        value += view.parameters[1] if reply == NONE_FITS else -view.parameters[0] * reply
        if value > best_value:
            best, best_value = move, value
        move = next_move(view, move)
    return best


@compiled
def best_reply(view: Any, move: int, seat: int) -> int:
    """Points of a seat's best play after a move; `NONE_FITS` where it has none."""
    layout = view.layout
    end, partner = move >> 4 & 31, move & 15
    is_double = layout.pip[end] == partner
    if layout.ends == 0 or layout.kind[end] == BARE or (is_double and layout.spins):
        try_move(view, move)
        return best_points(view, view.trial, seat, view.trial.count, NO_END, 0, 0)
    # Only the one end changes: no need to make the layout.
    return best_points(view, layout, seat, count_after(layout, move), end, partner, partner << int64(is_double))


@compiled
def best_points(view: Any, layout: Any, seat: int, count: int, changed: int, new_pip: int, new_value: int) -> int:
    """Points of a seat's best play on a layout of which the count and one end are different."""
    best = NONE_FITS
    for end in range(4 * layout.words):
        pip = int64(layout.pip[end]) if end != changed else new_pip
        rest = count - (int64(layout.value[end]) if end != changed else new_value)
        row = int64(all_hands(view).hands[seat, pip])
        best = max(best, 0 if row else NONE_FITS)
        # A double counts for more than its pip, so it is always looked at; of the others only those that score.
        row &= int64(view.rules.scorers[rest & (MAX_COUNT - 1)]) | 1 << pip
        while row:
            partner = lowest(row)
            row &= row - 1
            after = rest + partner + (partner == pip) * pip * layout.double
            best = max(best, int64(view.rules.points[after & (MAX_COUNT - 1)]))
    return best
