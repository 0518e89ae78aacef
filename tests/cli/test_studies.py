"""`allfives run`, `results` and `plan`."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from .helpers import Command, assert_refused, interrupt_when

STUDY = """
agents = ["greedy", "random", {agent = "defensive", weight = [0.5, 1]}]
deals = 400
seed = 3
[[rules]]
preset = "miami"
grid = {players = [2, 3]}
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path / "study.toml"


def untimed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[[name for name in frame.columns if "second" not in name]]


def test_a_study_runs_into_a_folder_of_its_name_and_every_frame_is_there_twice(allfives: Command, study: Path) -> None:
    done = allfives("run", study, "--json")
    assert done.code == 0, done.err
    answer = done.json()
    assert len(answer["pairs"]) == 2 * 6
    assert len(answer["agents"]) == 2 * 4
    folder = study.parent / "results" / "study"
    for name in ("pairs", "agents", "distribution", "margins", "by_role", "by_lead", "by_play", "by_tile", "lengths"):
        frame = pd.read_parquet(folder / f"{name}.parquet")
        assert_frame_equal(frame, pd.read_csv(folder / f"{name}.csv"), check_dtype=False)
        assert len(frame)
    pairs = pd.read_parquet(folder / "pairs.parquet")
    assert pairs["margin"].tolist() == [pair["margin"] for pair in answer["pairs"]]
    assert set(pairs["rules"]) == {"miami", "miami, players 3"}


def test_the_table_for_people_has_each_house_the_ratings_and_the_hands(allfives: Command, study: Path) -> None:
    done = allfives("run", study)
    assert done.code == 0
    for words in ("rules: miami, seed 3", "rules: miami, players 3, seed 3", "rating", "greedy over random"):
        assert words in done.out
    assert f"{6 * 400 * 2 + 6 * 400 * 6:,} hands of {12 * 400:,} paired deals" in done.out


def test_running_again_changes_nothing_and_more_deals_are_added(allfives: Command, study: Path) -> None:
    def pairs() -> pd.DataFrame:
        return pd.read_parquet(study.parent / "run" / "pairs.parquet")

    assert allfives("run", study, "--out", "run").code == 0
    first = pairs()
    assert allfives("run", "run").code == 0
    assert_frame_equal(pairs(), first)  # nothing is played, so that times stay too
    assert allfives("run", "run", "--deals", 900).code == 0
    assert pairs()["deals"].unique().tolist() == [900]
    assert allfives("run", study, "--deals", 900, "--out", "other").code == 0
    assert_frame_equal(untimed(pairs()), untimed(pd.read_parquet(study.parent / "other" / "pairs.parquet")))


def test_results_makes_every_file_again_from_the_store_alone(allfives: Command, study: Path) -> None:
    done = allfives("run", study, "--out", "run", "--json")
    folder = study.parent / "run"
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".csv", ".toml")}
    for path in list(folder.iterdir()):
        if path.name != "run.sqlite":
            path.unlink()
    again = allfives("results", "run", "--json")
    assert (again.code, again.out) == (0, done.out)
    for name, content in files.items():
        if name != "study.toml":
            assert (folder / name).read_bytes() == content, name


def test_compare_out_is_a_study_that_run_goes_on_with(allfives: Command, study: Path) -> None:
    assert allfives("compare", "greedy", "random", "--deals", 300, "--out", "run").code == 0
    longer = allfives("run", "run", "--deals", 700, "--json").json()
    whole = allfives("compare", "greedy", "random", "--deals", 700, "--json").json()
    assert [pair["margin"] for pair in longer["pairs"]] == [pair["margin"] for pair in whole["pairs"]]


@pytest.mark.parametrize("on", ["threads:1", "threads:2", "processes:2"])
def test_a_run_may_be_played_anywhere(allfives: Command, study: Path, on: str) -> None:
    done = allfives("run", study, "--out", "run", "--on", on, "--json")
    assert done.code == 0, done.err
    margins = [pair["margin"] for pair in done.json()["pairs"]]
    assert margins == [pair["margin"] for pair in allfives("run", study, "--json").json()["pairs"]]


def test_a_stopped_study_says_after_how_many_deals_and_what_was_found(allfives: Command, study: Path) -> None:
    study.write_text('agents = ["greedy", "random"]\nstop = {better_by = 2}\n', encoding="utf-8")
    done = allfives("run", study)
    assert (done.code, "better" in done.out, " 500 " in done.out) == (0, True, True)
    pairs = pd.read_parquet(study.parent / "results" / "study" / "pairs.parquet")
    assert (pairs["outcome"].tolist(), pairs["deals"].tolist()) == (["better"], [500])


