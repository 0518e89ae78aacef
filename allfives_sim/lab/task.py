"""A block of deals as a task that any thread, process or machine can play."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from allfives_sim.agents import Agent, find_agent, load_text
from allfives_sim.agents.policy import failure, no_choice, open_doors, parameter_rows
from allfives_sim.core.compiled import Kernel, new_record
from allfives_sim.core.game import new_table
from allfives_sim.core.hand import BAD_MOVE
from allfives_sim.core.rules import Rules
from allfives_sim.lab.block import COUNTS, FULL, HAND, play_block, play_table
from allfives_sim.lab.pairing import Seating
from allfives_sim.lab.tally import MAX_AGENTS, new_tally, pack

HANDS_A_GAME = 16  # for how many there is room at first, where hands are written down


@dataclass(frozen=True)
class Task:
    """Deals of one cell; what it gives depends on nothing else.

    Attributes
    ----------
    agents : tuple of str
        Specs.
    code : tuple of str
        Texts of Python files with agents of the user's own.
    rules : Rules
    seating : Seating
    seed, first, deals : int
    games, detail, hands : bool
        See `play_block`; whether each hand is to be written down.
    """

    agents: tuple[str, ...]
    code: tuple[str, ...]
    rules: Rules
    seating: Seating
    seed: int
    first: int
    deals: int
    games: bool
    detail: bool
    hands: bool


class Played(NamedTuple):
    """What a task gives: its tally, packed; its hands, where they are wanted; and how long it took."""

    tally: bytes
    hands: NDArray[Any] | None
    seconds: float


def play_task(task: Task) -> Played:
    """Play a task.

    Raises
    ------
    AgentError
        An agent failed, or answered with what is no choice.
    """
    start = time.perf_counter()
    for text in task.code:
        load_text(text)
    agents = [find_agent(spec) for spec in task.agents]
    room = task.deals * len(task.seating.seatings) * (HANDS_A_GAME if task.games else 1) if task.hands else 0
    tally, rows = play(agents, task, room)
    while rows is None:
        room *= 4
        tally, rows = play(agents, task, room)
    return Played(pack(tally), rows if task.hands else None, time.perf_counter() - start)


def kernel_of(agents: int) -> Kernel:
    """The kernel that plays so many agents: calling one of two is quicker."""
    return play_block if agents == 2 else play_table


def play(agents: list[Agent], task: Task, room: int = 0) -> tuple[Any, NDArray[Any] | None]:
    """Play a task's deals with its agents; the tally and the hands, or None for these where there was no room."""
    view, hidden, result = new_table(task.rules)
    counts, tally, rows = new_record(COUNTS), new_tally(), np.zeros(room, HAND)
    hidden.parameters[: len(agents)] = parameter_rows(agents)
    open_doors(hidden, agents)
    seats = 2 if len(agents) == 2 else MAX_AGENTS
    policies = tuple(agents[min(seat, len(agents) - 1)].policy.dispatcher for seat in range(seats))
    try:
        answer = kernel_of(len(agents))(
            view, hidden, result, counts, tally, rows, policies, task.seating.seatings, task.seating.weights,
            len(agents), task.seed, task.first, task.deals, task.games, task.detail,
        )  # fmt: skip
    except Exception as error:
        raise failure(agents[hidden.asked], error) from error
    if answer == BAD_MOVE:
        raise no_choice(agents[hidden.asked], hidden.answer)
    return tally, None if answer == FULL else rows[: int(tally.sums[0])] if room else rows
