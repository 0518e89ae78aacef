"""`allfives record` and `allfives replay`: what is recorded is right, and what was tampered with is found."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from allfives_sim.core.replay import replay_hand
from allfives_sim.core.rules import Rules

from .helpers import PROGRAM, Command, assert_refused, interrupt_when, read_records, write_records

Record = dict[str, Any]
TABLES: dict[str, list[str]] = {
    "two": [],
    "three": ["--players", "3"],
    "four": ["--players", "4"],
    "partners": ["--players", "4", "--set", "partners=true"],
}
RIGHT = {"valid": True, "error": None, "event": None}


# --- what is recorded is right ---


@pytest.mark.parametrize("preset", Rules.PRESETS)
@pytest.mark.parametrize("games", [[], ["--games"]], ids=["hands", "games"])
def test_recorded_hands_replay_without_a_fault(
    allfives: Command, tmp_path: Path, preset: str, games: list[str]
) -> None:
    for name, options in TABLES.items():
        file = tmp_path / f"{name}.jsonl"
        done = allfives("record", "random", "--hands", 8, "--out", file, "--rules", preset, *games, *options)
        assert (done.code, done.out) == (0, "")
        records = read_records(file)
        done = allfives("replay", file)
        assert (done.code, done.err) == (0, "")
        assert done.out == f"{len(records)} hands checked, all right\n"


def test_json_has_a_line_for_each_record(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    allfives("record", "greedy", "random", "--hands", 5, "--out", file)
    done = allfives("replay", file, "--json")
    assert done.code == 0
    assert done.json_lines() == [{"line": line, **RIGHT} for line in range(1, 6)]


def test_records_name_the_seats_and_are_of_the_public_format(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    allfives("record", "greedy", "random", "heaviest", "--players", 3, "--hands", 6, "--out", file, "--seed", 3)
    records = read_records(file)
    assert len(records) == 6
    for record in records:
        assert record["format"] == "allfives-hand-1"
        assert record["agents"] == ["greedy", "random", "heaviest"]
        assert record["seed"] == 3
        assert [len(hand) for hand in record["hands"]] == [7, 7, 7]
        assert record["events"][0]["at"] == "lead"
        assert record["events"][0]["seat"] == record["leader"]
        assert ("out" in record) == (record["end"] == "out")
        for hand in record["hands"]:
            assert all(name[0] <= name[2] for name in hand)


def test_one_agent_sits_at_every_seat(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    allfives("record", "heaviest", "--players", 4, "--hands", 1, "--out", file)
    assert read_records(file)[0]["agents"] == ["heaviest"] * 4


def test_games_are_recorded_to_their_end_and_each_hand_follows(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    allfives("record", "greedy", "random", "--games", "--hands", 20, "--out", file)
    records = read_records(file)
    assert len(records) >= 20
    assert max(records[-1]["final"]) >= 250
    for before, after in pairwise(records):
        if before["game"] == after["game"]:
            assert after["scores"] == before["final"]
        else:
            assert max(before["final"]) >= 250
            assert after["scores"] == [0, 0]


def test_same_seed_writes_the_same_file(allfives: Command, tmp_path: Path) -> None:
    one, two, other = (tmp_path / f"{name}.jsonl" for name in ("one", "two", "other"))
    for file, seed in ((one, 4), (two, 4), (other, 5)):
        allfives("record", "random", "--hands", 5, "--out", file, "--seed", seed)
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes() != other.read_bytes()


def test_file_of_another_writer_is_read(allfives: Command, tmp_path: Path, hands: list[Record]) -> None:
    record = copy.deepcopy(hands[0])
    record["mine"] = {"any": ["thing"]}
    record["hands"] = [[name[::-1] for name in hand] for hand in record["hands"]]
    for event in record["events"]:
        if "play" in event:
            event["play"] = event["play"][::-1]
        if "draw" in event:
            event["draw"] = [name[::-1] for name in event["draw"]]
    del record["scores"], record["agents"]
    file = tmp_path / "other.jsonl"
    file.write_text(f"\n{json.dumps(record)}\n\n{json.dumps(hands[1])}", encoding="utf-8")
    done = allfives("replay", file, "--json")
    assert done.code == 0, done.out
    assert done.json_lines() == [{"line": 2, **RIGHT}, {"line": 4, **RIGHT}]


# --- what was tampered with is found ---


def raise_count(record: Record) -> int:
    return _change(record, "count", lambda count: count + 5)


def raise_points(record: Record) -> int:
    return _change(record, "points", lambda points: points + 5)


def other_seat(record: Record) -> int:
    return _change(record, "seat", lambda seat: 1 - seat)


def closed_end(record: Record) -> int:
    return _change(record, "at", lambda _end: 9)


def tile_of_nobody(record: Record) -> int:
    return _change(record, "play", lambda _tile: record["events"][0]["play"])


def pass_for_play(record: Record) -> int:
    record["events"][4] = {"seat": record["events"][4]["seat"], "pass": True}
    return 4


def other_leader(record: Record) -> int:
    record["leader"] = 1 - record["leader"]
    return 0


def event_too_many(record: Record) -> int:
    record["events"].append({"seat": 0, "pass": True})
    return len(record["events"]) - 1


def last_event_missing(record: Record) -> int:
    del record["events"][-1]
    return len(record["events"]) - 1


def other_settlement(record: Record) -> None:
    record["settlement"][0] += 5


def other_final(record: Record) -> None:
    record["final"][1] += 5


def other_end(record: Record) -> None:
    record["end"] = "target"


def other_out(record: Record) -> None:
    record["out"] = 1 - record["out"]


def no_settlement(record: Record) -> None:
    del record["settlement"]


def _change(record: Record, key: str, change: Callable[[Any], Any]) -> int:
    """Change a key of the first play from event 4 on; which event it is."""
    for number, event in enumerate(record["events"]):
        if number >= 4 and "play" in event:
            event[key] = change(event[key])
            return number
    raise AssertionError("the hand has no such play")


TAMPERINGS: list[tuple[Callable[[Record], int | None], str]] = [
    (raise_count, "count"),
    (raise_points, "points"),
    (other_seat, "turn of seat"),
    (closed_end, "end 9"),
    (tile_of_nobody, "not in its hand"),
    (pass_for_play, "passes"),
    (other_leader, "turn of seat"),
    (event_too_many, "over"),
    (last_event_missing, "before the hand is over"),
    (other_settlement, "settlement"),
    (other_final, "final"),
    (other_end, "end"),
    (other_out, "out"),
    (no_settlement, "settlement"),
]


@pytest.mark.parametrize(("tamper", "word"), TAMPERINGS, ids=[tamper.__name__ for tamper, _ in TAMPERINGS])
def test_one_tampered_figure_is_found_at_its_line_and_event(
    allfives: Command, tmp_path: Path, hands: list[Record], tamper: Callable[[Record], int | None], word: str
) -> None:
    records = copy.deepcopy(hands)
    event = tamper(records[1])
    file = write_records(tmp_path / "hands.jsonl", records)
    done = allfives("replay", file)
    assert (done.code, done.err) == (1, "")
    told, summary = done.out.splitlines()
    where = f"{file}, line 2" if event is None else f"{file}, line 2, event {event}"
    assert told.startswith(f"{where}: ")
    assert word in told
    assert summary == "4 hands checked, 1 wrong"
    done = allfives("replay", file, "--json")
    assert done.code == 1
    lines = done.json_lines()
    assert [line["valid"] for line in lines] == [True, False, True, True]
    assert (lines[1]["line"], lines[1]["event"]) == (2, event)
    assert word in lines[1]["error"]


def test_hand_of_a_game_that_does_not_follow_is_found(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    allfives("record", "greedy", "random", "--games", "--hands", 3, "--out", file, "--set", "going_out=collect")
    records = read_records(file)
    assert records[0]["game"] == records[1]["game"] == records[2]["game"]
    for key in ("scores", "final"):
        records[1][key][0] -= 5
    done = allfives("replay", write_records(file, records[:2]), "--json")
    assert done.code == 1
    first, second = done.json_lines()
    assert first["valid"]
    assert not second["valid"]
    assert (second["line"], second["event"]) == (2, None)
    assert "scores" in second["error"]


def test_line_that_is_no_record_is_told_in_json_too_and_ends_with_two(
    allfives: Command, tmp_path: Path, hands: list[Record]
) -> None:
    file = tmp_path / "hands.jsonl"
    file.write_text(f"{json.dumps(hands[0])}\n{json.dumps(hands[1])[:200]}\n", encoding="utf-8")
    done = allfives("replay", file, "--json")
    assert done.code == 2
    first, second = done.json_lines()
    assert first == {"line": 1, **RIGHT}
    assert (second["line"], second["valid"]) == (2, False)
    assert second["error"]
    assert_refused(type(done)(done.code, "", done.err), "line 2", "not JSON")


def test_first_replay_ever_says_that_it_compiles(
    allfives: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, hands: list[Record]
) -> None:
    monkeypatch.setattr(type(replay_hand), "is_compiled", lambda _kernel: False)
    monkeypatch.delitem(vars(replay_hand), "dispatcher", raising=False)
    done = allfives("replay", write_records(tmp_path / "hands.jsonl", hands), "--json")
    assert [line["valid"] for line in done.json_lines()] == [True] * len(hands)
    assert "compiling" in done.err


# --- processes of their own ---


def test_reader_that_has_had_enough_is_no_fault_of_the_records(tmp_path: Path, hands: list[Record]) -> None:
    file = write_records(tmp_path / "hands.jsonl", hands * 1000)
    process = subprocess.Popen(
        [*PROGRAM, "replay", str(file), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline())["valid"]
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=30) == 0
    assert "Traceback" not in err


def test_ctrl_c_leaves_a_file_of_the_whole_hands_that_were_finished(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    done = interrupt_when(["record", "greedy", "random", "--hands", str(10**8), "--out", str(file)], "hands/s")
    assert done.code == 130, done
    assert "interrupted" in done.err
    assert "Traceback" not in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["hands.jsonl"]
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([*lines[:20], *lines[-20:]]), encoding="utf-8")
    assert allfives("replay", file).code == 0
