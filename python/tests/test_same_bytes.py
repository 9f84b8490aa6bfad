"""Fifty data sets of every kind: the result's JSON is the command line's, byte for byte."""

import json

import numpy as np
import pandas as pd
import pytest

import whence

QUICK = {"restarts": 1, "sweeps": 8, "threads": 1}


def worlds():
    """Name, table with a column "environment", and what is asked of it."""
    seed = 0
    for mechanism in ("linear-gaussian", "categorical", "network", "count", "mixed"):
        for shift in ("hard", "soft", "none"):
            seed += 1
            world = whence.simulate_graph("er:3:3", mechanism=mechanism, shift=shift, rows=12,
                                          baseline_rows=20, levels=3, seed=seed)
            yield f"{mechanism}-{shift}", world.data, {"baseline": "baseline"}
    for kind in ("categorical", "linear-gaussian", "spline"):
        for shift in ("cause", "mechanism"):
            seed += 1
            world = whence.simulate_pair(kind=kind, shift=shift, environments=2, rows=12,
                                         baseline_rows=30, levels=3, seed=seed)
            yield f"pair-{kind}-{shift}", world.data, {}
    plain = whence.simulate_graph("chain3", rows=14, baseline_rows=30, seed=99).data
    rng = np.random.default_rng(5)
    names = [f"X{i}" for i in range(3)]
    kinds = {
        "plain": plain,
        "integers": plain.assign(**{n: (plain[n] * 10).round().astype(int) for n in names}),
        "small-integers": plain.assign(**{n: plain[n].round().astype("int8") for n in names}),
        "nullable": plain.assign(X0=pd.array((plain.X0 * 5).round(), dtype="Int64")),
        "float32": plain.assign(X1=plain.X1.astype("float32")),
        "huge": plain.assign(X1=plain.X1 * 1e200),
        "tiny": plain.assign(X1=plain.X1 * 1e-200),
        "offset": plain.assign(X1=plain.X1 + 1e9),
        "booleans": plain.assign(X0=plain.X0 > 0, X1=plain.X1 > 0, X2=plain.X2 > 0),
        "strings": plain.assign(X0=np.where(plain.X0 > 0, "up", "down")),
        "spaces": plain.assign(X0=np.where(plain.X0 > 0, " up ", "do, \"wn\"")),
        "number-texts": plain.assign(X0=np.where(plain.X0 > 0, "1", "2.5")),
        "missing-words": plain.assign(X0=np.select([plain.X0 > .2, plain.X0 > 0], ["up", "NA"],
                                                   "none")),
        "categories": plain.assign(X2=pd.cut(plain.X2, 3)),
        "category-numbers": plain.assign(X2=pd.cut(plain.X2, 3, labels=[10, 20, 30])),
        "unused-category": plain.assign(X2=pd.Categorical(np.where(plain.X2 > 0, "a", "b"),
                                                          ["c", "b", "a"])),
        "missing": plain.mask(rng.random(plain.shape) < 0.02).assign(environment=plain.environment),
        "missing-texts": plain.assign(X0=np.where(plain.X0 > 0.3, None,
                                                  np.where(plain.X0 > 0, "a", "b"))),
        "dates": plain.assign(day=pd.date_range("2031-03-01", periods=len(plain))),
        "identifier": plain.assign(id=np.arange(len(plain))),
        "constant": plain.assign(k=3.5),
        "text-id": plain.assign(code=[f"p{i}" for i in range(len(plain))]),
        "zeros": plain.assign(X1=np.where(plain.X1 > 0, 0.0, -0.0) + plain.X1.round()),
        "unicode": plain.rename(columns={"X0": "Größe, °C", "X1": "naïve \"x\"", "X2": " z "}),
        "integer-names": plain.rename(columns={"X0": 0, "X1": 1, "X2": 2}),
        "alike": plain.rename(columns={"X0": "A", "X1": "a"}),
        "number-environments": plain.assign(environment=plain.environment.factorize()[0]),
        "float-environments": plain.assign(environment=plain.environment.factorize()[0] + .5),
        "shuffled": plain.sample(frac=1, random_state=1),
    }
    for name, table in kinds.items():
        numbers = name.endswith("-environments")
        yield name, table, {"baseline": table.environment.iloc[0] if numbers else "baseline"}


