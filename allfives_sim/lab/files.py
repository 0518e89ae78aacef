"""The files of a run: all that is made from its blocks, and can be made again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from allfives_sim.lab.output import check_folder, write_frames, write_whole
from allfives_sim.lab.plots import distribution_figure, margins_figure
from allfives_sim.lab.recording import record_cell, write_records
from allfives_sim.lab.results import Results

DPI = 100


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
    for name, figure in (("margins", margins_figure(results)), ("distribution", distribution_figure(results))):
        path = folder / f"{name}.png"
        write_whole(path, partial(figure.savefig, format="png", dpi=DPI))
        written.append(path)
    if results.study.collect.records:
        path = folder / "records.jsonl"
        write_records(
            path,
            (record for one in results.cells for record in record_cell(one.cell, results.study, int(one.tally.deals))),
        )
        written.append(path)
    return written
