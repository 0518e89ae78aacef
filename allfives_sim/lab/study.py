"""A study: which agents play which rules, how many deals, and what is collected.  Said once, so that a run repeats."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allfives_sim.agents import find_agent, load_code
from allfives_sim.core.errors import InputError, shown
from allfives_sim.core.rules import Rules
from allfives_sim.lab.pairing import Seating, seat_pair, seat_table
from allfives_sim.lab.stopping import StopRule
from allfives_sim.lab.study_parts import (
    StudyError,
    check_flag,
    check_number,
    check_size,
    expand_agents,
    expand_rules,
    read_part,
    read_tables,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from allfives_sim.lab.results import Results
    from allfives_sim.lab.runner import Progress

DESIGNS = ("round_robin", "one_against_rest", "tables")


@dataclass(frozen=True)
class Collect:
    """What a study collects besides the figures of every pair or table.

    Attributes
    ----------
    detail : bool
        Points by play, tile and lead, and how often seats draw, pass and go out; costs about an eighth of the speed.
    hands : bool
        A row a hand, in Parquet files.
    records : int
        Every so many hands one is written down as a record; 0 for none.
    """

    detail: bool = True
    hands: bool = False
    records: int = 0


@dataclass(frozen=True)
class Cell:
    """A part of a study: some agents that play each other under one set of rules.

    Attributes
    ----------
    number : int
        Its place among the study's cells.
    rules : Rules
    agents : tuple of str
        The specs of its agents, two or more.
    places : tuple of int
        Of a table: which of the agents sits at each seat, before rotation; empty for a pair.
    """

    number: int
    rules: Rules
    agents: tuple[str, ...]
    places: tuple[int, ...] = ()

    @property
    def seating(self) -> Seating:
        """How its agents take the seats."""
        return seat_table(self.places) if self.places else seat_pair(self.rules.players)

    @property
    def house(self) -> str:
        """Its rules in a few words."""
        return _house(self.rules)

    @property
    def name(self) -> str:
        """Its agents in a few words."""
        return ", ".join(self.agents[place] for place in self.places) if self.places else " over ".join(self.agents)


@dataclass(frozen=True)
class Study:
    """An experiment, whole: with the same study, any machine plays the same hands.

    Parameters
    ----------
    agents : sequence of str, Agent or dict
        Specs such as ``"defensive:weight=0.5"``; or ``{"agent": "defensive", "weight": [0.25, 0.5]}``, which stands for
        one agent for each combination of the values.
    rules : str, Rules, dict, or a sequence of them
        Presets, files or switches; ``{"preset": "miami", "grid": {"players": [2, 3]}}`` stands for rules with each
        combination of the values.
    design : str
        ``"round_robin"``: every pair of agents; ``"one_against_rest"``: the first against each other one; ``"tables"``:
        fixed tables of as many agents as the rules have players.
    tables : sequence of sequences of str
        The agents of each table, in the order in which they sit; with the design ``"tables"``, then without `agents`.
    deals : int
        For each pair or table; with a stopping rule, the most.
    seed : int
    games : bool
        Whole games to the target instead of single hands.
    cheats : bool
        Whether agents that see all hands may take part.
    code : sequence of str
        Python files with agents of the user's own.
    stop : StopRule or dict, optional
        When to stop before all deals are played: see `StopRule`.
    collect : Collect or dict
        See `Collect`.

    Attributes
    ----------
    code_texts : tuple of str
        What stood in the files of `code` when the study was made.

    Raises
    ------
    StudyError
        Something in it cannot be played.
    AgentError
        A file of `code` holds no agents that can be used.

    Examples
    --------
    >>> [cell.name for cell in Study(["greedy", "random", "heaviest"], deals=100).cells()]
    ['greedy over random', 'greedy over heaviest', 'random over heaviest']
    """

    agents: Any = ()
    rules: Any = "article"
    design: str = "round_robin"
    tables: Any = ()
    deals: int = 100_000
    seed: int = 1
    games: bool = False
    cheats: bool = False
    code: Any = ()
    stop: Any = None
    collect: Any = field(default_factory=Collect)
    code_texts: tuple[str, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _set(self, "code_texts", tuple(_load(path) for path in _names(self.code, "code")))
        self._check_plain()
        _set(self, "code", tuple(_names(self.code, "code")))
        _set(self, "agents", tuple(expand_agents(self.agents)))
        _set(self, "rules", tuple(expand_rules(self.rules)))
        _set(self, "tables", tuple(read_tables(self.tables)))
        _set(self, "stop", read_part(StopRule, self.stop, "stop"))
        _set(self, "collect", read_part(Collect, self.collect, "collect") or Collect())
        self._check_collect()
        self._check_design()
        self._check_cheats()

    def _check_plain(self) -> None:
        if self.design not in DESIGNS:
            raise StudyError(f"design cannot be {shown(repr(self.design))}; valid: {', '.join(DESIGNS)}", "design")
        for key, low, high in (("deals", 1, 10**12), ("seed", 0, 2**63 - 1)):
            check_number(getattr(self, key), low, high, key)
        for key in ("games", "cheats"):
            check_flag(getattr(self, key), key)

    def _check_collect(self) -> None:
        for key in ("detail", "hands"):
            check_flag(getattr(self.collect, key), "collect", key)
        check_number(self.collect.records, 0, 10**12, "collect", "records")
        if self.collect.hands and not self.collect.detail:
            raise StudyError("collect.hands needs collect.detail, which is false", "collect", "hands")

    def _check_design(self) -> None:
        if self.design == "tables":
            if self.agents:
                raise StudyError("the design 'tables' takes its agents from tables; leave agents out", "agents")
            if not self.tables:
                raise StudyError("the design 'tables' needs tables, such as [['greedy', 'random', 'risk']]", "tables")
            for number, table in enumerate(self.tables):
                for rules in self.rules:
                    if len(table) != rules.players:
                        raise StudyError(
                            f"table {number + 1} has {len(table)} agents, but the {rules.title} have players "
                            f"{rules.players}; valid: one agent a seat",
                            "tables",
                        )
                if len(set(table)) < 2:
                    raise StudyError(f"table {number + 1} needs two different agents or more", "tables")
        else:
            if self.tables:
                raise StudyError("tables are for the design 'tables'; set design to it, or leave them out", "tables")
            if len(self.agents) > 2 and len(set(self.agents)) < len(self.agents):
                twice = next(spec for number, spec in enumerate(self.agents) if spec in self.agents[:number])
                raise StudyError(
                    f"agent '{twice}' is given twice; valid: each agent once, or two alike and no others", "agents"
                )
            if len(self.agents) < 2:
                raise StudyError(f"a comparison needs two agents or more, not {len(self.agents)}", "agents")
        if len(set(self.rules)) < len(self.rules):
            raise StudyError("two of the rules are the same; valid: each once", "rules")
        check_size(self.cell_count())
        if self.games:
            for rules in self.rules:
                try:
                    rules.check_game()
                except InputError as error:
                    raise StudyError(str(error), "rules") from error

    def _check_cheats(self) -> None:
        for spec in (*self.agents, *(spec for table in self.tables for spec in table)):
            if find_agent(spec).sees_all and not self.cheats:
                raise StudyError(
                    f"agent '{find_agent(spec).name}' sees all hands: a yardstick, not a player; to let it take part "
                    "all the same, add --cheats (cheats=True)",
                    "agents" if self.agents else "tables",
                )

    def groups(self) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
        """The agents that meet, and for tables who sits where."""
        if self.design == "round_robin":
            yield from ((pair, ()) for pair in combinations(self.agents, 2))
        elif self.design == "one_against_rest":
            yield from (((self.agents[0], other), ()) for other in self.agents[1:])
        else:
            for table in self.tables:
                agents = tuple(dict.fromkeys(table))
                yield agents, tuple(agents.index(spec) for spec in table)

    def cell_count(self) -> int:
        """How many cells there are."""
        count = len(self.agents)
        groups = {"round_robin": count * (count - 1) // 2, "one_against_rest": count - 1}
        return groups.get(self.design, len(self.tables)) * len(self.rules)

    def cells(self) -> list[Cell]:
        """Every group of agents that meet, under every set of rules."""
        pairs = product(self.rules, list(self.groups()))
        return [Cell(number, rules, *group) for number, (rules, group) in enumerate(pairs)]

    def to_dict(self) -> dict[str, Any]:
        """The study as it stands in a study file, grids and defaults written out."""
        answer: dict[str, Any] = {
            "agents": list(self.agents),
            "tables": [list(table) for table in self.tables],
            "rules": [{"players": rules.players} | rules.to_dict() for rules in self.rules],
        } | {key: getattr(self, key) for key in ("design", "deals", "seed", "games", "cheats")}
        answer["code"] = list(self.code)
        answer["collect"] = {one.name: getattr(self.collect, one.name) for one in fields(Collect)}
        if self.stop is not None:
            answer["stop"] = self.stop.to_dict()
        return {key: value for key, value in answer.items() if value != []}

    def fixed(self) -> dict[str, Any]:
        """What must stay the same for deals to be added: everything but their number."""
        answer = self.to_dict()
        del answer["deals"]
        return answer | {"code": [hashlib.sha256(text.encode()).hexdigest() for text in self.code_texts]}

    def hash(self) -> str:
        """A short name for all that `fixed` holds (16 hex digits)."""
        return hashlib.sha256(json.dumps(self.fixed(), sort_keys=True).encode()).hexdigest()[:16]

    def run(
        self,
        folder: str | Path | None = None,
        *,
        on: str | Executor = "threads",
        progress: Progress | None = None,
    ) -> Results:
        """Play it, or what is still missing of it.

        Parameters
        ----------
        folder : str or Path, optional
            Where its blocks are kept as they are finished; without one they are in memory only.
        on : str or Executor
            Where it plays: see `open_place`.
        progress : callable, optional
            See `Progress`.

        Raises
        ------
        InputError
            The folder holds something else or cannot be written, or an agent fails.
        """
        from allfives_sim.lab.runner import run

        return run(self, folder, on=on, progress=progress)


@cache
def _house(rules: Rules) -> str:
    return rules.title.removeprefix("rules: ")


def _set(study: Study, key: str, value: object) -> None:
    object.__setattr__(study, key, value)


def _load(path: str) -> str:
    load_code(path)
    return Path(path).read_text(encoding="utf-8")


def _names(value: Any, key: str) -> list[str]:
    if isinstance(value, str | Path):
        return [str(value)]
    if not isinstance(value, Sequence) or not all(isinstance(one, str | Path) for one in value):
        raise StudyError(f"{key} cannot be {shown(repr(value))}; valid: a list of names of files", key)
    return [str(one) for one in value]
