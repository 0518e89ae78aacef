"""Records: what a reader takes, and how strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from allfives_sim import RecordError, Replayer, Rules, record_hands


def one(**switches: Any) -> dict[str, Any]:
    return json.loads(json.dumps(next(record_hands(["greedy"], Rules(**switches), hands=1))))


def test_tiles_may_be_written_with_either_pip_first_and_unknown_keys_are_ignored() -> None:
    record = one() | {"weather": "fine"}
    record["hands"] = [[name[::-1] for name in hand] for hand in record["hands"]]
    for event in record["events"]:
        if "play" in event:
            event["play"] = event["play"][::-1]
    assert Replayer().check(json.dumps(record)) is None


@pytest.mark.parametrize(("key", "change"), [("settlement", float), ("final", float), ("final", str)])
def test_numbers_of_another_type_are_not_the_right_numbers(key: str, change: Any) -> None:
    record = one()
    record[key] = [change(value) for value in record[key]]
    fault = Replayer().check(json.dumps(record))
    assert fault is not None
    assert key in fault.error


@pytest.mark.parametrize("key", ["rules", "hands", "leader", "events", "format"])
def test_a_record_without_a_needed_key_is_none(key: str) -> None:
    record = one()
    del record[key]
    with pytest.raises(RecordError, match=key):
        Replayer().check(json.dumps(record))


def test_scores_may_be_left_out_and_are_then_zero() -> None:
    record = one()
    del record["scores"]
    assert Replayer().check(json.dumps(record)) is None


def test_a_play_on_an_equal_end_with_a_higher_number_is_as_good() -> None:
    for record in record_hands(["random"], Rules(), hands=400):
        copied = json.loads(json.dumps(record))
        events = copied["events"]
        # After a led double, ends 0 and 1 are the same.
        if events[0]["play"][0] == events[0]["play"][2] and events[1].get("at") == 0 and len(events) > 2:
            events[1]["at"] = 1
            fault = Replayer().check(json.dumps(copied))
            assert fault is None or fault.event is None or fault.event > 1
            return
    pytest.fail("no led double in 400 hands")


def games(**switches: Any) -> list[dict[str, Any]]:
    rules = Rules(target=60, **switches)
    return [json.loads(json.dumps(r)) for r in record_hands(["greedy", "random"], rules, hands=4, games=True)]


def faults(records: list[dict[str, Any]]) -> list[str | None]:
    replayer = Replayer()
    return [fault.error if fault else None for fault in (replayer.check(json.dumps(record)) for record in records)]


def test_scores_must_follow_from_the_hand_before_in_the_game() -> None:
    records = games()
    assert faults(records) == [None] * len(records)
    second = next(k for k, record in enumerate(records) if record["hand"] == 1)
    for key in ("scores", "final"):
        records[second][key] = [score - 5 for score in records[second][key]]
    assert "hand before" in str(faults(records)[second])


def test_no_hand_may_follow_one_that_won_the_game() -> None:
    records = games()
    last = max(k for k, record in enumerate(records) if record["game"] == 0)
    again = json.loads(json.dumps(records[last]))
    again["scores"] = records[last]["final"]
    again["hand"] += 1
    assert "won" in str(faults([*records[: last + 1], again])[-1]) or faults([*records[: last + 1], again])[-1]


def test_a_leader_who_does_not_follow_from_the_rules_is_found() -> None:
    records = games(next_leader="rotate", blocked_leader="rotate")
    second = next(k for k, record in enumerate(records) if record["hand"] == 1)
    # Without the hand before it there is nothing that it must follow from.
    assert faults([records[second]]) == [None]
    records[second - 1]["leader"], records[second - 1]["game"] = records[second]["leader"], records[second]["game"]
    assert faults(records[second - 1 : second + 1])[0] is not None


def test_two_files_with_the_same_game_numbers_can_stand_behind_one_another() -> None:
    assert faults([*games(), *games()]) == [None] * (2 * len(games()))


def test_the_whole_record_of_the_documentation_is_right() -> None:
    text = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
    line = text.rpartition("```json\n")[2].partition("\n")[0]
    assert Replayer().check(line) is None
