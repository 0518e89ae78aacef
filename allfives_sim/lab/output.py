"""Results as files in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from allfives_sim.core.errors import InputError
from allfives_sim.lab.frames import distribution_frame, pairs_frame
from allfives_sim.lab.plots import distribution_figure, margins_figure
from allfives_sim.lab.runner import Comparison


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
        os.replace(beside, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)


def write_frames(frames: dict[str, pd.DataFrame], folder: str | Path) -> list[Path]:
    """Write frames as CSV and Parquet, by the names that they are given; the paths of what was written.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    folder = check_folder(folder)
    written = []
    for name, frame in frames.items():
        for kind, write in (("csv", frame.to_csv), ("parquet", frame.to_parquet)):
            path = folder / f"{name}.{kind}"
            write_whole(path, partial(write, index=False))
            written.append(path)
    return written


def write_results(comparison: Comparison, folder: str | Path) -> list[Path]:
    """Write both frames as CSV and Parquet and both plots as PNG; the paths of what was written.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    folder = check_folder(folder)
    written = write_frames({"pairs": pairs_frame(comparison), "distribution": distribution_frame(comparison)}, folder)
    for name, figure in (("margins", margins_figure(comparison)), ("distribution", distribution_figure(comparison))):
        path = folder / f"{name}.png"
        write_whole(path, partial(figure.savefig, format="png", dpi=150))
        written.append(path)
    return written
