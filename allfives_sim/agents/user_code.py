"""Agents of the user's own, from a Python file."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from numba.core import config, ir, types
from numba.core.registry import CPUDispatcher

from allfives_sim.agents.policy import REGISTER, Agent, AgentError
from allfives_sim.core import view as view_functions
from allfives_sim.core.compiled import PACKAGE
from allfives_sim.core.hand import all_hands
from allfives_sim.core.view import VIEW

# Functions of the engine that an agent may call on its view, and NumPy's that change their first argument.
READERS = {"all_hands", "count_after", "open_pips"} | {
    name
    for name, value in vars(view_functions).items()
    if getattr(getattr(value, "py_func", None), "__module__", "") == view_functions.__name__ and name != "record_event"
}
_LOADED: dict[str, list[Agent]] = {}  # by the text of their file
CHANGERS = {"copyto", "put", "place", "putmask", "fill_diagonal", "copy_all", "copy_record"}


def load_code(path: str | Path) -> list[Agent]:
    """Run a file that registers agents, compile them and look for mistakes in them.

    Parameters
    ----------
    path : str or Path
        A Python file with functions decorated by `agent`.

    Returns
    -------
    list of Agent
        What it registered; they are then known by name.  A file that is the same as one before is not run again.

    Raises
    ------
    AgentError
        The file cannot be read or run, registers nothing, or holds an agent that does not compile, writes to its view,
        draws its own random numbers or answers with something else than a move.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise AgentError(f"cannot read agents from {path}: {reason}") from error
    known = _LOADED.get(text, [])
    if known and all(REGISTER.get(one.name) is one for one in known):
        return known
    before = dict(REGISTER)
    try:
        _run(path)
        found = [REGISTER[name] for name in REGISTER if name not in before]
        if not found:
            raise AgentError(f"{path} registers no agent; put @agent over a function(view, word)")
        for one in found:
            _check_signature(one, path)
            _compile(one, path)
            if not config.DISABLE_JIT:
                _check_compiled(one, path)
    except AgentError:  # a corrected file may register the same names
        REGISTER.clear()
        REGISTER.update(before)
        raise
    _LOADED[text] = found
    return found


def load_text(text: str) -> list[Agent]:
    """The same for the text of a file, such as one that another process has read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "agents.py"
        path.write_text(text, encoding="utf-8")
        return load_code(path)


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
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        where = f", line {lines[-1]}" if lines else ""
        raise AgentError(f"{path}{where}: {type(error).__name__}: {error}") from error


def _check_signature(agent: Agent, path: Path) -> None:
    function = agent.policy.function
    names = list(inspect.signature(function).parameters)
    if names != ["view", "word"]:
        raise AgentError(f"agent '{agent.name}' in {path}: its arguments are ({', '.join(names)}); valid: (view, word)")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise AgentError(f"agent '{agent.name}' in {path} is not a plain function; valid: def with return")


def _compile(agent: Agent, path: Path) -> None:
    try:
        agent.policy.prepare()
    except Exception as error:  # Numba lets errors of many kinds out
        raise AgentError(f"agent '{agent.name}' in {path} does not compile: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """What is wrong, and where, out of Numba's long message."""
    text = str(error)
    if isinstance(error, KeyError):
        fields = ", ".join(name for name in VIEW.names or () if name != "history")
        return f"there is no field {error}; the fields of a view are {fields}"
    if "return_value" in text:
        return "it must answer with a move, a whole number, on every path"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    called = [line.removeprefix(">>>").strip() for line in lines if line.startswith(">>>")]
    reasons = [line for line in lines if not line.startswith(("Failed in", "During", "File ", "-", "[", "^"))]
    reason = f"cannot compile {called[-1]}" if called else (reasons or [type(error).__name__])[0]
    places = re.findall(r"line (\d+)", "\n".join(line for line in lines if line.startswith("File ")))
    return reason + (f" (line {places[-1]})" if places else "")


def _check_compiled(agent: Agent, path: Path) -> None:
    """Refuse what compiles, but would give wrong or unrepeatable results."""
    answers = False
    for function, blocks, typemap in _own_functions(agent, path):
        statements = [statement for block in blocks.values() for statement in block.body]
        made_by = {one.target.name: one.value for one in statements if isinstance(one, ir.Assign)}
        for statement in statements:
            where = f"agent '{agent.name}' in {path}, line {statement.loc.line}"
            if _writes_to_view(statement, typemap, made_by):
                raise AgentError(
                    f"{where}: it writes to its view, which is read-only; keep what it works out in its own variables"
                )
            if _outside(statement) is all_hands and not agent.sees_all:
                raise AgentError(f"{where}: only agents declared with sees_all=True may look at all hands")
            if isinstance(statement, ir.Print):
                raise AgentError(f"{where}: it prints, which would mix with the results; leave that out")
            if _draws_random_numbers(statement):
                raise AgentError(
                    f"{where}: random numbers of its own would make results unrepeatable; use below(word, n) on the "
                    "random word that it is given"
                )
            if function is agent.policy.dispatcher and isinstance(statement, ir.Return):
                answers = True
            if function is agent.policy.dispatcher and _casts_to_other_than_a_move(statement, typemap):
                raise AgentError(f"{where}: it must answer with a move, a whole number, on every path")
    if not answers:
        raise AgentError(f"agent '{agent.name}' in {path} never answers; it must answer with a move on every path")


