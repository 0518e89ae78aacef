"""The enumerator of hidden hands: cases worked out by hand, and every deal of small sets put to the referee."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from .deals import Event, Hand, hidden_hands, random_position
from .hand import NaiveError, _check_event
from .house import settings, tiles_in_set, unplayable
from .layout import LEAD, Layout, Tile, full_set, read_tile, write_tile
from .settlement import points_of_count, sides
from .table import Table, leader_by_tiles

Hands = tuple[Hand, ...]
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def house_of(highest_pip: int, **switches: Any) -> dict[str, Any]:
    """The expanded switches, also for the double-two set, which the rules page does not have."""
    return settings(switches) | {"highest_pip": highest_pip}


def random_house(rng: random.Random, highest_pip: int) -> dict[str, Any]:
    """Random values of the switches that what is known depends on; hands of no more than five tiles."""
    players = rng.choice([2, 3, 4])
    most = min(tiles_in_set(highest_pip) // players, 5)
    house = house_of(
        highest_pip,
        players=players,
        hand_size=rng.randint(min(2, most), most),
        draw_limit=rng.choice([None, None, 0, 1, 2]),
        boneyard_reserve=rng.choice([0, 0, 1, 2]),
        play_drawn=rng.random() < 0.7,
        lead_tile=rng.choice(["any", "double", "highest_double"]),
        spinner=rng.choice(["first_double", "none", "all_doubles"]),
        cross_arms=rng.choice(["after_sides", "at_once"]),
    )
    house["may_draw"] = house["play_drawn"] and rng.random() < 0.5
    assert unplayable(house) is None
    return house


def hand_of(text: str) -> Hand:
    return frozenset(read_tile(tile) for tile in text.split())


def one_hidden(
    house: dict[str, Any], seat: int, hand: str, events: list[Event], leader: int = 0
) -> dict[str, Fraction]:
    """The probabilities of the one other hand, as text."""
    known = hidden_hands(house, seat, hand_of(hand), events, leader)
    return {" ".join(sorted(map(write_tile, hands[0]))): chance for hands, chance in known.items()}


def test_before_the_lead_all_hands_are_equally_likely() -> None:
    known = hidden_hands(house_of(2, hand_size=2), 0, hand_of("0-0 1-2"), [], 0)
    pairs = combinations(sorted(hand_of("0-1 0-2 1-1 2-2")), 2)
    assert known == {(frozenset(pair),): Fraction(1, 6) for pair in pairs}


def test_who_passes_in_the_block_game_holds_none_of_the_open_pips() -> None:
    house = house_of(2, hand_size=2, draw_limit=0)
    events: list[Event] = [("play", 0, (0, 0), LEAD), ("pass", 1)]
    # Unseen: 0-2, 1-1, 1-2, 2-2; of these 0-2 would fit.
    assert one_hidden(house, 0, "0-1", events) == {"1-1 1-2": THIRD, "1-1 2-2": THIRD, "1-2 2-2": THIRD}


def test_who_draws_two_and_plays_the_second_keeps_two_that_did_not_fit() -> None:
    house = house_of(2, hand_size=2)
    events: list[Event] = [("play", 0, (0, 0), LEAD), ("draw", 1, 2), ("play", 1, (0, 2), 0)]
    # Dealt two and drawn one of 1-1, 1-2, 2-2, which do not fit: all three are held.
    assert one_hidden(house, 0, "0-1", events) == {"1-1 1-2 2-2": 1}


def test_who_led_a_double_that_is_not_the_highest_had_none_higher() -> None:
    events: list[Event] = [("play", 1, (1, 1), LEAD)]
    for lead_tile, impossible in (("any", []), ("double", []), ("highest_double", ["2-2"])):
        house = house_of(2, hand_size=2, lead_tile=lead_tile)
        known = one_hidden(house, 0, "0-1 0-2", events, leader=1)
        possible = [tile for tile in ("0-0", "1-2", "2-2") if tile not in impossible]
        assert known == {tile: Fraction(1, len(possible)) for tile in possible}


def test_who_led_no_double_had_none() -> None:
    events: list[Event] = [("play", 1, (0, 1), LEAD)]
    house = house_of(2, hand_size=2, lead_tile="double")
    assert one_hidden(house, 0, "0-0 1-1", events, leader=1) == {"0-2": HALF, "1-2": HALF}


def test_who_drew_by_choice_may_have_been_able_to_play() -> None:
    events: list[Event] = [("play", 0, (0, 0), LEAD), ("draw", 1, 1), ("play", 1, (0, 2), 0)]
    forced = house_of(2, hand_size=2)
    assert set(one_hidden(forced, 0, "1-1", events)) == {"1-2 2-2"}
    # By choice: 0-2 and the two tiles kept were dealt and drawn; any of the three may be the one drawn. (1-2 and 2-2
    # kept: 0-2 drawn by force, or one of the two by choice.) Three ways for each pair.
    free = one_hidden(house_of(2, hand_size=2, may_draw=True), 0, "1-1", events)
    assert free == {"0-1 1-2": THIRD, "0-1 2-2": THIRD, "1-2 2-2": THIRD}


def test_a_turn_that_ends_by_the_draw_is_passed_with_a_last_tile_that_may_fit() -> None:
    events: list[Event] = [("play", 0, (0, 0), LEAD), ("draw", 1, 1), ("pass", 1)]
    # Dealt two of 1-1, 1-2, 2-2 and drawn 0-2: it fits and ended the drawing (three ways in all, one a hand).
    ends = house_of(2, hand_size=2, play_drawn=False)
    fits = {"0-2 1-1 1-2": THIRD, "0-2 1-1 2-2": THIRD, "0-2 1-2 2-2": THIRD}
    assert one_hidden(ends, 0, "0-1", events) == fits
    # With a limit of one it need not fit: 1-1, 1-2, 2-2 can be dealt and drawn in three ways.
    sixth = {hand: Fraction(1, 6) for hand in fits}
    assert one_hidden(ends | {"draw_limit": 1}, 0, "0-1", events) == {**sixth, "1-1 1-2 2-2": HALF}


def test_an_impossible_history_is_refused() -> None:
    house = house_of(2, hand_size=2)
    lead: Event = ("play", 0, (0, 0), LEAD)
    with pytest.raises(ValueError, match="at most"):
        hidden_hands(house, 0, hand_of("0-1"), [lead, ("draw", 1, 3), ("pass", 1)], 0)
    with pytest.raises(ValueError, match="not the turn"):
        hidden_hands(house, 0, hand_of("0-1"), [lead], 0)
    with pytest.raises(ValueError, match="this hand"):
        hidden_hands(house, 0, hand_of("0-1 0-2"), [lead, ("play", 1, (0, 2), 0)], 0)
    with pytest.raises(ValueError, match="no deal"):
        hidden_hands(house, 0, hand_of("0-1"), [lead, ("pass", 1)], 0)


def test_the_true_hands_are_always_possible_and_the_chances_sum_to_one() -> None:
    rng = random.Random(31)
    for number in range(400):
        house = random_house(rng, 2 if number % 4 == 0 else 3)
        seat, hand, events, leader, hands = random_position(house, rng, 10)
        known = hidden_hands(house, seat, hand, events, leader)
        assert known.get(tuple(hands[:seat] + hands[seat + 1 :]), 0) > 0, (house, events, hands)
        assert sum(known.values()) == 1
        assert min(known.values()) > 0


def every_deal(
    pools: list[Hand], hand_size: int, drawers: list[int], hands: Hands = (), drawn: tuple[Tile, ...] = ()
) -> Iterator[tuple[Hands, tuple[Tile, ...]]]:
    """Every choice of the hands dealt and of the tiles drawn in order, each from the pool of whose it is."""
    taken = frozenset(drawn).union(*hands)
    if len(hands) < len(pools):
        for tiles in combinations(sorted(pools[len(hands)] - taken), hand_size):
            yield from every_deal(pools, hand_size, drawers, (*hands, frozenset(tiles)), drawn)
    elif len(drawn) < len(drawers):
        for tile in sorted(pools[drawers[len(drawn)]] - taken):
            yield from every_deal(pools, hand_size, drawers, hands, (*drawn, tile))
    else:
        yield hands, drawn


def told_by_the_referee(
    house: dict[str, Any], seat: int, hand: Hand, events: list[Event], leader: int, limit: int, led_by: str = "random"
) -> dict[Hands, Fraction] | None:
    """The same from deals that the referee replays event by event; None where there are more than the limit."""
    tiles = frozenset(full_set(house["highest_pip"]))
    pools = [tiles] * house["players"]
    if house["highest_pip"] > 2:  # too many deals: leave out those with a tile in a hand that cannot have held it
        played = [frozenset(e[2] for e in events if e[:2] == ("play", s)) for s in range(house["players"])]
        unseen = tiles - hand.union(*played)
        pools = [unseen | played[s] for s in range(house["players"])]
        pools[seat] = hand | played[seat]
    drawers = [event[1] for event in events if event[0] == "draw" for _ in range(event[2])]
    seen: Counter[Hands] = Counter()
    for number, (dealt, drawn) in enumerate(every_deal(pools, house["hand_size"], drawers)):
        if number == limit:
            return None
        table = Table(house, [sorted(tiles) for tiles in dealt], leader, [0] * sides(house))
        if led_by != "random" and leader_by_tiles(led_by, table.hands) != leader:
            continue
        try:
            for index, event in enumerate(as_recorded(house, events, drawn)):
                _check_event(table, index, event)
        except NaiveError:
            continue
        if frozenset(table.hands[seat]) == hand:
            seen[tuple(frozenset(tiles) for s, tiles in enumerate(table.hands) if s != seat)] += 1
    return {hands: Fraction(n, seen.total()) for hands, n in seen.items()}


def as_recorded(house: dict[str, Any], events: list[Event], drawn: tuple[Tile, ...]) -> Iterator[dict[str, Any]]:
    """The events as a record has them: with the tiles drawn, the counts and the points."""
    layout, boneyard = Layout(house), iter(drawn)
    for kind, seat, *rest in events:
        if kind == "draw":
            yield {"seat": seat, "draw": [write_tile(next(boneyard)) for _ in range(rest[0])]}
        elif kind == "pass":
            yield {"seat": seat, "pass": True}
        else:
            layout.place(*rest)
            count = layout.count()
            points = points_of_count(house, count)
            yield {"seat": seat, "play": write_tile(rest[0]), "at": rest[1], "count": count, "points": points}


@pytest.mark.parametrize(("highest_pip", "positions"), [(2, 100), (3, 200)])
def test_replaying_every_deal_gives_the_same_chances(highest_pip: int, positions: int) -> None:
    rng = random.Random(highest_pip)
    agreed: Counter[str] = Counter()
    while agreed["all"] < positions:
        house = random_house(rng, highest_pip)
        seat, hand, events, leader, _ = random_position(house, rng, 14)
        drawers = [event[1] for event in events if event[0] == "draw" and event[1] != seat]
        if not drawers:
            continue
        led_by = rng.choice(["random", "highest_double", "heaviest_tile"])
        told = told_by_the_referee(house, seat, hand, events, leader, 2000, led_by)
        if not told:
            continue  # too many deals, or none in which this seat leads
        assert hidden_hands(house, seat, hand, events, leader, led_by) == told, (house, seat, hand, events)
        agreed[led_by] += 1
        agreed["all"] += 1
        agreed["uneven"] += len(set(told.values())) > 1
        agreed["drew twice"] += len(set(drawers)) < len(drawers)
    assert agreed["uneven"] > 0
    assert min(agreed["highest_double"], agreed["heaviest_tile"]) > 10
    assert agreed["drew twice"] > 5 or highest_pip == 2  # its boneyard of two tiles hardly lets a seat draw twice
