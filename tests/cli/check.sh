#!/usr/bin/env bash
# What check says before any question about causes, of two columns and of many.
source "$WHENCE_SOURCE/tests/cli/lib.bash"

accepts simulate graph --graph chain4 --mechanism square --shift hard --environments 3 --rows 200 \
  --baseline-rows 400 --seed 2 -o four
mapfile -t inputs < <(files four)
accepts check "${inputs[@]}"
check 'where each shift shows' grep -q 'differs in' <<<"$out"
check 'what tells directions' grep -q 'environments change some variables and leave others' <<<"$out"
check 'what lines do not fit' grep -q 'Straight lines do not fit' <<<"$out"
accepts check "${inputs[@]}" --json
check 'an object for programs' python3 -c '
import json, sys
found = json.loads(sys.argv[1])
assert [c["name"] for c in found["columns"]] == ["X0", "X1", "X2", "X3"], found["columns"]
assert found["environments"][0]["baseline"] and len(found["environments"]) == 4
shifted = found["environments"][1]["marginal_evidence"]
assert shifted["X0"] > 3, shifted
assert any(line["not_linear"] for line in found["lines"])
assert found["warnings"] == []' "$out"

# Copies count once, and a line says so
for file in four/*.csv; do
  mkdir -p copies
  { cat "$file"; tail -n +2 "$file"; } >"copies/$(basename "$file")"
done
mapfile -t inputs < <(files copies)
accepts check "${inputs[@]}"
check 'copies are named' grep -q 'repeat another row' <<<"$err"
accepts discover "${inputs[@]}" --restarts 1 --sweeps 8 --json -o found
check 'and discover says so' grep -q 'each counts once' <<<"$out"

# Two columns are looked at both ways round
accepts simulate pair --levels 3 --shift cause --environments 2 --rows 100 -o pair
mapfile -t inputs < <(files pair)
accepts check "${inputs[@]}"
check 'given each other' grep -q 'given' <<<"$out"
refuses 2 E-USAGE-DATA 'no shifted data set' check --baseline pair/baseline.csv

finish
