"""The referee against the worked plays of rules.md, its own hands, and hands that were tampered with."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from .game import check_game, play_game, winner
from .hand import NaiveError, check_hand, play_hand
from .house import LISTED, NUMBERS, PRESETS, random_rules, settings, unplayable
from .layout import LEAD, At, Layout, Tile, read_tile
from .settlement import after_play, after_settlement, points_of_count, rounded, settle
from .table import leader_by_tiles

WORKED: list[tuple[int, str, str]] = [
    (1, "article", "5-5@lead=10/10, 2-5@0=12/0, 3-5@1=5/5, 5-6@2=11/0, 4-5@3=15/15"),
    (2, "article", "6-4@lead=10/10, 4-1@0=7/0, 6-6@1=13/0, 6-3@1=4/0, 6-5@2=9/0"),
    (3, "article", "1-4@lead=5/5, 1-1@0=6/0, 4-4@1=10/10, 3-4@1=5/5, 1-2@0=5/5, 1-5@2=10/10, 5-5@2=15/15, "
                   "0-5@2=5/5, 1-3@3=8/0"),
    (4, "article", "6-6@lead=12/0, 6-5@0=17/0, 6-0@1=5/5"),
    (5, "article", "0-0@lead=0/0, 0-5@0=5/5, 0-3@1=8/0, 0-2@2=10/10, 0-6@3=16/0"),
    (6, "article", "3-3@lead=6/0, 3-6@0=12/0, 3-5@1=11/0, 3-4@2=15/15, 0-3@3=15/15, 0-5@3=20/20, "
                   "6-6@0=26/0, 4-4@2=30/30, 5-5@1=35/35"),
    (8, "sniff", "5-5@lead=10/10, 2-5@0=12/0, 3-5@1=15/15, 0-5@2=10/10, 5-6@3=11/0"),
    (9, "five-up", "6-6@lead=12/0, 4-6@0=16/0, 4-4@0=20/4, 1-6@1=9/0, 2-4@0=3/0, 4-5@4=8/0, 0-4@5=8/0"),
    (10, "fives-and-threes", "6-6@lead=12/4, 3-6@1=15/8"),
]  # fmt: skip


def read_play(text: str) -> tuple[Tile, At, int, int]:
    """`tile@end=count/points`"""
    tile, rest = text.split("@")
    at, result = rest.split("=")
    count, points = result.split("/")
    return read_tile(tile), (LEAD if at == "lead" else int(at)), int(count), int(points)


def hand_of(*texts: str) -> list[Tile]:
    return [read_tile(text) for text in texts]


@pytest.mark.parametrize(("number", "preset", "plays"), WORKED)
def test_worked_plays(number: int, preset: str, plays: str) -> None:
    s = settings({"preset": preset})
    layout = Layout(s)
    for text in plays.split(", "):
        tile, at, count, points = read_play(text)
        assert (tile, at) in layout.legal([tile]), text
        layout.place(tile, at)
        assert (layout.count(), points_of_count(s, layout.count())) == (count, points), text


SHUT = {
    # Worked play 7: 5-5@lead, 2-5@0, then 5-6@2 is illegal.
    "format": "allfives-hand-1",
    "rules": {"hand_size": 2, "draw_limit": 0},
    "agents": ["a", "b"],
    "hands": [["5-5", "5-6"], ["2-5", "0-0"]],
    "leader": 0,
    "events": [
        {"seat": 0, "play": "5-5", "at": "lead", "count": 10, "points": 10},
        {"seat": 1, "play": "5-2", "at": 0, "count": 12, "points": 0},
        {"seat": 0, "play": "5-6", "at": 1, "count": 8, "points": 0},
    ],
    "end": "out",
    "out": 0,
    "settlement": [0, 0],
    "final": [10, 0],
}


def test_worked_play_7() -> None:
    layout = Layout(settings({}))
    layout.place((5, 5), LEAD)
    layout.place((2, 5), 0)
    assert layout.legal([(5, 6)]) == [((5, 6), 1)]
    check_hand(SHUT)
    shut: dict[str, Any] = copy.deepcopy(SHUT)
    shut["events"][2]["at"] = 2
    expect(shut, 2, "not open")


def test_worked_play_11() -> None:
    hands = [hand_of("6-6"), hand_of("6-5", "4-4")]
    assert settle(settings({}), hands, None) == [-10, -20]
    assert settle(settings({"preset": "miami"}), hands, None) == [5, 0]
    assert settle(settings({"preset": "pagat"}), hands, None) == [20, 0]


def test_worked_play_12() -> None:
    hands: list[list[Tile]] = [[], hand_of("6-6", "0-1"), hand_of("5-5", "1-2"), hand_of("4-4", "2-3")]
    rules = {"players": 4, "going_out": "collect"}
    assert settle(settings(rules), hands, 0) == [40, 0, 0, 0]
    assert settle(settings({**rules, "round_each": True}), hands, 0) == [45, 0, 0, 0]


def test_worked_play_13() -> None:
    record: dict[str, Any] = {
        "format": "allfives-hand-1",
        "rules": {"hand_size": 3, "draw_limit": 0, "stop": "hand_end"},
        "agents": ["a", "b"],
        "hands": [["1-4", "6-6", "5-6"], ["1-2", "2-3", "3-4"]],
        "leader": 0,
        "scores": [245, 0],
        "events": [
            {"seat": 0, "play": "1-4", "at": "lead", "count": 5, "points": 5},
            {"seat": 1, "play": "1-2", "at": 0, "count": 6, "points": 0},
            {"seat": 0, "pass": True},
            {"seat": 1, "play": "2-3", "at": 0, "count": 7, "points": 0},
            {"seat": 0, "pass": True},
            {"seat": 1, "play": "3-4", "at": 0, "count": 8, "points": 0},
        ],
        "end": "out",
        "out": 1,
        "settlement": [-25, 0],
        "final": [225, 0],
    }
    check_hand(record)
    assert winner(record["rules"], record["final"]) is None
    at_once = {**record, "rules": {"hand_size": 3, "draw_limit": 0}, "events": record["events"][:1]}
    del at_once["out"]
    check_hand({**at_once, "end": "target", "settlement": [0, 0], "final": [250, 0]})


def test_settlement_beyond_the_worked_plays() -> None:
    assert [rounded({"round_to": 5}, pips) for pips in (7, 8, 12, 13)] == [5, 10, 10, 15]
    assert [rounded({"round_to": 2}, pips) for pips in (0, 1, 2, 3)] == [0, 2, 2, 4]
    assert [rounded({"round_to": 10}, pips) for pips in (4, 5, 14, 15)] == [0, 10, 10, 20]
    # Quotient: 12 + 8 = 20 pips are 4 points; the bonus is never divided.
    five_up = settings({"preset": "five-up", "players": 3, "going_out_bonus": 3})
    assert settle(five_up, [hand_of("6-6"), [], hand_of("4-4")], 1) == [0, 7, 0]
    # A tie for the lightest of three: 12 and 12 against 19.
    tied = [hand_of("6-6"), hand_of("6-5", "4-4"), hand_of("5-4", "1-2")]
    pagat = {"preset": "pagat", "players": 3}
    assert settle(settings(pagat), tied, None) == [0, 0, 0]
    assert settle(settings({**pagat, "blocked_tie": "split"}), tied, None) == [10, 0, 10]
    difference = {"blocked": "difference", "players": 3, "blocked_tie": "split"}
    assert settle(settings(difference), tied, None) == [2, 0, 2]  # 19 - 12 = 7, so 5, shared by two
    # Partners: seats 0 and 2 against 1 and 3.
    hands: list[list[Tile]] = [[], hand_of("6-6"), hand_of("5-6"), hand_of("0-2")]
    partners = {"players": 4, "partners": True}
    assert settle(settings(partners), hands, 0) == [-10, -10]
    collect = {**partners, "going_out": "collect"}
    assert settle(settings(collect), hands, 0) == [15, 0]
    assert settle(settings({**collect, "partner_tiles": "counted"}), hands, 0) == [25, 0]
    assert settle(settings({**partners, "blocked": "collect"}), hands, None) == [15, 0]


def test_floor_and_exact_target() -> None:
    s = settings({"score_floor": -20, "exact_target": True, "target": 50})
    assert after_settlement(s, 5, -40) == -20
    assert after_settlement(s, 45, 10) == 45
    assert after_play(s, 45, 10) == 45
    assert after_play(s, 45, 5) == 50


def test_settings() -> None:
    assert settings({})["target"] == 250
    assert settings({"players": 3})["target"] == 200
    assert settings({"preset": "miami", "players": 4})["target"] == 150
    assert settings({"preset": "pagat", "players": 4})["target"] == 200
    assert settings({"target": 30})["target"] == 30
    assert [settings({"preset": "sniff", "players": n})["hand_size"] for n in (2, 3, 4)] == [7, 6, 5]
    assert settings({"preset": "five-up", "players": 2})["hand_size"] == 5
    for wrong in ({"preset": "texas"}, {"colour": 1}, {"players": 5}, {"players": True}, {"stop": "never"}):
        with pytest.raises(ValueError, match=r"."):
            settings(wrong)


def test_random_rules_reach_every_value_and_can_be_played() -> None:
    rng = random.Random(5)
    drawn = [random_rules(rng) for _ in range(6000)]
    assert {rules.get("preset") for rules in drawn} == {None, *PRESETS}
    for switch, values in {**LISTED, **NUMBERS}.items():
        seen = {json.dumps(rules[switch]) for rules in drawn if switch in rules}
        assert seen >= {json.dumps(value) for value in values}, switch
    for c in range(5):
        assert {rules["spinner_count"][c] for rules in drawn if "spinner_count" in rules} == {0, 1, 2, 3, 4}
    assert all(unplayable(settings(rules)) is None for rules in drawn)
    assert drawn == json.loads(json.dumps(drawn))


def test_300_random_hands() -> None:
    rng = random.Random(1)
    ends = set()
    for _ in range(300):
        record = play_hand(random_rules(rng), rng)
        check_hand(record)
        assert record == json.loads(json.dumps(record))
        ends.add(record["end"])
    assert ends == {"out", "blocked", "target"}


def test_random_games() -> None:
    rng = random.Random(2)
    for _ in range(40):
        check_game(play_game(random_rules(rng), rng, max_hands=20))
    records = play_game({}, rng)
    check_game(records)
    assert winner({}, records[-1]["final"]) is not None
    wrong = copy.deepcopy(records)
    wrong[2]["leader"] = 1 - wrong[2]["leader"]
    with pytest.raises(NaiveError):
        check_game(wrong)
    with pytest.raises(NaiveError, match="won in the hand before"):
        check_game([*records, play_hand({}, rng, scores=records[-1]["final"]) | {"game": 0}])
    with pytest.raises(NaiveError, match="final scores of the hand before"):
        check_game([records[0], *records[2:]])


def expect(record: dict[str, Any], event: int | None, match: str) -> None:
    with pytest.raises(NaiveError, match=match) as caught:
        check_hand(record)
    assert caught.value.event == event


@pytest.mark.parametrize("seed", range(20))
def test_tampering_is_caught(seed: int) -> None:
    rng = random.Random(seed)
    record = play_hand({"preset": "miami", "players": 3, "highest_pip": 7}, rng)
    events = record["events"]
    index = rng.choice([index for index, event in enumerate(events) if "play" in event and index])

    def tampered(change: dict[str, Any], at: int | None = None) -> dict[str, Any]:
        wrong = copy.deepcopy(record)
        (wrong if at is None else wrong["events"][at]).update(change)
        return wrong

    def with_extra(event: dict[str, Any], at: int) -> dict[str, Any]:
        return tampered({"events": [*events[:at], event, *events[at:]]})

    event = events[index]
    seat = event["seat"]
    expect(tampered({"count": event["count"] + 1}, index), index, "count")
    expect(tampered({"points": event["points"] + 5}, index), index, "points")
    expect(tampered({"seat": (seat + 1) % 3}, index), index, "turn")
    expect(tampered({"at": 40}, index), index, "not open")
    expect(tampered({"at": "lead"}, index), index, "not open")
    expect(tampered({"play": events[0]["play"]}, index), index, "not in the hand")
    expect(with_extra({"seat": seat, "pass": True}, index), index, "a pass by")
    expect(with_extra({"seat": seat, "pass": True}, len(events)), len(events), "the hand is over")
    expect(tampered({"events": events[:index]}), None, "not over")
    expect(tampered({"settlement": [points + 5 for points in record["settlement"]]}), None, "settlement")
    expect(tampered({"final": [score + 5 for score in record["final"]]}), None, "final")
    expect(tampered({"end": "resigned"}), None, "end")
    expect(tampered({"leader": 3}), None, "leader")
    expect(tampered({"hands": [record["hands"][0]] * 3}), None, "dealt twice")
    free = [at for at, event in enumerate(events) if at and "play" in event and "draw" not in events[at - 1]]
    dealt = {text for hand in record["hands"] for text in hand}
    left = [f"{a}-{b}" for a in range(8) for b in range(a, 8) if f"{a}-{b}" not in dealt]
    draw_at = rng.choice(free)
    expect(with_extra({"seat": events[draw_at]["seat"], "draw": left[:1]}, draw_at), draw_at, "could play")
    draws = [at for at, event in enumerate(events) if "draw" in event]
    if draws:
        at = rng.choice(draws)
        drawn = events[at]["draw"]
        expect(tampered({"draw": [*drawn[:-1], record["hands"][0][0]]}, at), at, "not in the boneyard")
        without = tampered({"events": [*events[:at], *events[at + 1 :]]})
        expect(without, at, "in the hand|does not match|a pass")
        if len(drawn) > 1:
            expect(tampered({"draw": drawn[:-1]}, at), at, "drawing stopped")


def small(rules: dict[str, Any], seat_0: str, seat_1: str, plays: str, end: str, scores: list[int]) -> dict[str, Any]:
    """A hand for two with the double-three set; plays as "0 draw 1-1, 0 0-0@lead=0/0, 1 pass"."""
    events: list[dict[str, Any]] = []
    for text in plays.split(", "):
        seat, *words = text.split()
        event: dict[str, Any] = {"seat": int(seat)}
        if words[0] == "draw":
            event["draw"] = words[1:]
        elif words[0] == "pass":
            event["pass"] = True
        else:
            _, at, count, points = read_play(words[0])
            event |= {"play": words[0][:3], "at": at, "count": count, "points": points}
        events.append(event)
    record: dict[str, Any] = {
        "format": "allfives-hand-1",
        "rules": {"highest_pip": 3, "hand_size": 2, **rules},
        "hands": [seat_0.split(), seat_1.split()],
        "leader": 0,
        "events": events,
        "end": end,
        "settlement": scores,
        "final": scores,
    }
    return record | {"out": events[-1]["seat"]} if end == "out" else record


def test_drawing() -> None:
    hands = ("0-0 0-1", "3-3 2-2")
    lead, out = "0 0-0@lead=0/0", "0 0-1@0=1/0"
    full = f"{lead}, 1 draw 1-3 0-3, 1 0-3@1=3/0, 0 0-1@0=4/0"
    check_hand(small({}, *hands, full, "out", [0, -15]))  # 3-3, 2-2 and 1-3: 14
    passed = f"{lead}, 1 draw 1-3 0-3, 1 pass, {out}"
    check_hand(small({"play_drawn": False}, *hands, passed, "out", [0, -15]))
    expect(small({}, *hands, passed, "out", [0, -15]), 2, "a pass by")
    expect(small({"play_drawn": False}, *hands, full, "out", [0, -15]), 2, "in which a tile was drawn")
    over = f"{lead}, 1 draw 0-3 1-3, 1 pass, {out}"
    expect(small({"play_drawn": False}, *hands, over, "out", [0, -15]), 1, "after a tile that fits")
    short = f"{lead}, 1 draw 1-3, 1 pass, {out}"
    for rules in ({"draw_limit": 1}, {"boneyard_reserve": 5}):
        check_hand(small(rules, *hands, short, "out", [0, -15]))
        expect(small(rules, *hands, full, "out", [0, -15]), 1, "no more tiles may be drawn")
    expect(small({}, *hands, short, "out", [0, -15]), 1, "drawing stopped")
    expect(small({}, *hands, f"{lead}, 1 pass, {out}", "out", [0, -10]), 1, "a pass by")


def test_may_draw() -> None:
    hands = ("0-0 0-1", "3-3 2-2")
    plays = "0 draw 1-1, 0 0-0@lead=0/0, 1 draw 0-3, 1 0-3@1=3/0, 0 0-1@0=4/0, 1 draw 1-2 1-3, 1 3-3@1=7/0, 0 1-1@0=8/0"
    # Left: 2-2, 1-2 and 1-3, 11 pips.
    check_hand(small({"may_draw": True}, *hands, plays, "out", [0, -10]))
    expect(small({}, *hands, plays, "out", [0, -10]), 0, "could play")
    expect(small({"may_draw": True, "draw_limit": 1}, *hands, plays, "out", [0, -10]), 5, "no more")
    passed = "0 draw 1-1, 0 pass"
    expect(small({"may_draw": True}, *hands, passed, "blocked", [0, 0]), 1, "a pass by")
    forced = "0 0-0@lead=0/0, 1 draw 0-3 1-3, 1 0-3@1=3/0"
    expect(small({"may_draw": True}, *hands, forced, "out", [0, 0]), 1, "after a tile that fits")


def test_blocked_and_lead_tile() -> None:
    hands = ("0-0 1-1", "3-3 2-2")
    block = "0 0-0@lead=0/0, 1 pass, 0 pass"
    check_hand(small({"draw_limit": 0}, *hands, block, "blocked", [0, -10]))
    expect(small({"draw_limit": 0}, *hands, block + ", 1 pass", "blocked", [0, -10]), 3, "is over")
    expect(small({"draw_limit": 0}, *hands, "0 0-0@lead=0/0, 1 pass", "blocked", [0, -10]), None, "not over")
    highest = {"draw_limit": 0, "lead_tile": "highest_double"}
    expect(small(highest, *hands, block, "blocked", [0, -10]), 0, "may not be led")
    # Reading 1: a draw sets the counter to 0, the pass after it makes it 1, the next seat's pass 2: blocked.
    last = {"play_drawn": False, "boneyard_reserve": 5}
    plays = "0 0-0@lead=0/0, 1 draw 1-2, 1 pass, 0 pass"
    check_hand(small(last, *hands, plays, "blocked", [0, -15]))


def test_leader_by_tiles() -> None:
    hands = [hand_of("2-2", "3-6"), hand_of("4-5", "0-6"), hand_of("3-3", "1-2")]
    assert leader_by_tiles("highest_double", hands) == 2
    assert leader_by_tiles("heaviest_tile", hands) == 0
    assert leader_by_tiles("highest_double", [hand_of("4-5"), hand_of("3-6")]) == 1
