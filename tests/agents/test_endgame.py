"""The agent that plays exactly where the hidden hands are known."""

from __future__ import annotations

import json
import random
from itertools import islice
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import config

from allfives_sim import AgentError, Belief, Rules, compare, find_agent, record_hands
from allfives_sim.belief.table import only_deal
from allfives_sim.core.compiled import new_record
from allfives_sim.core.hand import HIDDEN
from tests.agents.test_solver import Minimax, TooLarge, choices_in
from tests.belief.test_belief import positions, told_by_the_table

HOUSES: list[dict[str, Any]] = [
    {"hand_size": 13, "highest_pip": 6, "draw_limit": 0},
    {"hand_size": 9, "highest_pip": 5, "spinner": "all_doubles", "cross_arms": "at_once"},
    {"preset": "pagat", "hand_size": 4, "highest_pip": 3, "draw_limit": 0, "score_floor": 0},
    {"preset": "fives-and-threes", "hand_size": 9, "highest_pip": 5, "target": 20},
    {"players": 4, "partners": True, "hand_size": 2, "highest_pip": 3, "boneyard_reserve": 2},
    {"players": 4, "partners": True, "hand_size": 5, "highest_pip": 5},
]


def hands_of(spec: str, rules: Rules, hands: int) -> list[Any]:
    """The events of some hands of an agent that plays itself."""
    return [record["events"] for record in record_hands([spec], rules, hands=hands)]


def test_where_the_hidden_hands_are_known_it_plays_as_well_as_can_be() -> None:
    checked = with_boneyard = 0
    for house in HOUSES:
        for record in record_hands(["endgame"], Rules.from_dict(house), hands=150, seed=2):
            for ending in choices_in(json.loads(json.dumps(record)), 6):
                chances = Belief.of(record, ending.event).chances()
                if not np.isclose(chances, chances.round(), rtol=0, atol=1e-9).all():
                    continue
                try:
                    values = dict(Minimax(ending.table.turn % 2).plays(ending.table))
                except TooLarge:
                    continue
                event = record["events"][ending.event]
                assert values[event["play"], event["at"]] == max(values.values()), (house, record, ending.event)
                checked += len(set(values.values())) > 1
                with_boneyard += len(ending.table.boneyard) > 0
    assert checked > 100
    assert with_boneyard > 10


def test_a_deal_is_the_only_one_where_the_table_of_deals_leads_to_no_other() -> None:
    call = only_deal if config.DISABLE_JIT else numba.njit(lambda *arguments: only_deal(*arguments))
    rng, world, known = random.Random(8), new_record(HIDDEN), 0
    for _, _, _, belief in islice(positions(rng), 600):
        told = told_by_the_table(belief)
        assert call(belief._view, belief._slots, belief._table, world) == (len(told) == 1)
        if len(told) == 1:
            others = [seat for seat in range(int(belief._view.rules.players)) if seat != belief.seat]
            for seat, hand in zip(others, next(iter(told)), strict=True):
                rows = [int(row) for row in world.hands[seat]]
                assert {(low, high) for low in range(10) for high in range(low, 10) if rows[low] >> high & 1} == hand
            known += 1
    assert 30 < known < 570


@pytest.mark.parametrize("base", ["risk", "greedy"])
def test_without_a_search_it_plays_as_its_base(base: str) -> None:
    for rules, hands in ((Rules(), 600), (Rules(draw_limit=0, hand_size=14), 60)):
        assert hands_of(f"endgame:base={base},nodes=0", rules, hands) == hands_of(base, rules, hands)
        assert hands_of(f"endgame:base={base},nodes=1000", rules, hands) != hands_of(base, rules, hands)


def test_with_three_sides_it_plays_as_its_base() -> None:
    rules = Rules(players=3, draw_limit=0, hand_size=9)
    assert hands_of("endgame", rules, 60) == hands_of("risk", rules, 60)


@pytest.mark.parametrize(
    ("rules", "deals"),
    [(Rules(), 2000), (Rules(draw_limit=0, hand_size=14), 300), (Rules(players=4, partners=True, hand_size=7), 8000)],
)
def test_it_beats_its_base(rules: Rules, deals: int) -> None:
    figures = compare(["endgame:nodes=1000", "risk"], rules, deals=deals, seed=4).figures[0]
    assert figures["margin_low"] > 0


@pytest.mark.parametrize(
    ("spec", "word"),
    [("endgame:base=montecarlo", "can be a base"), ("endgame:nodes=0.5", "valid: a whole number from 0 to")],
)
def test_wrong_parameters_are_refused_in_one_sentence(spec: str, word: str) -> None:
    with pytest.raises(AgentError, match=word):
        find_agent(spec)
