"""One hand: deal, turns, draws and passes, to its end.  The settlement is in settlement.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype

from allfives_sim.core.bits import copy_all, copy_record, highest, int64, lowest, popcount
from allfives_sim.core.board import open_pips, place
from allfives_sim.core.calls import call_policy, record_at
from allfives_sim.core.compiled import compiled, compiled_apart, record_type
from allfives_sim.core.streams import DEALER, STEP, below, mix, stream
from allfives_sim.core.tables import HIGHEST_DOUBLE
from allfives_sim.core.tiles import MAX_PLAYERS
from allfives_sim.core.view import (
    DRAW,
    DREW,
    MAX_PARAMETERS,
    NO_MOVE,
    PASSED,
    PLAYED,
    first_move,
    is_choice,
    next_seat,
    record_event,
)

# fmt: off
HIDDEN = record_type([
    ("hands", np.uint16, (MAX_PLAYERS, 16)),     # rows of each hand
    ("deck", np.uint8, (64,)),                  # all tiles in the order dealt, the boneyard last
    ("left", np.int64),                         # mask of the places in `deck` that are still in the boneyard
    ("luck", np.uint64),                        # the dealer's word, for who leads at random
    ("parameters", np.float64, (MAX_PLAYERS, MAX_PARAMETERS)),  # of each agent
    ("doors", np.int64, (MAX_PLAYERS,)),        # of each agent: where this record is, for one that may see all, else 0
    ("streams", np.uint64, (MAX_PLAYERS,)),     # each seat's stream for its policy
    ("asked", np.int64), ("answer", np.int64),  # which agent was asked last, and its move
    ("draws", np.int64),
    ("drawn", np.uint8, (64,)),                 # tiles in the order drawn
])
# fmt: on

HIDDEN_TYPE = from_dtype(HIDDEN)

OUT, BLOCKED, TARGET, BAD_MOVE = range(1, 5)  # how playing a hand ended
ENDS = {OUT: "out", BLOCKED: "blocked", TARGET: "target"}


@compiled
def shuffle(hidden: Any, rules: Any, seed: int, deal: int, hand: int) -> None:
    """Shuffle the set for one hand of one deal, by its own stream (Fisher and Yates)."""
    copy_all(hidden.deck, rules.set)
    state = stream(seed, deal, hand, DEALER)
    for last in range(rules.set_size - 1, 0, -1):
        state += STEP
        other = below(mix(state), last + 1)
        hidden.deck[last], hidden.deck[other] = hidden.deck[other], hidden.deck[last]
    hidden.luck = mix(state + STEP)
    for seat in range(rules.players):
        hidden.streams[seat] = stream(seed, deal, hand, seat)


@compiled
def add_tile(hidden: Any, seat: int, tile: int) -> None:
    """Put a tile into a hand."""
    low, high = tile >> 4, tile & 15
    hidden.hands[seat, low] |= 1 << high
    hidden.hands[seat, high] |= 1 << low


@compiled
def deal_hands(view: Any, hidden: Any) -> None:
    """Deal from the shuffled deck and clear the table; scores stay, the leader is set afterwards."""
    rules = view.rules
    for seat in range(rules.players):
        for pip in range(16):
            hidden.hands[seat, pip] = 0
        view.tiles[seat] = rules.tiles_each
        view.lacks[seat] = 0
    for pip in range(16):
        view.played[pip] = 0
    dealt = rules.tiles_each * rules.players
    place = 0
    for seat in range(rules.players):
        for _ in range(rules.tiles_each):
            add_tile(hidden, seat, int64(hidden.deck[place]))
            place += 1
    view.boneyard = rules.set_size - dealt
    hidden.left = (1 << rules.set_size) - (1 << dealt)
    hidden.draws = 0
    view.events = 0
    view.passes = 0
    copy_record(view.layout, rules.opening)


@compiled
def find_moves(view: Any, hidden: Any) -> int:
    """List the mover's plays in `view.moves`; how many there are."""
    layout = view.layout
    if view.rules.lead_tile and layout.ends == 0:
        _restrict_lead(view, hidden)
    found = _find_moves_of_word(view, hidden, 0)
    for word in range(1, layout.words):
        found += _find_moves_of_word(view, hidden, word)
    return found


