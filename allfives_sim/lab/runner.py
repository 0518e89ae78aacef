"""Running comparisons: blocks of deals on threads, merged as they finish."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from allfives_sim.agents import Agent, find_agent
from allfives_sim.agents.policy import failure, no_choice, open_doors, parameter_rows
from allfives_sim.core.errors import InputError, shown
from allfives_sim.core.game import new_table
from allfives_sim.core.hand import BAD_MOVE
from allfives_sim.core.rules import Rules
from allfives_sim.lab.block import play_block
from allfives_sim.lab.interrupt import CtrlC
from allfives_sim.lab.pairing import Pairing, pairing
from allfives_sim.lab.stats import ratio_estimate
from allfives_sim.lab.tally import merge, new_tally

BLOCK_SECONDS = 0.2  # how long a block should take: a bar that moves, and a quick answer to Ctrl-C
LAST_BLOCKS_SECONDS = 10.0  # how long Ctrl-C waits for the blocks under way
FIRST_BLOCK, LARGEST_BLOCK = 50, 100_000  # deals

Progress = Callable[[int], Any]


@dataclass(frozen=True)
class Pair:
    """What two agents did against each other.

    Attributes
    ----------
    a, b : str
        Their specs.
    tally : record of dtype `TALLY`
        All that was counted.
    scale : int
        Units of the tallied margins in a point.
    seconds : float
        How long it took.
    partial : bool
        Whether it was interrupted.
    """

    a: str
    b: str
    tally: Any
    scale: int
    seconds: float
    partial: bool

    def figures(self) -> dict[str, Any]:
        """Every figure, by the names of ``allfives compare --json``; None where the deals do not give one."""
        t = self.tally
        hands = int(t.hands)
        margin = ratio_estimate(
            int(t.deals), int(t.margin), int(t.margin_sq), hands, int(t.hands_sq), int(t.margin_hands), self.scale
        )
        edge = int(t.leader_margin) / hands if hands else math.nan
        figures = {
            "a": self.a,
            "b": self.b,
            "deals": int(t.deals),
            "hands": hands,
            "margin": margin.value,
            "margin_low": margin.low,
            "margin_high": margin.high,
            "sd": margin.sd,
            "a_wins": int(t.wins[0]) / hands if hands else math.nan,
            "b_wins": int(t.wins[1]) / hands if hands else math.nan,
            "ties": int(t.ties) / hands if hands else math.nan,
            "blocked": int(t.blocked) / hands if hands else math.nan,
            "plays_per_hand": int(t.plays) / hands if hands else math.nan,
            "draws_per_hand": int(t.draws) / hands if hands else math.nan,
            "leader_margin": edge,
            "leader_margin_sd": math.sqrt(int(t.leader_margin_sq) / hands - edge * edge) if hands else math.nan,
            "seconds": self.seconds,
            "hands_per_second": hands / self.seconds if self.seconds else math.nan,
        }
        if t.games:
            games = int(t.games)
            figures |= {
                "games": games,
                "a_games": int(t.game_wins[0]) / games,
                "b_games": int(t.game_wins[1]) / games,
                "unfinished_games": int(t.unfinished) / games,
                "hands_per_game": hands / games,
            }
        if self.partial:
            figures["partial"] = True
        return {
            key: None if isinstance(value, float) and math.isnan(value) else value for key, value in figures.items()
        }


@dataclass(frozen=True)
class Comparison:
    """The result of `compare`: the rules, the seed, and what each pair of agents did."""

    rules: Rules
    seed: int
    games: bool
    pairs: tuple[Pair, ...]

    @property
    def partial(self) -> bool:
        """Whether it was interrupted before everything asked for was played."""
        return any(pair.partial for pair in self.pairs)


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
) -> Comparison:
    """Play every pair of agents against each other on the same paired deals.

    Parameters
    ----------
    agents : sequence of str or Agent
        Two or more; a spec such as ``"defensive:weight=0.5"`` or an agent.
    rules : Rules, optional
        Article rules where not given.
    deals : int
        Deals for each pair; each is played with every seating of the two (see `pairing`).  With `games`, deals of the
        first hand, and so of games.
    seed : int
        The same seed gives the same integers, for any number of threads.
    threads : int, optional
        As many as the process may use, where not given.
    games : bool
        Whole games to the target instead of single hands.  A game is left unfinished after 1000 hands.
    cheats : bool
        Whether agents that see all hands may take part: yardsticks, not players.
    progress : callable, optional
        Called with the number of deals just finished.

    Returns
    -------
    Comparison
        On Ctrl-C, of what was finished until then: `Comparison.partial` is then true.

    Raises
    ------
    InputError
        An agent, or a number, that is not valid; `AgentError` where an agent answers with what is no choice.
    """
    rules = rules or Rules()
    players = [find_agent(one) if isinstance(one, str) else one for one in agents]
    check_numbers(deals=deals, seed=seed, threads=threads)
    if len(players) < 2:
        raise InputError(f"a comparison needs two agents or more, not {len(players)}")
    for one in players:
        if one.sees_all and not cheats:
            raise InputError(
                f"agent '{one.name}' sees all hands: a yardstick, not a player; to let it take part all the same, "
                "add --cheats (cheats=True)"
            )
    if games:
        rules.check_game()
    count = threads or available_threads()
    pairs: list[Pair] = []
    for a, b in combinations(players, 2):
        pair = _play_pair(a, b, rules, deals, seed, count, games, progress or (lambda done: None))
        pairs.append(pair)
        if pair.partial:
            break
    return Comparison(rules, seed, games, tuple(pairs))


def check_numbers(*, deals: int, seed: int, threads: int | None) -> None:
    """Refuse numbers of deals, threads or seeds that make no sense."""
    if not 1 <= deals <= 10**12:
        raise InputError(f"deals cannot be {shown(deals)}; valid: a whole number from 1 to 10**12")
    if not 0 <= seed < 2**63:
        raise InputError(f"seed cannot be {shown(seed)}; valid: a whole number from 0 to 2**63 - 1")
    if threads is not None and not 1 <= threads <= 1024:
        raise InputError(f"threads cannot be {threads}; valid: a whole number from 1 to 1024")


def available_threads() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _play_pair(
    a: Agent, b: Agent, rules: Rules, deals: int, seed: int, threads: int, games: bool, progress: Progress
) -> Pair:
    seats = pairing(rules.players)
    total = new_tally()
    for kernel in (play_block, a.policy, b.policy):
        kernel.prepare()
    start = time.perf_counter()
    running: dict[Future[Any], int] = {}
    first, size = 0, FIRST_BLOCK
    pool = ThreadPoolExecutor(threads)
    with CtrlC() as ctrl_c:
        while running or (first < deals and not ctrl_c.pressed):
            while first < deals and len(running) < 2 * threads and not ctrl_c.pressed:
                # Smaller towards the end, so that the threads finish together.
                block = min(size, max((deals - first) // (2 * threads), FIRST_BLOCK), deals - first)
                running[pool.submit(_play_timed_block, a, b, rules, seats, seed, first, block, games)] = block
                first += block
            for future in wait(running, timeout=BLOCK_SECONDS, return_when=FIRST_COMPLETED).done:
                block = running.pop(future)
                tally, seconds = future.result()
                merge(total, tally)
                progress(block)
                size = int(min(max(block * BLOCK_SECONDS / max(seconds, 1e-6), 1), 4 * block, LARGEST_BLOCK))
            if ctrl_c.pressed:
                running = {future: block for future, block in running.items() if not future.cancel()}
            if ctrl_c.seconds_ago() > LAST_BLOCKS_SECONDS:  # an agent that never answers must not hold up the rest
                break
    pool.shutdown(wait=False, cancel_futures=True)
    partial = int(total.deals) < deals
    return Pair(a.spec, b.spec, total, seats.scale, time.perf_counter() - start, partial)


def _play_timed_block(
    a: Agent, b: Agent, rules: Rules, seats: Pairing, seed: int, first: int, deals: int, games: bool
) -> tuple[Any, float]:
    start = time.perf_counter()
    tally = play(a, b, rules, seats, seed, first, deals, games)
    return tally, time.perf_counter() - start


def play(a: Agent, b: Agent, rules: Rules, seats: Pairing, seed: int, first: int, deals: int, games: bool) -> Any:
    """Play one block of deals and count it; depends on its arguments alone.

    Raises
    ------
    AgentError
        An agent failed, or answered with what is no choice.
    """
    view, hidden, result = new_table(rules)
    tally = new_tally()
    agents = (a, b)
    hidden.parameters[: len(agents)] = parameter_rows(agents)
    open_doors(hidden, agents)
    try:
        answer = play_block(
            view, hidden, result, tally, tuple(agent.policy.dispatcher for agent in agents),
            seats.seatings, seats.weights, seed, first, deals, games,
        )  # fmt: skip
    except Exception as error:
        raise failure(agents[hidden.asked], error) from error
    if answer == BAD_MOVE:
        raise no_choice(agents[hidden.asked], hidden.answer)
    return tally
