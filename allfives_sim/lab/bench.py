"""Speed, as a ratio to a plain C engine that runs in turn with ours: machines are noisy, ratios hold."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from allfives_sim.agents import find_agent
from allfives_sim.core.rules import Rules
from allfives_sim.lab import tally
from allfives_sim.lab.pairing import seat_pair
from allfives_sim.lab.places import available_threads
from allfives_sim.lab.runner import compare
from allfives_sim.lab.task import Task, play

SETTINGS = ((2, 9), (2, 7), (4, 5))  # players and tiles each
AGENTS = ("random", "greedy")  # 0 and 1 for the reference
ROUNDS = 7
HANDS = 400_000  # a round
REFERENCE = Path(__file__).with_name("reference.c")


def bench(rounds: int = ROUNDS) -> Iterator[dict[str, Any]]:
    """Time one hand after another on one thread, ours and the C reference's in turn.

    Parameters
    ----------
    rounds : int
        How often each is run; the figures are medians over the rounds.

    Yields
    ------
    dict
        players, hand_size, agent, hands_per_second; and reference_hands_per_second and ratio, the median of the ratios
        round by round, which are None where there is no C compiler.  The last one has threads and speedup: the same
        comparison on all of the machine's processors, over one.
    """
    with tempfile.TemporaryDirectory() as folder:
        reference = _build_reference(Path(folder))
        for players, hand_size in SETTINGS:
            for number, agent in enumerate(AGENTS):
                ours, theirs = [], []
                _our_speed(players, hand_size, agent, 1000)
                for _ in range(rounds):
                    ours.append(_our_speed(players, hand_size, agent, HANDS))
                    if reference:
                        theirs.append(_reference_speed(reference, players, hand_size, number, HANDS))
                yield {
                    "players": players,
                    "hand_size": hand_size,
                    "agent": agent,
                    "hands_per_second": statistics.median(ours),
                    "reference_hands_per_second": statistics.median(theirs) if theirs else None,
                    "ratio": statistics.median(a / b for a, b in zip(ours, theirs, strict=True)) if theirs else None,
                }
    yield _threads(rounds)


def _threads(rounds: int) -> dict[str, Any]:
    threads = available_threads()
    ratios = []
    for _ in range(rounds):
        one, many = (_seconds(n) for n in (1, threads))
        ratios.append(one / many)
    return {"threads": threads, "speedup": statistics.median(ratios)}


def _seconds(threads: int) -> float:
    start = time.perf_counter()
    compare(["greedy", "random"], deals=600_000, threads=threads)
    return time.perf_counter() - start


def _our_speed(players: int, hand_size: int, agent: str, hands: int) -> float:
    """Of the engine and what a comparison counts, without detail."""
    rules, seating, who = Rules(players=players, hand_size=hand_size), seat_pair(players), find_agent(agent)
    deals = hands // len(seating.seatings)
    task = Task((agent, agent), (), rules, seating, 1, 0, deals, games=False, detail=False, hands=False)
    start = time.perf_counter()
    counted, _ = play([who, who], task)
    return int(counted.sums[tally.HANDS]) / (time.perf_counter() - start)


def _reference_speed(program: Path, players: int, hand_size: int, agent: int, hands: int) -> float:
    start = time.perf_counter()
    subprocess.run([program, str(players), str(hand_size), str(agent), str(hands)], check=True, capture_output=True)
    return hands / (time.perf_counter() - start)


def _build_reference(folder: Path) -> Path | None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    program = folder / "reference"
    built = subprocess.run(
        [compiler, "-O3", "-march=native", "-o", program, REFERENCE, "-lm"], capture_output=True, check=False
    )
    return program if built.returncode == 0 else None