def test_ctrl_c_prints_the_command_to_go_on_with_and_going_on_ends_it(
    allfives: Command, study: Path, tmp_path: Path
) -> None:
    study.write_text('agents = ["greedy", "random"]\ndeals = 8000000\n', encoding="utf-8")
    folder = tmp_path / "a run"
    done = interrupt_when(["run", str(study), "--out", str(folder)], "deals/s")
    assert done.code == 130, done
    assert "Traceback" not in done.err
    assert f"go on with: allfives run '{folder}'" in done.err
    partial = json.loads(allfives("results", folder, "--json").out)
    assert partial["partial"] is True
    done = allfives("run", folder, "--json")
    assert (done.code, done.json()["pairs"][0]["deals"]) == (0, 8_000_000)
    assert "partial" not in done.json()


def test_plan_says_how_many_deals(allfives: Command) -> None:
    plan = allfives("plan", "greedy", "defensive", "--difference", 0.5, "--pilot", 500, "--json").json()
    assert plan["deals_low"] < plan["deals"] < plan["deals_high"]
    assert plan["deals"] == pytest.approx((3.2415155 * plan["sd"] / 0.5) ** 2, abs=1)
    assert f"play {plan['deals']:,} paired deals" in " ".join(
        allfives("plan", "greedy", "defensive", "--difference", 0.5, "--pilot", 500).out.split()
    )


WRONG: list[tuple[str, list[Any], str]] = [
    ("no such study", ["run", "nowhere.toml"], "cannot read the study nowhere.toml"),
    ("no study", ["run"], "STUDY.toml|DIR"),
    ("a folder without a run", ["run", "empty"], "holds no run"),
    ("results of no folder", ["results", "nowhere"], "holds no run"),
    ("out of a folder", ["run", "empty", "--out", "x"], "--out is the folder itself"),
    ("a place", ["run", "study.toml", "--on", "moon"], "cannot play on 'moon'"),
    ("threads twice", ["compare", "greedy", "random", "--threads", "2", "--on", "dask"], "give one of them"),
    ("deals", ["run", "study.toml", "--deals", "0"], "deals cannot be 0"),
    ("plan of one", ["plan", "greedy", "--difference", "1"], "takes 2 values"),
    ("plan without a difference", ["plan", "greedy", "random"], "--difference"),
    ("plan for nothing", ["plan", "greedy", "random", "--difference", "0"], "difference cannot be 0"),
    ("plan for next to nothing", ["plan", "greedy", "random", "--difference", "1e-200"], "from 1e-06"),
    ("plan for NaN", ["plan", "greedy", "random", "--difference", "nan"], "difference cannot be nan"),
    ("plan with no power", ["plan", "greedy", "random", "--difference", "1", "--power", "1"], "power cannot be 1"),
    ("plan with no pilot", ["plan", "greedy", "random", "--difference", "1", "--pilot", "5"], "pilot cannot be 5"),
    ("plan for the same", ["plan", "greedy", "greedy", "--difference", "1"], "play alike"),
    ("a binary study", ["run", "binary.toml"], "it is not a text file"),
    ("an out that is a file", ["run", "study.toml", "--out", "study.toml"], "it is a file"),
]


@pytest.mark.parametrize(("arguments", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_wrong_use_is_one_sentence(allfives: Command, study: Path, arguments: list[Any], words: str) -> None:
    (study.parent / "empty").mkdir()
    (study.parent / "binary.toml").write_bytes(b"\xff\xfe\x00")
    before = sorted(study.parent.rglob("*"))
    assert_refused(allfives(*arguments), words)
    assert [path for path in sorted(study.parent.rglob("*")) if path not in before] in ([], [study.parent / "results"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_told(allfives: Command, study: Path) -> None:
    folder = study.parent / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert_refused(allfives("run", study, "--out", folder), "cannot write results to")


def test_two_equal_runs_differ_in_columns_of_seconds_only(allfives: Command, study: Path) -> None:
    for folder in ("one", "two"):
        assert allfives("run", study, "--out", folder).code == 0
    for path in (study.parent / "one").glob("*.parquet"):
        one, two = (pd.read_parquet(study.parent / folder / path.name) for folder in ("one", "two"))
        assert_frame_equal(untimed(one), untimed(two))
