"""Results as files in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from allfives_sim.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def check_folder(folder: str | Path) -> Path:
    """Make a folder for results.

    Raises
    ------
    InputError
        It is a file, or cannot be made or written.
    """
    if str(folder) == "":
        raise InputError("the folder for results has no name; valid: a folder, which is made if need be")
    folder = Path(folder)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InputError(f"cannot write results to {folder}: it is a file; valid: a folder, which is made if need be")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(f"cannot write results to {folder}: {error.strerror}") from error
    return folder


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` write a file beside its place and move it there when it is whole.

    Raises
    ------
    InputError
        It cannot be written.
    """
    beside = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        write(beside)
        with open(beside, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole.

    Raises
    ------
    InputError
        It cannot be written.
    """
    write_whole(path, lambda beside: beside.write_text(text, encoding="utf-8"))


def write_frames(frames: dict[str, pd.DataFrame], folder: str | Path) -> list[Path]:
    """Write frames as CSV and Parquet, by the names that they are given; the paths of what was written.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    import pyarrow as pa
    from pyarrow import csv, parquet

    folder = check_folder(folder)
    written = []
    for name, frame in frames.items():
        table = pa.Table.from_pandas(frame, preserve_index=False, nthreads=1)
        for kind, write in (("csv", csv.write_csv), ("parquet", parquet.write_table)):
            path = folder / f"{name}.{kind}"
            write_whole(path, partial(write, table))
            written.append(path)
    return written
