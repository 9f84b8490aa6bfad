"""mypy finds nothing in the package, nor in a program that uses it; it does find a mistake."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("mypy")
import whence  # noqa: E402

USE = """
import whence

world = whence.simulate_graph("chain3", rows=50)
found: whence.GraphResult = whence.discover(world, forbid=[("X0", "X1")], seed=3)
text: str = found.to_json()
score = whence.evaluate(found, world)
shd: int = score["shd"]["total"]
"""


def mypy(*arguments, folder):
    here = os.path.dirname(os.path.dirname(whence.__file__))
    installed = os.path.basename(here) == "site-packages"  # mypy looks there by itself
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir",
         str(folder / "cache"), *arguments], capture_output=True, text=True, cwd=folder,
        env={**os.environ, "MYPYPATH": "" if installed else here})


def test_the_package_is_clean(tmp_path):
    done = mypy("-p", "whence", folder=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_program_is_clean_and_a_mistake_is_found(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    done = mypy("use.py", folder=tmp_path)
    assert done.returncode == 0, done.stdout
    (tmp_path / "wrong.py").write_text(USE + "number: int = found.to_json()\n")
    done = mypy("wrong.py", folder=tmp_path)
    assert done.returncode == 1 and "Incompatible types" in done.stdout, done.stdout


ROOT = pathlib.Path(__file__).resolve().parents[2]


def examples():
    """Every program that the pages and the notebooks show, as one file each."""
    for page in ("README.md", "docs/python.md"):
        blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"),
                            re.MULTILINE | re.DOTALL)
        yield page.replace("/", "_").lower()[:-3], "\n".join(blocks)
    for book in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        cells = json.loads(book.read_text(encoding="utf-8"))["cells"]
        yield book.stem, "\n\n".join("".join(c["source"]) for c in cells
                                     if c["cell_type"] == "code")


def test_examples_are_clean(tmp_path):
    names = []
    for name, text in examples():
        (tmp_path / f"{name}.py").write_text(text + "\n", encoding="utf-8")
        names.append(f"{name}.py")
    assert len(names) == 5
    done = mypy("--allow-untyped-defs", "--allow-untyped-calls", *names, folder=tmp_path)
    assert done.returncode == 0, done.stdout
