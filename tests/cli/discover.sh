#!/usr/bin/env bash
# Many variables: discover and changes, from every kind of file, with what a user may know.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
schema=$WHENCE_SOURCE/schemas/graph.schema.json

# The graph is found, and every file is there
accepts simulate graph --graph '0->1,1->2,0->3,3->2' --rows 40 --baseline-rows 200 -o data -q
mapfile -t inputs < <(files data)
accepts discover "${inputs[@]}" -o found --json
cp found/result.json one.json
check 'the result is valid' valid "$schema" found/result.json
check 'and the validator finds what is wrong' valid --self-test "$schema" found/result.json
for file in index.html run.json graph.dot figures/graph.svg tables/edges.csv tables/changes.csv; do
  check "$file exists" test -s "found/$file"
done
check 'every probability stands in a table as a plain number' python3 - <<'PYTHON'
import csv, json
result = json.load(open("found/result.json"))
names = result["variables"]
edges = {(r["cause"], r["effect"]): r for r in csv.DictReader(open("found/tables/edge-probabilities.csv"))}
assert set(edges) == {(a, b) for a in names for b in names if a != b}, edges.keys()
for edge in result["edges"]:
    row = edges[edge["from"], edge["to"]]
    assert abs(float(row["probability"]) - edge["probability"]) < 1e-12, row
    assert abs(float(row["joined"]) - edge["adjacent_probability"]) < 1e-12, row
rows = list(csv.DictReader(open("found/tables/change-probabilities.csv")))
assert [r["environment"] for r in rows] == [e["name"] for e in result["environments"]]
for row, e in zip(rows, result["environments"]):
    assert all(abs(float(row[v]) - p) < 1e-12 for v, p in e["changed"].items()), row
    assert abs(float(row["all_changed"]) - e["all_changed"]) < 1e-12, row
PYTHON
check 'the page is sound' python3 "$WHENCE_SOURCE/tests/cli/check_page.py" found
accepts evaluate found/result.json data/truth.json --json
says shd.total 0
accepts evaluate found/graph.dot data/truth.json --json
says shd.total 0
accepts discover "${inputs[@]}" -o found --threads 2 -q
check 'threads do not matter' cmp -s one.json found/result.json
accepts discover "${inputs[@]}" -o screen
check 'kinds of columns in one line' test "$(grep '^note: ' <<<"$err")" = \
  'note: all 4 columns are real (--types to change that)'
check 'the answer in words' grep -q 'edges among 4 variables' <<<"$out"
check 'of 80 columns' awk 'length > 80 { exit 1 }' <<<"$out"
{
  printf '%s\n' '"温度, measured in the morning and at noon","the price of a litre of heating oil"'
  tail -n +2 data/baseline.csv | cut -d, -f1,2
} >long_names.csv
{ head -1 long_names.csv; tail -n +2 data/shifted_01.csv | cut -d, -f1,2; } >'a shift with a long name.csv'
accepts discover --baseline long_names.csv --shifted 'a shift with a long name.csv' -o names
check 'long names are shortened, not what stands beside them' python3 -c '
import sys, unicodedata
wide = lambda text: sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
lines = [line for line in sys.stdin.read().splitlines() if line.startswith("  ")]
assert all(wide(line) <= 80 for line in lines), lines
assert any("..." in line and "%" in line for line in lines), lines' <<<"$out"
name=the_average_temperature_of_the_living_room_in_the_morning_and_at_noon
sed "1s/X0/$name/" data/baseline.csv >warm.csv
sed "1s/X0/$name/" data/shifted_01.csv >heated.csv
sed "s/X0/$name/g" found/graph.dot >warm.dot
accepts changes --graph warm.dot --baseline warm.csv --shifted heated.csv -o warm
check 'the number of a long name stays' grep -Eq 'the_average_.*\.\.\. \(> 99\.9 %\)' <<<"$out"
sed '1s/X0/Temperature of the living room (°C)/; 1s/X1/"Yield, dry (kg per hectare)"/' data/baseline.csv >units.csv
{ head -1 units.csv; tail -n +2 data/shifted_01.csv; } >2024-01-31.csv
accepts discover --baseline units.csv --shifted 2024-01-31.csv -o units --json \
  --targets '2024-01-31:"Yield, dry (kg per hectare)"+Temperature of the living room (°C)'
accepts discover --baseline units.csv --shifted 2024-01-31.csv -o units
check 'names give way at their end' grep -q 'Temperatur[a-z ]*\.\.\. ' <<<"$out"
check 'no bar where there is no terminal' test "${err#*best score}" = "$err"