WORLDS = list(worlds())


def test_there_are_fifty():
    assert len(WORLDS) == 50 == len({name for name, _, _ in WORLDS})


@pytest.mark.filterwarnings("ignore::whence.WhenceWarning")
@pytest.mark.parametrize("name, table, asked", WORLDS, ids=[w[0] for w in WORLDS])
def test_same_bytes(name, table, asked, command, tmp_path):
    found = whence.discover(table, environment="environment", **asked, **QUICK)
    whence.save_csv(table, tmp_path / "data.csv")
    options = [f"--{k.replace('_', '-')}={v}" for k, v in {**asked, **QUICK}.items()]
    types = json.loads(found.to_json())["provenance"]["options"]["types"]
    if types:
        options.append(f"--types={types}")
    printed = command("discover", "data.csv", "--environment=environment", "--json", "-o", "out",
                      *options, folder=tmp_path)
    assert found.to_json().encode() == printed
    for file, content in found.files.items():
        assert (tmp_path / "out" / file).read_bytes() == content, file


@pytest.mark.filterwarnings("ignore::whence.WhenceWarning")
@pytest.mark.parametrize("name", ["direction", "check", "changes", "disentangle", "meta_learn"])
def test_same_bytes_of_other_commands(name, command, tmp_path, chain, pair):
    mixed = whence.simulate_mixed(shift="mixed", environments=4, rows=60, baseline_rows=80, seed=3)
    world = {"changes": chain, "disentangle": mixed}.get(name, pair)
    world.report(tmp_path)
    files = ["--baseline=baseline.csv"]
    files += [f"--shifted={e}.csv" for e in world.environments if e != "baseline"]
    if name == "changes":
        (tmp_path / "graph.json").write_text(
            '{"variables": ["X0", "X1", "X2"], "edges": [{"from": "X0", "to": "X1"}, '
            '{"from": "X1", "to": "X2"}]}')
        files.append("--graph=graph.json")
        found = whence.changes(world, [("X0", "X1"), ("X1", "X2")])
    else:
        found = getattr(whence, name)(world)
    if name != "check":
        files += ["-o", "out"]
    assert found.to_json().encode() == command(name.replace("_", "-"), *files, "--json",
                                               folder=tmp_path)


def test_same_bytes_of_the_paper(command, tmp_path):
    config = {"world": "categorical", "shift": "cause", "episodes": 20, "runs": 2}
    (tmp_path / "config.json").write_text(json.dumps(config))
    printed = command("meta-learn", "--config=config.json", "--json", "-o", "m", folder=tmp_path)
    assert whence.meta_learn(config).to_json().encode() == printed
    printed = command("reproduce", "belief-discrete", "--scale=smoke", "--json", "-o", "r",
                      folder=tmp_path)
    assert whence.reproduce("belief-discrete", scale="smoke").to_json().encode() == printed
    printed = command("simulate", "graph", "--graph=chain3", "--seed=4", "--json", "-o", "s",
                      folder=tmp_path)
    assert whence.simulate_graph("chain3", seed=4).to_json().encode() == printed


def test_a_changed_byte_would_be_seen(command, tmp_path, chain):
    """The comparison has teeth: one digit of one value changes the document."""
    table = chain.data
    other = table.copy()
    other.loc[0, "X0"] += 1e-12
    first = whence.discover(table, environment="environment", **QUICK)
    second = whence.discover(other, environment="environment", **QUICK)
    assert first.to_json() != second.to_json()