@compiled
def _find_moves_of_word(view: Any, hidden: Any, word: int) -> int:
    layout, hands, seat, end = view.layout, hidden.hands, view.seat, 4 * word
    view.moves[word] = layout.distinct[word] & (
        int64(hands[seat, layout.pip[end]])
        | int64(hands[seat, layout.pip[end + 1]]) << 16
        | int64(hands[seat, layout.pip[end + 2]]) << 32
        | int64(hands[seat, layout.pip[end + 3]]) << 48
    )
    return popcount(view.moves[word])


@compiled
def _restrict_lead(view: Any, hidden: Any) -> None:
    """A leader who holds a double must lead one, or the highest, as `lead_tile` says."""
    doubles = 0
    for pip in range(view.rules.highest_pip + 1):
        doubles |= int64(hidden.hands[view.seat, pip]) & (1 << pip)
    if doubles == 0:
        return
    if view.rules.lead_tile == HIGHEST_DOUBLE:
        doubles = 1 << highest(doubles)
    for word in range(view.layout.words):
        diagonal = 0
        for slot in range(4):
            diagonal |= (doubles & (1 << (4 * word + slot))) << (16 * slot)
        view.layout.distinct[word] = diagonal


@compiled
def may_still_draw(view: Any) -> bool:
    """Whether the turn's draws and the boneyard allow the mover one more."""
    return view.drawn < view.rules.draw_limit and view.boneyard > view.rules.reserve


@compiled
def draw_tile(view: Any, hidden: Any) -> int:
    """The mover draws the next tile of the boneyard; which one.

    Even seats draw from the front and odd ones from the back: an agent's extra draw then leaves the other's next tiles
    as they were, which takes up to 1% off the variance of paired deals (docs/performance.md).
    """
    place = highest(hidden.left) if view.seat & 1 else lowest(hidden.left)
    hidden.left ^= 1 << place
    drawn = int64(hidden.deck[place])
    receive_tile(view, hidden, drawn)
    return drawn


@compiled
def receive_tile(view: Any, hidden: Any, drawn: int) -> None:
    """A tile goes from the boneyard to the mover's hand."""
    add_tile(hidden, view.seat, drawn)
    view.tiles[view.seat] += 1
    view.boneyard -= 1
    view.drawn += 1
    hidden.drawn[hidden.draws] = drawn
    hidden.draws += 1


@compiled
def fits(ends: int, tile: int) -> int:
    """Whether a tile has one of these pips (1 or 0)."""
    return (ends >> (tile >> 4) | ends >> (tile & 15)) & 1


@compiled
def draw_until_one_fits(view: Any, hidden: Any) -> int:
    """What who cannot play must do; the number of plays that they then have."""
    ends = open_pips(view.layout)
    found_one = 0
    while not found_one and may_still_draw(view):
        found_one = fits(ends, draw_tile(view, hidden))
    plays = find_moves(view, hidden) if found_one and view.rules.play_drawn else 0
    end_forced_draw(view, ends, plays > 0)
    return plays


@compiled
def end_forced_draw(view: Any, ends: int, plays: int) -> None:
    """Tell the table what a player who could not play has drawn, and what that says of the hand."""
    seat, rules = view.seat, view.rules
    if not view.drawn:
        view.lacks[seat] |= ends
    elif not rules.play_drawn or (rules.may_draw and plays):
        view.lacks[seat] = 0  # the last tile may fit, or drawing may have been a choice: nobody else knows
    elif view.drawn == plays:
        view.lacks[seat] |= ends
    else:  # tiles drawn and kept do not fit these ends
        view.lacks[seat] = ends
    if view.drawn:
        record_event(view, DREW, ends, view.drawn, 0, 0, 0)
        view.passes = 0


@compiled
def end_free_draw(view: Any) -> None:
    """The same for a player who could play: it says nothing of the hand."""
    view.lacks[view.seat] = 0
    view.passes = 0
    record_event(view, DREW, open_pips(view.layout), view.drawn, 0, 0, 0)


