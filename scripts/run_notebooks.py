#!/usr/bin/env python3
"""Runs the notebooks of the guide and writes their outputs anew, without times and paths.

    build/venv/bin/python scripts/run_notebooks.py [NAME...]      (default: all of docs/notebooks)

Needs python/requirements-slow.txt and the package on PYTHONPATH (build/dev/python).
"""

import pathlib
import sys
import tempfile

import nbclient
import nbformat

BOOKS = pathlib.Path(__file__).resolve().parents[1] / "docs" / "notebooks"


def executed(path):
    """The notebook with fresh outputs, run in an empty folder."""
    book = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(book, timeout=600, kernel_name="python3", record_timing=False,
                                resources={"metadata": {"path": folder}}).execute()
    for cell in book.cells:
        if cell.cell_type == "code":  # what goes to stderr names files of this machine
            cell.outputs = [o for o in cell.outputs if o.get("name") != "stderr"]
    book.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python",
                                    "name": "python3"}, "language_info": {"name": "python"}}
    return book


def main(names):
    for path in sorted(BOOKS.glob("*.ipynb")):
        if not names or path.stem in names:
            nbformat.write(executed(path), path)
            print(f"{path.stem}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
