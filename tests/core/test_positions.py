"""Positions as their mover sees them: they are what the hand was, and what is wrong is told in one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w

from allfives_sim import InputError, Rules, record_hands
from allfives_sim.core.positions import PositionError, SeenPosition
from allfives_sim.core.records import Position

# Where drawing is a choice, or a drawn tile may not be played, the table cannot see all that a record knows.
RULES = [
    {},
    {"first_leader": "highest_double", "next_leader": "heaviest_tile", "blocked_leader": "heaviest_tile"},
    {"hand_size": (7, 5, 5), "players": 3, "going_out": "collect"},
    {"players": 4, "partners": True, "draw_limit": 1},
    {"draw_limit": 0, "spinner": "none", "players": 4},
    {"draw_limit": 2, "boneyard_reserve": 2, "lead_tile": "highest_double"},
    {"highest_pip": 9, "spinner": "all_doubles", "cross_arms": "at_once", "players": 3, "target": 1000},
    {"highest_pip": 3, "hand_size": 3, "lead_tile": "double", "score_units": (5, 3), "target": 400},
    {"may_draw": True},
    {"play_drawn": False},
    {"play_drawn": False, "draw_limit": 2, "players": 3},
]


def known_to_movers(record: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """For each play of a record its event, and the keys of the position before it."""
    hands = [set(hand) for hand in record["hands"]]
    seen: list[str] = []
    for number, event in enumerate(record["events"]):
        hand = hands[event["seat"]]
        if "play" in event:
            yield (
                number,
                {key: record[key] for key in ("rules", "leader", "scores")}
                | {
                    "hand": sorted(hand),
                    "events": list(seen),
                },
            )
            seen.append(event["play"] if event["at"] == "lead" else f"{event['play']}@{event['at']}")
            hand.remove(event["play"])
        elif "draw" in event:
            seen.append(f"draw {len(event['draw'])}")
            hand.update(event["draw"])
        else:
            seen.append("pass")


def as_toml(keys: dict[str, Any]) -> str:
    rules = {switch: "null" if value is None else value for switch, value in keys["rules"].items()}
    return tomli_w.dumps(keys | {"rules": rules})


def as_text(keys: dict[str, Any]) -> str:
    switches = {switch: value for switch, value in keys["rules"].items() if switch != "preset"}
    values = {s: ",".join(map(str, v)) or "none" if isinstance(v, list) else json.dumps(v) for s, v in switches.items()}
    parts = [
        " ".join([keys["rules"]["preset"], *(f"{s}={v}".replace('"', "") for s, v in values.items())]),
        f"leader {keys['leader']}",
        f"scores {' '.join(map(str, keys['scores']))}",
        f"hand {' '.join(keys['hand'])}",
        " ".join(keys["events"]),
    ]
    return "; ".join(parts)


def public(view: Any) -> dict[str, Any]:
    """Everything in a view that the table sees."""
    layout = view.layout
    fields: dict[str, Any] = {
        name: getattr(layout, name).tolist() for name in ("count", "ends", "words", "double", "spins", "covered")
    }
    fields |= {name: getattr(layout, name)[: layout.ends].tolist() for name in ("pip", "kind", "value")}
    # Words that are not in use keep what the leader might have led.
    fields |= {name: getattr(layout, name)[: layout.words].tolist() for name in ("looks", "distinct")}
    fields["history"] = view.history[: view.events].tolist()
    for name in (
        "seat",
        "leader",
        "led_by",
        "boneyard",
        "drawn",
        "can_draw",
        "passes",
        "tiles",
        "scores",
        "played",
        "events",
    ):
        fields[name] = getattr(view, name).tolist()
    return fields


@pytest.mark.parametrize("switches", RULES, ids=str)
def test_a_position_written_from_a_record_is_the_table_of_that_record(switches: dict[str, Any]) -> None:
    rules, plays = Rules(**switches), 0
    for record in record_hands(["random"], rules, hands=10, seed=3, games=switches in RULES[:4]):
        for event, keys in known_to_movers(record):
            recorded = Position(record, event)
            view, hidden, result = SeenPosition.from_text(as_text(keys)).table()
            assert public(view) == public(recorded.view)
            assert hidden.hands[view.seat].tolist() == recorded.hidden.hands[view.seat].tolist() == view.hand.tolist()
            assert result.before.tolist() == recorded.result.before.tolist()
            assert view.lacks.tolist() == recorded.view.lacks.tolist()
            from_toml = SeenPosition.from_toml(as_toml(keys)).table()[0]
            assert public(from_toml) == public(view)
            assert np.array_equal(from_toml.lacks, view.lacks)
            plays += 1
    assert plays > 40


def test_no_other_hand_is_known() -> None:
    _, hidden, _ = SeenPosition.from_text("hand_size=3; hand 6-4 2-0; 5-5 2-5@0").table()
    assert hidden.hands[0].any()
    assert not hidden.hands[1:].any()


def test_parts_stand_in_any_order_and_either_pip_first() -> None:
    one = SeenPosition.from_text("hand_size=3; leader 1; scores 35 -20; hand 6-4 1-0; 5-5 2-5@0 draw 1 5-1@1 6-2@0")
    two = SeenPosition.from_text("hand_size=3; 5-5 5-2@0 draw  1 1-5@1 2-6@0; hand 0-1 4-6; scores 35 -20; leader 1;")
    assert public(one.table()[0]) == public(two.table()[0])
    assert one.table()[0].scores.tolist()[:2] == [35, -10]
    assert one.mover == 1


def test_an_empty_table_is_a_position_and_rules_are_the_article_s_unless_given() -> None:
    position = SeenPosition.from_text("hand 0-0 0-1 0-2 0-3 0-4 0-5 0-6 1-1 1-2")
    assert position.rules == Rules()
    assert position.table()[0].seat == 0


def test_a_draw_of_the_mover_may_come_last() -> None:
    view = SeenPosition.from_text("hand_size=3; hand 3-4 6-6 1-3 0-5 ; leader 1; 5-5 draw 1").table()[0]
    assert (view.seat, view.drawn, view.boneyard) == (0, 1, 21)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # the parts
        ("5-5; hand 6-4 2-0", "rules: there is no preset '5-5'"),
        ("maimi; hand 6-4", "did you mean 'miami'"),
        ("spinner=some; hand 6-4", "spinner cannot be 'some'; valid: first_double"),
        ("hand_size=3; 5-5 2-5@0", "the hand is missing"),
        ("miami hand 6-4; 5-5", "rules: one preset, not miami hand 6-4; valid: RULES; leader SEAT"),
        ("hand 6-4; hand 2-0", "two parts with hand; valid: RULES; leader SEAT"),
        ("hand 6-4; 5-5; 2-5@0", "two parts with events"),
        ("leader 2; hand 6-4", "leader is 2; valid: a seat from 0 to 1"),
        ("leader north; hand 6-4", "leader is 'north'; valid"),
        ("leader 0 1; hand 6-4", "valid: a seat from 0 to 1"),
        ("scores 5; hand 6-4", "scores are [5]; valid: 2 whole numbers"),
        ("scores 5 many; hand 6-4", "valid: 2 whole numbers"),
        # tiles
        ("hand 6_4", "the hand: '6_4' is not a tile"),
        ("hand 6-7", "the hand: tile 6-7 is not in the set; its highest pip is 6"),
        ("hand 6-4; 7-5", "event 0: tile 7-5 is not in the set"),
        ("hand 6-4 2-2 4-6", "tile 4-6 is there twice, in the hand; valid: every tile once"),
        ("hand_size=3; hand 5-2 6-4; 5-5 2-5@0", "tile 2-5 is there twice, in event 1 and in the hand"),
        ("hand 6-4; 5-5 2-5@0 5-2@1", "tile 2-5 is there twice, in event 1 and in event 2"),
        (
            "hand_size=3; hand 6-4; 5-5 2-5@0",
            "tiles in the hand is 1; valid: 2, since seat 0 is to move and had 3 dealt, 0 drawn, 1 played",
        ),
        ("hand_size=3; hand 1-5; 5-5 2-5@0 draw 2 2-2@0 pass", "valid: 3, since seat 0 is to move and had 3 dealt, 2"),
        # events
        ("hand 6-4; 5-5 2-5#0", "event 1 is '2-5#0'; valid: 5-5 for the lead"),
        ("hand 6-4; 5-5 draw", "event 1 is 'draw'; valid"),
        ("hand 6-4; 5-5 draw 0 pass", "event 1 is 'draw 0'; valid"),
        ("hand 6-4; 5-5 draw two pass", "event 1 is 'draw two'; valid"),
        ("hand 6-4; 5-5 passes", "event 1 is 'passes'; valid"),
        ("hand_size=3; hand 6-4 2-0; 5-5 2-5", "event 1 (2-5): the first tile is led and stands without an end"),
        ("hand_size=3; hand 6-4 2-0; 5-5@0 2-5@0", "event 0 (5-5@0): the first tile is led"),
        ("hand_size=3; hand 6-4 2-0; 5-5 2-5@2", "no such end; valid: end 0 (pip 5), end 1 (pip 5)"),
        (
            "hand_size=3; hand 6-4 2-0; 5-5 2-4@1",
            "event 1 (2-4@1): the tile does not fit its end; valid: end 0 (pip 5)",
        ),
        ("lead_tile=double hand_size=3; hand 2-2 2-0; 6-5 2-5@1", "event 0 (6-5): seat 0 leads a tile that lead_tile"),
        # draws and passes
        (
            "hand_size=3; hand 6-4 2-0; 5-5 pass 5-4@0 pass",
            "event 1 (pass): seat 1 passes but must draw before; valid: draw 22",
        ),
        (
            "hand_size=3 draw_limit=3; hand 6-4 2-0; 5-5 draw 2 pass",
            "event 2 (pass): seat 1 passes but must draw before; valid: draw 3",
        ),
        ("hand_size=3; hand 6-4 2-0; 5-5 draw 23 pass", "event 1 (draw 23): seat 1 draws more tiles than"),
        ("hand_size=3 draw_limit=3; hand 6-4 2-0; 5-5 draw 4 pass", "valid: 3 at most"),
        ("hand_size=3 boneyard_reserve=20; hand 6-4 2-0; 5-5 draw 4 pass", "valid: 2 at most"),
        ("block hand_size=3; hand 6-4 2-0; 5-5 draw 1 pass", "valid: 0 at most"),
        ("hand_size=3; hand 6-4 2-0; 5-5 draw 1 draw 1 2-5@0", "event 2 (draw 1): seat 1 draws twice in one turn"),
        ("hand_size=3; hand 6-4 2-0 3-3; draw 1 5-5 1-5@0", "event 0 (draw 1): seat 0 draws but could play"),
        ("hand_size=3; hand 6-4 2-0 3-3; leader 1; draw 1 5-5", "event 0 (draw 1): seat 1 draws but could play"),
        ("block hand_size=3; hand 6-4 2-0 1-5; leader 1; pass", "event 0 (pass): seat 1 passes but could play"),
        ("play_drawn=false hand_size=3; hand 6-4 2-0; 5-5 draw 1 2-5@0", "event 2 (2-5@0): seat 1 drew in this turn"),
        (
            "block hand_size=3; hand 6-4 2-0; 5-5 pass 1-5@0 4-5@1",
            "event 3 (4-5@1): draws and passes have shown that seat 1 has no tile with pip 5",
        ),
        # what the mover's own tiles say
        (
            "block hand_size=3; hand 6-5 2-0; leader 1; 5-5 pass 1-5@0 1-4@0 2-5@1",
            "event 1 (pass): seat 0 passes but could play",
        ),
        ("hand_size=3; hand 6-5 2-0 1-5 2-2; leader 1; 5-5 draw 1", "event 1 (draw 1): seat 0 draws but could play"),
        (
            "draw_limit=1 hand_size=3; hand 6-5 2-0 1-5 2-2; leader 1; 5-5 draw 1 pass 2-5@0",
            "event 1 (draw 1): seat 0 draws but could play",
        ),
        # nothing to choose
        ("hand_size=1; hand 6-5; 5-5", "event 0 (5-5): the hand ends here (out)"),
        ("block hand_size=2; hand 6-4; 5-5 pass pass", "event 2 (pass): the hand ends here (blocked)"),
        ("hand_size=3 target=10; hand 6-4; 5-5", "event 0 (5-5): the hand ends here (target)"),
        ("hand_size=3; hand 6-4 3-3; 5-5 2-5@0", "seat 0 is to move, but no tile of its hand fits"),
        (
            "play_drawn=false hand_size=3; hand 3-4 6-6 1-3 0-5; leader 1; 5-5 draw 1",
            "event 1 (draw 1): seat 0 drew in this turn",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_sentence_that_says_where_and_what_is_valid(text: str, words: str) -> None:
    with pytest.raises(PositionError) as caught:
        SeenPosition.from_text(text).table()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("hand = [", "not TOML"),
        ('hnad = ["6-4"]', "there is no key 'hnad'; did you mean 'hand'"),
        ('events = ["5-5"]', "the hand is missing"),
        ('hand = "6-4 3-3"', 'hand cannot be \'6-4 3-3\'; valid: a list such as ["6-4", "3-3"]'),
        ('hand = ["6-4"]\nevents = "5-5 2-5@0"', "events cannot be '5-5 2-5@0'; valid: a list"),
        ("hand = [64]", "the hand: 64 is not a tile"),
        ('hand = ["6-4"]\nevents = [55]', "event 0 is 55; valid"),
        ('hand = ["6-4"]\nevents = ["draw  2"]', "event 0 is 'draw  2'; valid"),
        ('hand = ["6-4"]\nrules = 3', "rules: rules are a preset and switches"),
        ('hand = ["6-4"]\nrules = "maimi"', "rules: there is no preset 'maimi'"),
        ('hand = ["6-4"]\nrules = {draw_limits = 3}', "rules: there is no switch 'draw_limits'"),
        ('hand = ["6-4"]\nleader = true', "leader is True; valid"),
        ('hand = ["6-4"]\nscores = [1.5, 2]', "scores are [1.5, 2]; valid"),
    ],
)
def test_toml_that_is_no_position_is_refused_in_one_sentence(toml: str, words: str) -> None:
    with pytest.raises(PositionError) as caught:
        SeenPosition.from_toml(toml).table()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read a position from"):
        SeenPosition.read(str(tmp_path / "none.toml"))
    (tmp_path / "raw.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not a text file"):
        SeenPosition.read(str(tmp_path / "raw.toml"))
