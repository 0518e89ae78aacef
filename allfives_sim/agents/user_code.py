"""Agents of the user's own, from a Python file."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
import textwrap
import traceback
from pathlib import Path

from numba.core.errors import NumbaError

from allfives_sim.agents.policy import REGISTER, Agent, AgentError


def load_code(path: str | Path) -> list[Agent]:
    """Run a file that registers agents, and compile them.

    Parameters
    ----------
    path : str or Path
        A Python file with functions decorated by `agent`.

    Returns
    -------
    list of Agent
        What it registered; they are then known by name.

    Raises
    ------
    AgentError
        The file cannot be read or run, registers nothing, or holds an agent that does not compile, writes to its view
        or draws its own random numbers.
    """
    path = Path(path)
    try:
        path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise AgentError(f"cannot read agents from {path}: {reason}") from error
    before = set(REGISTER)
    _run(path)
    found = [REGISTER[name] for name in REGISTER if name not in before]
    if not found:
        raise AgentError(f"{path} registers no agent; put @agent over a function(view, word)")
    for one in found:
        _check_signature(one, path)
        _check_source(one, path)
        _compile(one, path)
    return found


def _run(path: Path) -> None:
    name = f"allfives_agents_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AgentError(f"{path} is not a Python file; valid: a file whose name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except AgentError as error:
        raise AgentError(f"{path}: {error}") from error
    except SyntaxError as error:
        raise AgentError(f"{path}, line {error.lineno}: {error.msg}") from error
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        where = f", line {lines[-1]}" if lines else ""
        raise AgentError(f"{path}{where}: {type(error).__name__}: {error}") from error


def _check_source(agent: Agent, path: Path) -> None:
    """Refuse what would compile and then give wrong or unrepeatable results."""
    lines, first = inspect.getsourcelines(agent.policy.function)
    function = ast.parse(textwrap.dedent("".join(lines))).body[0]
    for node in ast.walk(function):
        where = f"agent '{agent.name}' in {path}, line {first + getattr(node, 'lineno', 1) - 1}"
        if _writes(node):
            raise AgentError(
                f"{where}: it writes to its view, which is read-only; keep what it works out in its own variables"
            )
        if (isinstance(node, ast.Attribute) and node.attr == "random") or (
            isinstance(node, ast.Name) and node.id == "random"
        ):
            raise AgentError(
                f"{where}: random numbers of its own would make results unrepeatable; use below(word, n) on the "
                "random word that it is given"
            )


def _writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Attribute | ast.Subscript) or not isinstance(node.ctx, ast.Store):
        return False
    return isinstance(node, ast.Attribute) or _root(node) == "view"


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _check_signature(agent: Agent, path: Path) -> None:
    names = list(inspect.signature(agent.policy.function).parameters)
    if names != ["view", "word"]:
        raise AgentError(f"agent '{agent.name}' in {path}: its arguments are ({', '.join(names)}); valid: (view, word)")


def _compile(agent: Agent, path: Path) -> None:
    try:
        agent.policy.dispatcher  # noqa: B018 (it is made when it is looked up)
    except NumbaError as error:
        raise AgentError(f"agent '{agent.name}' in {path} does not compile: {_first_reason(error)}") from error


def _first_reason(error: NumbaError) -> str:
    """The sentence of Numba's long message that says what is wrong, and the line it names."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reasons = [line for line in lines if not line.startswith(("Failed in", "During", "File ", "-", "[", "^"))]
    places = [line for line in lines if line.startswith("File ") and ", line" in line]
    where = f" ({places[-1].rstrip(':').rpartition(', ')[2]})" if places else ""
    return f"{reasons[0] if reasons else 'unknown reason'}{where}"
