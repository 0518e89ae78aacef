"""Results as tidy pandas frames, and as files."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from allfives_sim.core.errors import InputError
from allfives_sim.lab.runner import Comparison
from allfives_sim.lab.tally import BINS, ZERO_BIN


def pairs_frame(comparison: Comparison) -> pd.DataFrame:
    """One row a pair of agents, with every figure by its name in ``allfives compare --json``."""
    frame = pd.DataFrame([pair.figures() for pair in comparison.pairs]).replace({None: float("nan")})
    return frame.assign(partial=[pair.partial for pair in comparison.pairs])


def distribution_frame(comparison: Comparison) -> pd.DataFrame:
    """How the points of a hand are distributed: one row for each pair, agent and number of points that occurred.

    Columns: a, b (the pair), agent (which of the two), points (of a seat in a hand, with its settlement), hands (how
    many seats of that agent ended a hand with them), share (of that agent's).
    """
    rows = []
    for pair in comparison.pairs:
        for number, agent in enumerate((pair.a, pair.b)):
            counts = pair.tally.points[number]
            total = int(counts.sum())
            rows += [
                (pair.a, pair.b, agent, place - ZERO_BIN, int(counts[place]), int(counts[place]) / total)
                for place in range(BINS)
                if counts[place]
            ]
    return pd.DataFrame(rows, columns=["a", "b", "agent", "points", "hands", "share"])


def check_folder(folder: str | Path) -> Path:
    """Make a folder for results.

    Raises
    ------
    InputError
        It is a file, or cannot be made or written.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
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


def write_results(comparison: Comparison, folder: str | Path) -> list[Path]:
    """Write both frames as CSV and Parquet and both plots as PNG; the paths of what was written.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    from allfives_sim.lab.plots import distribution_figure, margins_figure

    folder = check_folder(folder)
    written = []

    def put(name: str, write: Callable[[Path], object]) -> None:
        write_whole(folder / name, write)
        written.append(folder / name)

    for name, frame in (("pairs", pairs_frame(comparison)), ("distribution", distribution_frame(comparison))):
        put(f"{name}.csv", partial(frame.to_csv, index=False))
        put(f"{name}.parquet", partial(frame.to_parquet, index=False))
    for name, figure in (("margins", margins_figure(comparison)), ("distribution", distribution_figure(comparison))):
        put(f"{name}.png", partial(figure.savefig, format="png", dpi=150))
    return written
