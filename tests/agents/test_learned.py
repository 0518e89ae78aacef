"""The network, what it is told, and the agents that ask it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from numba import from_dtype, types
from numba.core import config

from allfives_sim import Rules, compare, find_agent, record_hands
from allfives_sim.agents.features import FEATURES, describe_play
from allfives_sim.agents.network import INPUTS, UNITS, WEIGHTS, evaluate
from allfives_sim.agents.playout import play_and_judge, play_out
from allfives_sim.core.bits import copy_record
from allfives_sim.core.calls import address_of
from allfives_sim.core.compiled import keep_alive, kernel, new_record
from allfives_sim.core.hand import HIDDEN, find_moves
from allfives_sim.core.records import Position
from allfives_sim.core.view import NO_MOVE, VIEW, find_unseen, first_move, next_move, next_seat
from tests.agents.test_agents import recorded
from tests.core.test_compiler import run_python

HOUSES = {
    "article": Rules(),
    "five-up": Rules.preset("five-up"),
    "all-threes": Rules.preset("all-threes"),
    "double-nine": Rules(highest_pip=9, hand_size=12),
    "three players": Rules.preset("sniff", players=3),
}
_INPUTS = types.Array(types.float32, 1, "C")


@kernel(types.float64(_INPUTS))
def answer(inputs: Any) -> float:
    """What the network answers, compiled."""
    return evaluate(inputs)


@kernel(types.int64(from_dtype(VIEW), from_dtype(HIDDEN), types.int64, types.Array(types.float32, 2, "C")))
def describe_all(view: Any, hidden: Any, seat: int, told: Any) -> int:
    """Features of all plays of the mover; how many plays there are."""
    find_moves(view, hidden)
    unseen = find_unseen(view, seat)
    held = min(view.tiles[seat], unseen)
    number, move = 0, first_move(view)
    while move != NO_MOVE:
        describe_play(view, move, unseen, held, told[number])
        number, move = number + 1, next_move(view, move)
    return number


@kernel(types.float64(from_dtype(VIEW), from_dtype(HIDDEN), types.int64, types.int64, types.int64))
def best_value(view: Any, world: Any, turns: int, judged: int, base: int) -> float:
    """The value of the best play, played out to the end or until it is judged."""
    table, hidden = np.zeros(1, VIEW), np.zeros(1, HIDDEN)
    copy_record(table[0].rules, view.rules)
    agents, numbers, inputs = np.zeros(4, np.int64), np.zeros((2, 4), np.int64), np.zeros(FEATURES, np.float32)
    find_moves(view, world)
    best, move = -1e18, first_move(view)
    while move != NO_MOVE:
        if judged:
            value = play_and_judge(view, world, table[0], hidden[0], move, turns, base, agents, numbers, inputs)
        else:
            value = play_out(view, world, table[0], hidden[0], move, base, agents, numbers)
        best = max(best, value)
        move = next_move(view, move)
    keep_alive(table, hidden)
    return best


def positions(rules: Rules, hands: int, seed: int, agent: str = "random") -> list[Position]:
    """The positions of all plays of some hands."""
    found = []
    for record in record_hands([agent], rules, hands=hands, seed=seed):
        record = json.loads(json.dumps(record))
        found += [Position(record, number) for number, event in enumerate(record["events"]) if "play" in event]
    for position in found:
        position.view.hand[:] = position.hidden.hands[position.view.seat]
    return found


def test_the_network_answers_as_its_formula_says() -> None:
    assert INPUTS == FEATURES
    random = np.random.default_rng(5)
    for _ in range(200):
        inputs = random.normal(0, 3, FEATURES).astype(np.float32)
        exact = WEIGHTS.astype(float)
        wanted = np.maximum(inputs @ exact[:FEATURES] + exact[FEATURES], 0) @ exact[FEATURES + 1]
        assert answer(inputs) == pytest.approx(wanted, rel=1e-3, abs=1e-3)
        assert answer(inputs) == evaluate(inputs)  # to the last bit, compiled or not
    assert UNITS & (UNITS - 1) == 0  # its last sum is made by halves


@pytest.mark.parametrize("rules", HOUSES.values(), ids=HOUSES)
def test_a_play_is_described_by_finite_numbers_and_the_view_is_left_as_it_was(rules: Rules) -> None:
    told = np.zeros((64, FEATURES), np.float32)
    seen = 0
    for position in positions(rules, 20, 3):
        view = position.view
        hand = view.hand.copy()
        plays = describe_all(view, position.hidden, next_seat(view), told)
        assert np.isfinite(told[:plays]).all()
        assert np.abs(told[:plays]).max() < 200
        assert (view.hand == hand).all()
        seen += plays
    assert seen > 300


def test_what_is_told_of_a_play_agrees_with_the_referee() -> None:
    told = np.zeros((64, FEATURES), np.float32)
    compared = 0
    for decision, position in zip(recorded("greedy", 12), positions(Rules(), 12, 11, "greedy"), strict=True):
        unseen, hands = sorted(decision.unseen), list(combinations(sorted(decision.unseen), decision.next_holds))
        if len(hands) > 300:
            continue
        plays = describe_all(position.view, position.hidden, next_seat(position.view), told)
        assert plays == len(decision.choices)
        for row, choice in zip(told, sorted(decision.choices, key=lambda c: c.order), strict=False):
            hand, ends = decision.hand - {choice.tile}, choice.after.ends
            bests = [max(points_of(choice.after, held), default=-1) for held in hands]
            own, theirs = points_of(choice.after, hand), points_of(choice.after, unseen)
            fits = len({tile for tile, _ in choice.after.legal(unseen)})
            kept = len({tile for tile, _ in choice.after.legal(sorted(hand))})
            count = choice.after.count()
            wanted = {
                0: choice.points / 5,
                1: np.mean([max(best, 0) for best in bests]) / 5,
                2: np.mean([best < 0 for best in bests]),
                4: kept,
                5: kept == 0,
                9: max(own, default=0) / 5,
                10: sum(points > 0 for points in own),
                11: len(own),
                12: sum(own) / 5,
                13: fits / len(unseen),
                14: sum(points > 0 for points in theirs) / len(unseen),
                15: sum(theirs) / 5 / len(unseen),
                16: sum(map(sum, hand)) / 5,
                17: len({pip for tile in hand for pip in tile}),
                18: sum(low == high for low, high in hand),
                21: choice.pips / 5,
                22: choice.tile[0] == choice.tile[1],
                26: len({end.pip for end in ends}),
                27: len(ends),
                28: sum(end.bare is not None for end in ends),
                30: len(hand),
                31: decision.next_holds,
                34: count / 5,
                **{35 + rest: count % 5 == rest for rest in range(5)},
                45: 2,
            }
            for number, value in wanted.items():
                assert row[number] == pytest.approx(float(value), abs=1e-4), number
            compared += 1
    assert compared > 100


def points_of(layout: Any, hand: Iterable[tuple[int, int]]) -> list[int]:
    """Points of every play of some tiles, on every end."""
    found = []
    for tile, at in layout.legal(sorted(hand)):
        after = copy.deepcopy(layout)
        after.place(tile, at)
        found.append(after.count() if after.count() % 5 == 0 else 0)
    return found


@pytest.mark.parametrize("rules", [Rules(), Rules.preset("five-up"), Rules.preset("block")], ids=str)
def test_a_hand_that_is_judged_after_all_turns_is_played_out(rules: Rules) -> None:
    base = address_of(find_agent("risk").policy.dispatcher)
    told_apart = 0
    for position in positions(rules, 25, 8):
        world = new_record(HIDDEN)
        copy_record(world, position.hidden)
        view = position.view
        to_the_end = best_value(view, world, 0, 0, base)
        assert best_value(view, world, 64, 1, base) == to_the_end
        told_apart += best_value(view, world, 0, 1, base) != to_the_end
    assert told_apart > 50


def test_deeper_looks_come_closer_to_the_end_of_the_hand() -> None:
    base = address_of(find_agent("risk").policy.dispatcher)
    errors = np.zeros(4)
    for position in positions(Rules(), 150, 9):
        to_the_end = best_value(position.view, position.hidden, 0, 0, base)
        for turns in range(4):
            errors[turns] += (best_value(position.view, position.hidden, turns, 1, base) - to_the_end) ** 2
    assert all(later < earlier for earlier, later in pairwise(errors))


@pytest.mark.parametrize(
    ("rules", "least"),
    [
        (Rules(), 14.0),
        (Rules.preset("miami"), 6.0),
        (Rules.preset("five-up"), 0.6),
        (Rules.preset("draw"), 0.0),
        (Rules.preset("block"), 0.0),
        (Rules(players=3), 3.0),
        (Rules(players=4, partners=True), 5.0),
    ],
    ids=str,
)
def test_learned_beats_greedy_by_more_than_risk_does(rules: Rules, least: float) -> None:
    figures = compare(["learned", "greedy"], rules, deals=4_000, seed=4).figures[0]
    assert figures["margin_low"] > least
    assert compare(["learned", "risk"], rules, deals=10_000, seed=4).figures[0]["margin_low"] > 0


def test_switching_the_network_off_or_asking_it_later_changes_what_expert_plays() -> None:
    def hands(spec: str) -> list[Any]:
        return [record["events"] for record in record_hands([spec], hands=8)]

    usual = hands("expert:samples=12")
    assert usual != hands("expert:samples=12,learned=off")
    assert usual != hands("expert:samples=12,turns=0")
    assert hands("expert:samples=12,turns=50") == hands("expert:samples=12,turns=1e14")


PLAY = """
from allfives_sim import record_hands
print([record["events"] for record in record_hands(["learned", "expert:samples=2"], hands=2)])
"""


def test_the_network_plays_the_same_without_the_compiler() -> None:
    if not config.DISABLE_JIT:
        assert run_python(PLAY, NUMBA_DISABLE_JIT="1") == run_python(PLAY)
