"""Where blocks are played: threads of this process, processes, a Dask cluster, or any executor."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from allfives_sim.core.errors import InputError, shown

MOST_WORKERS = 1024
DASK_SECONDS = 10  # how long a scheduler may take to answer
VALID = "valid: threads, threads:N, processes:N, dask, dask:ADDRESS"


class Place:
    """An executor, and how to get another one when it breaks.

    Attributes
    ----------
    name : str
    workers : int
        How many blocks it plays at a time.
    executor : Executor
    """

    def __init__(self, name: str, workers: int) -> None:
        self.name = name
        self.workers = workers
        self.executor = self._open()

    def _open(self) -> Executor:
        raise NotImplementedError

    hint = ""  # what may help where workers are lost again and again

    def is_loss(self, error: BaseException) -> bool:
        """Whether an error means that a worker was lost, not that a block cannot be played."""
        return isinstance(error, BrokenExecutor | CancelledError)

    def repair(self) -> None:
        """After a loss: make sure that there are workers again."""

    def close(self) -> None:
        """Let go of the workers, without waiting for them."""
        self.executor.shutdown(wait=False, cancel_futures=True)


class Threads(Place):
    """Threads of this process; compiled code runs on them side by side."""

    def _open(self) -> Executor:
        return ThreadPoolExecutor(self.workers)


class Processes(Place):
    """Processes on this machine."""

    def _open(self) -> Executor:
        # Not forked: threads of this process, such as those of a progress bar, would not be there.
        pool = ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("spawn"))
        if threading.current_thread() is not threading.main_thread():
            return pool
        # Ctrl-C reaches all processes of a terminal: those that are begun while it is ignored go on ignoring it.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            for _ in range(self.workers):
                pool.submit(int)
        finally:
            signal.signal(signal.SIGINT, before)
        return pool

    hint = "; a script that plays on processes needs: if __name__ == '__main__'"

    def repair(self) -> None:
        """A pool that lost a process is of no more use."""
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.executor = self._open()


class Given(Place):
    """An executor of the caller's, which stays open."""

    def __init__(self, executor: Executor) -> None:
        self._given = executor
        super().__init__(type(executor).__name__, getattr(executor, "_max_workers", None) or available_threads())

    def _open(self) -> Executor:
        return self._given

    def close(self) -> None:
        """It is not ours to close."""


class Dask(Place):
    """A Dask cluster: one that runs at an address, or one of this machine's processors."""

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError as error:
            raise InputError(
                "to play on dask, install its package distributed: pip install 'allfives-sim[dask]'"
            ) from error
        self._distributed: Any = distributed
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # a lost worker is told of here, if need be
        self._cluster: Any = None
        # Made in two steps, so that one that fails half-way can be closed. Left to the garbage collector it closes
        # itself in the middle of anything, even of the start of the next client, whose lock it then waits for.
        self._client: Any = distributed.Client.__new__(distributed.Client)
        try:
            if not address:
                self._cluster = distributed.LocalCluster(
                    n_workers=available_threads(), threads_per_worker=1, dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )  # fmt: skip
            self._client.__init__(address or self._cluster, timeout=DASK_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            self._leave()
            raise InputError(
                f"no Dask scheduler answers at {shown(repr(address))}; valid: an address such as tcp://127.0.0.1:8786"
            ) from error
        try:
            self._client.wait_for_workers(1, timeout=DASK_SECONDS)
        except TimeoutError as error:
            self._leave()
            raise InputError(f"the Dask scheduler at {address} has no workers; start some, and try again") from error
        super().__init__("dask", sum(self._client.nthreads().values()))

    def _open(self) -> Executor:
        return self._client.get_executor(pure=False)

    def is_loss(self, error: BaseException) -> bool:
        """Dask plays a lost worker's blocks again by itself; it gives up on those that it suspects of the loss."""
        lost = (self._distributed.scheduler.KilledWorker, self._distributed.comm.CommClosedError)
        return super().is_loss(error) or isinstance(error, lost) or type(error).__name__ == "FutureCancelledError"

    def close(self) -> None:
        """Leave the cluster, without waiting for what is played there."""
        with suppress(Exception):
            self.executor.shutdown(wait=False)
        self._leave()

    def _leave(self) -> None:
        """Close the client; a cluster of our own ends."""
        with suppress(Exception):
            self._client.close(timeout=5)
        if self._cluster is not None:
            self._cluster.close(timeout=5)


def open_place(on: str | Executor) -> Place:
    """A place to play.

    Parameters
    ----------
    on : str or Executor
        ``"threads"``, as many as the process has processors, or ``"threads:N"``; ``"processes:N"``; ``"dask"``, a
        cluster of this machine's processors, or ``"dask:ADDRESS"``; or an executor, which stays open.

    Raises
    ------
    InputError
        It is none of these, or cannot be reached.
    """
    if isinstance(on, Executor):
        return Given(on)
    kind, colon, rest = str(on).partition(":")
    if kind == "dask" and bool(colon) == bool(rest):
        return Dask(rest)
    if kind not in ("threads", "processes") or bool(colon) != bool(rest):
        raise InputError(f"cannot play on {shown(repr(on))}; {VALID}")
    workers = int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 9 else 0 if rest else available_threads()
    if not 1 <= workers <= MOST_WORKERS:
        raise InputError(f"{kind} cannot be {shown(rest)}; valid: a whole number from 1 to {MOST_WORKERS}")
    return Threads(on, workers) if kind == "threads" else Processes(on, workers)


def available_threads() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
