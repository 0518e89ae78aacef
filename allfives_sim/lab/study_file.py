"""Study files: a study in TOML (docs/studies.md)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import tomli_w

from allfives_sim.agents import AgentError
from allfives_sim.core.errors import InputError, unknown
from allfives_sim.lab.output import check_folder, write_text
from allfives_sim.lab.study import Study
from allfives_sim.lab.study_parts import StudyError

KEYS = [one.name for one in fields(Study) if one.init]


def read_study(path: str | Path, **changes: Any) -> Study:
    """The study of a file.

    Parameters
    ----------
    path : str or Path
        Names of files in it are taken from its own folder.
    **changes
        Keys that are set otherwise than in the file.

    Raises
    ------
    StudyError
        It cannot be read, is not TOML, or holds no study that can be played; the message names the line and the key.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StudyError(f"cannot read the study {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"cannot read the study {path}: it is not a text file") from error
    try:
        return parse_study(text, path.parent, **changes)
    except StudyError as error:
        line = _line_of(text, error.path)
        raise StudyError(f"{path}{f', line {line} ({_key(error.path)})' if line else ''}: {error}") from error
    except InputError as error:
        raise StudyError(f"{path}: {error}") from error


def parse_study(text: str, folder: Path, **changes: Any) -> Study:
    """The study of a TOML text; files that it names lie in `folder`."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise StudyError(f"not TOML: {error}") from error
    for key in data:
        if key not in KEYS:
            raise StudyError(unknown("key in a study", key, KEYS), key)
    if isinstance(data.get("rules"), str | list):
        data["rules"] = _placed(data["rules"], folder, ".toml")
    if isinstance(data.get("code"), str | list):
        data["code"] = _placed(data["code"], folder, "")
    try:
        return Study(**(data | changes))
    except AgentError as error:
        raise StudyError(str(error), "code") from error


def _placed(names: str | list[Any], folder: Path, ending: str) -> Any:
    if isinstance(names, list):
        return [_placed(name, folder, ending) if isinstance(name, str) else name for name in names]
    return str(folder / names) if names.endswith(ending) else names


def study_text(study: Study) -> str:
    """A study as TOML, grids and defaults written out; with its code as `write_study` lays it beside."""
    data = study.to_dict()
    for rules in data["rules"]:
        rules.update({switch: "null" for switch, value in rules.items() if value is None})
    if study.code:
        data["code"] = [f"code/{name}" for name in _code_names(study)]
    return tomli_w.dumps(data)


def write_study(study: Study, folder: Path) -> None:
    """Write a study into a folder: ``study.toml``, and copies of its code.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    for name, text in zip(_code_names(study), study.code_texts, strict=True):
        write_text(check_folder(folder / "code") / name, text)
    write_text(check_folder(folder) / "study.toml", study_text(study))


def _code_names(study: Study) -> list[str]:
    return [f"{number}_{re.sub('^[0-9]+_', '', Path(path).name)}" for number, path in enumerate(study.code)]


def _line_of(text: str, path: tuple[str | int, ...]) -> int | None:
    """The line, from 1, on which the value that a path leads to begins; of the nearest one around it, else.

    The value is there as soon as the text read so far is TOML that has it; it begins where the text before was last
    TOML without it.
    """
    lines = text.splitlines()
    plain = [number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    for end in range(len(path), 0, -1):
        begins = 0
        for number in range(1, len(lines) + 1):
            data = _begun("\n".join(lines[:number]))
            if data is None:
                continue
            if _leads(data, path[:end]):
                return 1 + min(line for line in plain if line >= begins)
            begins = number
    return None


def _key(path: tuple[str | int, ...]) -> str:
    """A path as one writes it: rules, item 2, players."""
    return ", ".join(f"item {step + 1}" if isinstance(step, int) else step for step in path)


def _begun(text: str) -> Any:
    """What the beginning of a TOML text holds, a list under way closed; None where it ends within something else."""
    for ending in ("", "\n]"):
        try:
            return tomllib.loads(text + ending)
        except ValueError:
            continue
    return None


def _leads(data: Any, path: tuple[str | int, ...]) -> bool:
    for step in path:
        if step not in (data if isinstance(data, Mapping) else range(len(data)) if isinstance(data, list) else ()):
            return False
        data = data[step]
    return True
