#!/usr/bin/env bash
# whence bench invariance: order, names, threads and the locale change no bit of any answer, units hardly
# one, and a copy none; and one row more or less is seen, so that it would notice.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
accepts bench invariance --scale smoke --json -q
check 'nothing that must not matter does' python3 - "$out" <<'PYTHON'
import json, sys
found = json.loads(sys.argv[1])
rows = {row.pop("different"): row for row in found["changes"]}
for name in ("rows in another order", "columns in another order", "environments in another order",
             "other names", "other threads", "another locale", "an environment twice"):
    for command, most in rows[name].items():
        assert most["change"] == 0, (name, command, most)
for command, most in rows["other units"].items():
    assert most["change"] < 1e-9, (command, most)
for name in ("one row more", "one row less"):
    assert all(most["change"] > 0 for most in rows[name].values()), name
assert len(rows) == 12 and all(len(row) == 4 for row in rows.values()), rows
assert found["turned_round"] == 0, found["turned_round"]
PYTHON
refuses 2 E-USAGE-CHOICE "no --scale 'tiny'" bench invariance --scale tiny
finish
