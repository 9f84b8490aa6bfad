#!/usr/bin/env python3
"""Long tables and many files: what `whence discover` takes for them, and whether it is right.

    bench/many_rows.py [--rows 10000000] [--columns 20] [--edges 29] [--files 11]
                       [--kind linear-gaussian|categorical] [--most-rows N|all] [--check]
                       [--seed 0] [--threads N] [--command PATH] [--folder DIR]

Simulates a random graph, one CSV file per environment (half of the rows in the baseline, one target in each of
the others), and prints the size of the files, processor seconds and peak memory of making them and of the
search, and what `whence evaluate` says of the answer; with --check, of `whence check` instead. Needs nothing
but the command; the files go when it ends, unless --folder names a place for them.
"""

import argparse
import contextlib
import glob
import json
import os
import subprocess
import sys
import tempfile

# A process inherits the peak of the one that starts it: a small one stands between.
BETWEEN = """
import json, resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def measured(what, command):
    """Runs it, and prints processor seconds and peak memory."""
    done = subprocess.run([sys.executable, "-c", BETWEEN, *command], stdout=subprocess.PIPE,
                          text=True, check=True)
    code, seconds, peak = json.loads(done.stdout)
    if code != 0:
        sys.exit(f"{what}: exit code {code}")
    print(f"{what}: {seconds:.1f} s of the processor, {peak:.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--edges", type=int, default=29)
    parser.add_argument("--files", type=int, default=11)
    parser.add_argument("--kind", default="linear-gaussian")
    parser.add_argument("--most-rows", default="200000")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--command", default="./whence")
    parser.add_argument("--folder", default="")
    options = parser.parse_args()
    shifted = options.files - 1
    whence = os.path.abspath(options.command)
    threads = [f"--threads={options.threads}"] if options.threads else []
    place = (contextlib.nullcontext(options.folder) if options.folder
             else tempfile.TemporaryDirectory())
    with place as folder:
        data, found = os.path.join(folder, "data"), os.path.join(folder, "found")
        measured("simulate", [
            whence, "simulate", "graph", "--kind", options.kind,
            "--graph", f"er:{options.columns}:{options.edges}",
            "--environments", str(shifted), "--rows", str(options.rows // 2 // shifted),
            "--baseline-rows", str(options.rows - options.rows // 2 // shifted * shifted),
            "--seed", str(options.seed), "--max-memory", "16G", "-o", data, "-q"])
        files = sorted(glob.glob(os.path.join(data, "shifted_*.csv")))
        size = sum(map(os.path.getsize, [*files, os.path.join(data, "baseline.csv")]))
        print(f"{options.rows} rows x {options.columns} columns in {len(files) + 1} files, "
              f"{size / 1e6:.0f} MB", flush=True)
        command = "check" if options.check else "discover"
        output = [] if options.check else ["-o", found]
        measured(command, [
            whence, command, "--baseline", os.path.join(data, "baseline.csv"), "--shifted", *files,
            "--most-rows", options.most_rows, *threads, "-q", *output])
        if options.check:
            return
        subprocess.run([whence, "evaluate", os.path.join(found, "result.json"),
                        os.path.join(data, "truth.json")], check=True)


if __name__ == "__main__":
    main()
