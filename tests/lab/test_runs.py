"""Runs: kept in a folder, gone on with, the same integers wherever they are played, and what is told when not."""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest

from allfives_sim import InputError, Results, Study, read_results, read_study
from allfives_sim.lab import runner, store
from allfives_sim.lab.places import open_place
from allfives_sim.lab.store import NAME, read_run

from .helpers import integers, start_run

STUDY = Study(
    ["greedy", "random", "heaviest"], rules=["article", {"preset": "miami", "players": 3}], deals=3000, seed=4
)
OTHERS = {
    "pairs": STUDY,
    "tables": Study(design="tables", tables=[["greedy", "random", "risk"]], rules={"players": 3}, deals=2000),
    "games": Study(["greedy", "random"], games=True, deals=400),
    "stopped": Study(["greedy", "defensive", "random"], stop={"margin": 0.8}, deals=20_000),
    "tested": Study(["greedy", "defensive", "random"], stop={"better_by": 0.5}, deals=20_000),
    "slow": Study(["montecarlo:samples=4", "greedy"], deals=150),
}


@pytest.fixture(scope="module")
def expected() -> dict[str, list[tuple[int, bytes]]]:
    return {name: integers(study.run(on="threads:1")) for name, study in OTHERS.items()}


@pytest.fixture(scope="module")
def dask() -> Any:
    with pytest.MonkeyPatch.context():
        place = open_place("dask")
        yield place
        place.close()


# --- the same integers everywhere ---


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("on", ["threads:2", "threads:3"])
def test_any_number_of_threads_counts_the_same(name: str, on: str, expected: Any) -> None:
    assert integers(OTHERS[name].run(on=on)) == expected[name]


def test_processes_and_an_executor_of_the_callers_count_the_same(expected: Any) -> None:
    with ProcessPoolExecutor(2) as executor:
        for name in ("pairs", "stopped"):
            assert integers(OTHERS[name].run(on=executor)) == expected[name]
    assert integers(OTHERS["games"].run(on="processes:2")) == expected["games"]


def test_dask_counts_the_same(expected: Any, dask: Any) -> None:
    for name in OTHERS:
        assert integers(OTHERS[name].run(on=dask.executor)) == expected[name]


