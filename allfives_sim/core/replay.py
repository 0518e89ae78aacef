"""The kernels that check a hand against the rules, event by event, with the engine's own functions.

`replay_hand` knows all tiles, `replay_seen` only what one seat knows.
"""

from __future__ import annotations

from typing import Any

from numba import from_dtype, types

from allfives_sim.core.bits import copy_all, int64
from allfives_sim.core.board import open_pips
from allfives_sim.core.compiled import compiled, kernel
from allfives_sim.core.game import RESULT, end_hand, holder_of_lead, is_by_deal
from allfives_sim.core.hand import (
    BLOCKED,
    HIDDEN,
    add_tile,
    deal_hands,
    end_forced_draw,
    end_free_draw,
    find_moves,
    fits,
    may_still_draw,
    pass_turn,
    play_tile,
    receive_tile,
    score_play,
)
from allfives_sim.core.settlement import settle
from allfives_sim.core.tables import LEADS_DOUBLE, LEADS_RANDOM
from allfives_sim.core.view import DREW, PASSED, VIEW

LEAD = -1  # the end of the first play
COLUMNS = 6  # of an event: kind, seat, tile (or the number of drawn ones), end, count, points
SEEN_COLUMNS = 3  # of an event that was seen: kind, tile (or the number of drawn ones), end

# What can be wrong with an event; the sentences are in records.py and positions.py.
(
    FINE, TWO_DRAWS, OTHER_SEAT, NOT_IN_BONEYARD, NO_DRAW_LEFT, COULD_PLAY, DREW_PAST, NOT_IN_HAND, NOT_LEAD, NO_END,
    NO_MATCH, NO_PLAY_AFTER_DRAW, WRONG_LEAD, MUST_PLAY, MUST_DRAW, WRONG_COUNT, WRONG_POINTS, IS_OVER,
    NOT_OVER, SHOWN_TO_LACK, NOTHING_FITS,
) = range(21)  # fmt: skip


@kernel(
    types.UniTuple(types.int64, 4)(
        from_dtype(VIEW),
        from_dtype(HIDDEN),
        from_dtype(RESULT),
        types.Array(types.int64, 2, "C"),
        types.Array(types.int64, 1, "C"),
        types.int64,
    )
)
def replay_hand(view: Any, hidden: Any, result: Any, events: Any, drawn: Any, leader: int) -> tuple[int, int, int, int]:
    """Check the events of a hand.

    Parameters
    ----------
    view, hidden, result : records of dtype `VIEW`, `HIDDEN`, `RESULT`
        With the rules, the dealt tiles first in ``hidden.deck``, and the scores before the hand; changed in place.
    events : int64 array (n, COLUMNS)
    drawn : int64 array
        All drawn tiles, in order.
    leader : int

    Returns
    -------
    fault : int
        `FINE`, or what is wrong.
    event : int
        Which event is.
    seat, number : int
        What the sentence about it needs: whose turn it was, and the right count or points.
    """
    for side in range(4):
        result.before[side] = view.scores[side]
    deal_hands(view, hidden)
    view.leader = view.seat = leader
    if is_by_deal(view.led_by) and holder_of_lead(hidden, view.rules, view.led_by == LEADS_DOUBLE) != leader:
        view.led_by = LEADS_RANDOM  # who leads was not found so
    view.drawn = view.can_draw = 0
    next_drawn, ended = 0, 0
    could_play = find_moves(view, hidden) > 0
    for event in range(events.shape[0]):
        kind, seat = events[event, 0], events[event, 1]
        if ended:
            return IS_OVER, event, 0, 0
        if seat != view.seat:
            return OTHER_SEAT, event, int64(view.seat), 0
        if kind == DREW:
            fault = _draw(view, hidden, drawn[next_drawn : next_drawn + events[event, 2]], could_play)
            if fault != FINE:
                return fault, event, seat, 0
            next_drawn += events[event, 2]
            continue
        if kind == PASSED:
            fault = _may_pass(view, hidden, could_play)
            if fault != FINE:
                return fault, event, seat, 0
            if not view.drawn:
                end_forced_draw(view, open_pips(view.layout), 0)
            ended = BLOCKED if pass_turn(view) else 0
        else:
            fault, move = _may_play(view, hidden, events[event, 2], events[event, 3], could_play)
            if fault != FINE:
                return fault, event, seat, 0
            scored = play_tile(view, hidden, move)
            if events[event, 4] != view.layout.count:
                return WRONG_COUNT, event, seat, view.layout.count
            if events[event, 5] != scored:
                return WRONG_POINTS, event, seat, scored
            ended = score_play(view, scored)
        view.drawn = 0
        could_play = find_moves(view, hidden) > 0
    if not ended:
        return NOT_OVER, events.shape[0] - 1, int64(view.seat), 0
    result.ended = ended
    settle(view, hidden, ended, result.settlement, result.pips)
    end_hand(view, result)
    return FINE, events.shape[0], holder_of_lead(hidden, view.rules, True), holder_of_lead(hidden, view.rules, False)


