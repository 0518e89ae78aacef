"""The built-in agents: a contract that each must pass, and what each one is."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numba import from_dtype, types

from allfives_sim import AgentError, Rules, find_agent, record_hands
from allfives_sim.agents import REGISTER, Number, agent
from allfives_sim.agents.policy import parameter_rows
from allfives_sim.core.compiled import kernel
from allfives_sim.core.hand import HIDDEN, find_moves
from allfives_sim.core.positions import SeenPosition
from allfives_sim.core.records import Position
from allfives_sim.core.view import VIEW
from tests import naive
from tests.core.test_positions import known_to_movers

QUICK = {
    "endgame": "endgame:nodes=300",
    "expert": "expert:samples=2,nodes=100",
    "ismcts": "ismcts:iterations=20",
    "montecarlo": "montecarlo:samples=3",
    "pimc": "pimc:samples=1",
}  # agents whose strength costs time, at little strength
BUILT_IN = sorted(QUICK.get(name, name) for name in REGISTER)


@kernel(types.int64(from_dtype(VIEW), from_dtype(HIDDEN)))
def find_choices(view: Any, hidden: Any) -> int:
    return find_moves(view, hidden)


@pytest.mark.parametrize("name", BUILT_IN)
class TestEveryAgent:
    def test_plays_by_the_rules_under_every_preset_and_random_house_rules(self, name: str) -> None:
        rng = random.Random(name)
        written: list[dict[str, Any]] = [
            {"preset": preset, "players": players, "partners": partners}
            for preset in Rules.PRESETS
            for players, partners in ((2, False), (3, False), (4, False), (4, True))
        ]
        written += [naive.random_rules(rng) for _ in range(150)]
        for number, switches in enumerate(written):
            for record in record_hands([name], Rules.from_dict(switches), hands=3, seed=number):
                naive.check_hand(json.loads(json.dumps(record)))

    def test_plays_the_same_hands_again_for_the_same_seed(self, name: str) -> None:
        rules = Rules.preset("sniff", players=3)
        first, second = (list(record_hands([name], rules, hands=20, seed=3)) for _ in range(2))
        assert first == second

    def test_chooses_the_same_where_it_cannot_know_that_hidden_tiles_have_changed(self, name: str) -> None:
        one = find_agent(name)
        if one.sees_all:
            pytest.skip("a cheat, by declaration")
        chosen = 0
        for rules in (Rules(), Rules(players=4, partners=True), Rules(may_draw=True), Rules.preset("five-up")):
            for record in record_hands(["random"], rules, hands=4, seed=5):
                for event, keys in known_to_movers(json.loads(json.dumps(record))):
                    # One table with the hands of the record, one that was built without knowing them.
                    at_table, as_seen = Position(record, event), SeenPosition.from_dict(keys).table()
                    words = [np.uint64(word * 0x9E3779B97F4A7C15 % 2**64) for word in range(3)]
                    views = (at_table.view, as_seen[0])
                    for view, hidden in zip(views, (at_table.hidden, as_seen[1]), strict=True):
                        view.parameters[:] = parameter_rows([one])[0]
                        view.hand[:] = hidden.hands[view.seat]
                        find_choices(view, hidden)
                    first, second = ([one.policy(view, word) for word in words] for view in views)
                    assert first == second
                    chosen += 1
        assert chosen > 100

    def test_has_a_first_sentence_for_the_list_of_agents(self, name: str) -> None:
        sentence = find_agent(name).description.partition("\n")[0]
        assert sentence.endswith(".")
        assert len(sentence) > 20


@dataclass
class Choice:
    """One of the plays that a seat could make, as the referee sees it; equal ends are one choice, the lowest."""

    tile: tuple[int, int]
    at: Any
    points: int
    after: naive.Layout

    @property
    def pips(self) -> int:
        return sum(self.tile)

    @property
    def order(self) -> tuple[int, tuple[int, int]]:
        return (-1 if self.at == "lead" else self.at, self.tile)


@dataclass
class Decision:
    """A play of a record: what was chosen, and among what."""

    event: dict[str, Any]
    choices: list[Choice]
    hand: set[tuple[int, int]]  # the mover's, with the tile that it plays
    unseen: set[tuple[int, int]]  # by the mover, with what the next player is known to lack taken out
    next_holds: int

    @property
    def chosen(self) -> Choice:
        return next(
            c for c in self.choices if naive.write_tile(c.tile) == self.event["play"] and c.at == self.event["at"]
        )


def decisions(record: dict[str, Any]) -> Iterator[Decision]:
    """Every play of a two-player record under rules in which who cannot play draws until a tile fits."""
    settings = naive.settings(record["rules"])
    layout = naive.Layout(settings)
    hands = [{naive.read_tile(name) for name in hand} for hand in record["hands"]]
    played: set[tuple[int, int]] = set()
    lacks: list[set[int]] = [set(), set()]
    everything = set(naive.full_set(settings["highest_pip"]))
    for number, event in enumerate(record["events"]):
        seat = event["seat"]
        if "play" in event:
            unseen = {t for t in everything - played - hands[seat] if not lacks[1 - seat] & set(t)}
            choices = choices_of(layout, hands[seat], settings)
            yield Decision(event, choices, set(hands[seat]), unseen, len(hands[1 - seat]))
            tile = naive.read_tile(event["play"])
            layout.place(tile, event["at"])
            hands[seat].remove(tile)
            played.add(tile)
            continue
        ends = {end.pip for end in layout.ends}
        drawn = [naive.read_tile(name) for name in event.get("draw", [])]
        hands[seat] |= set(drawn)
        kept = len(drawn) - ("draw" in event and "play" in record["events"][number + 1])
        lacks[seat] = ends if kept > 0 else lacks[seat] | ends


def choices_of(layout: naive.Layout, hand: set[tuple[int, int]], settings: dict[str, Any]) -> list[Choice]:
    found: dict[Any, Choice] = {}
    for tile, at in layout.legal(sorted(hand)):
        end = None if at == "lead" else layout.ends[int(at)]
        looks = (tile, end and (end.pip, end.value, end.bare is not None))
        if looks not in found:
            after = copy.deepcopy(layout)
            after.place(tile, at)
            found[looks] = Choice(tile, at, naive.points_of_count(settings, after.count()), after)
    return list(found.values())


def recorded(name: str, hands: int, **switches: Any) -> Iterator[Decision]:
    """The decisions of an agent that plays itself."""
    for record in record_hands([name], Rules(**switches), hands=hands, seed=11):
        yield from decisions(json.loads(json.dumps(record)))


@pytest.mark.parametrize("switches", [{}, {"spinner": "all_doubles", "highest_pip": 9, "hand_size": 12}])
def test_greedy_takes_most_points_then_heaviest_tile_then_lowest_end_then_lowest_tile(switches: dict[str, Any]) -> None:
    for decision in recorded("greedy", 200, **switches):
        best = min(decision.choices, key=lambda c: (-c.points, -c.pips, c.order))
        assert decision.chosen is best


@pytest.mark.parametrize("switches", [{}, {"spinner": "all_doubles", "highest_pip": 9, "hand_size": 12}])
def test_heaviest_takes_the_heaviest_tile_then_lowest_end_then_lowest_tile(switches: dict[str, Any]) -> None:
    for decision in recorded("heaviest", 200, **switches):
        assert decision.chosen is min(decision.choices, key=lambda c: (-c.pips, c.order))


def test_random_takes_each_different_choice_equally_often() -> None:
    taken: dict[int, Counter[int]] = {}
    for decision in recorded("random", 1500):
        places = sorted(range(len(decision.choices)), key=lambda place: decision.choices[place].order)
        chosen = next(k for k, place in enumerate(places) if decision.choices[place] is decision.chosen)
        taken.setdefault(len(decision.choices), Counter())[chosen] += 1
    assert set(taken) >= {2, 3, 4, 5, 9}
    for choices, counts in taken.items():
        expected = counts.total() / choices
        if choices > 1 and expected > 20:
            chi2 = sum((counts[k] - expected) ** 2 / expected for k in range(choices))
            assert chi2 < choices - 1 + 5 * (2 * (choices - 1)) ** 0.5, (choices, counts)


def test_random_also_draws_where_that_is_a_choice() -> None:
    records = record_hands(["random"], Rules(may_draw=True), hands=50)
    could_have_played = 0
    for record in records:
        first = record["events"][0]
        could_have_played += "draw" in first  # a leader can always play
    assert 0 < could_have_played < 30


@pytest.mark.parametrize(
    ("agent", "weight", "block", "points", "pips", "keep"),
    [("defensive", 1.0, 3.0, 0.0, 1e-6, 0.0), ("risk", 1.0, 15.0, 1.0, 0.1, 1.0)],
)
def test_the_look_ahead_is_what_enumerating_all_hands_of_the_next_player_gives(
    agent: str, weight: float, block: float, points: float, pips: float, keep: float
) -> None:
    settings = naive.settings({"preset": "article", "highest_pip": 3, "hand_size": 3})
    checked = 0
    for decision in recorded(agent, 150, highest_pip=3, hand_size=3):
        values = []
        for choice in decision.choices:
            candidates = sorted(decision.unseen - {choice.tile})
            best = dict.fromkeys(candidates, 0)
            fits = set()
            for tile, at in choice.after.legal(candidates):
                reply = copy.deepcopy(choice.after)
                reply.place(tile, at)
                best[tile] = max(best[tile], naive.points_of_count(settings, reply.count()))
                fits.add(tile)
            hands = list(combinations(candidates, min(decision.next_holds, len(candidates))))
            reply_points = sum(max((best[t] for t in hand), default=0) for hand in hands) / len(hands)
            stuck = sum(not fits & set(hand) for hand in hands) / len(hands)
            ends = {end.pip for end in choice.after.ends}
            kept = sum(1 for tile in decision.hand if ends & set(tile))
            value = points * choice.points + block * stuck - weight * reply_points
            values.append(value + pips * choice.pips + keep * kept)
        assert values[decision.choices.index(decision.chosen)] == pytest.approx(max(values), abs=1e-9)
        checked += len(values) > 1
    assert checked > 200


def test_parameters_reach_the_policy() -> None:
    plain, changed = (list(record_hands([spec], hands=20)) for spec in ("defensive", "defensive:weight=0,points=1"))
    assert [r["events"] for r in plain] != [r["events"] for r in changed]


@pytest.mark.parametrize(
    ("default", "words"),
    [
        (Number(0, least=1), "depth cannot be 0; valid: a number from 1 to"),
        (Number(2.5, whole=True), "depth cannot be 2.5; valid: a whole number from"),
        (Number(5, least=8, most=1), "valid: a number from 8 to 1"),
        (Number(1e300, most=float("inf"), whole=True), "cannot be"),
        (float("nan"), "cannot be nan"),
        (None, "depth has None, which is no number"),
        (Number(1, most="8"), "depth has '8', which is no number"),  # type: ignore[arg-type]
    ],
)
def test_a_default_that_is_not_valid_is_refused(default: Any, words: str) -> None:
    with pytest.raises(AgentError, match=f"agent 'odd': .*{words}"):
        agent(name="odd", depth=default)(lambda view, word: 0)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Number(1, whole=True), "0.5"),
        (Number(1, whole=True), "inf"),
        (Number(1, most=float("inf"), whole=True), "inf"),
        (Number(1, most=float("inf")), "1e308"),
    ],
)
def test_a_value_that_is_not_valid_is_refused_whatever_the_limits(number: Number, text: str) -> None:
    agent(name="odd", depth=number)(lambda view, word: 0)
    try:
        with pytest.raises(AgentError, match="depth cannot be"):
            find_agent(f"odd:depth={text}")
    finally:
        del REGISTER["odd"]


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("gredy", "did you mean 'greedy'"),
        ("greedy:x=1", "no parameters"),
        ("defensive:wait=1", "did you mean 'weight'"),
        ("defensive:weight", "no value"),
        ("defensive:weight=x", "weight cannot be 'x' in '.*'; valid: a number from"),
        ("defensive:weight=nan", "valid: a number from"),
        ("defensive:weight=1e16", r"valid: a number from -1e\+15 to 1e\+15"),
        ("pimc:plays=9", "valid: a whole number from 0 to 8"),
        ("expert:tells=10.5", "valid: a number from 0 to 10"),
        ("defensive:weight=1,weight=2", "twice"),
        ("defensive:", "no value"),
        ("", "there is no agent"),
    ],
)
def test_a_wrong_spec_is_refused_in_one_sentence(spec: str, word: str) -> None:
    with pytest.raises(AgentError, match=word) as error:
        find_agent(spec)
    assert "\n" not in str(error.value)


def test_a_spec_is_written_as_it_was_read() -> None:
    assert find_agent("defensive:block=2,weight=0.5").spec == "defensive:block=2,weight=0.5"
    assert find_agent("greedy").spec == "greedy"
