"""`montecarlo`: play it out and see."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.agents.playout import play_out, seat_base
from allfives_sim.agents.policy import agent
from allfives_sim.agents.risk import BLOCK, KEEP, PIPS, REPLY, risk_value
from allfives_sim.belief.table import SLOTS, draw_deal, tabulate
from allfives_sim.core.bits import copy_record
from allfives_sim.core.compiled import compiled
from allfives_sim.core.hand import HIDDEN
from allfives_sim.core.streams import STEP, mix
from allfives_sim.core.view import NO_MOVE, VIEW, choices, find_unseen, first_move, next_move, next_seat

OWN_PARAMETERS = 4  # those of the base come after them


@agent(samples=64, base="greedy", belief=True, prior=64.0)
def montecarlo(view: Any, word: Any) -> int:
    """Plays every choice out in sampled worlds, with a base policy at all seats, and takes the best on average.

    All choices are tried in the same worlds.  Samples go where the choice is close: in each round all choices that are
    left get as many, and the better half of them goes on (Karnin, Koren and Somekh, "Almost optimal exploration in
    multi-armed bandits", ICML 2013).  Where drawing is a choice it never draws.

    Parameters: samples (worlds a choice on average), base (the agent that plays the hands out), belief (on: worlds
    agree with what draws and passes have shown; off: any), prior (how many samples the value that `risk` gives a play
    is worth; 0: none).
    """
    samples, base, belief = view.parameters[0], int(view.parameters[1]), view.parameters[2] > 0
    prior = view.parameters[3]
    left = choices(view)
    moves, totals = np.empty(left, np.int64), np.zeros(left)
    moves[0] = first_move(view)
    if left == 1:
        return moves[0]
    for number in range(1, left):
        moves[number] = next_move(view, moves[number - 1])
    # Records are looked up where they are used: a variable for one would not keep its array alive.
    table, hidden, world, slots = np.zeros(1, VIEW), np.zeros(1, HIDDEN), np.zeros(1, HIDDEN), np.zeros(1, SLOTS)
    copy_record(table[0].rules, view.rules)
    seat_base(hidden[0], view.parameters, OWN_PARAMETERS)
    agents, numbers = np.zeros(4, np.int64), np.zeros((2, 4), np.int64)
    deals = tabulate(view, slots[0], belief)
    seat = next_seat(view)
    unseen = find_unseen(view, seat)
    held = min(view.tiles[seat], unseen)
    for number in range(left):
        totals[number] = prior * risk_value(view, moves[number], unseen, held, REPLY, BLOCK, PIPS, KEEP)
    rounds = 1
    while 1 << rounds < left:
        rounds += 1
    budget = samples * left / rounds  # hands played out in a round
    for _ in range(rounds):
        for _ in range(max(1, int(budget / left))):
            word += STEP
            draw_deal(view, slots[0], deals, world[0], mix(word))
            for number in range(left):
                totals[number] += play_out(view, world[0], table[0], hidden[0], moves[number], base, agents, numbers)
        for number in range(left):
            if np.isnan(totals[number]):  # the base answers with what is no choice
                return NO_MOVE
        left = keep_better_half(moves, totals, left)
    return moves[0]


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