@compiled
def _draw(view: Any, hidden: Any, tiles: Any, could_play: bool) -> int:
    if view.drawn:
        return TWO_DRAWS
    if could_play and not view.rules.may_draw:
        return COULD_PLAY
    ends = open_pips(view.layout)
    found_one = 0
    for tile in tiles:
        if not _in_boneyard(view, hidden, tile):
            return NOT_IN_BONEYARD
        if not may_still_draw(view):
            return NO_DRAW_LEFT
        if found_one and not could_play:
            return DREW_PAST
        receive_tile(view, hidden, tile)
        found_one = fits(ends, tile)
    if could_play:
        end_free_draw(view)
    else:
        end_forced_draw(view, ends, found_one & view.rules.play_drawn)
    return FINE


@compiled
def _in_boneyard(view: Any, hidden: Any, tile: int) -> bool:
    low, high = tile >> 4, tile & 15
    taken = view.played[low] >> high & 1
    for seat in range(view.rules.players):
        taken |= hidden.hands[seat, low] >> high & 1
    return taken == 0


@compiled
def _drawn_one_fits(view: Any, hidden: Any) -> bool:
    """Whether the tile that the mover drew last fits an open end."""
    return view.drawn > 0 and fits(open_pips(view.layout), int64(hidden.drawn[hidden.draws - 1])) != 0


@compiled
def _may_pass(view: Any, hidden: Any, could_play: bool) -> int:
    if could_play:
        return MUST_PLAY
    if _drawn_one_fits(view, hidden):
        return MUST_PLAY if view.rules.play_drawn else FINE
    return MUST_DRAW if may_still_draw(view) else FINE


@compiled
def _may_play(view: Any, hidden: Any, tile: int, end: int, could_play: bool) -> tuple[int, int]:
    """Whether the mover may play a tile on an end, and the move."""
    layout, seat = view.layout, view.seat
    low, high = tile >> 4, tile & 15
    if not hidden.hands[seat, low] >> high & 1:
        return NOT_IN_HAND, 0
    if view.drawn and not could_play and not view.rules.play_drawn:
        return NO_PLAY_AFTER_DRAW, 0
    fault, move = _move_on(layout, tile, end)
    if fault == FINE and end == LEAD and not _may_lead(view, hidden, tile):
        return WRONG_LEAD, 0
    return fault, move


@compiled
def _may_lead(view: Any, hidden: Any, tile: int) -> bool:
    """Whether `lead_tile` lets the mover lead this tile of its hand."""
    low, high = tile >> 4, tile & 15
    find_moves(view, hidden)
    return (view.moves[low >> 2] >> (16 * (low & 3) + high) & 1) != 0


@compiled
def _move_on(layout: Any, tile: int, end: int) -> tuple[int, int]:
    """Whether the layout has room for a tile on an end, and the move."""
    low, high = tile >> 4, tile & 15
    if (end == LEAD) != (layout.ends == 0):
        return NOT_LEAD, 0
    if end == LEAD:
        return FINE, 16 * low + high
    if end < 0 or end >= layout.ends:
        return NO_END, 0
    pip = int64(layout.pip[end])
    if pip != low and pip != high:
        return NO_MATCH, 0
    return FINE, 16 * end + (high if pip == low else low)


