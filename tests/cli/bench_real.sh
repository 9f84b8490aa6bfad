#!/usr/bin/env bash
# bench real on folders as they come: simulated ones, and one table with a column of environments.
source "$WHENCE_SOURCE/tests/cli/lib.bash"

accepts simulate graph --graph '0->1->2' --mechanism linear --rows 40 --baseline-rows 150 -o made -q
accepts bench real made --rows 100,30 --subsamples 2 --shuffle-columns --seed 3 --threads 1 -o first
check 'every run and control is in the table' python3 - <<'PYTHON'
import json
result = json.load(open("first/result.json"))
rows = {table["id"]: table["rows"] for table in result["tables"]}["real"]
assert len(rows) == 6, rows
recorded = rows[0]
assert recorded[:4] == ["made", "1", "190", "as recorded"], recorded
assert recorded[7].endswith("(2)"), "the empty graph's distance"
assert recorded[8].endswith("of 3") and recorded[9].endswith("of 3"), recorded
assert {claim["id"] for claim in result["claims"]} >= {"made/wrong-edges", "made/targets", "made/pieces-directions"}
assert json.load(open("first/speed/result.json"))["tables"][0]["id"] == "seconds"
PYTHON
check 'the page says nothing of where the data are' bash -c '! grep -q "$PWD" first/index.html first/result.json'

# One table; the truth has the form of a light tunnel's, without edges
mkdir table
{
  echo 'run,a,b'
  for k in $(seq 1 60); do echo "usual,$((k * 37 % 101)),$((k * 11 % 53))"; done
  for k in $(seq 1 30); do echo "warm,$((k * 37 % 101)),$((k * 11 % 53 + 90))"; done
} >table/all.csv
echo '{"environment": "run", "baseline": "usual", "environments": {"warm": {"targets": ["b"]}}}' >table/truth.json
accepts bench real made table --no-controls -o both
check 'both folders are told, edges only where they are known' python3 - <<'PYTHON'
import json
rows = json.load(open("both/result.json"))["tables"][0]["rows"]
assert [row[0] for row in rows] == ["made", "table"], rows
assert "/" in rows[0][4] and "stated" in rows[1][4] and rows[1][5] == "", rows
assert rows[1][9] == "1 of 1", rows
PYTHON

refuses 2 E-USAGE-MISSING 'needs DIR' bench real
refuses 2 E-USAGE-VALUE 'two whole numbers' bench real made --rows 100
refuses 2 E-USAGE-VALUE 'whole number' bench real made --subsamples 0
refuses 2 E-USAGE-EXTRA 'whence bench real' bench direction made
cp -r made broken
sed -i 's/"from": "X0"/"from": "nobody"/' broken/truth.json
refuses 3 E-REAL-TRUTH 'nobody' bench real broken
rm broken/baseline.csv
refuses 3 E-REAL-BASELINE 'baseline.csv' bench real broken
