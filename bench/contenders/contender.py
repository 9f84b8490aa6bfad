"""What every contender shares: the work by name, the command line, the one line of JSON.

A contender is a file with a class that has these methods, each of which returns a function that does
the work when it is called, and returns statistics of it:

    belief(task, runs, episodes)          unit: one episode, for both hypotheses
    adaptation(task, runs, steps)         unit: one run of all its steps, with its test set
    same_distribution(task, runs, steps)  unit: one step of one run, with its test evaluation
    linear_gaussian(task, runs, episodes) unit: one episode of ten steps, for both hypotheses
    continuous(task, runs, episodes)      unit: one episode of ten steps, with both mixtures
    encoder(task, runs, iterations)       unit: one meta-iteration, with its training steps
    mlp(task, runs, episodes)             unit: one episode of twenty graphs

What happens before the function is called (drawing worlds, drawing the large test set) is not timed.
"""

import argparse
import json
import os
import statistics
import time
from dataclasses import dataclass

# One thread: to be set before torch starts its own.
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"


@dataclass(frozen=True)
class Task:
    """The settings of one name; they are those of experiments/*.json."""

    name: str
    kind: str
    levels: int
    optimizer: str
    learning_rate: float
    batch: int
    test_rows: int = 0


TASKS = {
    task.name: task
    for task in (
        Task("belief-discrete/N=10", "belief", 10, "sgd", 0.1, 10),
        Task("belief-discrete/N=100", "belief", 100, "sgd", 0.1, 10),
        Task("adaptation-curve", "adaptation", 10, "sgd", 1.0, 100, 10_000),
        Task("adaptation-curve/paper", "adaptation", 10, "rmsprop", 0.1, 1, 10_000),
        Task("same-distribution/N=10", "same_distribution", 10, "rmsprop", 0.01, 100, 100_000),
        Task("same-distribution/N=100", "same_distribution", 100, "rmsprop", 0.01, 100, 100_000),
        # of vectors, `levels` is their dimension
        Task("belief-linear-gaussian/d=10", "linear_gaussian", 10, "adam", 1e-3, 10),
        Task("belief-linear-gaussian/d=100", "linear_gaussian", 100, "adam", 1e-5, 10),
        # of splines, the number of their points
        Task("belief-continuous", "continuous", 10, "adam", 1e-3, 1000),
        Task("encoder-rotation", "encoder", 8, "adam", 1e-3, 1000),
        Task("belief-mlp/N=10", "mlp", 10, "sgd", 1e-3, 256),
        Task("belief-mlp/N=100", "mlp", 100, "sgd", 1e-3, 256),
    )
}

UNITS = {"belief": "episode", "adaptation": "run", "same_distribution": "step",
         "linear_gaussian": "episode", "continuous": "episode", "encoder": "iteration",
         "mlp": "episode"}
ADAPTATION_STEPS = 500


def units_of(task, runs, length):
    return runs if task.kind == "adaptation" else runs * length


def statistic(curve, x, values):
    """The value of a curve of Whence's report at x, once per independent run."""
    return {"curve": curve, "x": x, "values": [float(v) for v in values]}


def prepare(contender, task, size):
    return getattr(contender, task.kind)(task, *size)


def time_passes(contender, task, size, repeat):
    """Median seconds of a pass, after one short pass that nobody counts."""
    prepare(contender, task, contender.warm_up(task))()
    seconds = []
    for _ in range(repeat):
        work = prepare(contender, task, size)
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def parse():
    parser = argparse.ArgumentParser(description="Time or check one piece of work.")
    parser.add_argument("name", choices=sorted(TASKS))
    parser.add_argument("--repeat", type=int, default=5, help="passes; the median counts")
    parser.add_argument("--check", action="store_true", help="print statistics instead of a time")
    parser.add_argument("--quick", action="store_true", help="smaller passes and samples")
    parser.add_argument("--table", action="store_true", help="torch_loop: normalise tables first")
    parser.add_argument("--size", type=int, nargs=2, help="runs and their length, for experiments")
    return parser.parse_args()


def main(make_contender):
    """`make_contender(options)` returns the contender."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    options = parse()
    task, contender = TASKS[options.name], make_contender(options)
    result = {"name": task.name}
    if options.check:
        size = options.size or contender.check_size(task, options.quick)
        result["statistics"] = prepare(contender, task, size)()
    else:
        size = options.size or contender.pass_size(task, options.quick)
        result["unit"] = UNITS[task.kind]
        result["units"] = units_of(task, *size)
        result["seconds"] = time_passes(contender, task, size, options.repeat)
    print(json.dumps(result))
