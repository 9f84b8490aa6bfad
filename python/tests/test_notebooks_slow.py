"""The notebooks of the guide run from the first cell to the last."""

import copy
import pathlib
import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

BOOKS = sorted((pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert len(BOOKS) == 3


def printed(notebook):
    """What the cells print, with every number as #: digits may move with the engine."""
    streams = [o for c in notebook.cells for o in c.get("outputs", []) if o.get("name") == "stdout"]
    return [re.sub(r"\d[\d.e+-]*", "#", o.text) for o in streams]


@pytest.mark.parametrize("book", BOOKS, ids=lambda b: b.stem)
def test_runs(book, tmp_path):
    stored = nbformat.read(book, as_version=4)
    if "dowhy" in "\n".join(c.source for c in stored.cells if c.cell_type == "code"):
        pytest.importorskip("dowhy")
    notebook = copy.deepcopy(stored)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert book.stat().st_size < 100_000, "outputs are meant to be small"
    assert printed(notebook) == printed(stored), "scripts/run_notebooks.py writes them anew"