@kernel(
    types.UniTuple(types.int64, 3)(
        from_dtype(VIEW),
        from_dtype(HIDDEN),
        types.Array(types.int64, 2, "C"),
        types.int64,
        types.int64,
        types.Array(types.int64, 1, "C"),
        types.int64,
    )
)
def replay_seen(
    view: Any, hidden: Any, events: Any, leader: int, mover: int, tiles: Any, draws: int
) -> tuple[int, int, int]:
    """Bring a table to where a hand stands for the seat to move, from what that seat knows.

    Other hands are hidden: what they could have played is checked only as far as everybody knows.

    Parameters
    ----------
    view, hidden : records of dtype `VIEW` and `HIDDEN`
        With the rules, and the scores before the hand; changed in place.  Of `hidden` only the mover's hand is filled.
    events : int64 array (n, SEEN_COLUMNS)
        In turn order; a draw of the mover may be the last one, where it is about to play.
    leader, mover : int
    tiles : int64 array
        All tiles that the mover ever had: those in its hand and those it played.
    draws : int
        How many of them it drew; which ones, nobody has written down.

    Returns
    -------
    fault : int
        `FINE`, or what is wrong.
    event : int
        Which event is; the number of events where it is the position itself.
    ended : int
        How the hand ended, where the fault is that it did.
    """
    deal_hands(view, hidden)
    for seat in range(view.rules.players):
        for pip in range(16):
            hidden.hands[seat, pip] = 0
    for tile in tiles:
        add_tile(hidden, mover, tile)
    view.leader = view.seat = leader
    view.drawn = view.can_draw = 0
    last = events.shape[0] - 1
    for event in range(last + 1):
        kind, number = events[event, 0], events[event, 1]
        mine = view.seat == mover
        ended = 0
        if kind == DREW:
            plays = event == last or events[event + 1, 0] != PASSED
            draws -= number * mine
            fault = draw_unseen(view, number, plays)
            # Of the mover's tiles, those still to come and the one that ends this draw may fit.
            if fault == FINE and mine and not (plays and view.rules.may_draw):
                spare = draws + (plays or not view.rules.play_drawn)
                fault = COULD_PLAY if _fitting(view, hidden) > spare else FINE
            if fault != FINE:
                return fault, event, 0
            continue
        if kind == PASSED:
            fault = _may_pass_unseen(view)
            if fault == FINE and mine and not view.drawn and _fitting(view, hidden) > draws:
                fault = MUST_PLAY
            if fault != FINE:
                return fault, event, 0
            if not view.drawn:
                end_forced_draw(view, open_pips(view.layout), 0)
            ended = BLOCKED if pass_turn(view) else 0
        else:
            fault, move = _may_play_unseen(view, number, events[event, 2])
            if fault == FINE and mine and view.layout.ends == 0 and draws == 0 and not _may_lead(view, hidden, number):
                fault = WRONG_LEAD
            if fault != FINE:
                return fault, event, 0
            ended = score_play(view, play_tile(view, hidden, move))
        if ended:
            return IS_OVER, event, ended
        view.drawn = 0
    copy_all(view.hand, hidden.hands[mover])
    if view.drawn and not view.rules.play_drawn:
        return NO_PLAY_AFTER_DRAW, last, 0
    return (FINE if find_moves(view, hidden) else NOTHING_FITS), last + 1, 0


@compiled
def draw_unseen(view: Any, number: int, plays: bool) -> int:
    """The seat to move draws tiles that are not written down; `plays` is whether a play follows."""
    if view.drawn:
        return TWO_DRAWS
    if view.layout.ends == 0 and not view.rules.may_draw:
        return COULD_PLAY
    for _ in range(number):
        if not may_still_draw(view):
            return NO_DRAW_LEFT
        view.tiles[view.seat] += 1
        view.boneyard -= 1
        view.drawn += 1
    if plays and view.rules.may_draw:  # nobody sees whether it had to
        end_free_draw(view)
    else:
        end_forced_draw(view, open_pips(view.layout), int64(plays))
    return FINE


@compiled
def _fitting(view: Any, hidden: Any) -> int:
    """How many of the tiles of the seat to move fit an open end."""
    ends, fitting = open_pips(view.layout), 0
    for low in range(view.rules.highest_pip + 1):
        for high in range(low, view.rules.highest_pip + 1):
            fitting += (int64(hidden.hands[view.seat, low]) >> high & 1) * fits(ends, 16 * low + high)
    return fitting


@compiled
def _may_pass_unseen(view: Any) -> int:
    """Whether the seat to move may pass, as far as everybody knows."""
    if view.layout.ends == 0:
        return MUST_PLAY
    if view.drawn and not view.rules.play_drawn:
        return FINE
    return MUST_DRAW if may_still_draw(view) else FINE


@compiled
def _may_play_unseen(view: Any, tile: int, end: int) -> tuple[int, int]:
    """Whether the seat to move may play a tile on an end, as far as everybody knows, and the move."""
    if view.drawn and not view.rules.play_drawn:
        return NO_PLAY_AFTER_DRAW, 0
    fault, move = _move_on(view.layout, tile, end)
    if fault == FINE and not view.drawn and fits(view.lacks[view.seat], tile):
        return SHOWN_TO_LACK, 0
    return fault, move
