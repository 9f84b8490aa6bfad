"""What the tests share: small worlds, and the command line of the same build."""

import os
import subprocess

import pytest

import whence


@pytest.fixture(scope="session")
def command():
    """Runs the command line in a folder; what --json prints, as bytes."""
    program = os.environ.get("WHENCE")
    if not program:
        pytest.skip("WHENCE does not name the command")

    def run(*arguments, folder):
        done = subprocess.run([program, *map(str, arguments)], cwd=folder, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    return run


@pytest.fixture(scope="session")
def chain():
    return whence.simulate_graph("chain3", rows=60, seed=1)


@pytest.fixture(scope="session")
def found(chain):
    return whence.discover(chain)


@pytest.fixture(scope="session")
def pair():
    return whence.simulate_pair(environments=3, rows=60, seed=1)
