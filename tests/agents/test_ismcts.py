"""The agent that searches a tree over sampled deals."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numba.core import config

from allfives_sim import Rules, compare, find_agent, record_hands
from allfives_sim.agents.tree import NODE, WALK, walk_down
from allfives_sim.core.calls import address_of
from allfives_sim.core.compiled import new_record
from allfives_sim.core.records import Position
from allfives_sim.core.view import first_move
from tests import naive
from tests.naive.hand import _check_event, _opening, record_settings
from tests.naive.table import Table


@pytest.mark.parametrize(
    "rules",
    [Rules(hand_size=7), Rules.preset("five-up"), Rules(players=3), Rules(players=4, partners=True)],
)
def test_it_beats_its_own_base_clearly(rules: Rules) -> None:
    figures = compare(["ismcts:iterations=64", "greedy"], rules, deals=200, seed=4).figures[0]
    assert figures["margin_low"] > 0


def test_the_same_seed_gives_the_same_play_and_each_parameter_changes_it() -> None:
    def hands(spec: str) -> list[Any]:
        return [record["events"] for record in record_hands([spec], hands=5)]

    usual = hands("ismcts:iterations=50")
    assert usual == hands("ismcts:iterations=50")
    assert usual != hands("ismcts:iterations=400")
    assert usual != hands("ismcts:iterations=50,base=random")
    assert usual != hands("ismcts:iterations=50,explore=1")
    assert usual != hands("ismcts:iterations=50,prior=0")


@pytest.mark.parametrize("iterations", [1, 2])
def test_with_next_to_no_iterations_it_still_plays_by_the_rules(iterations: int) -> None:
    for players in (2, 3, 4):
        for record in record_hands([f"ismcts:iterations={iterations}"], Rules(players=players), hands=5):
            naive.check_hand(json.loads(json.dumps(record)))


def test_every_walk_adds_one_node_and_is_told_to_all_nodes_on_its_way() -> None:
    """In plain Python, which needs a process of its own: compiled for this test, the walk would cost half a minute."""
    if not config.DISABLE_JIT:
        command = [sys.executable, "-m", "pytest", "-q", __file__, "-k", "test_every_walk"]
        done = subprocess.run(command, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout  # 5, where no test was found
        return
    (record,) = record_hands(["greedy"], Rules(players=3), hands=1, seed=2)
    event = next(number for number, one in enumerate(record["events"]) if number > 2 and "play" in one)
    position = Position(json.loads(json.dumps(record)), event)
    nodes, walk = np.zeros(81, NODE), new_record(WALK)
    walk.table.rules = position.view.rules
    walk.policy, walk.explore, walk.nodes = address_of(find_agent("greedy").policy.dispatcher), 40.0, 1
    for number in range(1, 81):  # all in the world as it is
        with np.errstate(over="ignore"):
            assert walk_down(position.view, position.hidden, first_move(position.view), nodes, walk)
        assert nodes[0].visits == number
        assert walk.nodes <= number + 1
    assert walk.nodes > 20
    widest = 0
    for node in nodes[: walk.nodes]:
        assert node.total.sum() == pytest.approx(0, abs=1e-6)  # what a side gains the others lose
        children, child = [], node.child
        while child:
            children.append(nodes[child])
            child = nodes[child].sibling
        assert len({one.key for one in children}) == len(children)
        assert sum(one.visits for one in children) <= node.visits
        if node.visits < 80:  # at the root nothing is chosen
            assert all(one.seen >= one.visits for one in children)
            widest = max(widest, len(children))
    assert widest > 1


def open_ends(spec: str, hands: int) -> Iterator[tuple[Table, dict[str, Any]]]:
    """Late choices of hands between an agent and `greedy` in which nothing is hidden: there is no boneyard."""
    rules = Rules(highest_pip=3, hand_size=5)
    for record in record_hands([spec, "greedy"], rules, hands=hands, seed=6):
        written = json.loads(json.dumps(record))
        table = _opening(written, record_settings(written))
        for number, event in enumerate(written["events"]):
            late = sum(map(len, table.hands)) <= 6
            if late and event["seat"] == 0 and "play" in event and len(table.plays()) > 1:
                yield copy.deepcopy(table), event
            _check_event(table, number, event)


def best_margin(table: Table) -> int:
    """What seat 0 ends with above seat 1 if both play as well as can be."""
    if table.end:
        scores = [score + points for score, points in zip(table.scores, table.settlement(), strict=True)]
        return scores[0] - scores[1]
    if table.must_pass():
        after = copy.deepcopy(table, {id(table.s): table.s})
        after.pass_turn()
        return best_margin(after)
    return (max if table.turn == 0 else min)(margin_after(table, tile, at) for tile, at in table.plays())


def margin_after(table: Table, tile: tuple[int, int], at: Any) -> int:
    after = copy.deepcopy(table, {id(table.s): table.s})
    after.play(tile, at)
    return best_margin(after)


def test_where_nothing_is_hidden_it_plays_like_a_full_search() -> None:
    def lost(spec: str) -> tuple[float, int]:
        losses = [
            best_margin(table) - margin_after(table, naive.read_tile(event["play"]), event["at"])
            for table, event in open_ends(spec, 60)
        ]
        return sum(losses) / len(losses), len(losses)

    searched, choices = lost("ismcts:iterations=1000,prior=0")
    assert choices > 20
    assert searched < 0.1
    assert lost("montecarlo:samples=300,prior=0")[0] > searched
