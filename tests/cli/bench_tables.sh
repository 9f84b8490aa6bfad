#!/usr/bin/env bash
# bench tables: a list of tables, judged by what is known of each, beside shuffled labels and mistakes.
source "$WHENCE_SOURCE/tests/cli/lib.bash"

mkdir lists
python3 - <<'PYTHON'
# Two sites: exposure doubles what it did to the dose, and nothing else differs.
def noise(k):
    return ((k * 7919) % 1009) / 1009 - 0.5
with open("lists/dose.csv", "w") as out:
    print("site,age,exposure,dose", file=out)
    for site, slope in (("here", 1), ("there", 3)):
        for k in range(60):
            age, exposure = 40 + 20 * noise(3 * k + 1), 5 + 4 * noise(5 * k + 2)
            print(f"{site},{age:.3f},{exposure:.3f},{slope * exposure + noise(11 * k):.3f}", file=out)
PYTHON
cat >lists/list.json <<'JSON'
{"tables": [{"name": "doses", "table": "dose.csv", "environment": "site", "baseline": "here",
  "impossible": ["*->age"], "right": ["exposure->dose"],
  "controls": ["shuffled labels", "one cell x 1000"]}]}
JSON
accepts bench tables lists/list.json --threads 1 -o judged
check 'what was stated, the controls beside it, and both in total' python3 - <<'PYTHON'
import json
tables = {table["id"]: table["rows"] for table in json.load(open("judged/result.json"))["tables"]}
own, total = tables["tables"]
assert own[0] == "doses" and own[1] == "120" and total[0] == "together", tables
assert own[3].split(" / ")[1] == "0", "nothing wrong: " + own[3]
assert own[6:9] == ["0", "0", "0"], "labels shuffled"
assert own[9:12] == ["0", "0", "1 of 1"], "a mistake is named and changes nothing"
assert [row[1] for row in tables["mistakes"]] == ["one cell x 1000"], tables["mistakes"]
PYTHON
check 'the page says nothing of where the data are' bash -c '! grep -q "$PWD" judged/index.html judged/result.json'
accepts bench tables lists/list.json --no-controls --threads 1 -o plain

refuses 2 E-USAGE-MISSING 'LIST.json' bench tables
sed "s/exposure->dose/exposure/" lists/list.json >lists/wrong.json
refuses 3 E-TABLES-LIST "no arrow" bench tables lists/wrong.json
sed 's/"baseline"/"bseline"/' lists/list.json >lists/wrong.json
refuses 3 E-TABLES-LIST 'bseline' bench tables lists/wrong.json
sed 's/one cell x 1000/one cell/' lists/list.json >lists/wrong.json
refuses 3 E-TABLES-LIST 'no control' bench tables lists/wrong.json
sed 's/dose.csv/other.csv/' lists/list.json >lists/wrong.json
accepts bench tables lists/wrong.json --threads 1 -o absent
check 'a table that is not there is told' grep -q 'cannot open' absent/result.json
