"""What the tiles left in the hands are worth at the end of a hand."""

from __future__ import annotations

from typing import Any

from allfives_sim.core.bits import popcount
from allfives_sim.core.compiled import compiled
from allfives_sim.core.hand import OUT, TARGET
from allfives_sim.core.tables import COLLECT, DIFFERENCE, SUBTRACT_OWN


@compiled
def hand_pips(hidden: Any, seat: int, highest_pip: int) -> int:
    """Pips left in a hand: a tile stands in the rows of both its pips, a double in one."""
    total = 0
    for pip in range(highest_pip + 1):
        row = hidden.hands[seat, pip]
        total += pip * (popcount(row) + (row >> pip & 1))
    return total


@compiled
def settle(view: Any, hidden: Any, ended: int, settlement: Any, pips: Any) -> None:
    """Work out a hand's settlement and bring it into the scores.

    Parameters
    ----------
    view, hidden : records
        The hand at its end; `view.scores` is changed.
    ended : int
        `OUT` (by `view.seat`), `BLOCKED` or `TARGET`.
    settlement : int64 array, a number a side
        Filled with the points to each side, before a floor or an exact target touches them.
    pips : int64 array, a number a seat
        Filled with the pips left in each hand.
    """
    rules = view.rules
    for seat in range(rules.players):
        settlement[seat] = 0
        pips[seat] = hand_pips(hidden, seat, rules.highest_pip)
    if ended == TARGET:
        return
    method = rules.going_out if ended == OUT else rules.blocked
    if method == SUBTRACT_OWN:
        for seat in range(rules.players):
            settlement[seat & rules.side_mask] -= rules.settled[pips[seat]]
    elif ended == OUT and method == COLLECT:
        _collect_out(rules, view.seat, settlement, pips)
    elif method in (COLLECT, DIFFERENCE):
        _collect_blocked(rules, method, settlement, pips)
    if ended == OUT:
        settlement[view.seat & rules.side_mask] += rules.bonus
    for side in range(rules.sides):
        score = view.scores[side] + settlement[side]
        if settlement[side] < 0:
            view.scores[side] = max(score, rules.floor)
        elif score <= rules.ceiling:
            view.scores[side] = score


@compiled
def _collect_out(rules: Any, out: int, settlement: Any, pips: Any) -> None:
    """Who went out gains the pips of the other sides, and the partner's where they are counted."""
    side = out & rules.side_mask
    pooled, each = 0, 0
    for seat in range(rules.players):
        if seat & rules.side_mask != side or rules.partner_counted:
            pooled += pips[seat]
            each += rules.settled[pips[seat]]
    settlement[side] = each if rules.round_each else rules.settled[pooled]


@compiled
def _collect_blocked(rules: Any, method: int, settlement: Any, pips: Any) -> None:
    """The lightest side gains the pips of the others; equally light ones gain nothing, or share it."""
    lightest, sharing = -1, 0
    for side in range(rules.sides):
        weight = _side_pips(rules, side, pips)
        if lightest < 0 or weight < lightest:
            lightest, sharing = weight, 1
        elif weight == lightest:
            sharing += 1
    if sharing == rules.sides or (sharing > 1 and not rules.split):
        return
    pooled, each = 0, 0
    for seat in range(rules.players):
        if _side_pips(rules, seat & rules.side_mask, pips) != lightest:
            pooled += pips[seat]
            each += rules.settled[pips[seat]]
    if method == DIFFERENCE:
        gain = rules.settled[pooled - lightest]
    else:
        gain = each if rules.round_each else rules.settled[pooled]
    for side in range(rules.sides):
        if _side_pips(rules, side, pips) == lightest:
            settlement[side] = gain // sharing


@compiled
def _side_pips(rules: Any, side: int, pips: Any) -> int:
    """A side's weight: the pips of all its hands."""
    weight = 0
    for seat in range(side, rules.players, rules.sides):
        weight += pips[seat]
    return weight
