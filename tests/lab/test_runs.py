"""Runs: kept in a folder, gone on with, the same integers wherever they are played, and what is told when not."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest

from allfives_sim import InputError, Study, read_results, read_study
from allfives_sim.lab import runner
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


def test_a_dask_client_that_reaches_no_scheduler_is_closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # Left to the garbage collector it closes itself wherever Python is, and can lock the start of the next client.
    distributed = pytest.importorskip("distributed")
    made: list[Any] = []

    class Noted(distributed.Client):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            made.append(self)
            super().__init__(*arguments, **options)

    monkeypatch.setattr(distributed, "Client", Noted)
    monkeypatch.setattr("allfives_sim.lab.places.DASK_SECONDS", 1)
    with pytest.raises(InputError, match="no Dask scheduler answers"):
        open_place("dask:nowhere")
    assert [client.status for client in made] == ["closed"]
