"""Folders of runs: what is in the way of one is told in a sentence, and nothing is lost or changed."""

from __future__ import annotations

import random
import resource
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from allfives_sim import InputError, Results, Study, read_results, read_study
from allfives_sim.lab import store
from allfives_sim.lab.store import NAME

from .helpers import integers, start_run


def test_another_study_in_a_folder_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    Study(["greedy", "random"], deals=200).run(tmp_path)
    before = (tmp_path / NAME).read_bytes()
    for other, key in (
        (Study(["greedy", "risk"], deals=200), "agents"),
        (Study(["greedy", "random"], deals=200, seed=2), "seed"),
        (Study(["greedy", "random"], deals=200, rules="miami"), "rules"),
        (Study(["greedy", "random"], deals=200, stop={"margin": 1}), "stop"),
    ):
        with pytest.raises(InputError, match=f"another study: its {key} differs; nothing was changed"):
            other.run(tmp_path)
    assert (tmp_path / NAME).read_bytes() == before


def test_another_engine_is_refused_to_play_but_its_results_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = Study(["greedy", "random"], deals=200).run(tmp_path)
    monkeypatch.setattr(store, "engine", lambda: "0123456789abcdef")
    with pytest.raises(InputError, match="another version of the engine"):
        Study(["greedy", "random"], deals=300).run(tmp_path)
    assert integers(read_results(tmp_path)) == integers(results)


def test_a_second_process_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('agents = ["greedy", "random"]\ndeals = 1000000000\n', encoding="utf-8")
    process = start_run(["study.toml", "--out", "run"], tmp_path)
    try:
        deadline = time.monotonic() + 30
        while not (tmp_path / "run" / NAME).exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        for call in (
            lambda: read_study(tmp_path / "study.toml").run(tmp_path / "run"),
            lambda: read_results(tmp_path / "run"),
        ):
            with pytest.raises(InputError, match="another process plays in"):
                call()
    finally:
        process.kill()
        process.communicate()
    assert read_results(tmp_path / "run").partial


def _finished_store(folder: Path) -> bytes:
    Study(["greedy", "random"], deals=2000).run(folder)
    return (folder / NAME).read_bytes()


def test_a_store_cut_at_any_byte_is_told_or_still_whole(tmp_path: Path) -> None:
    whole = _finished_store(tmp_path)
    expected = integers(read_results(tmp_path))
    rng = random.Random(2)
    pages = range(0, len(whole), 4096)
    cuts = {0, 1, 15, 16, 99, 100, len(whole) - 1, *pages, *(rng.randrange(len(whole)) for _ in range(60))}
    told = 0
    for cut in sorted(cuts):
        (tmp_path / NAME).write_bytes(whole[:cut])
        for call in (lambda: read_results(tmp_path), lambda: Study(["greedy", "random"], deals=2000).run(tmp_path)):
            told += _is_told(call, expected)
            assert (tmp_path / NAME).read_bytes() == whole[:cut], "nothing was changed"
    assert told > len(cuts)


def test_a_store_with_bytes_changed_is_told_or_still_whole(tmp_path: Path) -> None:
    whole = _finished_store(tmp_path)
    expected = integers(read_results(tmp_path))
    rng = random.Random(3)
    told = 0
    for _ in range(80):
        damaged = bytearray(whole)
        at = rng.randrange(len(whole))
        damaged[at : at + 8] = rng.randbytes(8)
        (tmp_path / NAME).write_bytes(damaged)
        told += _is_told(lambda: read_results(tmp_path), expected)
    assert told > 20


