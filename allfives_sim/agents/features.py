"""What a play looks like in numbers: what the network (network.py) is told of it.

Points are told in steps of the score and pips in steps of the count, five points and five pips by the usual rules, so
that what was learned under one set of house rules says something under others.
"""

from __future__ import annotations

from typing import Any

from allfives_sim.agents.reply import chance_of_none, expected_reply, fitting
from allfives_sim.core.bits import int64, lowest, popcount
from allfives_sim.core.board import BARE, CLOSED, DOUBLE, open_pips
from allfives_sim.core.compiled import compiled, compiled_apart
from allfives_sim.core.tables import COLLECT, MAX_COUNT, SUBTRACT_OWN
from allfives_sim.core.view import next_seat, points, try_move

FEATURES = 48


@compiled_apart
def describe_play(view: Any, move: int, unseen: int, held: int, inputs: Any) -> None:
    """Tell a play in numbers.

    Parameters
    ----------
    view : record of dtype `VIEW`
        After `find_unseen` for the next seat.  Left as it was, but for ``view.trial``.
    move : int
    unseen, held : int
        How many tiles the next seat may hold, and how many of them it does.
    inputs : float32 array (FEATURES,)
        Filled.
    """
    pip, partner = int64(view.layout.pip[move >> 4 & 31]), move & 15
    flip_tile(view.hand, pip, partner)  # what follows looks at the hand without the tile
    try_move(view, move)
    describe_replies(view, move, unseen, held, inputs)
    describe_own_hand(view, partner, inputs)
    describe_table(view, pip, partner, inputs)
    flip_tile(view.hand, pip, partner)


@compiled
def flip_tile(rows: Any, pip: int, partner: int) -> None:
    """Take a tile out of a hand that has it, or put it into one that has not."""
    rows[pip] ^= 1 << partner
    if pip != partner:
        rows[partner] ^= 1 << pip


@compiled
def describe_replies(view: Any, move: int, unseen: int, held: int, inputs: Any) -> None:
    """Points now and what the next player may do: features 0 to 15."""
    rules, ends = view.rules, open_pips(view.trial)
    fits, kept = fitting(view.unseen, ends), fitting(view.hand, ends)
    stuck, most = chance_of_none(unseen, held, fits), max(unseen, 1)
    drawn = view.boneyard if fits == 0 else (view.boneyard + 1) / (fits + 1)  # until one fits
    own_drawn = min(view.boneyard, (view.boneyard + 1) / (fits * view.boneyard / most + 1))
    inputs[0] = points(view, move) / rules.worth
    inputs[1] = expected_reply(view, unseen, held) / rules.worth
    inputs[2], inputs[3] = stuck, stuck * drawn
    inputs[4], inputs[5] = kept, kept == 0
    inputs[6], inputs[7], inputs[8] = (kept == 0) * own_drawn, (kept == 1) * own_drawn, (kept == 0) * stuck
    inputs[9], inputs[10], inputs[11], inputs[12] = next_plays(view, view.hand)
    _, scoring, _, total = next_plays(view, view.unseen)
    inputs[13], inputs[14], inputs[15] = fits / most, scoring / most, total / most


@compiled
def next_plays(view: Any, rows: Any) -> tuple[float, float, float, float]:
    """Of all plays of some tiles on the trial: the best's points, how many score, how many there are, all points.

    Plays on equal ends count each.
    """
    layout, rules = view.trial, view.rules
    best, scoring, number, total = 0, 0, 0, 0
    for end in range(4 * layout.words):
        pip = int64(layout.pip[end])
        row, rest = int64(rows[pip]), layout.count - int64(layout.value[end])
        number += popcount(row)
        row &= int64(rules.scorers[rest & (MAX_COUNT - 1)]) | 1 << pip
        while row:
            partner = lowest(row)
            row &= row - 1
            count = rest + partner + (partner == pip) * pip * layout.double
            scored = int64(rules.points[count & (MAX_COUNT - 1)])
            scoring += scored > 0
            total += scored
            best = max(best, scored)
    return best / rules.worth, scoring, number, total / rules.worth


@compiled
def describe_own_hand(view: Any, partner: int, inputs: Any) -> None:
    """What stays in the hand: features 16 to 20."""
    total, suits, doubles = 0, 0, 0
    for pip in range(view.rules.highest_pip + 1):
        row = int64(view.hand[pip])
        double = row >> pip & 1
        total += pip * (popcount(row) + double)
        suits += row != 0
        doubles += double
    inputs[16], inputs[17], inputs[18] = total / view.rules.unit, suits, doubles
    inputs[19] = popcount(int64(view.hand[partner]))
    inputs[20] = popcount(int64(view.unseen[partner]))


@compiled
def describe_table(view: Any, pip: int, partner: int, inputs: Any) -> None:
    """The tile, the ends after it, how far the hand is, and the rules: features 21 to 47."""
    layout, rules, seat = view.trial, view.rules, next_seat(view)
    ends, bare, doubles = 0, 0, 0
    for end in range(4 * layout.words):
        ends += layout.pip[end] != CLOSED
        bare += layout.pip[end] != CLOSED and layout.kind[end] == BARE
        doubles += layout.pip[end] != CLOSED and layout.kind[end] == DOUBLE
    inputs[21], inputs[22] = (pip + partner) / rules.unit, pip == partner
    inputs[23] = layout.spins != view.layout.spins
    inputs[24] = popcount(int64(view.hand[pip]))
    inputs[25] = popcount(int64(view.unseen[pip]))
    inputs[26], inputs[27], inputs[28], inputs[29] = popcount(open_pips(layout)), ends, bare, doubles
    inputs[30], inputs[31] = view.tiles[view.seat] - 1, view.tiles[seat]
    inputs[32], inputs[33] = view.boneyard, popcount(view.lacks[seat])
    inputs[34] = layout.count / rules.unit
    rest = layout.count % rules.unit
    for number in range(5):
        inputs[35 + number] = rest == number
    inputs[40], inputs[41] = rules.going_out == SUBTRACT_OWN, rules.going_out == COLLECT
    inputs[42], inputs[43], inputs[44] = rules.draw_limit == 0, rules.all_spin, layout.spins
    inputs[45], inputs[46], inputs[47] = rules.players, rules.players > rules.sides, rules.scores
