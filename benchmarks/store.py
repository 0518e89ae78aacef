"""What a run costs over the bare kernel: hands a second through the store on all processors, as a ratio.

    python benchmarks/store.py

Both play the same deals in turn, with everything counted, and the ratio is the median of those round by round.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from allfives_sim import Rules, Study, find_agent
from allfives_sim.lab.pairing import seat_pair
from allfives_sim.lab.places import available_threads
from allfives_sim.lab.task import Task, play

DEALS, ROUNDS = 3_000_000, 5
PAIRS = (("greedy", "random"), ("random", "heaviest"))


def bare(pair: tuple[str, str], threads: int) -> float:
    """Seconds of the kernel alone: each thread plays its share in one block."""
    agents, share = [find_agent(spec) for spec in pair], DEALS // threads
    tasks = [
        Task(pair, (), Rules(), seat_pair(2), 1, first * share, share, games=False, detail=True, hands=False)
        for first in range(threads)
    ]
    with ThreadPoolExecutor(threads) as pool:
        start = time.perf_counter()
        list(pool.map(lambda task: play(agents, task), tasks))
        return time.perf_counter() - start


def through_the_store(pair: tuple[str, str]) -> float:
    """Seconds of a whole run in a folder: from an empty one to the finished results."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        Study(pair, deals=DEALS).run(folder)
        return time.perf_counter() - start


def main() -> None:
    """Print a line for each pair."""
    threads = available_threads()
    for pair in PAIRS:
        through_the_store(pair)  # compiles, if need be
        ratios = []
        for _ in range(ROUNDS):
            kernel, run = bare(pair, threads), through_the_store(pair)
            ratios.append(kernel / run)
        print(f"{' over '.join(pair)}, {threads} threads: {statistics.median(ratios):.3f} of the bare kernel's speed")


if __name__ == "__main__":
    main()