@pytest.mark.parametrize("name", ["pairs", "stopped", "games"])
def test_block_sizes_and_restarts_do_not_change_a_figure(
    name: str, expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(3)
    for _ in range(5):  # played piece by piece: each time some blocks are finished, then it ends
        monkeypatch.setattr(runner, "FIRST_BLOCK", rng.choice([1, 7, 50, 400]))
        monkeypatch.setattr(runner, "SHORTEST", rng.choice([1e-9, 0.001, 0.2]))
        left = rng.randrange(1, 12)

        class Interrupting(ThreadPoolExecutor):
            def submit(self, *arguments: Any, **options: Any) -> Future[Any]:
                nonlocal left
                left -= 1
                if left < 0:
                    raise KeyboardInterrupt
                return super().submit(*arguments, **options)

        with Interrupting(2) as executor, suppress(KeyboardInterrupt):
            OTHERS[name].run(tmp_path, on=executor)
            assert left >= 0
    monkeypatch.undo()
    assert integers(OTHERS[name].run(tmp_path)) == expected[name]
    again = read_results(tmp_path)
    assert not again.partial
    assert integers(again) == expected[name]


def test_deals_can_be_added_to_a_finished_run(tmp_path: Path) -> None:
    Study(["greedy", "random"], deals=500).run(tmp_path)
    more = read_run(tmp_path, deals=1500)
    assert integers(more.run(tmp_path)) == integers(Study(["greedy", "random"], deals=1500).run())
    assert read_results(tmp_path).figures[0]["deals"] == 1500
    with pytest.raises(InputError, match="has 1,500 deals already; nothing was changed; valid: deals of 1,500 or more"):
        Study(["greedy", "random"], deals=1000).run(tmp_path)
    assert not read_results(tmp_path).partial


def test_a_stopped_study_with_more_deals_is_that_which_had_them_from_the_start(tmp_path: Path) -> None:
    stop = {"margin": 0.5}
    first = Study(["greedy", "defensive"], stop=stop, deals=900).run(tmp_path)
    assert first.cells[0].outcome == ""
    more = Study(["greedy", "defensive"], stop=stop, deals=50_000)
    assert integers(more.run(tmp_path)) == integers(more.run())
    found = read_results(tmp_path)
    assert found.cells[0].outcome == "known"
    assert 900 < found.figures[0]["deals"] < 50_000


def test_a_run_knows_its_study_and_code_without_any_file_but_its_store(tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text(
        "from allfives_sim.agents import agent, first_move\n\n"
        "@agent\ndef stored_one(view, word):\n    return first_move(view)\n",
        encoding="utf-8",
    )
    study = Study(["stored_one", "random"], code=[code], deals=200)
    results = study.run(tmp_path / "run")
    assert read_study(tmp_path / "run" / "study.toml").hash() == study.hash()
    (tmp_path / "run" / "study.toml").unlink()
    code.unlink()
    for path in (tmp_path / "run" / "code").iterdir():
        path.unlink()
    assert integers(read_results(tmp_path / "run")) == integers(results)
    assert read_run(tmp_path / "run").hash() == study.hash()


def test_an_agent_from_a_file_plays_in_other_processes(tmp_path: Path) -> None:
    code = tmp_path / "other.py"
    code.write_text(
        "from allfives_sim.agents import agent, first_move\n\n"
        "@agent\ndef travelling_one(view, word):\n    return first_move(view)\n",
        encoding="utf-8",
    )
    study = Study(["travelling_one", "random"], code=[code], deals=300)
    assert integers(study.run(on="processes:1")) == integers(study.run())


# --- killed ---


def test_a_run_that_is_killed_twenty_times_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        'agents = ["greedy", "random", "defensive"]\ndeals = 250000\nseed = 9\ncollect = {hands = true}\n',
        encoding="utf-8",
    )
    rng = random.Random(1)
    kills = progressed = 0
    while kills < 20:
        process = start_run(["study.toml", "--out", "run"], tmp_path)
        time.sleep(rng.uniform(0.0, 1.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        progressed += (tmp_path / "run" / NAME).exists()
        assert kills or process.returncode == 0, "it must not fail"
    assert progressed > 5
    results = read_study(tmp_path / "study.toml").run(tmp_path / "run")
    undisturbed = Study(["greedy", "random", "defensive"], deals=250_000, seed=9, collect={"hands": True})
    assert integers(results) == integers(undisturbed.run(tmp_path / "other"))
    rows = pd.read_parquet(tmp_path / "run" / "hands", columns=["cell", "deal", "rotation"])
    assert len(rows) == len(rows.drop_duplicates()) == 3 * 500_000


def test_blocks_of_a_killed_process_are_played_again(tmp_path: Path, expected: Any) -> None:
    (tmp_path / "study.toml").write_text(
        'agents = ["greedy", "montecarlo:samples=16"]\ndeals = 800\nseed = 9\n', encoding="utf-8"
    )
    process = start_run(["study.toml", "--out", "run", "--on", "processes:2", "--json"], tmp_path)
    killed = 0
    deadline = time.monotonic() + 60
    while killed < 2 and process.poll() is None and time.monotonic() < deadline:
        children = _children(process.pid)
        if len(children) >= 2 and (tmp_path / "run" / NAME).exists() and _blocks(tmp_path / "run") > killed:
            os.kill(children[-1], signal.SIGKILL)
            killed += 1
            time.sleep(0.3)
        time.sleep(0.02)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, killed) == (0, 2), err
    study = Study(["greedy", "montecarlo:samples=16"], deals=800, seed=9)
    assert integers(read_results(tmp_path / "run")) == integers(study.run())


def _children(parent: int) -> list[int]:
    """Processes of a parent that play (not the one that tracks resources)."""
    children = psutil.Process(parent).children()
    return [child.pid for child in children if "resource_tracker" not in " ".join(child.cmdline())]


def _blocks(folder: Path) -> int:
    connection = sqlite3.connect(f"file:{folder / NAME}?mode=ro", uri=True)
    try:
        return int(connection.execute("SELECT count(*) FROM blocks").fetchone()[0])
    except sqlite3.Error:
        return 0
    finally:
        connection.close()


def test_blocks_of_a_killed_dask_worker_are_played_again(tmp_path: Path, dask: Any) -> None:
    study = Study(["greedy", "montecarlo:samples=16"], deals=800, seed=9)
    pids = list(dask._client.run(os.getpid).values())
    killed = []

    def kill_one(deals: int, *_: Any) -> None:
        if not killed:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    results = study.run(tmp_path, on=dask.executor, progress=kill_one)
    assert killed
    assert integers(results) == integers(study.run())


class Broken(Executor):
    """Fails to play every block."""

    def submit(self, *_arguments: Any, **_options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(BrokenPipeError("gone"))
        return future


def test_a_place_that_cannot_play_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"deals \d+ to \d+ of greedy over random cannot be played on Broken"):
        Study(["greedy", "random"], deals=500).run(tmp_path, on=Broken())
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(InputError, match=r"was lost 5 times \(RuntimeError\); what was finished is kept"):
        Study(["greedy", "random"], deals=500).run(tmp_path, on=pool)


@pytest.mark.parametrize(
    ("on", "words"),
    [
        ("thread", "valid: threads"),
        ("threads:", "valid: threads"),
        ("threads:0", "from 1 to 1024"),
        ("threads:two", "from 1 to 1024"),
        ("processes:99999", "from 1 to 1024"),
        ("dask:", "valid: threads"),
        ("dask:nowhere", "no Dask scheduler answers"),
        ("dask:tcp://127.0.0.1:1", "no Dask scheduler answers"),
        ("", "valid: threads"),
    ],
)
def test_a_place_that_does_not_exist_is_refused(on: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allfives_sim.lab.places.DASK_SECONDS", 1)
    with pytest.raises(InputError, match=words):
        open_place(on)


# --- folders ---


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
