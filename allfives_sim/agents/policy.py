"""The contract of a policy, and the register of agents.

A policy is a compiled function ``policy(view, word) -> move``: from what its seat sees (core/view.py) and a random word
of its seat's own stream it chooses one of the plays in the view, or `DRAW` where drawing is a choice.  An agent is a
policy with a name and parameters.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from allfives_sim.core.calls import address_of, address_of_record
from allfives_sim.core.compiled import PACKAGE, Kernel
from allfives_sim.core.errors import InputError, shown, unknown
from allfives_sim.core.view import MAX_PARAMETERS, POLICY_SIGNATURE

Policy = Callable[[Any, Any], int]
Value = float | bool | str
FARTHEST = 1e15  # of any parameter from zero


class AgentError(InputError):
    """An agent that does not exist, does not compile, or answered with what is no choice."""


@dataclass(frozen=True)
class Number:
    """A parameter that is a number, with the values that it may have.

    Parameters
    ----------
    default : float
    least, most : float
    whole : bool
        Whether it is a whole number.

    Examples
    --------
    >>> Number(4, least=1, most=8, whole=True).valid
    'a whole number from 1 to 8'
    """

    default: float
    least: float = -FARTHEST
    most: float = FARTHEST
    whole: bool = False

    def holds(self, value: float) -> bool:
        """Whether it may have a value."""
        inside = self.least <= value <= self.most and abs(value) <= FARTHEST
        return inside and (not self.whole or value == int(value))

    @property
    def valid(self) -> str:
        """The values that it may have, in words."""
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} from {_written(self.least)} to {_written(self.most)}"


@dataclass(frozen=True)
class Agent:
    """A policy with its name and the values of its parameters.

    Attributes
    ----------
    name : str
    policy : Kernel
        Called by the engine; compiled when it is first needed.
    parameters : dict of str to float, bool or str
        In the order in which the policy finds them in ``view.parameters``: numbers as they are, on and off as 1 and 0,
        and the name of another agent as the address of its policy, which `call_policy` takes.
    changed : tuple of str
        The parameters that were set in its spec.
    sees_all : bool
        Whether it may look at all hands: a yardstick, not a player.
    samples : bool
        Whether its base plays in sampled deals only, so that one that sees all hands may be it.
    numbers : dict of str to Number
        What those of the parameters that are numbers may be.
    """

    name: str
    policy: Kernel = field(repr=False)
    parameters: dict[str, Value] = field(hash=False)
    numbers: dict[str, Number] = field(hash=False, repr=False)
    changed: tuple[str, ...] = ()
    sees_all: bool = False
    samples: bool = False

    @property
    def spec(self) -> str:
        """The agent as it is written on the command line, such as ``defensive:weight=0.5``."""
        values = ",".join(f"{name}={_written(self.parameters[name])}" for name in self.changed)
        return f"{self.name}:{values}" if values else self.name

    @property
    def base(self) -> Agent | None:
        """The agent that it plays hands out with, where it has one."""
        return next((REGISTER[value] for value in self.parameters.values() if isinstance(value, str)), None)

    @property
    def shown_parameters(self) -> str:
        """Its parameters and their values, as in a spec."""
        return ", ".join(f"{name}={_written(value)}" for name, value in self.parameters.items())

    @property
    def description(self) -> str:
        """What it does: the docstring of its policy."""
        return inspect.getdoc(self.policy.function) or "(no description)"


REGISTER: dict[str, Agent] = {}


@overload
def agent(policy: Policy, /) -> Policy: ...
@overload
def agent(
    *, name: str = ..., sees_all: bool = ..., samples_deals: bool = ..., **parameters: Value | Number
) -> Callable[[Policy], Policy]: ...
def agent(
    policy: Policy | None = None,
    /,
    *,
    name: str = "",
    sees_all: bool = False,
    samples_deals: bool = False,
    **parameters: Value | Number,
) -> Any:
    """Register a policy as an agent; a decorator, with or without arguments.

    Parameters
    ----------
    name : str, optional
        The agent's name; the function's, where it is not given.
    sees_all : bool
        Whether it may look at all hands (`all_hands` in core/hand.py): a yardstick, which comparisons refuse unless
        asked for it, and a base for agents that play hands out in sampled deals.
    samples_deals : bool
        Whether its base plays in sampled deals only, so that one that sees all hands may be it.
    **parameters : float, Number, bool or str
        Names and default values of up to sixteen parameters; the policy finds their values in ``view.parameters``, in
        this order.  A `Number` says which values it may have; a str is the name of another agent.

    Raises
    ------
    AgentError
        The name is taken or cannot be written in a spec, there are too many parameters, or a default is not valid.
    """

    def register(function: Policy) -> Policy:
        chosen = name or function.__name__
        if chosen in REGISTER:
            raise AgentError(f"there already is an agent '{chosen}'; give yours another name")
        if not chosen.replace("-", "_").isidentifier():
            raise AgentError(f"'{chosen}' cannot be an agent's name; valid: letters, digits, '-' and '_'")
        if len(parameters) > MAX_PARAMETERS:
            raise AgentError(f"agent '{chosen}' has {len(parameters)} parameters; valid: at most {MAX_PARAMETERS}")
        ours = Path(inspect.getfile(function)).resolve().is_relative_to(PACKAGE)
        # Numba would not notice a change in a module that a user's file imports: their agents are compiled anew.
        kernel = Kernel(function, POLICY_SIGNATURE, cached=ours, checked=not ours)
        numbers = {key: _number(value) for key, value in parameters.items() if not isinstance(value, bool | str)}
        for key, number in numbers.items():
            for part in (number.default, number.least, number.most):
                if not isinstance(part, Real):
                    raise AgentError(f"agent '{chosen}': {key} has {part!r}, which is no number")
            if not number.holds(number.default):
                raise AgentError(f"agent '{chosen}': {key} cannot be {number.default:g}; valid: {number.valid}")
        values = {key: _default(value) for key, value in parameters.items()}
        REGISTER[chosen] = Agent(chosen, kernel, values, numbers, sees_all=sees_all, samples=samples_deals)
        return function

    return register if policy is None else register(policy)


def find_agent(spec: str) -> Agent:
    """The agent that a spec names.

    Parameters
    ----------
    spec : str
        A name, or a name with parameters: ``defensive:weight=0.5,block=2``.

    Raises
    ------
    AgentError
        The agent or a parameter does not exist, or a value is not valid.
    """
    name, colon, values = spec.partition(":")
    if name not in REGISTER:
        raise AgentError(unknown("agent", name, REGISTER))
    known = REGISTER[name]
    if not colon:
        return known
    parameters = dict(known.parameters)
    changed = []
    for part in values.split(","):
        key, equals, text = part.partition("=")
        if not equals:
            raise AgentError(
                f"'{shown(spec)}' is not an agent spec: '{shown(part)}' has no value; write NAME:PARAMETER=NUMBER,…"
            )
        if key not in parameters:
            raise AgentError(_no_parameter(known, key, spec))
        if key in changed:
            raise AgentError(f"'{shown(spec)}' sets '{key}' twice; set it once")
        parameters[key] = _read(text, known, key, spec)
        changed.append(key)
    return replace(known, parameters=parameters, changed=tuple(changed))


def _no_parameter(agent: Agent, key: str, spec: str) -> str:
    if not agent.parameters:
        return f"agent '{agent.name}' has no parameters, but '{shown(spec)}' sets '{shown(key)}'"
    return unknown("parameter", key, agent.parameters) + f" (of agent '{agent.name}')"


def _number(value: float | Number) -> Number:
    return value if isinstance(value, Number) else Number(value)


def _default(value: Value | Number) -> Value:
    return value if isinstance(value, bool | str) else float(_number(value).default)


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _read(text: str, known: Agent, key: str, spec: str) -> Value:
    """The value of a parameter, of the same kind as its default."""
    usual = known.parameters[key]
    if isinstance(usual, bool):
        if text not in ("on", "off"):
            raise AgentError(f"'{shown(text)}' in '{shown(spec)}' is neither on nor off")
        return text == "on"
    if isinstance(usual, str):
        bases = [
            name
            for name, one in REGISTER.items()
            if one.base is None and (known.samples or known.sees_all or not one.sees_all)
        ]
        if text not in bases:
            raise AgentError(unknown("agent that can be a base", text, bases))
        return text
    if ":" in text:
        raise AgentError(f"'{shown(text)}' in '{shown(spec)}' is not a number; commas stand between parameters")
    number = known.numbers[key]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not number.holds(value):
        raise AgentError(f"{key} cannot be '{shown(text)}' in '{shown(spec)}'; valid: {number.valid}")
    return value


def parameter_rows(agents: Sequence[Agent]) -> NDArray[np.float64]:
    """The parameters of some agents, a row each, as the engine takes them; after an agent's own those of its base.

    Raises
    ------
    AgentError
        There are more than the engine has room for.
    """
    rows = np.zeros((len(agents), MAX_PARAMETERS))
    for row, one in zip(rows, agents, strict=True):
        values = [
            address_of(REGISTER[v].policy.dispatcher) if isinstance(v, str) else v for v in one.parameters.values()
        ]
        if one.base is not None:
            values += [value for value in one.base.parameters.values() if not isinstance(value, str)]
        if len(values) > MAX_PARAMETERS:
            raise AgentError(
                f"agent '{one.spec}' and its base have {len(values)} parameters; valid: {MAX_PARAMETERS} together"
            )
        row[: len(values)] = values
    return rows


def open_doors(hidden: Any, agents: Sequence[Agent]) -> None:
    """Let those of the agents that may see all hands do so."""
    for number, one in enumerate(agents):
        hidden.doors[number] = address_of_record(hidden) if one.sees_all else 0


def failure(agent: Agent, error: Exception) -> AgentError:
    """What to tell the user of an agent that raised an error while it chose."""
    return AgentError(f"agent '{agent.spec}' failed while choosing a play: {type(error).__name__}: {error}")


def no_choice(agent: Agent, answer: int) -> AgentError:
    """What to tell the user of an agent whose answer was none of the choices it had."""
    told = f"agent '{agent.spec}' answered {answer}, which is none of its choices"
    if agent.base is not None:  # which may have answered so, and the agent have passed it on or given up
        told = f"agent '{agent.spec}', or its base '{agent.base.name}', answered with none of its choices"
    return AgentError(
        f"{told}; valid: a move from first_move(view) or next_move(view, move), or DRAW where view.can_draw"
    )
