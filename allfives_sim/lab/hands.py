"""Hands as rows of Parquet files: a file a block, so that none is in memory longer than its block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allfives_sim.core.errors import InputError
from allfives_sim.core.hand import ENDS
from allfives_sim.core.tiles import MAX_PLAYERS, tile_name
from allfives_sim.lab.output import check_folder, write_whole
from allfives_sim.lab.tally import HANDS, NUMBERED_TILES, unpack

if TYPE_CHECKING:
    import pyarrow as pa

    from allfives_sim.lab.store import Block
    from allfives_sim.lab.study import Cell


class HandsFolder:
    """The folder ``hands`` of a run: a Parquet data set that pandas, Arrow and DuckDB read as one table.

    Raises
    ------
    InputError
        There is no folder to write to, or it cannot be written.
    """

    def __init__(self, folder: Path | None) -> None:
        if folder is None:
            raise InputError("collect.hands writes files; valid: with a folder for the run (--out)")
        self.folder = check_folder(folder / "hands")

    def path(self, cell: int, first: int) -> Path:
        """The file of a block."""
        return self.folder / f"cell-{cell:05d}-{first:012d}.parquet"

    def check(self, cell: Cell, blocks: Sequence[Block]) -> None:
        """Remove files of blocks that were never committed; refuse to go on where one is missing."""
        wanted = {self.path(cell.number, block.first): int(unpack(block.tally).sums[HANDS]) for block in blocks}
        for path, hands in wanted.items():
            if _rows(path) != hands:
                raise InputError(
                    f"{path} is missing or damaged, which holds hands of this run; put it back, or take another folder"
                )
        for path in set(self.folder.glob(f"cell-{cell.number:05d}-*.parquet")) - set(wanted):
            path.unlink()

    def write(self, cell: Cell, first: int, hands: NDArray[Any] | None) -> None:
        """Write a block's hands; before it is committed, so that no committed block lacks them."""
        if hands is not None:
            import pyarrow.parquet as pq

            write_whole(self.path(cell.number, first), partial(pq.write_table, hands_table(cell, hands)))


def _rows(path: Path) -> int:
    """How many rows a Parquet file has; -1 where it is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(path).num_rows)
    except (OSError, pa.ArrowInvalid):
        return -1


def hands_table(cell: Cell, hands: NDArray[Any]) -> pa.Table:
    """Hands of dtype `HAND` as a table with a row a hand; its columns are told in docs/results.md."""
    import pyarrow as pa

    def named(numbers: NDArray[Any], names: Sequence[str]) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int8)), list(names))

    columns: dict[str, Any] = {"cell": np.full(len(hands), cell.number, dtype=np.int32)}
    columns |= {name: hands[name] for name in ("deal", "rotation", "hand", "leader")}
    columns["lead"] = named(hands["lead"], [tile_name(tile) for tile in NUMBERED_TILES])
    columns["ended"] = named(hands["ended"], ["", *ENDS.values()])
    columns |= {name: hands[name] for name in ("plays", "draws", "passes")}
    seats = cell.seating.seatings[hands["rotation"]]
    for seat in range(MAX_PLAYERS):  # the same columns in every file: they are read as one table
        seated = seat < cell.rules.players
        agents = (
            named(seats[:, seat], cell.agents)
            if seated
            else pa.nulls(len(hands), pa.dictionary(pa.int8(), pa.string()))
        )
        columns[f"agent_{seat}"] = agents
        for name, kind in (("points", pa.int32()), ("scored", pa.int32()), ("left", pa.int8())):
            values = (
                pa.array(np.ascontiguousarray(hands[name][:, seat]), kind) if seated else pa.nulls(len(hands), kind)
            )
            columns[f"{name}_{seat}"] = values
    return pa.table(columns)
