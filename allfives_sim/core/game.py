"""Hands that follow one another: who leads, and when a game is won."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.core.bits import int64
from allfives_sim.core.compiled import compiled, compiled_apart, new_record, record_type
from allfives_sim.core.hand import BAD_MOVE, HIDDEN, OUT, TARGET, deal_hands, play_hand
from allfives_sim.core.rules import Rules
from allfives_sim.core.settlement import settle
from allfives_sim.core.streams import below
from allfives_sim.core.tables import LEADS_DOUBLE, LEADS_HEAVIEST, LEADS_LIGHTEST, LEADS_NEXT, LEADS_RANDOM, tables
from allfives_sim.core.view import VIEW

MAX_HANDS = 1000  # of one game; after so many it is left unfinished: where losses outweigh gains, scores only fall
NOBODY = -1

# fmt: off
RESULT = record_type([
    ("ended", np.int64),               # OUT, BLOCKED or TARGET, or BAD_MOVE
    ("before", np.int64, (4,)),        # each side's score before the hand
    ("settlement", np.int64, (4,)),    # points to each side at its end
    ("pips", np.int64, (4,)),          # left in each hand
    ("leads_by", np.int64),            # how the next hand's leader is found: see LEADERS
    ("candidate", np.int64),           # the seat that leads next, where that is known before its deal
    ("won", np.int64),                 # the side that has won the game, or NOBODY
])
# fmt: on


def new_table(rules: Rules) -> tuple[Any, Any, Any]:
    """Records of dtype `VIEW`, `HIDDEN` and `RESULT` to play under some rules with."""
    view, hidden, result = (new_record(kind) for kind in (VIEW, HIDDEN, RESULT))
    view.rules = tables(rules)
    return view, hidden, result


@compiled
def start_game(view: Any, result: Any) -> None:
    """Scores at zero, and the first leader to be found by the rule for it."""
    for side in range(4):
        view.scores[side] = 0
    result.leads_by = view.rules.first_leader


@compiled
def play_next_hand(view: Any, hidden: Any, result: Any, policies: Any, agents: Any) -> int:
    """Deal from the shuffled deck, find the leader, play and settle; how the hand ended.

    Parameters
    ----------
    view, hidden, result : records of dtype `VIEW`, `HIDDEN` and `RESULT`
        After `start_game`, or after the hand before and `end_hand`; changed in place.
    policies : tuple of functions
    agents : int64 array
        Which of the policies sits at each seat.
    """
    rules = view.rules
    for side in range(4):
        result.before[side] = view.scores[side]
    deal_hands(view, hidden)
    leads_by = view.led_by = result.leads_by
    if leads_by == LEADS_RANDOM:
        view.leader = below(hidden.luck, rules.players)
    elif is_by_deal(leads_by):
        view.leader = holder_of_lead(hidden, rules, leads_by == LEADS_DOUBLE)
    else:
        view.leader = result.candidate
    view.seat = view.leader
    result.ended = play_hand(view, hidden, policies, agents)
    if result.ended != BAD_MOVE:
        settle(view, hidden, result.ended, result.settlement, result.pips)
    return result.ended


@compiled
def is_by_deal(leads_by: int) -> bool:
    """Whether a certain tile makes its holder the leader, so that the choice says something of the hands."""
    return leads_by in (LEADS_DOUBLE, LEADS_HEAVIEST)


@compiled_apart
def holder_of_lead(hidden: Any, rules: Any, doubles_first: bool) -> int:
    """The seat that was dealt the highest double, or without doubles (or not asking for them) the heaviest tile."""
    best, leader = -1, 0
    for place in range(rules.players * rules.tiles_each):
        rank = lead_rank(int64(hidden.deck[place]), doubles_first)
        if rank > best:
            best, leader = rank, place // rules.tiles_each
    return leader


@compiled
def lead_rank(tile: int, doubles_first: bool) -> int:
    """What a tile is as a reason to lead: the highest rank leads; of equally heavy tiles, that with the higher pip."""
    low, high = tile >> 4, tile & 15
    return 16 * (low + high) + high + (1024 if doubles_first and low == high else 0)


@compiled
def end_hand(view: Any, result: Any) -> None:
    """After a hand: whether the game is won, how the next leader is found, and who it is where that is settled."""
    rules = view.rules
    result.won = _winner(view, result.ended)
    result.candidate = view.seat  # who went out
    result.leads_by = rules.next_leader if result.ended == OUT else rules.blocked_leader
    if result.leads_by == LEADS_NEXT:
        result.candidate = (view.leader + 1) % rules.players
    elif result.leads_by == LEADS_LIGHTEST:
        result.candidate = 0
        for seat in range(1, rules.players):
            if result.pips[seat] < result.pips[result.candidate]:
                result.candidate = seat


@compiled
def _winner(view: Any, ended: int) -> int:
    """The side that has won the game with the hand that ended, or `NOBODY`.

    A play that reaches the target wins at once; after a settlement the highest score at or over it, if it is alone.
    """
    rules = view.rules
    if ended == TARGET:
        return view.seat & rules.side_mask
    best, side, tied = rules.target - 1, NOBODY, False
    for other in range(rules.sides):
        score = view.scores[other]
        if score > best:
            best, side, tied = score, other, False
        elif score == best and side != NOBODY:
            tied = True
    return NOBODY if tied else side
