"""What a seat's plays tell of its hand: it would hardly have left points on the table.

A tile that a seat holds now it held at all its plays since it last drew.  Where that tile would have scored more than
what was played, it is less likely to be there: by a factor of ``exp(-tells * steps)`` for each such play, `steps` being
how much more it would have scored, in steps of the score (five points by the usual rules).  Tiles are taken one by one,
so the factors go straight into the table of deals (table.py), and drawing a deal costs no more than before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.core.bits import copy_record, int64
from allfives_sim.core.board import place
from allfives_sim.core.compiled import compiled, compiled_apart, keep_alive
from allfives_sim.core.tables import ANY_TILE
from allfives_sim.core.tiles import MAX_PLAYERS
from allfives_sim.core.view import (
    PLAYED,
    VIEW,
    draws_from,
    event_end,
    event_kind,
    event_points,
    event_seat,
    event_tile,
    move_of,
    points,
)

MOST_TELLS = 10
LEAST = 1e-6  # no tile is ruled out: a seat may have had its reasons


@compiled_apart
def weigh_tiles(view: Any, slots: Any, tells: float) -> None:
    """Find how much less likely each unseen tile is in each hand, by what the seat has not played.

    Parameters
    ----------
    view : record of dtype `VIEW`
    slots : record of dtype `SLOTS`
        After `list_unseen`; its `weight` is filled.
    tells : float
        How much is read into a step that was not scored; 0: nothing, all weights are 1.
    """
    for number in range(slots.tiles):
        for seat in range(MAX_PLAYERS):
            slots.weight[number, seat] = 1.0
    if tells <= 0.0:
        return
    table = np.zeros(1, VIEW)
    lay_opening(view, table[0])
    for event in range(view.events):
        if event_kind(view, event) == PLAYED:
            seat = event_seat(view, event)
            chose = table[0].layout.ends > 0 or view.rules.lead_tile == ANY_TILE  # not a lead that the rules ask for
            if seat != view.seat and chose and not draws_from(view, seat, event):
                weigh_play(table[0], slots, seat, event_points(view, event), tells)
            place(table[0].layout, table[0].rules, move_of(table[0], event_tile(view, event), event_end(view, event)))
    keep_alive(table)


@compiled
def lay_opening(view: Any, table: Any) -> None:
    """Make a table as it was before the lead."""
    copy_record(table.rules, view.rules)
    copy_record(table.layout, view.rules.opening)


@compiled
def weigh_play(table: Any, slots: Any, seat: int, scored: int, tells: float) -> None:
    """Make the tiles less likely in a hand that would have scored more than what its seat has played."""
    layout = table.layout
    for number in range(slots.tiles):
        low, high = int64(slots.tile[number]) >> 4, int64(slots.tile[number]) & 15
        best = scored
        for end in range(4 * layout.words):
            pip = int64(layout.pip[end])
            if pip in (low, high):
                best = max(best, points(table, 16 * end + low + high - pip))
        if best > scored:
            factor = np.exp(-tells * (best - scored) / table.rules.worth)
            slots.weight[number, seat] = max(slots.weight[number, seat] * factor, LEAST)
