"""mypy finds nothing in the package, nor in a program that uses it; it does find a mistake."""

import os
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
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir",
         str(folder / "cache"), *arguments], capture_output=True, text=True, cwd=folder,
        env={**os.environ, "MYPYPATH": here})


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
