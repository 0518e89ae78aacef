"""The kernels against the plain referee: random hands and games under random house rules, event by event."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from allfives_sim import Replayer, Rules, RulesError, record_hands
from tests import naive

RULE_SETS, HANDS_EACH = 5000, 4  # 20,000 hands in each direction


def test_the_referee_agrees_with_twenty_thousand_hands_of_the_kernels_under_random_rules() -> None:
    rng = random.Random(20_001)
    ends: Counter[str] = Counter()
    for number in range(RULE_SETS):
        written = naive.random_rules(rng)
        for record in record_hands(["random"], Rules.from_dict(written), hands=HANDS_EACH, seed=number):
            record = json.loads(json.dumps(record))
            try:
                naive.check_hand(record)
            except naive.NaiveError as error:
                pytest.fail(f"{error} in {json.dumps(record)}")
            ends[record["end"]] += 1
    assert sum(ends.values()) == RULE_SETS * HANDS_EACH
    assert all(ends[end] > 100 for end in ("out", "blocked", "target"))


def test_replay_agrees_with_twenty_thousand_hands_of_the_referee_under_random_rules() -> None:
    rng = random.Random(20_002)
    ends: Counter[str] = Counter()
    for _ in range(RULE_SETS):
        written = naive.random_rules(rng)
        for _ in range(HANDS_EACH):
            line = json.dumps(naive.play_hand(written, rng))
            fault = Replayer().check(line)
            assert fault is None, f"{fault} in {line}"
            ends[json.loads(line)["end"]] += 1
    assert all(ends[end] > 100 for end in ("out", "blocked", "target"))


def test_whole_games_agree_in_both_directions() -> None:
    rng = random.Random(20_003)
    played = 0
    for number in range(250):
        written = naive.random_rules(rng)
        rules = Rules.from_dict(written)
        replayer = Replayer()
        assert all(replayer.check(json.dumps(record)) is None for record in naive.play_game(written, rng, max_hands=30))
        try:
            rules.check_game()
        except RulesError:
            continue
        records = []
        for record in record_hands(["random"], rules, hands=1, seed=number, games=True):
            records.append(json.loads(json.dumps(record)))
            if len(records) == 200:
                break
        naive.check_game(records)
        replayer = Replayer()
        assert all(replayer.check(json.dumps(record)) is None for record in records)
        played += len(records)
    assert played > 2000


def tampered(record: dict, rng: random.Random) -> tuple[dict, int | None]:
    """A copy with one thing changed, and the event where that must be noticed (None: at the end)."""
    record = json.loads(json.dumps(record))
    kind = rng.choice(["count", "points", "seat", "settlement", "final", "cut", "more"])
    plays = [number for number, event in enumerate(record["events"]) if "play" in event]
    if kind in ("count", "points"):
        number = rng.choice(plays)
        record["events"][number][kind] += 5
        return record, number
    if kind == "seat":
        number = rng.randrange(len(record["events"]))
        event = record["events"][number]
        event["seat"] = (event["seat"] + 1) % len(record["hands"])
        return record, number
    if kind in ("settlement", "final"):
        record[kind][0] += 5
        return record, None
    if kind == "cut":
        del record["events"][-1]
        return record, max(len(record["events"]) - 1, 0)
    record["events"].append({"seat": 0, "pass": True})
    return record, len(record["events"]) - 1


def test_a_tampered_record_is_caught_at_the_event_that_was_tampered_with() -> None:
    rng = random.Random(20_004)
    for _ in range(400):
        record, number = tampered(naive.play_hand(naive.random_rules(rng), rng), rng)
        fault = Replayer().check(json.dumps(record))
        assert fault is not None, json.dumps(record)
        assert fault.event == number, f"{fault} in {json.dumps(record)}"