# From a table, from DCDI, from ENCO: the same graph
accepts convert data long.csv
accepts discover long.csv --environment environment --baseline baseline -o long --json
accepts evaluate long/result.json data/truth.json --json
says shd.total 0
accepts convert data dcdi --to dcdi
accepts discover --dcdi dcdi -o from-dcdi --json
accepts evaluate from-dcdi/result.json data/truth.json --json
says shd.total 0
accepts discover --dcdi dcdi --known-targets -o known -q
accepts convert data data.npz
accepts discover --enco data.npz -o from-enco -q
accepts evaluate from-enco/result.json data/truth.json --json
says shd.total 0
accepts evaluate from-enco data --json
says shd.total 0
accepts simulate graph --graph chain3 --mechanism categorical --levels 3 --rows 100 --baseline-rows 1000 -o levels -q
accepts convert levels levels.npz
accepts discover --enco levels.npz --known-targets -o known-levels -q
accepts evaluate known-levels levels --json
says shd.total 0

accepts convert levels levels-dcdi --to dcdi
accepts discover --dcdi levels-dcdi --model categorical -o dcdi-levels --json
says model.name categorical
accepts evaluate dcdi-levels levels --json
says shd.total 0

# What a user knows
accepts discover "${inputs[@]}" --forbid 'X0->X1' --require 'X3 -> X1' -o told --json
check 'knowledge counts' python3 - <<'PYTHON'
import json
graph = json.load(open("told/result.json"))["graph"]
assert ["X0", "X1"] not in graph and ["X3", "X1"] in graph, graph
PYTHON
check 'the command of the page can be pasted' \
  grep -q -- "--forbid &#39;X0-&gt;X1&#39;" told/index.html
printf 'X2\nX0,X1,X3\n' >tiers
accepts discover "${inputs[@]}" --tiers tiers -o tiered --json
check 'so do groups' python3 - <<'PYTHON'
import json
assert not any(to == "X2" for _, to in json.load(open("tiered/result.json"))["graph"])
PYTHON
accepts discover "${inputs[@]}" --targets 'shifted_01:X0,baseline:' -o targets --json
check 'and targets' python3 - <<'PYTHON'
import json
for e in json.load(open("targets/result.json"))["environments"]:
    if e["name"] == "shifted_01":
        assert e["changed"]["X0"] > .999 and e["changed"]["X1"] == 0, e
PYTHON

# The graph is known
accepts changes --graph found/graph.dot "${inputs[@]}" -o changed --json
cp changed/result.json by_file.json
says environments.1.name shifted_01
accepts evaluate changed/result.json data/truth.json --json
says shd.total 0
says changes.environments_right 4
accepts convert found/graph.dot names.npy
sed '1s/X/variable /g' data/baseline.csv >named.csv
sed '1s/X/variable /g' data/shifted_01.csv >named_shift.csv
accepts changes --graph names.npy --baseline named.csv --shifted named_shift.csv -o changed
check 'a matrix without names goes by the order' grep -q 'note: names.npy has no names' <<<"$err"
refuses 2 E-USAGE-KNOWLEDGE 'changed in the baseline' discover "${inputs[@]}" --targets baseline:X0
accepts discover --baseline data/baseline.csv --shifted data/shifted_*.csv -o listed
check 'one --shifted takes several files' cmp found/result.json listed/result.json
accepts discover "${inputs[@]}" --shifted data/shifted_01.csv -o twice
check 'the same file twice' grep -q 'warning: .*are the same file' <<<"$err"
accepts changes --graph found "${inputs[@]}" -o changed
check 'a folder stands for its result' python3 -c '
import json
one, other = (json.load(open(f)) for f in ("by_file.json", "changed/result.json"))
assert one["environments"] == other["environments"] and one["graph"] == other["graph"]'
accepts changes --graph data/truth.json "${inputs[@]}" -o changed
check 'on one screen' grep -q 'shifted_01' <<<"$out"

# Where nothing changed, so much is said, and no direction passes for one that a shift supports
accepts simulate graph --graph er:8:12 --shift none --baseline-rows 1000 --rows 100 --environments 2 -o still -q
mapfile -t still < <(files still)
accepts discover "${still[@]}" -o unchanged --json
check 'no direction has a shift' python3 - <<'PYTHON'
import json
result = json.load(open("unchanged/result.json"))
assert "Nothing seems to have changed in any of 2" in result["summary"], result["summary"]
assert max(e["probability"] for e in result["edges"]) > .9
assert not [e for e in result["edges"] if e["probability"] > .95]
PYTHON
# Columns of several kinds are answered by labels; an exact model takes only its own
refuses 2 E-USAGE-MODEL "X2: the model 'linear' cannot take this column, which holds categories" \
  discover --baseline data/baseline.csv --shifted data/shifted_01.csv --columns X0,X1,X2 --types X2=labels --model linear

# A time limit ends the search, not the answer
accepts simulate graph --graph er:40:80 -o large -q
mapfile -t many < <(files large)
accepts discover "${many[@]}" --time-limit 0.05 -o hurried --json
says search.stopped 'after the time limit of 0.05 s'
check 'with a warning' grep -q 'search was stopped' <<<"$err"

