"""Every choice tried in sampled deals, with the samples where the choice is close."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.agents.features import FEATURES
from allfives_sim.agents.learned import learned_value
from allfives_sim.agents.lookahead import look_ahead, new_nodes
from allfives_sim.agents.playout import play_and_judge, play_out, seat_base
from allfives_sim.agents.reply import find_next_hand
from allfives_sim.agents.risk import BLOCK, KEEP, PIPS, REPLY, risk_value
from allfives_sim.belief.slots import SLOTS
from allfives_sim.belief.table import draw_deal, tabulate
from allfives_sim.core.bits import copy_record
from allfives_sim.core.compiled import compiled, keep_alive
from allfives_sim.core.hand import HIDDEN
from allfives_sim.core.streams import STEP, mix
from allfives_sim.core.view import NO_MOVE, VIEW, choices, first_move, next_move

TO_THE_END = -1


@compiled
def best_on_average(
    view: Any, word: np.uint64, samples: float, belief: bool, tells: float, prior: float, halving: bool, plays: int,
    turns: int, base: int, first: int,
) -> int:  # fmt: skip
    """Choose what is best on average over sampled deals.

    All choices are tried in the same deals.  In each round all choices that are left get as many, and the better half
    of them goes on, so that samples go where the choice is close: successive halving (Karnin, Koren and Somekh, "Almost
    optimal exploration in multi-armed bandits", ICML 2013).

    Parameters
    ----------
    view : record of dtype `VIEW`
    word : uint64
    samples : float
        Deals a choice, on average.
    belief : bool
        Whether deals agree with what everybody has seen.
    tells : float
        How much is read into points that the others have not scored: see belief/tells.py.
    prior : float
        How many samples the value that a play is given before is worth: that of `risk`, or of the network.
    halving : bool
        Whether it is done so; else all choices get as many deals.
    plays : int
        How many plays after the choice are searched (`look_ahead`), before the base plays on.
    turns : int
        After how many own turns the network judges the hand (`play_and_judge`); `TO_THE_END`: hands are played out.
    base : int
        Address of the policy that plays hands out.
    first : int
        Number of its first parameter in ``view.parameters``.

    Returns
    -------
    int
        A move; `NO_MOVE` where the base answered with what is no choice.
    """
    moves = list_choices(view)
    left = len(moves)
    totals = np.zeros(left)
    if left == 1:
        return moves[0]
    table, hidden, world, slots = np.zeros(1, VIEW), np.zeros(1, HIDDEN), np.zeros(1, HIDDEN), np.zeros(1, SLOTS)
    nodes = new_nodes()
    copy_record(table[0].rules, view.rules)
    seat_base(hidden[0], view.parameters, first)
    agents, numbers = np.zeros(4, np.int64), np.zeros((2, 4), np.int64)
    deals = tabulate(view, slots[0], belief, tells)
    inputs = np.zeros(FEATURES, np.float32)
    value_before(view, moves, prior, turns != TO_THE_END, inputs, totals)
    rounds = halvings(left) if halving else 1
    budget = samples * left / rounds  # tries in a round
    for _ in range(rounds):
        for _ in range(max(1, int(budget / left))):
            word += STEP
            dice = mix(word)
            draw_deal(view, slots[0], deals, world[0], dice)
            for number in range(left):
                move = moves[number]
                if turns != TO_THE_END:
                    totals[number] += play_and_judge(
                        view, world[0], table[0], hidden[0], move, turns, base, agents, numbers, inputs
                    )
                elif plays > 0:
                    totals[number] += look_ahead(
                        view, world[0], table[0], hidden[0], nodes, move, plays, base, agents, numbers, dice
                    )
                else:
                    totals[number] += play_out(view, world[0], table[0], hidden[0], move, base, agents, numbers)
        for number in range(left):
            if np.isnan(totals[number]):
                return NO_MOVE
        left = keep_better_half(moves, totals, left)
    keep_alive(table, hidden, world, slots)
    return moves[0]


@compiled
def value_before(view: Any, moves: Any, prior: float, judged: bool, inputs: Any, totals: Any) -> None:
    """What the choices are worth before any deal is sampled, by the network or else by `risk`, `prior` times."""
    unseen, held = find_next_hand(view)
    for number in range(len(moves)):
        if judged:
            value = learned_value(view, moves[number], unseen, held, inputs)
        else:
            value = risk_value(view, moves[number], unseen, held, REPLY, BLOCK, PIPS, KEEP)
        totals[number] = prior * value


@compiled
def list_choices(view: Any) -> Any:
    """All choices of the mover, an int64 array."""
    moves = np.empty(choices(view), np.int64)
    moves[0] = first_move(view)
    for number in range(1, len(moves)):
        moves[number] = next_move(view, moves[number - 1])
    return moves


@compiled
def halvings(left: int) -> int:
    """How often so many choices are halved until one is left; at least once."""
    rounds = 1
    while 1 << rounds < left:
        rounds += 1
    return rounds


@compiled
def keep_better_half(moves: Any, totals: Any, left: int) -> int:
    """Bring the better half of the first `left` moves to the front, the best first; how many they are."""
    kept = (left + 1) // 2
    for place in range(kept):
        best = place
        for other in range(place + 1, left):
            if totals[other] > totals[best] or (totals[other] == totals[best] and moves[other] < moves[best]):
                best = other
        moves[place], moves[best] = moves[best], moves[place]
        totals[place], totals[best] = totals[best], totals[place]
    return kept
