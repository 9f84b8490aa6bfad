#!/usr/bin/env bash
# The script that writes docs/graphs.md: a row of a later run takes the place of the same row of an
# earlier one, reached and missed are counted, and a quick look is refused.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

python3 - <<'END'
import json, pathlib

def result(scale, claims, table, rows):
    tables = [{"id": table, "title": table, "columns": ["row", "value"], "rows": rows}]
    return {"scale": scale, "seed": 3, "provenance": {"revision": "abc"}, "claims": claims, "tables": tables}

def claim(row, holds, measured):
    return {"id": f"{row}/x", "paper": f"{row} (data): x at most 1", "measured": measured, "holds": holds,
            "why": "" if holds else "a | reason"}

def write(name, scale, claims, rows):
    folder = pathlib.Path(name, "speed")
    folder.mkdir(parents=True)
    (folder.parent / "result.json").write_text(json.dumps(result(scale, claims, "accuracy", rows)))
    (folder / "result.json").write_text(json.dumps(result(scale, [], "seconds", rows)))

write("old", "full", [claim("a", False, "9"), claim("b", True, "0.5")], [["a", "9"], ["b", "0.5"]])
write("new", "full", [claim("a", True, "0.25"), claim("c", False, "2")], [["a", "0.25"], ["c", "2"]])
write("quick", "smoke", [claim("a", True, "0")], [["a", "0"]])
END
mkdir -p root/docs
"$WHENCE_SOURCE/scripts/graph_figures.py" old new --root root >/dev/null
python3 - <<'END'
import pathlib
page = pathlib.Path("root/docs/graphs.md").read_text(encoding="utf-8")
assert "2 of 3 figures are reached" in page, page
assert "| reached | `a` | x at most 1 | 0.25 |  |" in page, page
assert "| **missed** | `c` | x at most 1 | 2 | a \\| reason |" in page, page
assert "| a | 9 |" not in page and page.count("| a | 0.25 |") == 2, page
END

# What is claimed of all figures together counts the rows of all runs
python3 - <<'END'
import json, pathlib

def write(name, row, observed, cases):
    tables = [{"id": "figures", "title": "f", "columns": ["row"], "rows": [[row]]},
              {"id": "calibration-edges", "title": "c", "columns": ["row", "0.95-0.99"],
               "rows": [[row, f"0.970 → {observed} ({cases})"], ["other", "0.970 → 0.100 (9999)"]]}]
    claims = [{"id": "all-figures/calibration-edges", "paper": "all figures (rows): x", "measured": "?",
               "holds": True, "why": ""}]
    result = {"scale": "full", "seed": 3, "provenance": {"revision": "abc"}, "claims": claims, "tables": tables}
    (pathlib.Path(name) / "speed").mkdir(parents=True)
    pathlib.Path(name, "result.json").write_text(json.dumps(result))
    pathlib.Path(name, "speed", "result.json").write_text(json.dumps({**result, "claims": [], "tables": []}))

write("one", "a", "1.000", 150)
write("two", "b", "0.850", 150)
write("three", "b", "0.800", 150)
END
"$WHENCE_SOURCE/scripts/graph_figures.py" one two --root root >/dev/null
grep -q '| reached | `all-figures` | x | at most 0.045 |' root/docs/graphs.md
"$WHENCE_SOURCE/scripts/graph_figures.py" one two three --root root >/dev/null
grep -q '| \*\*missed\*\* | `all-figures` | x | at most 0.070 |' root/docs/graphs.md
if "$WHENCE_SOURCE/scripts/graph_figures.py" quick --root root 2>refused; then exit 1; fi
grep -q 'scale smoke' refused
echo "graph_figures.sh: ok"
