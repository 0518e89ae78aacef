"""Playing hands one by one to write them down."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numba import from_dtype, types

from allfives_sim.agents import Agent, find_agent
from allfives_sim.agents.policy import failure, no_choice, open_doors, parameter_rows
from allfives_sim.core.compiled import kernel
from allfives_sim.core.errors import InputError
from allfives_sim.core.game import MAX_HANDS, NOBODY, RESULT, end_hand, new_table, play_next_hand, start_game
from allfives_sim.core.hand import BAD_MOVE, HIDDEN, shuffle
from allfives_sim.core.records import Record, to_record
from allfives_sim.core.rules import Rules
from allfives_sim.core.view import POLICY_SIGNATURE, VIEW
from allfives_sim.lab.interrupt import CtrlC
from allfives_sim.lab.study import Cell, Study
from allfives_sim.lab.study_parts import check_number

_POLICY = types.FunctionType(POLICY_SIGNATURE)


@kernel(
    types.int64(
        from_dtype(VIEW),
        from_dtype(HIDDEN),
        from_dtype(RESULT),
        types.UniTuple(_POLICY, 4),
        types.Array(types.int64, 1, "C"),
        types.int64,
        types.int64,
        types.int64,
    )
)
def play_one(view: Any, hidden: Any, result: Any, policies: Any, agents: Any, seed: int, deal: int, hand: int) -> int:
    """Play hand number `hand` of a deal, the first of a game if it is 0, with an agent of its own at each seat."""
    if hand == 0:
        start_game(view, result)
    shuffle(hidden, view.rules, seed, deal, hand)
    ended = play_next_hand(view, hidden, result, policies, agents)
    if ended != BAD_MOVE:
        end_hand(view, result)
    return ended


def record_hands(
    agents: Sequence[str | Agent],
    rules: Rules | None = None,
    *,
    hands: int,
    seed: int = 1,
    games: bool = False,
) -> Iterator[Record]:
    """Play hands and give their records (docs/records.md).

    Parameters
    ----------
    agents : sequence of str or Agent
        One for all seats, or one for each.
    rules : Rules, optional
        Article rules where not given.
    hands : int
        How many; with `games` the game under way is played to its end.
    seed : int
        Deal d of a seed has the same tiles as in `compare`.
    games : bool
        Hands that follow one another in whole games, instead of first hands.

    Raises
    ------
    InputError
        Not one agent nor one a seat, a number that is not valid, or an agent that fails.
    """
    rules = rules or Rules()
    seated = [find_agent(one) if isinstance(one, str) else one for one in agents]
    if len(seated) == 1:
        seated *= rules.players
    if len(seated) != rules.players:
        raise InputError(f"{len(seated)} agents for players {rules.players}; valid: one agent, or one a seat")
    check_number(hands, 1, 10**9, "hands")
    check_number(seed, 0, 2**63 - 1, "seed")
    if games:
        rules.check_game()
    return _play(seated, rules, hands, seed, games)


def _play(agents: list[Agent], rules: Rules, hands: int, seed: int, games: bool, deal: int = 0) -> Iterator[Record]:
    view, hidden, result = new_table(rules)
    policies = tuple(agents[seat % len(agents)].policy.dispatcher for seat in range(4))
    hidden.parameters[: len(agents)] = parameter_rows(agents)
    open_doors(hidden, agents)
    specs = [agent.spec for agent in agents]
    seats = np.arange(4)
    hand, played = 0, 0
    while played < hands or hand:
        try:
            ended = play_one(view, hidden, result, policies, seats, seed, deal, hand)
        except Exception as error:
            raise failure(agents[hidden.asked], error) from error
        if ended == BAD_MOVE:
            raise no_choice(agents[hidden.asked], hidden.answer)
        extra: Record = {"seed": seed, "deal": deal} | ({"game": deal, "hand": hand} if games else {})
        yield to_record(view, hidden, result, rules, specs, extra)
        played += 1
        hand += 1
        if not games or result.won != NOBODY or hand == MAX_HANDS:
            deal, hand = deal + 1, 0


def record_cell(cell: Cell, study: Study, deals: int, *, every: int) -> Iterator[Record]:
    """Records of every so many hands of a cell; of every so many games, where the study plays games.

    The hands are played again, which gives the same ones.

    Parameters
    ----------
    deals : int
        How many were played.
    every : int
        Of how many hands, or games, one is recorded.
    """
    agents = [find_agent(spec) for spec in cell.agents]
    seatings = cell.seating.seatings
    for count, number in enumerate(range(0, deals * len(seatings), every)):
        deal, rotation = number // len(seatings), count % len(seatings)  # so that all seatings take their turn
        seated = [agents[agent] for agent in seatings[rotation]]
        for record in _play(seated, cell.rules, 1, study.seed, study.games, deal):
            yield record | {"rotation": rotation}


def write_records(
    path: str | Path, records: Iterator[Record], progress: Callable[[int], Any] | None = None
) -> tuple[int, bool]:
    """Write records to a file, a line each; the file appears when all is written.

    On Ctrl-C it holds the hands finished until then.

    Returns
    -------
    hands : int
    partial : bool
        Whether it was interrupted.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    if not str(path) or os.path.isdir(path):
        raise InputError(f"cannot write {path}: it is a folder; valid: the name of a file")
    path = Path(os.path.realpath(path))
    special = os.path.exists(path) and not os.path.isfile(path)  # a pipe or a device is written as it is
    beside = path if special else path.with_name(f".{path.name}.{os.getpid()}")
    written = 0
    try:
        with CtrlC() as ctrl_c, open(beside, "w", encoding="utf-8") as file:
            for record in records:
                file.write(json.dumps(record) + "\n")
                written += 1
                if progress:
                    progress(1)
                if ctrl_c.pressed:
                    break
        if not special:
            os.replace(beside, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    finally:
        if not special and os.path.exists(beside):
            beside.unlink()
    return written, ctrl_c.pressed
