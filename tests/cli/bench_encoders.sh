#!/usr/bin/env bash
# bench encoders: rows by name, and recorded sensors whose causes are hidden from the engine.
source "$WHENCE_SOURCE/tests/cli/lib.bash"

accepts bench encoders --only 'd = 3, hard, lines;additive, one*' --sets 1 --seed 3 -o some
check 'the rows asked for and no others are told' python3 - <<'PYTHON'
import json
tables = {t["id"]: t["rows"] for t in json.load(open("some/result.json"))["tables"]}
assert tables["rotations"] == [], tables
assert [row[:2] for row in tables["matrices"]] == [["d = 3, hard, lines", "1"]], tables
assert [row[0] for row in tables["sensors"]] == ["additive, one each"], tables
PYTHON
refuses 2 E-USAGE-CHOICE 'd = 10' bench encoders --only nothing

mkdir lamps
python3 - <<'PYTHON'
import json, random
random.seed(1)
for e, name in enumerate(["baseline", "more_red", "more_blue"]):
    with open(f"lamps/{name}.csv", "w") as out:
        out.write("red,blue,s1,s2,s3\n")
        for _ in range(600):
            red, blue = (random.gauss(0, 1) + (3 if e == k else 0) for k in (1, 2))
            rows = [2 * red + blue, red + 2 * blue, red + blue]
            out.write(",".join(f"{x:.5f}" for x in [red, blue] + [s + random.gauss(0, .1) for s in rows]) + "\n")
json.dump({"environments": {"more_red": {"targets": ["red"]}, "more_blue": {"targets": ["blue"]}}}, open("lamps/truth.json", "w"))
PYTHON
accepts bench encoders lamps --columns s1,s2,s3 --hidden red,blue --subsamples 2 --rows 500,300 --seed 3 -o lamp
check 'both lamps are found behind the sensors, and nothing where nothing changed' python3 - <<'PYTHON'
import json
result = json.load(open("lamp/result.json"))
rows = result["tables"][0]["rows"]
assert len(rows) == 4, rows
recorded, pieces = rows[0], rows[1]
assert recorded[1] == "as recorded" and "red" in recorded[4] and "blue" in recorded[4], recorded
assert float(recorded[5]) > .97 * float(recorded[6]), recorded
assert pieces[4] == "" and pieces[3] == "no-shift", pieces
assert all(claim["holds"] for claim in result["claims"]), result["claims"]
PYTHON
check 'the page says nothing of where the data are' bash -c '! grep -q "$PWD" lamp/index.html lamp/result.json'
refuses 2 E-USAGE-MISSING 'columns and --hidden' bench encoders lamps
refuses 2 E-USAGE-MISSING 'one DIR' bench encoders --columns a --hidden b
refuses 3 E-DATA-COLUMNS "no column 'green'" bench encoders lamps --columns s1,s2 --hidden red,green
refuses 3 E-DATA-ENVIRONMENTS '1 environments change hidden' bench encoders lamps --columns s1,s2 --hidden red
finish
