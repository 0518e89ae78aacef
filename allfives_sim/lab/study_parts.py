"""What a study may be given, as its parts: agents, rules and tables, with their grids; and what is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import product
from typing import Any

from allfives_sim.agents import Agent, find_agent
from allfives_sim.core.errors import InputError, shown, unknown
from allfives_sim.core.rules import Rules
from allfives_sim.core.switches import written_value
from allfives_sim.lab.tally import MAX_AGENTS

MAX_CELLS = 10_000


class StudyError(InputError):
    """Something in a study that cannot be played; `path` says where: a key, and what leads on from there."""

    def __init__(self, message: str, *path: str | int) -> None:
        super().__init__(message)
        self.path = path


def check_flag(value: object, *path: str) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool):
        raise StudyError(f"{'.'.join(path)} cannot be {shown(repr(value))}; valid: false, true", *path)


def check_number(value: object, low: int, high: int, *path: str) -> None:
    """Refuse what is no whole number in its range, with a `StudyError` that names the key."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        most = {10**9: "10**9", 10**12: "10**12", 2**63 - 1: "2**63 - 1"}[high]
        raise StudyError(
            f"{'.'.join(path)} cannot be {shown(repr(value))}; valid: a whole number from {low} to {most}", *path
        )


def check_size(cells: int) -> None:
    """Refuse more cells than a study may have."""
    if cells > MAX_CELLS:
        raise StudyError(
            f"the study has {cells:,} cells (pairs or tables, for each set of rules); valid: up to {MAX_CELLS:,}",
            "agents",
        )


def _listed(value: Any) -> list[Any]:
    """A sequence as a list, and one thing as a list of it."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def expand_agents(entries: Any) -> Iterator[str]:
    """The specs of some agents, grids expanded."""
    if isinstance(entries, str | Mapping) or not isinstance(entries, Sequence):
        raise StudyError(f"agents cannot be {shown(repr(entries))}; valid: a list of agents", "agents")
    for number, entry in enumerate(entries):
        if isinstance(entry, Agent):
            yield entry.spec
        elif isinstance(entry, str):
            yield _spec(entry, "agents", number)
        elif isinstance(entry, Mapping):
            yield from _agent_grid(dict(entry), number)
        else:
            raise StudyError(
                f"agents cannot hold {shown(repr(entry))}; valid: a spec such as 'defensive:weight=0.5', or a table "
                "with the key agent and its parameters",
                "agents",
                number,
            )


def _spec(text: str, *path: str | int) -> str:
    try:
        return find_agent(text).spec
    except InputError as error:
        raise StudyError(str(error), *path) from error


def _agent_grid(entry: dict[str, Any], number: int) -> Iterator[str]:
    name = entry.pop("agent", None)
    if not isinstance(name, str):
        raise StudyError("an agent given as a table needs the key agent, with its name", "agents", number)
    grid = {key: _grid_values(value, "agents", number, key) for key, value in entry.items()}
    check_size(math.prod(len(values) for values in grid.values()))
    for values in product(*grid.values()):
        written = ",".join(f"{key}={_parameter(value)}" for key, value in zip(grid, values, strict=True))
        yield _spec(f"{name}:{written}" if written else name, "agents", number)


def _parameter(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _grid_values(value: Any, *path: str | int) -> list[Any]:
    values = _listed(value)
    if not values:
        raise StudyError(f"the grid of {path[-1]} is empty; valid: one value or more", *path)
    return values


def expand_rules(entries: Any) -> Iterator[Rules]:
    """Sets of rules, grids expanded."""
    listed = _listed(entries)
    if not listed:
        raise StudyError("rules are an empty list; valid: a preset, a file or switches, or a list of them", "rules")
    for number, entry in enumerate(listed):
        path: tuple[str | int, ...] = ("rules", number) if isinstance(entries, list | tuple) else ("rules",)
        try:
            if isinstance(entry, Rules):
                yield entry
            elif isinstance(entry, str):
                yield Rules.read(entry)
            elif isinstance(entry, Mapping):
                yield from _rules_grid(dict(entry), *path)
            else:
                raise StudyError(
                    f"rules cannot be {shown(repr(entry))}; valid: a preset, a file or a table of switches", *path
                )
        except StudyError:
            raise
        except InputError as error:
            raise StudyError(str(error), *path) from error


def _rules_grid(entry: dict[str, Any], *path: str | int) -> Iterator[Rules]:
    grid = entry.pop("grid", {})
    if not isinstance(grid, Mapping):
        raise StudyError(f"grid cannot be {shown(repr(grid))}; valid: switches, each with a list of values", *path)
    axes = {}
    for switch, values in grid.items():
        if not isinstance(switch, str) or not isinstance(values, list | tuple) or not values:
            raise StudyError(
                f"the grid of {shown(switch)} is {shown(written_value(values)) or 'empty'}; valid: a list of values",
                *path, "grid", switch,
            )  # fmt: skip
        axes[switch] = list(values)
    check_size(math.prod(len(values) for values in axes.values()))
    for values in product(*axes.values()):
        yield Rules.from_dict(entry | dict(zip(axes, values, strict=True)))


def read_tables(entries: Any) -> Iterator[tuple[str, ...]]:
    """The specs of the agents of some tables."""
    for number, table in enumerate(_listed(entries)):
        if not isinstance(table, Sequence) or isinstance(table, str) or not 2 <= len(table) <= MAX_AGENTS:
            raise StudyError(
                f"table {number + 1} is {shown(repr(table))}; valid: a list of two to four agents", "tables", number
            )
        if not all(isinstance(one, str | Agent) for one in table):
            raise StudyError(f"table {number + 1} holds what is no agent; valid: specs of agents", "tables", number)
        yield tuple(one.spec if isinstance(one, Agent) else _spec(one, "tables", number) for one in table)


def read_part(kind: Any, value: Any, key: str) -> Any:
    """A `Collect` or `StopRule`, from a dict of its fields."""
    if value is None or isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise StudyError(f"{key} cannot be {shown(repr(value))}; valid: a table of keys", key)
    known = [one.name for one in fields(kind)]
    for name in value:
        if name not in known:
            raise StudyError(unknown(f"key in {key}", name, known), key, name)
    try:
        return kind(**value)
    except StudyError:
        raise
    except InputError as error:
        raise StudyError(str(error), key) from error