# Ctrl-C too, once the bar on a terminal shows a best score: the best answer so far is written, and the
# exit code says what happened
check 'a bar with the best score' python3 "$WHENCE_SOURCE/tests/cli/on_terminal.py" 'best score' \
  "$WHENCE" discover "${many[@]}" --restarts 50 -o broken >ended.out
check 'exit 130' grep -qx 'exit 130' ended.out
check 'with an answer' grep -q '"stopped": "interrupted"' broken/result.json
check 'that is valid' valid "$schema" broken/result.json

# The paper's learner on the same files, for comparison
accepts simulate graph --graph '0->1' --mechanism categorical --environments 1 --rows 300 --baseline-rows 2000 -o levels -q
mapfile -t levels < <(files levels)
accepts discover "${levels[@]}" --engine meta-transfer -o transfer --json
says engine meta-transfer
says graph.0.0 X0
says environments.1.changed None
check 'valid too' valid "$schema" transfer/result.json
check 'it says where it is right' grep -q 'right where causes shift' <<<"$err"
check 'its page is sound' python3 "$WHENCE_SOURCE/tests/cli/check_page.py" transfer
cp transfer/index.html transfer.html
accepts report transfer
check 'and made again' cmp -s transfer.html transfer/index.html
accepts evaluate transfer/result.json levels/truth.json --json
says shd.total 0
says changes None
accepts discover "${levels[@]}" --engine meta-transfer -o transfer
check 'on one screen' grep -q "by the paper's" <<<"$out"
refuses 3 E-DATA-KIND 'X0: .*networks over levels.*leave --engine out' discover "${inputs[@]}" --engine meta-transfer
accepts simulate graph --graph chain6 --mechanism categorical -o six -q
mapfile -t six < <(files six)
refuses 6 E-LIMIT-VARIABLES '2 to 5 variables.*--columns' discover "${six[@]}" --engine meta-transfer
accepts discover "${six[@]}" --columns X0,X1 --engine meta-transfer -o two -q
refuses 2 E-USAGE-ENGINE '--forbid' discover "${levels[@]}" --engine meta-transfer --forbid 'X0->X1'
refuses 2 E-USAGE-CHOICE 'engine' discover "${levels[@]}" --engine paper

# A classic network, from its published tables and back
accepts simulate graph --graph "$WHENCE_SOURCE/docs/examples/asia.bif" --mechanism categorical --rows 500 --baseline-rows 5000 -o asia -q
mapfile -t asia < <(files asia)
accepts discover "${asia[@]}" -o clinic -q
accepts evaluate clinic/result.json asia/truth.json --json
says edges 8
says shd.total 0
for name in cancer earthquake; do
  accepts simulate graph --graph "$WHENCE_SOURCE/docs/examples/$name.bif" --mechanism categorical -o $name -q
done

# Data with holes
sed '5s/^[^,]*,/,/' data/shifted_01.csv >holes.csv
refuses 3 E-DATA-MISSING 'holes.csv:5:1: .*--missing=drop' discover --baseline data/baseline.csv --shifted holes.csv --missing error
accepts discover --baseline data/baseline.csv --shifted holes.csv -o holes
check 'says what was left out' grep -q '1 of 40 rows were left out' <<<"$err"

# Mistakes
refuses 2 E-USAGE-KNOWLEDGE "no variable .*X9" discover "${inputs[@]}" --forbid 'X9->X1'
refuses 2 E-USAGE-KNOWLEDGE 'required and forbidden' discover "${inputs[@]}" --forbid 'X0->X1' --require 'X0->X1'
refuses 2 E-USAGE-KNOWLEDGE 'no environment' discover "${inputs[@]}" --targets 'nowhere:X0'
refuses 2 E-USAGE-DATA 'in two ways' discover "${inputs[@]}" --dcdi dcdi
refuses 2 E-USAGE-DATA '[-]-types: .*whence convert' discover --dcdi dcdi --types X0=categorical
refuses 3 E-DCDI-VALUE 'X0: .* is no level.*leave --model out' discover --dcdi dcdi --model categorical
refuses 2 E-USAGE-MODEL "the model 'categorical' cannot take this column, which holds numbers" discover "${inputs[@]}" --model categorical
refuses 2 E-USAGE-DATA 'do not say what' discover "${inputs[@]}" --known-targets
refuses 2 E-USAGE-VALUE 'time-limit' discover "${inputs[@]}" --time-limit 0
refuses 2 E-USAGE-DATA 'no shifted data set' discover
refuses 4 E-OUT-INPUT 'choose another folder' discover "${inputs[@]}" -o data
echo 'digraph { X0 -> X1 }' >small.dot
refuses 3 E-GRAPH-NAME '2 variables, the data have 4' changes --graph small.dot "${inputs[@]}"

finish
