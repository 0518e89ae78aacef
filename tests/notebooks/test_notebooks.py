"""The notebooks run from start to end."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def tables(notebook: nbformat.NotebookNode) -> list[str]:
    """The frames that a notebook shows, as text."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.data["text/plain"] for output in outputs if "text/html" in output.get("data", {})]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_runs_to_its_end_and_gives_the_tables_that_are_committed(path: Path) -> None:
    notebook = nbformat.read(path, 4)
    committed = tables(notebook)
    assert committed
    NotebookClient(notebook, timeout=300).execute()
    assert tables(notebook) == committed
