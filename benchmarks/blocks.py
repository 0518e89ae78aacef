"""What a block costs besides its deals, by where it is played: milliseconds, and bytes that travel.

    python benchmarks/blocks.py

Blocks of one deal are played on one worker, so that nothing but the cost of a block is left.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from unittest import mock

from allfives_sim import Rules, Study
from allfives_sim.lab import runner
from allfives_sim.lab.pairing import seat_pair
from allfives_sim.lab.task import Task, play_task

BLOCKS = 1000
PLACES = ("threads:1", "processes:1", "dask")


def milliseconds(on: str) -> float:
    """For each block of a run in a folder, its committing included; starting the workers left out."""
    times = {}
    for blocks in (BLOCKS, 3 * BLOCKS):
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            Study(["greedy", "random"], deals=blocks).run(folder, on=on)
            times[blocks] = time.perf_counter() - start
    return 1000 * (times[3 * BLOCKS] - times[BLOCKS]) / (2 * BLOCKS)


def main() -> None:
    """Print a line for each place, and what travels."""
    with mock.patch.multiple(runner, FIRST_BLOCK=1, LARGEST_BLOCK=1):
        for on in PLACES:
            print(f"{on}: {milliseconds(on):.2f} ms a block", flush=True)
    task = Task(("greedy", "random"), (), Rules(), seat_pair(2), 1, 0, 200_000, games=False, detail=True, hands=False)
    there, back = len(pickle.dumps(task)), len(pickle.dumps(play_task(task)))
    print(f"{there:,} bytes to the worker, {back:,} bytes back for a block of {task.deals:,} deals")


if __name__ == "__main__":
    main()