def _is_told(call: Any, expected: Any) -> bool:
    try:
        results: Results = call()
    except InputError as error:
        assert NAME in str(error) or "engine" in str(error) or "study" in str(error)  # noqa: PT017
        return True
    assert integers(results) == expected
    return False


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE about SET value = '[1]' WHERE key = 'study'",
        "UPDATE about SET value = replace(value, 'seed = 1', 'seed = 2') WHERE key = 'toml'",
        "UPDATE about SET value = 'many' WHERE key = 'deals'",
        "UPDATE blocks SET seconds = 'x'",
        "UPDATE blocks SET deals = deals + 1",
        "UPDATE blocks SET tally = (SELECT tally FROM blocks WHERE first > 0 LIMIT 1) WHERE first = 0",
        "ALTER TABLE blocks DROP COLUMN seconds",
    ],
)
def test_a_store_that_was_meddled_with_is_told(tmp_path: Path, change: str) -> None:
    study = Study(["greedy", "random"], deals=2000)
    study.run(tmp_path)
    connection = sqlite3.connect(tmp_path / NAME)
    with connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(InputError, match=r"is damaged or no file of a run|cannot read or write"):
        study.run(tmp_path) if "'study'" in change else read_results(tmp_path)


def test_a_store_that_is_removed_while_it_is_written_is_told(tmp_path: Path) -> None:
    def remove(deals: int, *_: Any) -> None:
        (tmp_path / NAME).unlink(missing_ok=True)

    with pytest.raises(InputError, match=r"was removed or replaced while the run wrote to it"):
        Study(["greedy", "random"], deals=5000).run(tmp_path, progress=remove)


def test_hands_of_different_numbers_of_players_are_one_table(tmp_path: Path) -> None:
    rules = {"grid": {"players": [2, 3]}}
    Study(["greedy", "random"], rules=rules, deals=50, collect={"hands": True}).run(tmp_path)
    rows = pd.read_parquet(tmp_path / "hands")
    assert len(rows) == 50 * (2 + 6)
    assert rows["points_2"].notna().sum() == 50 * 6
    assert rows["agent_3"].isna().all()


@pytest.mark.parametrize("content", [b"", b"no SQLite at all", b"SQLite format 3\0" + b"\0" * 84])
def test_a_file_that_is_no_store_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(InputError, match="is damaged or no file of a run; nothing was changed"):
        Study(["greedy", "random"], deals=100).run(tmp_path)
    assert (tmp_path / NAME).read_bytes() == content


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="holds no run; valid: a folder that"):
            read_results(folder)


FULL = """
import resource, signal, sys
from allfives_sim import Study, InputError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    Study(["greedy", "random", "risk"], deals=300_000, seed=3).run(sys.argv[1])
except InputError as error:
    print(error)
"""


def test_a_full_disk_is_told_and_what_was_finished_is_kept(tmp_path: Path) -> None:
    assert resource.RLIMIT_FSIZE is not None
    sizes = {}
    for size in (3000, 30_000, 90_000):
        folder = tmp_path / str(size)
        done = subprocess.run([sys.executable, "-c", FULL, folder, str(size)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("cannot "), done.stdout
        assert str(folder) in done.stdout
        if (folder / NAME).exists():
            sizes[size] = sum(figures["deals"] for figures in read_results(folder).figures)
    assert sizes[90_000] > sizes.get(30_000, 0) >= 0
    finished = Study(["greedy", "random", "risk"], deals=20_000, seed=3)
    assert integers(finished.run(tmp_path / "fresh")) == integers(finished.run())


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_hands_that_went_missing_are_told(tmp_path: Path, damage: Any) -> None:
    study = Study(["greedy", "random"], deals=500, collect={"hands": True})
    results = study.run(tmp_path)
    damage(next((tmp_path / "hands").iterdir()))
    with pytest.raises(InputError, match=r"is missing or damaged, which holds hands of this run"):
        study.run(tmp_path)
    assert integers(read_results(tmp_path)) == integers(results), "the figures do not need them"
    with pytest.raises(InputError, match=r"collect.hands writes files"):
        study.run()


def test_finished_blocks_are_told_with_an_estimate_while_it_runs() -> None:
    told: list[tuple[int, str, Any]] = []
    Study(["greedy", "random"], deals=5000).run(progress=lambda *what: told.append(what))
    assert sum(deals for deals, _, _ in told) == 5000
    assert {cell for _, cell, _ in told} == {"greedy over random"}
    last = told[-1][2]
    assert last.low < last.value < last.high
