"""Good manners: quiet and quick imports, Ctrl-C, threads, warnings, progress, docstrings."""

import doctest
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import whence


def python(text, **options):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True,
                          text=True, timeout=120, **options)


def test_import_says_nothing_and_loads_nothing_heavy():
    done = python("""
        import sys, whence
        heavy = {"numpy", "pandas", "networkx", "matplotlib", "tqdm", "sklearn"} & set(sys.modules)
        assert not heavy, heavy
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# Presses Ctrl-C when the engine has shown how far it is, once or more often.
PRESSED = """
    import os, signal, sys, time, warnings
    import whence
    from whence import _run
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    times = 1
    def show(self, done, best):
        global times
        begun = done > (0.1 if self._name in _run.ANSWER_EARLY else 0)
        if times > 0 and (begun or best > float("-inf")):
            times -= 1
            os.kill(os.getpid(), signal.SIGINT)
    _run.Bar._show = show
    world = whence.simulate_graph("er:15:30", rows=60, seed=1)
    tables = world.environments
    def search(**options):
        while True:  # a search may end before it is looked at
            whence.discover(tables, baseline="baseline", sweeps=10**6, restarts=1000,
                            progress=True, **options)
"""


def test_ctrl_c_raises_with_the_best_answer_so_far():
    done = python(PRESSED + """
    try:
        search()
    except whence.Interrupted as stop:
        assert isinstance(stop, KeyboardInterrupt)
        assert stop.result.stopped == "interrupted", stop.result.stopped
        assert stop.result.adjacency.shape == (15, 15)
        assert stop.ready and stop.result is stop.result
        print("answered")
    """)
    assert done.stdout == "answered\n", done.stderr


@pytest.mark.parametrize("model", ["linear", "labels"])
def test_ctrl_c_does_not_wait_for_the_answer(model):
    """Without patience the exception comes before the answer, which `result` waits for."""
    done = python(PRESSED + f"""
    _run.PATIENCE = 0
    try:
        search(model="{model}")
    except whence.Interrupted as stop:
        assert stop.result.stopped == "interrupted", stop.result.stopped
        assert stop.ready
        print("answered")
    small = whence.simulate_graph("chain3", rows=60, seed=1)
    assert whence.discover(small).adjacency[0, 1] == 1  # the next call is as good as any
    """)
    assert (done.stdout, done.stderr, done.returncode) == ("answered\n", "", 0)


def test_a_process_may_end_while_an_engine_still_works():
    done = python(PRESSED + """
    _run.PATIENCE = 0
    try:
        search(model="labels")
    except whence.Interrupted as stop:
        print("stopped")
        sys.exit(7)
    """)
    assert (done.stdout, done.stderr, done.returncode) == ("stopped\n", "", 7)


def test_ctrl_c_that_nobody_catches_is_a_keyboard_interrupt():
    done = python(PRESSED + "\n    search()")
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].startswith("whence._errors.Interrupted: the search was")


def test_ctrl_c_during_the_paper_raises():
    done = python(PRESSED + """
    try:
        whence.reproduce("belief-discrete", config={"runs": 100000}, progress=True)
    except KeyboardInterrupt as stop:
        assert not isinstance(stop, whence.Interrupted)
        print("answered")
    """)
    assert done.stdout == "answered\n", done.stderr


def test_a_signal_handler_of_ones_own_may_raise():
    done = python(PRESSED + """
    class Enough(Exception): pass
    def handler(*_): raise Enough
    signal.signal(signal.SIGINT, handler)
    try:
        search()
    except Enough:
        print("answered")
    """)
    assert done.stdout == "answered\n", done.stderr


def test_interrupted_is_pickled_with_its_answer(found):
    import pickle

    again = pickle.loads(pickle.dumps(whence.Interrupted(found)))
    assert again.result == found
    assert pickle.loads(pickle.dumps(whence.Interrupted(later=lambda: found))).result == found


def test_the_interpreter_runs_while_the_engine_does(chain):
    """Another thread counts while a search runs; with the lock held it would not."""
    counts, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counts[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counts[0]
    whence.discover(whence.simulate_graph("er:10:15", rows=50, seed=1), sweeps=3000)
    during = counts[0] - before
    stop.set()
    thread.join()
    assert during > 10


def test_calls_from_many_threads_are_independent(chain, found):
    results = [None] * 4

    def work(i):
        results[i] = whence.discover(chain)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(r == found for r in results)


def test_errors_in_threads_are_errors_there(chain):
    caught = []

    def work():
        try:
            whence.discover(chain, baseline="nowhere")
        except whence.UsageError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(caught) == 1


def test_progress_is_quiet_unless_somebody_looks(chain, capfd):
    whence.discover(chain)
    whence.discover(chain, progress=True)
    out, _ = capfd.readouterr()
    assert out == ""


def test_what_progress_raises_is_raised(monkeypatch):
    from whence import _run

    def broken(self, done, best):
        raise RuntimeError("no bar")

    monkeypatch.setattr(_run.Bar, "_show", broken)
    world = whence.simulate_graph("er:12:20", rows=50, seed=1)
    with pytest.raises(RuntimeError, match="no bar"):
        whence.discover(world, progress=True, sweeps=10**6, restarts=1000)


def test_fork(chain, found):
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    done = python("""
        import os, whence
        world = whence.simulate_graph("chain3", rows=60, seed=1)
        first = whence.discover(world)
        child = os.fork()
        if child == 0:
            os._exit(0 if whence.discover(world) == first else 1)
        assert os.waitpid(child, 0)[1] == 0
    """)
    assert done.returncode == 0, done.stderr


def test_examples_in_docstrings():
    results = doctest.testmod(whence, extraglobs={"whence": whence},
                              optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0 and results.attempted >= 20


def test_every_public_name_is_documented():
    for name in whence.__all__:
        assert getattr(whence, name).__doc__, name


def test_the_package_says_which_it_is():
    assert whence.__version__.count(".") == 2
    assert os.path.exists(os.path.join(os.path.dirname(whence.__file__), "py.typed"))
