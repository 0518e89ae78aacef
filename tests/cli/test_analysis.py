"""``allfives analyse`` and ``allfives review``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from .helpers import Command, assert_refused


@pytest.fixture
def file(tmp_path: Path, hands: list[dict[str, Any]]) -> Path:
    path = tmp_path / "hands.jsonl"
    path.write_text("".join(json.dumps(hand) + "\n" for hand in hands))
    return path


def test_analyse_prints_every_play_with_its_margin_and_marks_the_one_played(allfives: Command, file: Path) -> None:
    rows = allfives("analyse", file, "--event", 0, "--line", 2, "--worlds", 50, "--json").json()
    assert set(rows[0]) == {
        "tile", "end", "points", "margin", "margin_low", "margin_high", "win_chance", "win_low", "win_high", "played",
    }  # fmt: skip
    assert sum(row["played"] for row in rows) == 1
    done = allfives("analyse", file, "--event", 0, "--line", 2, "--worlds", 50)
    assert done.code == 0
    assert done.out.count("lead") == len(rows)


def test_review_tells_what_each_seat_lost_and_the_five_worst_plays(allfives: Command, file: Path) -> None:
    told = allfives("review", file, "--worlds", 30, "--json").json()
    assert told["hands"] == 4
    assert {play["line"] for play in told["plays"]} == {1, 2, 3, 4}
    done = allfives("review", file, "--worlds", 30)
    assert done.code == 0
    assert "five worst" in done.out
    worst = max(told["plays"], key=lambda play: play["lost"])
    assert f"{worst['tile']} on {worst['end']}" in done.out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--event", 0, "--line", 9), "no line 9"),
        (("--event", 99), "event 99 is no play"),
        (("--event", -1), "--event"),
        (("--event", 0, "--base", "montecarlo"), "without a base"),
        (("--event", 0, "--worlds", 0), "worlds cannot be 0"),
    ],
)
def test_wrong_use_of_analyse_is_one_sentence(
    allfives: Command, file: Path, arguments: tuple[object, ...], word: str
) -> None:
    assert_refused(allfives("analyse", file, *arguments), word)


def test_review_of_what_is_no_file_of_records_is_one_sentence(allfives: Command, tmp_path: Path) -> None:
    assert_refused(allfives("review", tmp_path / "none.jsonl"), "cannot read")
    (tmp_path / "bad.jsonl").write_text("{}\n")
    assert_refused(allfives("review", tmp_path / "bad.jsonl"), "line 1", "format")


@pytest.mark.parametrize(
    "change",
    [
        {"events": None},
        {"events": [None]},
        {"events": 5},
        {"agents": 5},
        {"agents": {"0": 1}},
        {"agents": [[1], [2]]},
        {"agents": [5, None]},
        {"agents": ["\ud800", "greedy"]},
        {"agents": ["one"]},
    ],
    ids=str,
)
def test_review_of_a_malformed_record_is_one_sentence(
    allfives: Command, tmp_path: Path, hands: list[dict[str, Any]], change: dict[str, Any]
) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps(hands[0] | change) + "\n")
    assert_refused(allfives("review", file, "--worlds", 2), "line 1", next(iter(change)))


def test_review_looks_at_its_options_even_where_there_are_no_hands(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    file.touch()
    assert_refused(allfives("review", file, "--worlds", 0), "worlds cannot be 0")
    assert_refused(allfives("review", file, "--base", "nobody"), "no agent 'nobody'")
    assert_refused(allfives("review", file, "--out", ""), "has no name")


POSITION = "miami; hand 6-4 3-3 0-1 5-3 2-2 4-4; 5-5 2-5@0"
TOML = """\
rules = "miami"
hand = ["6-4", "3-3", "0-1", "5-3", "2-2", "4-4"]
events = ["5-5", "2-5@0"]
"""


def test_a_position_is_analysed_from_text_and_from_a_toml_file_alike(allfives: Command, tmp_path: Path) -> None:
    (tmp_path / "position.toml").write_text(TOML)
    rows = allfives("analyse", "--position", POSITION, "--worlds", 50, "--json").json()
    assert {(row["tile"], row["end"]) for row in rows} == {("2-2", "0"), ("3-5", "1")}
    assert not any(row["played"] for row in rows)
    assert allfives("analyse", tmp_path / "position.toml", "--worlds", 50, "--json").json() == rows
    done = allfives("analyse", "--position", POSITION, "--worlds", 50)
    assert done.code == 0
    assert "seat 0 to play; 50 worlds" in done.out


def test_analyse_and_review_write_their_frames(allfives: Command, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    rows = allfives("analyse", "--position", POSITION, "--worlds", 20, "--out", out, "--json").json()
    told = allfives("review", file, "--worlds", 20, "--out", out, "--json").json()
    names = {f"{name}.{kind}" for name in ("analysis", "plays", "seats") for kind in ("csv", "parquet")}
    assert {path.name for path in out.iterdir()} == names
    assert pd.read_parquet(out / "analysis.parquet").to_dict("records") == rows
    assert pd.read_parquet(out / "plays.parquet").to_dict("records") == told["plays"]
    assert pd.read_csv(out / "seats.csv")["choices"].sum() == len(told["plays"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ["a FILE, or --position TEXT"]),
        (("hands.jsonl", "--position", POSITION), ["a FILE, or --position TEXT"]),
        (("hands.jsonl",), ["--event is missing"]),
        (("position.toml", "--event", 0), ["--line and --event choose a play of a record"]),
        (("--position", POSITION, "--line", 1), ["--line and --event choose a play of a record"]),
        (("none.toml",), ["cannot read a position from none.toml"]),
        (("--position", "hand 6-7"), ["allfives: the hand: tile 6-7 is not in the set"]),
        (("--position", POSITION, "--base", "gredy"), ["allfives: there is no agent 'gredy'"]),
        (("--position", ""), ["the hand is missing"]),
    ],
)
def test_wrong_use_of_positions_is_one_sentence(
    allfives: Command, arguments: tuple[object, ...], words: list[str]
) -> None:
    assert_refused(allfives("analyse", *arguments), *words)


def test_what_is_wrong_in_a_file_is_told_with_its_name(allfives: Command, file: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(TOML.replace("2-5@0", "2-4@0"))
    assert_refused(allfives("analyse", wrong), f"{wrong}: event 1 (2-4@0): the tile does not fit its end")
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], "", lines[1].replace('"at": "lead"', '"at": 1'), "{}"]))
    for command in (("review", file, "--worlds", 2), ("analyse", file, "--line", 3, "--event", 2)):
        assert_refused(allfives(*command), f"{file}, line 3: event 0: ")
    assert_refused(allfives("analyse", file, "--line", 4, "--event", 0), f"{file}, line 4: format is null")
