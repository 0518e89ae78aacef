"""What the plays of the others tell of their hands."""

from __future__ import annotations

import copy
import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from allfives_sim import Belief, InputError, Rules, record_hands
from allfives_sim.core.records import Position, Record
from tests import naive
from tests.belief.test_belief import holder_of, plays_after_the_first_turns

HOUSES = {
    "article": Rules(),
    "five-up": Rules.preset("five-up"),
    "all-threes, 3 players": Rules.preset("all-threes", players=3),
    "partners": Rules(players=4, partners=True),
    "double led": Rules(lead_tile="double"),
}


def steps_left(record: Record, event: int, seat: int, tile: tuple[int, int], rules: Rules) -> float:
    """How many steps of the score a seat would have left with a tile in its hand, at its plays since it last drew."""
    house = naive.settings(rules.to_dict())
    worth = 1 if rules.score_as == "quotient" else rules.score_units[0]
    layout, left = naive.Layout(house), 0.0
    for one in record["events"][:event]:
        if "draw" in one and one["seat"] == seat:
            left = 0.0
        if "play" not in one:
            continue
        if one["seat"] == seat and (one["at"] != "lead" or rules.lead_tile == "any"):
            best = max([one["points"], *(points_of(layout, at, tile, house) for _, at in layout.legal([tile]))])
            left += (best - one["points"]) / worth
        layout.place(naive.read_tile(one["play"]), one["at"])
    return left


def points_of(layout: naive.Layout, at: Any, tile: tuple[int, int], house: dict[str, Any]) -> int:
    after = copy.deepcopy(layout)
    after.place(tile, at)
    return naive.points_of_count(house, after.count())


@pytest.mark.parametrize("rules", HOUSES.values(), ids=HOUSES)
def test_tiles_weigh_less_by_the_points_that_the_referee_finds_left_on_the_table(rules: Rules) -> None:
    lighter = 0
    for record in record_hands(["random"], rules, hands=12, seed=6):
        record = json.loads(json.dumps(record))
        for event in [number for number, one in enumerate(record["events"]) if "play" in one][3::3]:
            belief = Belief.of(record, event, tells=0.4)
            for number, name in enumerate(belief.tiles):
                for seat in set(range(rules.players)) - {belief.seat}:
                    left = steps_left(record, event, seat, naive.read_tile(name), rules)
                    assert belief._slots.weight[number, seat] == pytest.approx(math.exp(-0.4 * left))
                    lighter += left > 0
    assert lighter > 100


@pytest.mark.parametrize("rules", HOUSES.values(), ids=HOUSES)
def test_chances_and_drawn_deals_are_those_of_all_deals_weighed_so(rules: Rules) -> None:
    (record,) = record_hands(["random"], rules, hands=1, seed=9)
    record = json.loads(json.dumps(record))
    event = [number for number, one in enumerate(record["events"]) if "play" in one][4]
    plain, weighed = Belief.of(record, event), Belief.of(record, event, tells=0.3)
    holders = plain.sample(60_000, seed=1)
    weights = np.ones(len(holders))
    for number in range(len(plain.tiles)):
        for seat in set(range(rules.players)) - {plain.seat}:
            weights[holders[:, number] == seat] *= weighed._slots.weight[number, seat]
    drawn = weighed.sample(60_000, seed=2)
    for number in range(len(plain.tiles)):
        for seat in set(range(rules.players)) - {plain.seat}:
            chance = weighed.chances()[number, seat]
            assert chance == pytest.approx(np.average(holders[:, number] == seat, weights=weights), abs=0.03)
            assert chance == pytest.approx(np.mean(drawn[:, number] == seat), abs=0.01)
    assert np.abs(weighed.chances() - plain.chances()).max() > 0.02


@pytest.mark.parametrize("agent", ["greedy", "risk", "learned"])
def test_tells_make_the_true_hands_more_likely(agent: str) -> None:
    surprise = Counter[float]()
    for record, event in plays_after_the_first_turns([agent], Rules(), hands=150):
        position = Position(record, event)
        for tells in (0.0, 0.75):
            belief = Belief.of(record, event, tells)
            chances = belief.chances()
            chances = np.column_stack([chances, 1 - chances.sum(axis=1)])
            true = [holder_of(position, name) for name in belief.tiles]
            surprise[tells] -= float(np.log(np.maximum(chances[np.arange(len(true)), true], 1e-6)).sum())
    assert surprise[0.75] < 0.985 * surprise[0.0]


def test_reading_far_too_much_into_plays_rules_no_deal_out() -> None:
    for record in record_hands(["expert:samples=2,tells=10,nodes=0"], hands=20):
        naive.check_hand(json.loads(json.dumps(record)))
    for record, event in plays_after_the_first_turns(["random"], Rules(), hands=20):
        belief = Belief.of(record, event, tells=10)
        assert belief.deals > 0
        assert ((belief.sample(50) >= 0).sum(axis=1) == Position(record, event).view.tiles[1 - belief.seat]).all()


@pytest.mark.parametrize("tells", [-1, 11, float("nan")])
def test_tells_that_mean_nothing_are_refused(tells: float) -> None:
    (record,) = record_hands(["greedy"], hands=1)
    with pytest.raises(InputError, match="valid: a number from 0 to 10"):
        Belief.of(record, 4, tells)
