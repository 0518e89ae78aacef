"""Sampled worlds, and the agent that plays hands out in them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from math import comb, sqrt
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import config

from allfives_sim import AgentError, Rules, compare, find_agent, load_code, record_hands
from allfives_sim.agents.montecarlo import keep_better_half
from allfives_sim.agents.policy import REGISTER
from allfives_sim.agents.worlds import sample_world
from allfives_sim.core.game import new_table
from allfives_sim.core.tiles import tile_from_name
from allfives_sim.lab.analysis import analyse
from tests import naive


def _sample(view: Any, world: Any, word: np.uint64, belief: bool) -> None:
    sample_world(view, world, word, belief)


_sample_compiled = _sample if config.DISABLE_JIT else numba.njit(_sample)


def position(rules: Rules, hand: list[str], played: list[str], tiles: list[int], lacks: dict[int, int]) -> Any:
    """A view in which seat 0 holds a hand, and a world for it."""
    view, world, _ = new_table(rules)
    for rows, names in ((view.hand, hand), (view.played, played)):
        for name in names:
            tile = tile_from_name(name)
            rows[tile >> 4] |= 1 << (tile & 15)
            rows[tile & 15] |= 1 << (tile >> 4)
    view.tiles[: len(tiles)] = tiles
    for seat, pips in lacks.items():
        view.lacks[seat] = pips
    return view, world


def hand_of(world: Any, seat: int) -> frozenset[tuple[int, int]]:
    rows = world.hands[seat]
    return frozenset((low, high) for low in range(10) for high in range(low, 10) if rows[low] >> high & 1)


def sampled(view: Any, world: Any, number: int, belief: bool = True) -> frozenset[tuple[int, int]]:
    word = np.uint64(number * 0x9E3779B97F4A7C15 % 2**64)
    with np.errstate(over="ignore"):
        _sample_compiled(view, world, word, belief)
    return hand_of(world, 1)


@pytest.mark.parametrize("lacks", [0, 1 << 2, 1 << 0 | 1 << 3])
def test_each_hidden_hand_that_agrees_with_the_passes_is_sampled_equally_often(lacks: int) -> None:
    hand, played = ["0-1", "2-2"], ["1-3", "0-0"]
    view, world = position(Rules(highest_pip=3, hand_size=2), hand, played, [2, 2], {1: lacks})
    known = {naive.read_tile(name) for name in hand + played}
    able = [t for t in naive.full_set(3) if t not in known and not any(lacks >> pip & 1 for pip in t)]
    draws = 12_000
    seen = Counter(sampled(view, world, number) for number in range(draws))
    expected = draws / comb(len(able), 2)
    assert set(seen) == {frozenset(pair) for pair in combinations(able, 2)}
    assert all(abs(count - expected) < 5 * sqrt(expected) for count in seen.values())


def test_without_belief_passes_are_not_looked_at() -> None:
    view, world = position(Rules(highest_pip=3, hand_size=2), ["0-1"], ["1-3"], [1, 2], {1: 1 << 2})
    assert any(any(2 in tile for tile in sampled(view, world, number, belief=False)) for number in range(50))


def test_a_world_has_every_unseen_tile_once_and_the_right_numbers_of_them() -> None:
    rules = Rules(players=4, hand_size=5)
    hand, played = ["0-1", "2-2", "5-6"], ["6-6", "6-4", "4-1"]
    view, world = position(rules, hand, played, [3, 4, 5, 2], {1: 1 << 6, 2: 1 << 1, 3: 1 << 4})
    for number in range(300):
        sampled(view, world, number)
        hands = [hand_of(world, seat) for seat in range(4)]
        assert [len(one) for one in hands] == [3, 4, 5, 2]
        assert hands[0] == {naive.read_tile(name) for name in hand}
        boneyard = [divmod(int(world.deck[k]), 16) for k in range(64) if world.left >> k & 1]
        everything = [*(t for one in hands for t in one), *boneyard, *(naive.read_tile(name) for name in played)]
        assert sorted(everything) == naive.full_set(6)
        for seat, pip in ((1, 6), (2, 1), (3, 4)):
            assert not any(pip in tile for tile in hands[seat])


def test_the_better_half_is_kept_the_best_first() -> None:
    moves, totals = np.array([4, 7, 9, 20, 33]), np.array([1.0, 5.0, -2.0, 5.0, 3.0])
    call = keep_better_half if config.DISABLE_JIT else numba.njit(lambda *a: keep_better_half(*a))
    assert call(moves, totals, 5) == 3
    assert moves[:3].tolist() == [7, 20, 33]


@pytest.mark.parametrize("rules", [Rules(hand_size=7), Rules.preset("five-up"), Rules(players=4, partners=True)])
def test_it_beats_its_own_base_clearly(rules: Rules) -> None:
    figures = compare(["montecarlo:samples=16", "greedy"], rules, deals=300, seed=4).pairs[0].figures()
    assert figures["margin_low"] > 0


def test_more_samples_and_another_base_change_the_play() -> None:
    def hands(spec: str) -> list[Any]:
        return [record["events"] for record in record_hands([spec], hands=5)]

    usual = hands("montecarlo:samples=8")
    assert usual == hands("montecarlo:samples=8")
    assert usual != hands("montecarlo:samples=64")
    assert usual != hands("montecarlo:samples=8,base=random")
    assert usual != hands("montecarlo:samples=8,prior=0")


def test_a_user_agent_can_be_the_base(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from allfives_sim.agents import agent, first_move\n\n\n@agent\ndef lowest_end(view, word):\n"
        '    """Plays the first choice."""\n    return first_move(view)\n'
    )
    load_code(file)
    try:
        for record in record_hands(["montecarlo:samples=4,base=lowest_end"], hands=3):
            naive.check_hand(json.loads(json.dumps(record)))
    finally:
        del REGISTER["lowest_end"]


def test_a_base_that_answers_nonsense_is_an_error_and_not_a_result(tmp_path: Path) -> None:
    file = tmp_path / "nonsense.py"
    file.write_text("from allfives_sim.agents import agent\n\n\n@agent\ndef nonsense(view, word):\n    return 400\n")
    load_code(file)
    try:
        with pytest.raises(AgentError, match="montecarlo"):
            list(record_hands(["montecarlo:samples=4,base=nonsense"], hands=3))
        record = json.loads(json.dumps(next(record_hands(["greedy"], hands=1))))
        with pytest.raises(AgentError, match="nonsense"):
            analyse(record, 0, base="nonsense", worlds=10)
    finally:
        del REGISTER["nonsense"]


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("montecarlo:base=gredy", "did you mean 'greedy'"),
        ("montecarlo:base=montecarlo", "can be a base"),
        ("montecarlo:belief=maybe", "neither on nor off"),
        ("montecarlo:samples=many", "not a number"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(spec: str, word: str) -> None:
    with pytest.raises(AgentError, match=word):
        find_agent(spec)


def test_its_spec_is_written_as_it_was_read() -> None:
    spec = "montecarlo:samples=8,base=risk,belief=off"
    assert find_agent(spec).spec == spec
