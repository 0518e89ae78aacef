"""The files of a run: all that is made from its blocks, and can be made again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from itertools import chain
from pathlib import Path

from allfives_sim.core.records import Record
from allfives_sim.lab.output import check_folder, write_frames, write_whole
from allfives_sim.lab.plots import figure_of, plot_distribution, plot_margins
from allfives_sim.lab.recording import record_cell
from allfives_sim.lab.results import Results

DPI = 100


def _write_lines(path: Path, records: Iterable[Record]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def write_results(results: Results, folder: str | Path) -> list[Path]:
    """Write every frame as CSV and Parquet, the plots as PNG, and the records where the study wants them.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    folder = check_folder(folder)
    written = write_frames(results.frames, folder)
    for name, axes in (
        ("margins", plot_margins(results.pairs)),
        ("distribution", plot_distribution(results.distribution)),
    ):
        path = folder / f"{name}.png"
        write_whole(path, partial(figure_of(axes).savefig, format="png", dpi=DPI))
        written.append(path)
    if every := results.study.collect.records:
        path = folder / "records.jsonl"
        hands = (record_cell(one.cell, results.study, int(one.tally.deals), every=every) for one in results.cells)
        write_whole(path, partial(_write_lines, records=chain.from_iterable(hands)))
        written.append(path)
    return written
