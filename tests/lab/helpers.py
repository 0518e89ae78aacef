"""What the tests of runs share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from allfives_sim import Results


def integers(results: Results) -> list[tuple[int, bytes]]:
    """All that was counted, cell by cell."""
    return [(one.cell.number, one.packed) for one in results.cells]


def start_run(arguments: list[str], folder: Path) -> subprocess.Popen[str]:
    """Begin ``allfives run`` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", "from allfives_sim.cli import main; main()", "run", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
