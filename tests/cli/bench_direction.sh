#!/usr/bin/env bash
# whence bench direction: the same bytes for any number of threads, no rate without its control.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
# Sanitizers look for faults of the code, which one run shows: it takes minutes there.
if [[ ${WHENCE_SANITIZED:-} ]]; then
  accepts bench direction --scale smoke --threads 3 -q -o one
  finish
fi
accepts bench direction --scale smoke --threads 1 -q --json -o one
printf '%s' "$out" >one.json
accepts bench direction --scale smoke --threads 3 -o three
for speed in 'N=10, none shift' 'CSV read, levels' 'CSV read, real'; do
  check "the speed of $speed" grep -q "$speed" <<<"$out"
  check "and in run.json" grep -q "$speed.* of the processor" three/run.json
done
check 'threads do not matter' cmp -s one/result.json three/result.json
check 'the document is result.json' cmp -s one/result.json one.json
check 'nor to the page' cmp -s one/index.html three/index.html
for table in summary discrete real episodes controls reliability-prior reliability-shifts; do
  check "$table" test -s "one/tables/$table.csv"
done
check 'a control beside every rate' python3 - <<'PYTHON'
import csv
for name in ("discrete", "real"):
    rows = list(csv.reader(open(f"one/tables/{name}.csv")))
    at = rows[0].index("no shift: decided")
    assert len(rows) > 50 and all(row[at] for row in rows), name
PYTHON
refuses 2 E-USAGE-CHOICE "no --scale 'tiny'" bench direction --scale tiny
finish
