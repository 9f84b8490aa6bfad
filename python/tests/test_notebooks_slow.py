"""The notebooks of the guide run from the first cell to the last."""

import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

BOOKS = sorted((pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert len(BOOKS) == 3


@pytest.mark.parametrize("book", BOOKS, ids=lambda b: b.stem)
def test_runs(book, tmp_path):
    notebook = nbformat.read(book, as_version=4)
    code = "\n".join(c.source for c in notebook.cells if c.cell_type == "code")
    if "dowhy" in code:
        pytest.importorskip("dowhy")
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert book.stat().st_size < 100_000, "outputs are meant to be small"
