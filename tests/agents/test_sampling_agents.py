"""The agents that search or play out sampled deals, and the look ahead that they share."""

from __future__ import annotations

import json
import random
from itertools import islice
from typing import Any

import numpy as np
import pytest
from numba import from_dtype, types

from allfives_sim import Rules, compare, find_agent, record_hands
from allfives_sim.agents.lookahead import MOST_PLAYS, look_ahead, new_nodes
from allfives_sim.agents.peek import NO_END, NONE_FITS, best_points, best_reply
from allfives_sim.agents.solved import ENTRY
from allfives_sim.core.bits import copy_record
from allfives_sim.core.calls import address_of, address_of_record
from allfives_sim.core.compiled import keep_alive, kernel
from allfives_sim.core.hand import HIDDEN, find_moves
from allfives_sim.core.records import Position
from allfives_sim.core.view import NO_MOVE, VIEW, first_move, next_move, try_move
from tests.agents.test_solver import endings, solved


@kernel(types.float64(from_dtype(VIEW), from_dtype(HIDDEN), types.int64, types.int64))
def best_value(view: Any, world: Any, plays: int, base: int) -> float:
    """The value of the best play, looking so many plays ahead."""
    table, hidden, nodes = np.zeros(1, VIEW), np.zeros(1, HIDDEN), new_nodes()
    copy_record(table[0].rules, view.rules)
    agents, numbers = np.zeros(4, np.int64), np.zeros((2, 4), np.int64)
    find_moves(view, world)
    best, move = -1e18, first_move(view)
    while move != NO_MOVE:
        value = look_ahead(view, world, table[0], hidden[0], nodes, move, plays, base, agents, numbers, np.uint64(7))
        best = max(best, value)
        move = next_move(view, move)
    keep_alive(table, hidden)
    return best


def test_looking_ahead_to_the_end_of_a_hand_gives_the_exact_value() -> None:
    base, memory = address_of(find_agent("random").policy.dispatcher), np.zeros(1, ENTRY)
    compared = 0
    for ending in islice(endings(random.Random(31), most_tiles=8), 400):
        known, value, _ = solved(ending, memory, 0, 10**6)
        found = best_value(ending.position.view, ending.position.hidden, MOST_PLAYS, base)
        assert known
        assert found == value, (ending.house, ending.event)
        compared += 1
    assert compared == 400


@kernel(types.int64(from_dtype(VIEW), from_dtype(HIDDEN), types.int64))
def differences(view: Any, hidden: Any, seat: int) -> int:
    """How many of the mover's plays leave a seat another best reply when the layout is made for it."""
    find_moves(view, hidden)
    different, move = 0, first_move(view)
    while move != NO_MOVE:
        quick = best_reply(view, move, seat)
        try_move(view, move)
        different += quick != best_points(view, view.trial, seat, view.trial.count, NO_END, 0, 0)
        move = next_move(view, move)
    return different


@pytest.mark.parametrize(
    "rules",
    [Rules(), Rules.preset("five-up", players=3), Rules.preset("muggins"), Rules(cross_arms="at_once")],
    ids=str,
)
def test_the_best_reply_is_the_same_without_making_the_layout(rules: Rules) -> None:
    seen = 0
    for record in record_hands(["random"], rules, hands=40, seed=4):
        record = json.loads(json.dumps(record))
        for event, one in enumerate(record["events"]):
            if "play" in one:
                position = Position(record, event)
                position.view.door = address_of_record(position.hidden)
                for seat in range(rules.players):
                    assert differences(position.view, position.hidden, seat) == 0
                seen += 1
    assert seen > 300
    assert NONE_FITS < 0  # less than any reply's points


@pytest.mark.parametrize(
    "spec", ["pimc:samples=6", "pimc:samples=3,plays=3", "expert:samples=12", "montecarlo:base=peek"]
)
@pytest.mark.parametrize("rules", [Rules(hand_size=7), Rules(players=4, partners=True)], ids=["two", "partners"])
def test_each_beats_greedy_clearly(spec: str, rules: Rules) -> None:
    figures = compare([spec, "greedy"], rules, deals=200, seed=4).figures[0]
    assert figures["margin_low"] > 0


def test_switching_a_part_of_expert_off_changes_its_play() -> None:
    def hands(spec: str) -> list[Any]:
        return [record["events"] for record in record_hands([spec], hands=8)]

    usual = hands("expert:samples=12")
    assert usual == hands("expert:samples=12")
    for part in ("base=greedy", "belief=off", "prior=0", "halving=off"):
        assert usual != hands(f"expert:samples=12,{part}")