def _own_functions(agent: Agent, path: Path) -> Iterator[tuple[Any, Any, Any]]:
    """The policy and the compiled functions that it calls, less those of this package: Numba's typed form of each."""
    waiting, seen = [agent.policy.dispatcher], set()
    while waiting:
        function = waiting.pop()
        if function in seen or Path(inspect.getfile(function.py_func)).resolve().is_relative_to(PACKAGE):
            continue
        seen.add(function)
        for result in function.overloads.values():
            if not hasattr(result.type_annotation, "blocks"):
                raise AgentError(
                    f"agent '{agent.name}' in {path} calls {function.py_func.__name__}, which is compiled with "
                    "cache=True and so might be an old version; leave that out"
                )
            blocks = result.type_annotation.blocks
            yield function, blocks, result.type_annotation.typemap
            for statement in (statement for block in blocks.values() for statement in block.body):
                if isinstance(_outside(statement), CPUDispatcher):
                    waiting.append(_outside(statement))


def _outside(statement: Any) -> Any:
    """What a statement takes from outside its function: a global, or a variable of a function around it."""
    value = getattr(statement, "value", None)
    return value.value if isinstance(value, ir.Global | ir.FreeVar) else None


def _writes_to_view(statement: Any, typemap: Any, made_by: dict[str, Any]) -> bool:
    if isinstance(statement, ir.SetAttr):
        return True
    if isinstance(statement, ir.SetItem | ir.StaticSetItem):
        return isinstance(typemap[statement.target.name], types.NestedArray | types.Record)
    if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Expr):
        return False
    if statement.value.op == "call":
        return _is_changed_by(statement.value, typemap, made_by)
    made = typemap[statement.target.name]
    if isinstance(made, types.BoundFunction):  # such as view.scores.fill
        return isinstance(made.this, types.NestedArray)
    if statement.value.op in ("getitem", "static_getitem"):  # a slice could be written to without a trace
        of = typemap[statement.value.value.name]
        return isinstance(of, types.NestedArray) and isinstance(made, types.Array)
    return False


def _is_changed_by(call: Any, typemap: Any, made_by: dict[str, Any]) -> bool:
    """Whether a function of the engine is called that would change the view: those change their first argument."""
    function = typemap[call.func.name]
    if not call.args or not isinstance(function, types.Dispatcher | types.Function):
        return False
    if not _is_of_view(call.args[0].name, made_by):
        return False
    if isinstance(function, types.Function):
        return getattr(function.typing_key, "__name__", "") in CHANGERS
    plain = function.dispatcher.py_func
    ours = Path(inspect.getfile(plain)).resolve().is_relative_to(PACKAGE)
    is_record = isinstance(typemap[call.args[0].name], types.Record)
    return ours and is_record and plain.__name__ not in READERS


def _is_of_view(name: str, made_by: dict[str, Any]) -> bool:
    """Whether a variable is an argument of its function, or an attribute of one."""
    value = made_by.get(name)
    while isinstance(value, ir.Var) or (isinstance(value, ir.Expr) and value.op in ("getattr", "cast")):
        value = made_by.get(value.name if isinstance(value, ir.Var) else value.value.name)
    return isinstance(value, ir.Arg)


def _draws_random_numbers(statement: Any) -> bool:
    value = getattr(statement, "value", None)
    if isinstance(value, ir.Expr) and value.op == "getattr":
        return bool(value.attr == "random")
    named = _outside(statement)
    home = named.__name__ if isinstance(named, ModuleType) else str(getattr(named, "__module__", "") or "")
    owner = type(getattr(named, "__self__", None)).__module__  # such as randint, bound to a hidden generator
    return any(name.split(".")[0] == "random" or name.startswith("numpy.random") for name in (home, owner))


def _casts_to_other_than_a_move(statement: Any, typemap: Any) -> bool:
    if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Expr) or statement.value.op != "cast":
        return False
    return not isinstance(typemap[statement.value.value.name], types.Integer)