@compiled
def ask(view: Any, hidden: Any, policies: Any, agents: Any) -> int:
    """What the mover's agent answers; `NO_MOVE` where that is no choice."""
    seat = view.seat
    agent = agents[seat]
    copy_all(view.hand, hidden.hands[seat])
    copy_all(view.parameters, hidden.parameters[agent])
    view.door = hidden.doors[agent]
    word = mix(hidden.streams[seat] + STEP * np.uint64(64 * view.events + view.drawn))
    hidden.asked = agent
    move = call_policy(policies, agent, view, word)
    hidden.answer = move
    return move if is_choice(view, move) else NO_MOVE


@compiled
def all_hands(view: Any) -> Any:
    """All hands and the boneyard, a record of dtype `HIDDEN`, for agents that are declared with ``sees_all=True``.

    Nothing else leads there: policies are given the view alone, and for all others its door is shut.
    """
    if view.door == 0:
        raise ValueError("only agents declared with sees_all=True may look at all hands")
    return record_at(HIDDEN_TYPE, view.door)


@compiled_apart
def draw_and_play(view: Any, hidden: Any, policies: Any, agents: Any) -> int:
    """Draw for a mover who could play but chose to draw, until they choose to play; that play."""
    move = DRAW
    while move == DRAW:
        draw_tile(view, hidden)
        find_moves(view, hidden)
        view.can_draw = may_still_draw(view)
        move = ask(view, hidden, policies, agents)
    view.can_draw = 0
    end_free_draw(view)
    return move


@compiled
def play_tile(view: Any, hidden: Any, move: int) -> int:
    """The mover plays; what the count is then worth."""
    seat, layout = view.seat, view.layout
    pip, partner = int64(layout.pip[move >> 4 & 31]), move & 15
    place(layout, view.rules, move)
    hidden.hands[seat, pip] &= 0xFFFF ^ 1 << partner
    hidden.hands[seat, partner] &= 0xFFFF ^ 1 << pip
    view.played[pip] |= 1 << partner
    view.played[partner] |= 1 << pip
    view.tiles[seat] -= 1
    view.passes = 0
    scored = int64(view.rules.points[layout.count])
    record_event(view, PLAYED, 0, 0, move, pip, scored)
    return scored


@compiled
def play_hand(view: Any, hidden: Any, policies: Any, agents: Any) -> int:
    """Play a hand on from where it stands, with `view.seat` to move, to its end; how it ended.

    Parameters
    ----------
    view, hidden : records of dtype `VIEW` and `HIDDEN`
        As `deal_hands` leaves them; changed in place.
    policies : tuple of functions
    agents : int64 array
        Which of the policies sits at each seat.

    Returns
    -------
    int
        `OUT`, `BLOCKED` or `TARGET`; `BAD_MOVE` where the agent at `view.seat` answered with what is no choice.
    """
    rules = view.rules
    while True:
        view.drawn = 0
        view.can_draw = 0
        found = find_moves(view, hidden)
        if found == 0:
            found = draw_until_one_fits(view, hidden)
            if found == 0:
                if pass_turn(view):
                    return BLOCKED
                continue
        else:
            view.can_draw = rules.may_draw and may_still_draw(view)
        move = first_move(view)
        if found > 1 or view.can_draw:
            move = ask(view, hidden, policies, agents)
            if move == DRAW:
                move = draw_and_play(view, hidden, policies, agents)
            if move == NO_MOVE:
                return BAD_MOVE
        ended = score_play(view, play_tile(view, hidden, move))
        if ended:
            return ended


@compiled
def pass_turn(view: Any) -> bool:
    """The mover passes; whether that blocks the hand."""
    record_event(view, PASSED, open_pips(view.layout), 0, 0, 0, 0)
    view.passes += 1
    if view.passes == view.rules.players:
        return True
    view.seat = next_seat(view)
    return False


@compiled
def score_play(view: Any, points: int) -> int:
    """Bring a play's points into the score; `TARGET` or `OUT` where it ends the hand, else 0 with the next to move."""
    rules, seat = view.rules, view.seat
    side = seat & rules.side_mask
    points *= view.scores[side] + points <= rules.ceiling
    view.scores[side] += points
    if (view.scores[side] >= rules.stop_score) & (points > 0):
        return TARGET
    if view.tiles[seat] == 0:
        return OUT
    view.seat = next_seat(view)
    return 0
