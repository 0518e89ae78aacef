"""The belief against every deal that agrees with the public history, enumerated by the plain referee."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from numba import config, njit

from allfives_sim import Belief, InputError, Rules, record_hands
from allfives_sim.belief.slots import turn_to
from allfives_sim.core.positions import SeenPosition
from allfives_sim.core.records import Position, Record
from allfives_sim.core.tiles import tile_from_name
from allfives_sim.core.view import PASSED
from tests import naive
from tests.naive.deals import hidden_hands
from tests.naive.layout import full_set
from tests.naive.test_deals import told_by_the_referee

Hands = tuple[frozenset[tuple[int, int]], ...]
turn = turn_to if config.DISABLE_JIT else njit(lambda slots, part: turn_to(slots, part))


def random_small_rules(rng: random.Random) -> Rules:
    """Sets small enough to enumerate, and the switches that what is known depends on."""
    highest_pip, players = rng.choice([3, 3, 4]), rng.choice([2, 3, 4])
    most = min((10 if highest_pip == 3 else 15) // players, 5 if players == 2 else 3)
    play_drawn = rng.random() < 0.75
    return Rules(
        highest_pip=highest_pip,
        players=players,
        hand_size=rng.randint(2, most),
        draw_limit=rng.choice([None, None, 0, 1, 2]),
        boneyard_reserve=rng.choice([0, 0, 1, 2]),
        play_drawn=play_drawn,
        may_draw=play_drawn and rng.random() < 0.2,
        lead_tile=rng.choice(["any", "any", "double", "highest_double"]),
        first_leader=rng.choice(["random", "random", "highest_double", "heaviest_tile"]),
        spinner=rng.choice(["first_double", "none", "all_doubles"]),
        cross_arms=rng.choice(["after_sides", "at_once"]),
    )


def positions(rng: random.Random) -> Iterator[tuple[Rules, Record, int, Belief]]:
    """Plays of random hands under random rules, where few enough deals agree to count them one by one."""
    while True:
        rules = random_small_rules(rng)
        for record in record_hands(["random"], rules, hands=1, seed=rng.randrange(10**6)):
            record = json.loads(json.dumps(record))
            for event, one in enumerate(record["events"]):
                if "play" in one and not ("draw" in record["events"][event - 1] and event > 0):
                    belief = Belief.of(record, event)
                    if belief.deals < 1000:
                        yield rules, record, event, belief


def public(record: Record, before: int) -> list[Any]:
    """The history as the enumerator takes it."""
    events: list[Any] = []
    for one in record["events"][:before]:
        if "play" in one:
            events.append(("play", one["seat"], naive.read_tile(one["play"]), one["at"]))
        elif "draw" in one:
            events.append(("draw", one["seat"], len(one["draw"])))
        else:
            events.append(("pass", one["seat"]))
    return events


def own_hand(position: Position) -> frozenset[tuple[int, int]]:
    rows = position.hidden.hands[position.view.seat]
    return frozenset((low, high) for low, high in full_set(9) if rows[low] >> high & 1)


def told_by_enumeration(rules: Rules, record: Record, event: int) -> dict[Hands, float]:
    position = Position(record, event)
    seat, hand, house = int(position.view.seat), own_hand(position), naive.settings(rules.to_dict())
    told = hidden_hands(house, seat, hand, public(record, event), record["leader"], rules.first_leader)
    return {hands: float(chance) for hands, chance in told.items()}


def told_by_the_table(belief: Belief) -> dict[Hands, float]:
    """Every walk through the table, with its chance."""
    slots, table = belief._slots, belief._table.tolist()
    seats, strides, most = (list(map(int, slots[name])) for name in ("seat", "stride", "most"))
    players = int(belief._view.rules.players)
    tiles = [divmod(tile_from_name(name), 16) for name in belief.tiles]
    told: Counter[Hands] = Counter()

    def walk(number: int, state: int, filled: tuple[int, ...], holders: tuple[int, ...], chance: float) -> None:
        if number == len(tiles):
            held = [frozenset(t for t, at in zip(tiles, holders, strict=True) if at == seat) for seat in range(players)]
            told[tuple(one for seat, one in enumerate(held) if seat != belief.seat)] += chance
            return
        ways = [(-1, state, filled)] if number != forced else []
        for slot in range(slots.number):
            if open_to[number] >> slot & 1 and filled[slot] < most[slot]:
                more = tuple(n + (k == slot) for k, n in enumerate(filled))
                ways.append((seats[slot], state + strides[slot], more))
        for holder, after, more in ways:
            part = rows[number + 1][after] / rows[number][state]
            if part > 0:
                walk(number + 1, after, more, (*holders, holder), chance * part)

    for part in range(slots.parts):
        turn(slots, part)
        open_to, forced = list(map(int, slots.open)), int(slots.forced)
        rows = table[part * (len(tiles) + 1) : (part + 1) * (len(tiles) + 1)]
        if rows[0][0] > 0:
            walk(0, 0, (0,) * int(slots.number), (), rows[0][0] / belief.deals)
    return told


def says_all(rules: Rules, record: Record, event: int) -> bool:
    """Whether the belief is exact here: where drawing is a choice, it takes long draws to say nothing."""
    events = record["events"][:event]
    return not (rules.may_draw and any(len(one.get("draw", [])) > 1 for one in events))


def test_hands_have_the_chances_that_an_enumeration_of_all_deals_gives_them() -> None:
    rng = random.Random(5)
    seen: Counter[str] = Counter()
    for rules, record, event, belief in positions(rng):
        slots = Counter(int(seat) for seat in belief._slots.seat[: belief._slots.number])
        if not says_all(rules, record, event) or (max(slots.values()) == 1 and rng.random() < 0.9):
            continue  # most positions are plain; those where tiles came at different times are what can go wrong
        told, expected = told_by_the_table(belief), told_by_enumeration(rules, record, event)
        where = (rules, event, json.dumps(record))
        assert set(told) == set(expected), where
        assert all(abs(told[hands] - chance) < 1e-9 for hands, chance in expected.items()), where
        seen[f"{rules.players} players"] += 1
        seen["uneven"] += len({round(chance, 9) for chance in expected.values()}) > 1
        seen["several cohorts"] += max(slots.values()) > 1
        seen["several cohorts of several seats"] += sum(number > 1 for number in slots.values()) > 1
        seen["three cohorts"] += max(slots.values()) > 2
        seen["play_drawn false"] += not rules.play_drawn
        seen["may_draw"] += rules.may_draw
        seen["lead"] += rules.lead_tile != "any"
        seen["led by the highest double"] += rules.first_leader == "highest_double"
        seen["led by the heaviest tile"] += rules.first_leader == "heaviest_tile"
        drew = {one["seat"] for one in record["events"][:event] if "draw" in one}
        seen["several reasons, the mover has drawn"] += belief._slots.parts > 1 and belief.seat in drew
        if seen["2 players"] + seen["3 players"] + seen["4 players"] == 600:
            break
    assert len(seen) == 13
    assert all(number >= 5 for number in seen.values()), seen


def test_a_mover_who_has_just_drawn_knows_what_replaying_every_deal_tells() -> None:
    rng = random.Random(12)
    seen: Counter[str] = Counter()
    while seen["all"] < 60:
        rules = random_small_rules(rng)
        (record,) = record_hands(["random"], rules, hands=1, seed=rng.randrange(10**6))
        record = json.loads(json.dumps(record))
        drawn = [number for number, one in enumerate(record["events"]) if "draw" in one and number > 0]
        plays = [number + 1 for number in drawn if "play" in record["events"][number + 1]]
        if rules.may_draw or not plays:
            continue
        event = rng.choice(plays)
        position = Position(record, event)
        seat, hand, house = int(position.view.seat), own_hand(position), naive.settings(rules.to_dict())
        expected = told_by_the_referee(
            house, seat, hand, public(record, event), record["leader"], 2500, rules.first_leader
        )
        if expected is not None:
            belief = Belief.of(record, event)
            told = told_by_the_table(belief)
            assert set(told) == set(expected)
            assert all(abs(told[hands] - float(chance)) < 1e-9 for hands, chance in expected.items())
            seen["all"] += 1
            seen["several reasons"] += belief._slots.parts > 1
    assert seen["several reasons"] > 5


def test_where_drawing_is_a_choice_long_draws_leave_every_possible_deal_possible() -> None:
    rng, checked = random.Random(9), 0
    for rules, record, event, belief in positions(rng):
        if not says_all(rules, record, event):
            assert set(told_by_enumeration(rules, record, event)) <= set(told_by_the_table(belief))
            checked += 1
            if checked == 60:
                break


def test_chances_of_tiles_are_those_of_the_hands_together() -> None:
    rng = random.Random(6)
    for _, _, _, belief in islice(positions(rng), 200):
        told, chances = told_by_the_table(belief), belief.chances()
        others = [seat for seat in range(chances.shape[1]) if seat != belief.seat]
        for number, name in enumerate(belief.tiles):
            tile = naive.read_tile(name)
            for place, seat in enumerate(others):
                assert abs(sum(p for hands, p in told.items() if tile in hands[place]) - chances[number, seat]) < 1e-9
        assert not chances[:, belief.seat].any()
        assert np.allclose(belief.frame().iloc[:, 1:].sum(axis=1), 1)


@pytest.mark.parametrize("rules", [Rules(), Rules(players=3), Rules(players=4), Rules.preset("five-up", players=4)])
def test_drawn_deals_have_the_chances_of_the_table(rules: Rules) -> None:
    deals = 20_000
    for seed, record in enumerate(record_hands(["random"], rules, hands=5, seed=8)):
        plays = [event for event, one in enumerate(record["events"]) if "play" in one]
        belief = Belief.of(record, plays[len(plays) // 2])
        holders, chances = belief.sample(deals, seed), belief.chances()
        for seat in range(rules.players):
            share = (holders == seat).mean(axis=0)
            assert np.all(np.abs(share - chances[:, seat]) < 5 * np.sqrt(0.25 / deals))
        sizes = {seat: np.unique((holders == seat).sum(axis=1)) for seat in range(rules.players)}
        assert all(len(sizes[seat]) == 1 for seat in sizes)  # each hand always has as many tiles as everybody saw


def test_the_true_deal_is_always_possible_and_the_same_seed_draws_the_same_deals() -> None:
    rng = random.Random(7)
    for _, record, event, belief in islice(positions(rng), 200):
        position = Position(record, event)
        chances = belief.chances()
        for number, name in enumerate(belief.tiles):
            low, high = naive.read_tile(name)
            holders = [s for s in range(chances.shape[1]) if position.hidden.hands[s][low] >> high & 1]
            assert (chances[number, holders[0]] if holders else 1 - chances[number].sum()) > 0
        assert (belief.sample(20, 3) == belief.sample(20, 3)).all()


def test_a_history_against_the_rules_is_refused() -> None:
    record = next(iter(record_hands(["greedy"], hands=1, seed=3)))
    position = Position(record, 6)
    position.view.hand[:] = position.hidden.hands[position.view.seat]
    position.view.history[5] = PASSED | (1 - int(position.view.seat)) << 2 | 0x3FF << 4  # no tile at all would fit
    with pytest.raises(InputError, match="no deal agrees"):
        Belief(position.view)


def plays_after_the_first_turns(agents: list[str], rules: Rules, hands: int) -> Iterator[tuple[Record, int]]:
    for record in record_hands(agents, rules, hands=hands, seed=12):
        plays = [event for event, one in enumerate(record["events"]) if "play" in one]
        yield from ((record, event) for event in plays[4:9])


@pytest.mark.parametrize("rules", [Rules(), Rules(players=3), Rules(players=4, partners=True, draw_limit=0)])
def test_knowing_how_the_others_choose_tells_more_of_their_hands(rules: Rules) -> None:
    surprise = Counter[str]()
    for record, event in plays_after_the_first_turns(["greedy"], rules, hands=60):
        belief, position = Belief.of(record, event), Position(record, event)
        holders = belief.sample(400, seed=event)
        weights = belief.weights(holders, "greedy")
        true = [holder_of(position, name) for name in belief.tiles]
        for name, chances in (("with", weights), ("without", np.ones(len(weights)))):
            of_true = [np.average(holders[:, number] == seat, weights=chances) for number, seat in enumerate(true)]
            surprise[name] -= float(np.log(np.maximum(of_true, 1e-3)).sum())
    assert surprise["with"] < 0.97 * surprise["without"]


def holder_of(position: Position, name: str) -> int:
    low, high = naive.read_tile(name)
    hands = position.hidden.hands
    return next((s for s in range(4) if s != position.view.seat and hands[s][low] >> high & 1), -1)


def test_a_deal_in_which_a_greedy_player_would_have_scored_instead_weighs_less() -> None:
    # Seat 0 leads 5-5, seat 1 plays 2-5; greedy would have scored 10 with 0-5, and else played its heaviest.
    rules = Rules(hand_size=7)
    position = SeenPosition.from_dict(
        {"rules": rules.to_dict(), "hand": ["6-6", "6-4", "6-3", "6-2", "6-1", "6-0"], "events": ["5-5", "2-5@0"]}
    )
    belief = Belief(position.table()[0])
    holders = belief.sample(2000)
    weights = belief.weights(holders, "greedy", trust=0.5)
    better = np.any([holders[:, belief.tiles.index(tile)] == 1 for tile in ("0-5", "3-5", "4-5", "5-6")], axis=0)
    assert 0 < weights[better].max() < weights[~better].min()
    assert weights.mean() == pytest.approx(1)
    assert (belief.weights(holders[::2].tolist(), "greedy", trust=0.5) > 0).all()  # any array of them will do


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda belief: belief.sample(0), "deals cannot be 0"),
        (lambda belief: belief.sample(5, seed=-1), "seed cannot be -1"),
        (lambda belief: belief.weights(belief.sample(5)[:0], "greedy"), "a row a deal"),
        (lambda belief: belief.weights(belief.sample(3), "greedy", trust=1), "trust cannot be 1"),
        (lambda belief: belief.weights(belief.sample(3)[:, 1:], "greedy"), "a column for each of"),
        (lambda belief: belief.weights(belief.sample(3), "gredy"), "did you mean 'greedy'"),
    ],
)
def test_wrong_use_of_a_belief_is_told(call: Any, message: str) -> None:
    record = next(iter(record_hands(["greedy"], hands=1, seed=3)))
    with pytest.raises(InputError, match=message):
        call(Belief.of(record, 4))
