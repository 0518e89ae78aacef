"""How well deals explain what the others played, if they choose as an agent does.

Deals that agree with the history are all as likely only as long as nothing is known of how the others choose.  With a
model of them, a deal's weight is the chance that they would have made their plays in it: the product, over the plays
that were a choice, of the model's chance for the play.  No model is right, so it is trusted only in part: with `trust`
t, a play among n choices has the chance t + (1 - t) / n where the model would have made it, and (1 - t) / n where not.

What a seat held when it played is certain only since it last drew: which of its tiles it drew is hidden.  So only plays
since then count.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

from allfives_sim.agents.playout import seat_base
from allfives_sim.belief.slots import SLOTS
from allfives_sim.belief.tells import lay_opening
from allfives_sim.core.bits import int64
from allfives_sim.core.board import open_pips
from allfives_sim.core.compiled import compiled, keep_alive, kernel
from allfives_sim.core.hand import (
    HIDDEN,
    add_tile,
    ask,
    end_forced_draw,
    find_moves,
    pass_turn,
    play_tile,
    score_play,
)
from allfives_sim.core.replay import draw_unseen
from allfives_sim.core.view import (
    DREW,
    NO_MOVE,
    PASSED,
    PLAYED,
    VIEW,
    choices,
    draws_from,
    event_drawn,
    event_end,
    event_kind,
    event_points,
    event_seat,
    event_tile,
    move_of,
)


@kernel(
    types.boolean(
        from_dtype(VIEW),
        from_dtype(SLOTS),
        types.Array(types.int8, 2, "C"),
        types.int64,
        types.Array(types.float64, 1, "C"),
        types.float64,
        types.Array(types.float64, 1, "C"),
    )
)
def weigh_deals(view: Any, slots: Any, holders: Any, model: int, parameters: Any, trust: float, weights: Any) -> bool:
    """Find the weights of deals.

    Parameters
    ----------
    view, slots : records of dtype `VIEW` and `SLOTS`
        As `tabulate` leaves them.
    holders : int8 array (deals, unseen tiles)
        The seat of each unseen tile.
    model : int
        Address of the policy of the others.
    parameters : float64 array
        Its parameters.
    trust : float
    weights : float64 array (deals,)
        Filled.

    Returns
    -------
    bool
        False where the model answered with what is no choice.
    """
    table, hidden, agents = np.zeros(1, VIEW), np.zeros(1, HIDDEN), np.zeros(4, np.int64)
    seat_base(hidden[0], parameters, 0)
    start_over(view, table[0])
    weights[:] = 1.0
    fine = True
    for event in range(view.events):
        kind, seat = event_kind(view, event), event_seat(view, event)
        if kind == DREW:
            draw_unseen(table[0], event_drawn(view, event), event_kind(view, event + 1) != PASSED)
        elif kind == PASSED:
            if not table[0].drawn:
                end_forced_draw(table[0], open_pips(table[0].layout), 0)
            pass_turn(table[0])
            table[0].drawn = 0
        else:
            move = move_of(table[0], event_tile(view, event), event_end(view, event))
            if seat != view.seat and not draws_from(view, seat, event):
                for deal in range(holders.shape[0]):
                    hold(view, slots, holders[deal], seat, event, hidden[0])
                    find_moves(table[0], hidden[0])
                    ways = choices(table[0])
                    if ways > 1:
                        answer = ask(table[0], hidden[0], model, agents)
                        fine &= answer != NO_MOVE
                        weights[deal] *= trust * (answer == move) + (1.0 - trust) / ways
            score_play(table[0], play_tile(table[0], hidden[0], move))
            table[0].drawn = 0
    keep_alive(table, hidden)
    return fine


@compiled
def start_over(view: Any, table: Any) -> None:
    """Make a table as it was before the first event."""
    lay_opening(view, table)
    table.seat = table.leader = view.leader
    table.led_by = view.led_by
    table.boneyard = view.rules.set_size - view.rules.players * view.rules.tiles_each
    for seat in range(view.rules.players):
        table.tiles[seat] = view.rules.tiles_each
        table.scores[seat] = view.scores[seat]
    for event in range(view.events):
        if event_kind(view, event) == PLAYED:
            table.scores[event_seat(view, event) & view.rules.side_mask] -= event_points(view, event)


@compiled
def hold(view: Any, slots: Any, holders: Any, seat: int, event: int, hidden: Any) -> None:
    """Give a seat what it held before an event: what it has in a deal, and what it has played since."""
    for pip in range(16):
        hidden.hands[seat, pip] = 0
    for number in range(slots.tiles):
        if holders[number] == seat:
            add_tile(hidden, seat, int64(slots.tile[number]))
    for later in range(event, view.events):
        if event_kind(view, later) == PLAYED and event_seat(view, later) == seat:
            add_tile(hidden, seat, event_tile(view, later))
