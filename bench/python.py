#!/usr/bin/env python3
"""What Python costs: time and memory around the engine, the time of an import, and how soon Ctrl-C
raises.

    bench/python.py [--rows 1000000] [--columns 20] [--environments 10] [--most-rows 200000|all]
                    [--threads N] [--command PATH]

Needs the installed package, numpy and nothing else. Prints one line per figure.
"""

import argparse
import resource
import subprocess
import sys
import time


def data_of(options):
    """A chain with a shift of one mechanism in each environment, in one C-ordered array."""
    import numpy as np

    rng = np.random.default_rng(0)
    values = rng.normal(size=(options.rows, options.columns))
    labels = np.arange(options.rows) * options.environments // options.rows
    for e in range(1, options.environments):
        values[labels == e, e % options.columns] += 0.5
    for j in range(1, options.columns):  # after the shifts: effects follow their causes
        values[:, j] += 0.8 * values[:, j - 1]
    return values, labels


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def compare_with_command(values, labels, growth, seconds, options):
    """The command line on the same data: what of time and memory is the engine's own."""
    import os
    import tempfile

    import whence

    with tempfile.TemporaryDirectory() as folder:
        table = {f"c{j + 1}": values[:, j] for j in range(values.shape[1])}
        whence.save_csv({**table, "environment": labels}, os.path.join(folder, "data.csv"))
        command = [os.path.abspath(options.command), "discover", "data.csv", "--quiet",
                   "--environment=environment", "--baseline=0", f"--most-rows={options.most_rows}"]
        if options.threads:
            command.append(f"--threads={options.threads}")
        # A process inherits the peak of the one that starts it: a small one stands between.
        between = ("import resource, subprocess, sys\n"
                   "subprocess.run(sys.argv[1:], check=True)\n"
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", between, *command], cwd=folder, check=True,
                              capture_output=True, text=True)
        took = time.perf_counter() - start
    child = int(done.stdout) * 1024
    print(f"command: {took:.2f} s with its page, {child / values.nbytes:.2f} times the data; Python "
          f"{seconds - took:+.2f} s and {(growth - child) / values.nbytes:+.2f} beside it")


def import_seconds():
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import whence"], check=True)
        with_whence = time.perf_counter() - start
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        times.append(with_whence - (time.perf_counter() - start))
    return sorted(times)[2]


def interrupt_seconds(model, variables):
    """How long after Ctrl-C a search raises, and how long its answer takes then."""
    import _thread
    import signal
    import warnings

    import whence
    from whence import _run

    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    world = whence.simulate_graph(f"er:{variables}:{2 * variables}", rows=200, seed=1)
    pressed = []

    def show(self, done, best):
        if not pressed and (best > float("-inf") or done > 0.1):
            pressed.append(time.perf_counter())
            _thread.interrupt_main()

    usual, _run.Bar._show = _run.Bar._show, show
    try:
        whence.discover(world, model=model, sweeps=10**6, progress=True)
    except whence.Interrupted as stop:
        raised = time.perf_counter()
        stop.result
        return raised - pressed[0], time.perf_counter() - raised
    finally:
        _run.Bar._show = usual
    return 0.0, 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--environments", type=int, default=10)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--most-rows", default="200000", help="as of discover; or all")
    parser.add_argument("--command", help="a whence to compare time and memory with")
    options = parser.parse_args()

    print(f"import: {import_seconds():.3f} s beyond Python's own start (median of 5)")
    import whence

    values, labels = data_of(options)
    before = peak()
    start = time.perf_counter()
    found = whence.discover(values, environment=labels, baseline=0, threads=options.threads,
                            most_rows=options.most_rows, progress=False)
    found.to_dict()
    total = time.perf_counter() - start
    engine, reading = found.seconds["engine"], found.seconds["reading"]
    print(f"data: {options.rows} rows x {options.columns} columns, {values.nbytes / 1e6:.0f} MB")
    print(f"engine: {engine:.2f} s; reading and hashing: {reading:.2f} s; "
          f"Python: {total - engine - reading:.2f} s")
    print(f"overhead: {100 * (total - engine) / engine:.1f} % of the engine's time, of this Python "
          f"itself {100 * (total - engine - reading) / engine:.1f} %")
    growth = peak() - before
    print(f"memory: {growth / values.nbytes:.2f} times the data, beyond the data")
    print(f"answer: {found.summary}")
    for model in ("linear", "labels"):
        raised, waited = interrupt_seconds(model, 40)
        print(f"Ctrl-C, 40 variables, {model}: raises after {raised:.2f} s, "
              f"its answer is there {waited:.2f} s later")
    if options.command:
        compare_with_command(values, labels, growth, total, options)


if __name__ == "__main__":
    main()
