"""Running a study: its missing blocks are played, committed as they finish, and merged."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from allfives_sim.agents import Agent, find_agent
from allfives_sim.core.errors import InputError
from allfives_sim.core.rules import Rules
from allfives_sim.lab.estimates import margin_of
from allfives_sim.lab.hands import HandsFolder
from allfives_sim.lab.interrupt import CtrlC
from allfives_sim.lab.places import Place, Threads, open_place
from allfives_sim.lab.results import CellResult, Results
from allfives_sim.lab.stats import Estimate
from allfives_sim.lab.stopping import looks
from allfives_sim.lab.store import Block, Store
from allfives_sim.lab.study import Cell, Study
from allfives_sim.lab.study_file import write_study
from allfives_sim.lab.tally import merge, new_tally, pack, unpack
from allfives_sim.lab.task import HANDS_A_GAME, Played, Task, kernel_of, play_task

# How long a block should take: at first for a bar that moves, later for little to keep; seconds.
SHORTEST, LONGEST, GROWTH = 0.2, 10.0, 0.02
LAST_BLOCKS_SECONDS = 10.0  # how long Ctrl-C waits for the blocks under way
FIRST_BLOCK, LARGEST_BLOCK = 50, 1_000_000  # deals
MOST_ROWS = 200_000  # of hands that are written down, in a block
MOST_LOSSES = 5  # of the worker of one block


class Progress(Protocol):
    """What a run tells while it plays."""

    def __call__(self, deals: int, /, cell: str = "", margin: Estimate | None = None) -> Any:
        """`deals` more are finished, or need not be played; what is known of a cell then."""


@dataclass
class _State:
    """How far a cell has come: its deals are played leg by leg, from one look of its stopping rule to the next.

    Attributes
    ----------
    legs : iterator of int
        Where the next ones end.
    stored : list of Block
        Finished before, in legs that are still to come.
    missing : list of (first, deals)
        What is still to be given out in this leg, which ends at `end`.
    """

    cell: Cell
    legs: Iterator[int]
    stored: list[Block]
    missing: list[tuple[int, int]] = field(default_factory=list)
    end: int = 0
    under_way: int = 0
    tally: Any = field(default_factory=new_tally)
    size: int = FIRST_BLOCK
    seconds: float = 0.0
    outcome: str = ""

    def take(self, most: int, workers: int) -> tuple[int, int]:
        """A block of the missing deals; smaller towards the end, so that the workers finish together."""
        first, deals = self.missing.pop(0)
        left = deals + sum(more for _, more in self.missing)
        block = min(self.size, most, max(left // (2 * workers), self.size // 16, FIRST_BLOCK), deals)
        if block < deals:
            self.missing.insert(0, (first + block, deals - block))
        return first, block

    def add(self, tally: Any, seconds: float) -> None:
        """Count a finished block."""
        merge(self.tally, tally)
        self.seconds += seconds

    def enter_leg(self, end: int) -> int:
        """Go on to the next leg, with what is stored of it; how many deals that were."""
        at, self.end, found = self.end, end, 0
        while self.stored and self.stored[0].first < end:
            block = self.stored.pop(0)
            if block.first > at:
                self.missing.append((at, block.first - at))
            self.add(unpack(block.tally), block.seconds)
            at, found = block.first + block.deals, found + block.deals
        if at < end:
            self.missing.append((at, end - at))
        return found


def run(study: Study, folder: str | Path | None = None, *, on: str | Executor, progress: Progress | None) -> Results:
    """Play what is missing of a study: see `Study.run`."""
    place = open_place(on)
    try:
        with Store.in_memory(study) if folder is None else Store.of_run(Path(folder), study) as store:
            if folder is not None:
                write_study(study, Path(folder))
            return _Run(study, store, progress or _tell_nobody).play(place)
    finally:
        place.close()


def read_results(folder: str | Path) -> Results:
    """What is finished of a run, without playing on.

    Raises
    ------
    InputError
        The folder holds no run, or one that is damaged or in use by another process.
    """
    with Store.of_folder(Path(folder)) as store:
        return _Run(store.study(), store, _tell_nobody).gather()


def compare(
    agents: Sequence[str | Agent],
    rules: Rules | None = None,
    *,
    deals: int = 100_000,
    seed: int = 1,
    threads: int | None = None,
    games: bool = False,
    cheats: bool = False,
    progress: Progress | None = None,
) -> Results:
    """Play every pair of agents against each other on the same paired deals: a `Study` in one call, kept in memory.

    Parameters
    ----------
    agents : sequence of str or Agent
    rules : Rules, optional
        Article rules where not given.
    deals, seed, games, cheats
        See `Study`.
    threads : int, optional
        As many as the process may use, where not given.
    progress : callable, optional
        See `Progress`.

    Returns
    -------
    Results
        On Ctrl-C, of what was finished until then: `Results.partial` is then true.

    Raises
    ------
    InputError
        An agent, or a number, that is not valid; `AgentError` where an agent answers with what is no choice.
    """
    study = Study(agents, rules or Rules(), deals=deals, seed=seed, games=games, cheats=cheats)
    return study.run(on="threads" if threads is None else f"threads:{threads}", progress=progress)


def _tell_nobody(deals: int, cell: str = "", margin: Estimate | None = None) -> None:
    pass


class _Run:
    """A run under way."""

    def __init__(self, study: Study, store: Store, progress: Progress) -> None:
        self.study, self.store, self.progress = study, store, progress
        self.code = study.code_texts
        self.hands: HandsFolder | None = None
        self.waiting = study.cells()  # not yet begun
        self.states: list[_State] = []  # begun and not finished
        self.finished: list[CellResult] = []
        self.running: dict[Future[Played], tuple[_State, int, int]] = {}
        self.broken = False  # whether a worker was lost: what is under way ends first, then there are new ones
        self.losses: dict[tuple[int, int], int] = {}
        self.start = time.perf_counter()

    def play(self, place: Place) -> Results:
        """Play until all is finished, or Ctrl-C."""
        self.place = place
        if self.study.collect.hands:
            self.hands = HandsFolder(self.store.folder)
        if isinstance(self.place, Threads):
            self._prepare()
        with CtrlC() as ctrl_c, self._cancelling():
            while not ctrl_c.pressed and self._fill():
                self._collect()
            while self.running and ctrl_c.seconds_ago() <= LAST_BLOCKS_SECONDS:
                self.running = {future: block for future, block in self.running.items() if not future.cancel()}
                self._collect()
        return self._results()

    @contextmanager
    def _cancelling(self) -> Iterator[None]:
        """Where playing fails, take back what was given out: an executor of the caller's goes on to live."""
        try:
            yield
        except BaseException:
            for future in self.running:
                future.cancel()
            raise

    def gather(self) -> Results:
        """What was finished before, without playing on."""
        while self.waiting:
            self._begin(self.waiting.pop(0))
        return self._results()

    def _results(self) -> Results:
        unfinished = bool(self.states or self.waiting)
        cells = [*self.finished, *(_result(state, partial=True) for state in self.states if state.tally.deals)]
        return Results(self.study, sorted(cells, key=lambda one: one.cell.number), unfinished, self.store.folder)

    def _prepare(self) -> None:
        """Compile what will be called here, so that it does not count as a block's time."""
        for cell in self.waiting:
            kernel_of(len(cell.agents)).prepare()
            for spec in cell.agents:
                find_agent(spec).policy.prepare()
        self.start = time.perf_counter()

    def _fill(self) -> bool:
        """Give out blocks until every worker has two; whether anything is under way."""
        study = self.study
        if self.broken and not self.running:
            self.place.repair()
            self.broken = False
        while not self.broken and len(self.running) < 2 * self.place.workers and (state := self._state_with_work()):
            first, deals = state.take(self._largest_block(state), self.place.workers)
            task = Task(
                state.cell.agents, self.code, state.cell.rules, state.cell.seating, study.seed, first, deals,
                study.games, study.collect.detail, study.collect.hands,
            )  # fmt: skip
            state.under_way += 1
            try:
                self.running[self.place.executor.submit(play_task, task)] = (state, first, deals)
            except RuntimeError as error:  # an executor that has just broken
                self._lose(state, first, deals, error)
        return self.broken or bool(self.running)

    def _largest_block(self, state: _State) -> int:
        """Written down, hands must fit into memory."""
        hands = len(state.cell.seating.seatings) * (HANDS_A_GAME if self.study.games else 1)
        return LARGEST_BLOCK if self.hands is None else MOST_ROWS // hands

    def _state_with_work(self) -> _State | None:
        while True:
            for state in self.states:
                if state.missing:
                    return state
            if not self.waiting:
                return None
            self._begin(self.waiting.pop(0))

    def _begin(self, cell: Cell) -> None:
        """Take up a cell, with the blocks of it that were finished before."""
        blocks = self.store.blocks(cell.number)
        if self.hands is not None:
            self.hands.check(cell, blocks)
        state = _State(cell, looks(self.study.deals) if self.study.stop else iter([self.study.deals]), blocks)
        self.states.append(state)
        self._go_on(state)

    def _go_on(self, state: _State) -> None:
        """Where a leg is complete, look; and enter the next one, or finish the cell."""
        while not state.missing and not state.under_way:
            if state.end and self.study.stop:
                state.outcome = self.study.stop.decide(margin_of(state.cell, state.tally), state.end)
            if state.outcome or state.end == self.study.deals:
                self.states.remove(state)
                self.finished.append(_result(state, partial=False))
                self._tell(state, self.study.deals - state.end)
                return
            self._tell(state, state.enter_leg(next(state.legs)))

    def _tell(self, state: _State, deals: int) -> None:
        if deals:
            self.progress(deals, state.cell.name, margin_of(state.cell, state.tally))

    def _collect(self) -> None:
        """Wait for blocks to finish; commit and count them."""
        for future in wait(self.running, timeout=SHORTEST, return_when=FIRST_COMPLETED).done:
            state, first, deals = self.running.pop(future)
            try:
                played = future.result()
            except InputError:
                raise
            except BaseException as error:
                if not self.place.is_loss(error):
                    raise InputError(
                        f"deals {first} to {first + deals - 1} of {state.cell.name} cannot be played on "
                        f"{self.place.name}: {type(error).__name__}: {error}"
                    ) from error
                self._lose(state, first, deals, error)
                continue
            if self.hands is not None:
                self.hands.write(state.cell, first, played.hands)
            self.store.add(Block(state.cell.number, first, deals, played.seconds, played.tally))
            state.add(unpack(played.tally), played.seconds)
            state.under_way -= 1
            wanted = min(SHORTEST + GROWTH * (time.perf_counter() - self.start), LONGEST)
            state.size = int(min(max(deals * wanted / max(played.seconds, 1e-6), 1), 4 * deals, LARGEST_BLOCK))
            self._tell(state, deals)
            self._go_on(state)

    def _lose(self, state: _State, first: int, deals: int, error: BaseException) -> None:
        """A block's worker is gone: the block is to be played again."""
        losses = self.losses[state.cell.number, first] = self.losses.get((state.cell.number, first), 0) + 1
        if losses == MOST_LOSSES:
            raise InputError(
                f"the worker of deals {first} to {first + deals - 1} of {state.cell.name} on {self.place.name} was "
                f"lost {losses} times ({type(error).__name__}); what was finished is kept{self.place.hint}"
            ) from error
        state.missing.append((first, deals))
        state.under_way -= 1
        self.broken = True


def _result(state: _State, *, partial: bool) -> CellResult:
    return CellResult(state.cell, pack(state.tally), state.seconds, state.outcome, partial)
