"""``allfives analyse`` and ``allfives review``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
        "tile", "end", "points", "margin", "margin_low", "margin_high", "win_chance", "played",
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
