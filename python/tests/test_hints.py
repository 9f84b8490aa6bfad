"""Hints of the engine are in words of Python."""

import numpy as np
import pytest

import whence
from whence._hints import in_python


@pytest.mark.parametrize("told, wanted", [
    ("--types x=real,y=categorical:3", 'types={"x": "real", "y": "categorical:3"}'),
    ('--types "a,b"=real', 'types={"a,b": "real"}'),
    ("--types 'my column=labels' if it holds names",
     'types={"my column": "labels"} if it holds names'),
    ("(--types to change that)", "(types= to change that)"),
    ("--min-rows 2 keeps them, --small pool joins them",
     'min_rows=2 keeps them, small="pool" joins them'),
    ("if it is right, --odd-rows keep", 'if it is right, odd_rows="keep"'),
    ("name them: --columns X,Y", 'name them: columns=["X", "Y"]'),
    ("choose some with --columns, or leave some out with --exclude",
     "choose some with columns=, or leave some out with exclude="),
    ("say so with --na=-999", "say so with na=-999"),
    ("--missing=drop --na=?", 'missing="drop" and na="?"'),
    ("--decimal=, --delimiter=;", 'decimal="," delimiter=";"'),
    ("--prior no_link=0.1", 'prior={"no_link": 0.1}'),
    ("name no baseline: --shifted for every file", "name no baseline"),
    ("--model linear takes numbers", 'model="linear" takes numbers'),
    ("nothing -- to see", "nothing -- to see"),
])
def test_options_become_arguments(told, wanted):
    assert in_python(told) == wanted


def test_warnings_and_notes_of_results(chain):
    frame = chain.data.assign(day="2024-01-01", code=np.arange(len(chain.data)) % 30)
    with pytest.warns(whence.WhenceWarning) as caught:
        found = whence.discover(frame, environment="environment", baseline="baseline")
    said = [str(w.message) for w in caught] + found.warnings + found.advice + found.notes
    assert any('types={"NAME": "TYPE"} keeps one' in text for text in said)
    assert any('types={"code": "categorical"}' in text for text in said)
    assert not any("--" in text for text in said), said


def test_results_name_tables_not_files(chain, tmp_path):
    holes = chain.data.copy()
    holes.loc[3, "X1"] = None
    with pytest.warns(whence.WhenceWarning, match="^data: 1 of"):
        found = whence.discover(holes, environment="environment", baseline="baseline")
    assert any(text.startswith("data: 1 of") for text in found.warnings), found.warnings
    whence.save_csv(holes, tmp_path / "mine.csv")  # what is a file stays one
    with pytest.warns(whence.WhenceWarning, match=r"mine\.csv: 1 of"):
        found = whence.discover(tmp_path / "mine.csv", environment="environment",
                                baseline="baseline")
    assert any("mine.csv: 1 of" in text for text in found.warnings), found.warnings


def test_places_are_tables_not_files(chain):
    tables = dict(chain.environments)
    tables["a lab"] = tables.pop("shifted_01").assign(X1=np.inf)
    with pytest.raises(whence.DataError) as caught:
        whence.discover(tables, baseline="baseline")
    assert caught.value.place == "a lab[0]"
    assert ".csv" not in str(caught.value)
