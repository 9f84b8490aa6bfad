#!/usr/bin/env bash
# whence meta-learn: worlds from a configuration file, strict keys, the output contract.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
make_results
mkdir configs

config() { printf '%s' "$1" >configs/c.json; }
rejected() {  # CODE ID PATTERN TEXT
  config "$4"
  refuses "$1" "$2" "$3" meta-learn --config configs/c.json -o results
}
same() { cmp -s "$1" "$2"; }

# both kinds of world, every kind of shift
for shift in cause effect mechanism row both none; do
  config "{\"levels\": 4, \"episodes\": 30, \"shift\": \"$shift\"}"
  accepts meta-learn --config configs/c.json -o "out-$shift"
  [[ $out == *"'$shift'"* && $out == *page:* ]] || fail "summary of $shift: $out"
done
for shift in cause effect mechanism both none; do
  config "{\"world\": \"linear-gaussian\", \"dimension\": 3, \"episodes\": 20, \"steps\": 4,
    \"shift\": \"$shift\", \"shift_covariance\": true, \"covariance_degrees\": \"d+2\",
    \"adaptation\": {\"optimizer\": \"adam\", \"learning_rate\": 0.001}}"
  accepts meta-learn --config configs/c.json -o gaussian
done

# a belief per edge, and a learnt encoder
for switches in '"acyclicity": "none"' '"acyclicity": "penalty"' '"estimator": "sampled", "samples": 5' \
  '"acyclicity": "exact", "frozen_or_adapting": true, "all_so_far": true'; do
  config "{\"levels\": 4, \"episodes\": 30, \"belief_over\": \"edges\", $switches}"
  accepts meta-learn --config configs/c.json -o edges
  [[ $out == *'edge beliefs are'* ]] || fail "summary of edges: $out"
done
config '{"world": "network", "variables": 3, "levels": 3, "training_rows": 2000, "training_steps": 50,
  "belief_over": "edges", "acyclicity": "exact", "shift": "either", "episodes": 10, "runs": 3}'
accepts meta-learn --config configs/c.json --threads 1 --json
printf '%s' "$out" >one.json
accepts meta-learn --config configs/c.json --threads 3 --json
printf '%s' "$out" >three.json
check "threads change no edge" same one.json three.json
# any graph of up to 8 variables; beyond 5 without the sums over all acyclic ones
network='"world": "network", "levels": 2, "training_rows": 200, "training_steps": 5, "episodes": 3, "belief_over": "edges"'
for graph in collider3 '0->1,{0,1}->2' er:4:4; do
  config "{$network, \"graph\": \"$graph\", \"acyclicity\": \"exact\"}"
  accepts meta-learn --config configs/c.json -o graph
  [[ $out == *'exact Bayes update'* ]] || fail "summary of $graph: $out"
done
config "{$network, \"graph\": \"chain6\", \"acyclicity\": \"penalty\", \"estimator\": \"sampled\", \"samples\": 3}"
accepts meta-learn --config configs/c.json --json
[[ $out == *'too many variables for the exact posterior'* ]] || fail "summary of chain6"
[[ $out == *'"effective-samples/F"'* ]] || fail "effective samples of every node"
[[ $out == *'"id": "shd"'* ]] || fail "the Hamming distance over episodes"
rejected 4 E-GRAPH-CYCLE "c.json:1:.*'graph' is no graph" "{$network, \"graph\": \"0->1->0\"}"
rejected 4 E-GRAPH-SYNTAX "'graph' is no graph" "{$network, \"graph\": \"sideways\"}"
rejected 4 E-CONFIG-RANGE '2 to 8 variables, not 9' "{$network, \"graph\": \"chain9\"}"
rejected 4 E-CONFIG-TYPE 'must be a text' "{$network, \"graph\": 3}"
rejected 4 E-CONFIG-KEY "'variables' is not used with \"graph\"" "{$network, \"graph\": \"chain3\", \"variables\": 3}"
rejected 6 E-LIMIT-GRAPHS 'penalty' "{$network, \"graph\": \"chain6\", \"acyclicity\": \"exact\"}"

for objective in mixture printed; do
  config "{\"world\": \"spline\", \"episodes\": 5, \"batch\": 60, \"belief_objective\": \"$objective\",
    \"adaptation\": {\"optimizer\": \"adam\", \"learning_rate\": 0.001}}"
  accepts meta-learn --config configs/c.json -o encoder
  [[ $out == *'rad from a valid angle'* ]] || fail "summary of the encoder: $out"
done

config '{"world": "spline", "learner": "labels", "shift": "mechanism", "episodes": 100, "batch": 400, "runs": 3, "seed": 4}'
accepts meta-learn --config configs/c.json --json
check 'labels undo the rotation where the mechanism shifts' python3 -c '
import json, sys
numbers = {n["id"]: n["value"] for n in json.load(sys.stdin)["numbers"]}
assert numbers["success-0.1"] == 1 and numbers["open"] == 0, numbers' <<<"$out"
config '{"world": "spline", "learner": "labels", "shift": "none", "episodes": 10, "batch": 300, "runs": 2, "seed": 4}'
accepts meta-learn --config configs/c.json --json
check 'and stay open where nothing does' python3 -c '
import json, sys
numbers = {n["id"]: n["value"] for n in json.load(sys.stdin)["numbers"]}
assert numbers["open"] == 1, numbers' <<<"$out"

# every switch at once, and the same bytes for any number of threads
config '{"seed": 5, "name": "mine", "levels": 5, "concentration": 0.5, "modules": "counts",
  "training_rows": 200, "equivalent_rows": 2, "runs": 3, "episodes": 40, "steps": 3, "batch": 4,
  "reset": false, "adaptation": {"optimizer": "rmsprop", "learning_rate": 0.05},
  "belief": {"optimizer": "adam", "learning_rate": 0.1}, "belief_objective": "per-step",
  "gamma0": 0.5, "tie_artefact": true}'
accepts meta-learn --config configs/c.json --json --threads 1
printf '%s' "$out" >one.json
check "named folder" test -f whence-out/meta-learn/mine/index.html
check "result.json is what --json prints" same one.json whence-out/meta-learn/mine/result.json
[[ $err == *"without a reset"* ]] || fail "no warning about the missing reset"
accepts meta-learn --config configs/c.json --json --threads 7
printf '%s' "$out" >seven.json
check "threads change nothing" same one.json seven.json
accepts meta-learn --config configs/c.json --json --seed 6
printf '%s' "$out" >other.json
same one.json other.json && fail "the seed changes nothing"
check "the seed" grep -q '"seed": *6' other.json

# the example of the guide is the file it names, and runs
example=$WHENCE_SOURCE/docs/examples/meta-learn.json
sed -n '/docs\/examples\/meta-learn.json/,/^```$/p' "$WHENCE_SOURCE/docs/guide.md" |
  sed -n '/^{$/,/^}$/p' >shown.json
check "the guide shows docs/examples/meta-learn.json" same shown.json "$example"
accepts meta-learn --config "$example"
check "the example finds the cause" grep -q 'belief in A→B is 0\.[89]' <<<"$out"

accepts meta-learn --config "$WHENCE_SOURCE/docs/examples/meta-learn-edges.json"
check "the second example finds the edge" grep -q 'are 0\.0[0-9]* bits' <<<"${out//$'\n'/ }"

# mistakes, with their place
refuses 2 E-USAGE-DATA '--config' meta-learn
refuses 5 E-IO-SYSTEM 'nowhere.json' meta-learn --config nowhere.json
rejected 4 E-JSON-EMPTY 'c.json:1:1' ''
rejected 4 E-CONFIG-KEY "c.json:1:2: unknown key 'levls' .*did you mean 'levels'" '{"levls": 4}'
rejected 4 E-CONFIG-CHOICE "c.json:1:11: .*possible: categorical, linear-gaussian, network, spline" '{"world": "cat"}'
rejected 4 E-CONFIG-KEY "c.json:2:2: 'levels' is not used by the world linear-gaussian" \
  $'{"world": "linear-gaussian",\n "levels": 4}'
rejected 4 E-CONFIG-KEY "'dimension' is not used by the world categorical" '{"dimension": 4}'
rejected 4 E-CONFIG-CHOICE 'no rows to redraw' '{"world": "linear-gaussian", "shift": "row"}'
rejected 4 E-CONFIG-CHOICE 'possible: truth, counts' '{"modules": "gradient"}'
for key in levels episodes steps batch runs; do
  rejected 4 E-CONFIG-RANGE "c.json:1:[0-9]+: '$key' must be at least" "{\"$key\": 0}"
done
rejected 4 E-CONFIG-RANGE "'dimension' must be 1 to 1000" '{"world": "linear-gaussian", "dimension": 0}'
rejected 4 E-CONFIG-K 'c.json:1:26: E\[g\]=0 for K=1' '{"belief_over": "edges", "samples": 1}'
rejected 4 E-CONFIG-KEY "'samples' is not used by the belief over direction" '{"samples": 4}'
rejected 4 E-CONFIG-CHOICE 'over levels only' '{"world": "linear-gaussian", "belief_over": "edges"}'
rejected 4 E-CONFIG-CHOICE 'needs "belief_over": "edges"' '{"world": "network"}'
rejected 4 E-CONFIG-CHOICE "no rows to redraw.*possible: cause" '{"world": "spline", "shift": "row"}'
rejected 4 E-CONFIG-KEY "'components' is not used with .*labels" '{"world": "spline", "learner": "labels", "components": 3}'
rejected 4 E-CONFIG-KEY "'online_starts' is not used with .*densities" '{"world": "spline", "online_starts": 3}'
rejected 4 E-CONFIG-CHOICE "no shift 'either'" '{"shift": "either"}'
rejected 4 E-CONFIG-KEY "'samples' is not used with \"estimator\": \"exact\"" \
  '{"belief_over": "edges", "samples": 5}'
rejected 4 E-CONFIG-KEY "'training_rows' is not used with \"modules\": \"truth\"" '{"training_rows": 5}'
rejected 4 E-CONFIG-KEY "'meta_gradient' is not used with \"belief_objective\": \"printed\"" \
  '{"world": "spline", "belief_objective": "printed", "meta_gradient": "exact"}'
rejected 4 E-CONFIG-CHOICE 'no belief step by step' '{"world": "spline", "belief_objective": "per-step"}'

# a run that diverges is told with its place; the others stay intact, unless there are none
exploding() { printf '{"world": "linear-gaussian", "dimension": 2, "steps": 10, "episodes": 20, "runs": %s,
  "adaptation": {"learning_rate": %s}}' "$@" >configs/c.json; }
exploding 6 0.1
run meta-learn --config configs/c.json -o some
[[ $rc == 11 ]] || fail "some runs diverged: exit $rc, expected 11: $err"
[[ $err == *'left out: run '*', episode '*', step '* ]] || fail "which run diverged: $err"
check "the others have a page" test -f some/index.html
check "the table says which" grep -q '^"\?run [1-6], episode ' some/tables/failed-runs.csv
rejected 7 E-NUM-DIVERGED 'run 1, episode 1, step [0-9]+' "$(exploding 2 100; cat configs/c.json)"
rejected 7 E-NUM-DIVERGED 'episode 1, step [0-9]+: .*learning rate' \
  '{"world": "linear-gaussian", "steps": 10, "adaptation": {"learning_rate": 100}}'

# The same learner on files: a belief per edge, its page, and a graph for other programs
accepts simulate graph --graph '0->1' --mechanism categorical --environments 1 --rows 300 --baseline-rows 2000 -o levels -q
mapfile -t levels < <(files levels)
accepts meta-learn "${levels[@]}" -o transfer --json
says experiment meta-learn
says tables.0.rows.0.0 X0
says settings.inputs.0.file baseline.csv
check 'it says where it is right' grep -q 'right where causes shift' <<<"$err"
check 'its page is sound' python3 "$WHENCE_SOURCE/tests/cli/check_page.py" transfer
accepts evaluate transfer/graph.dot levels/truth.json --json
says shd.total 0
accepts meta-learn "${levels[@]}" -o transfer
check 'on one screen' grep -q "by the paper's" <<<"$out"
accepts simulate graph --graph '0->1' --rows 40 -o numbers -q
mapfile -t numbers < <(files numbers)
refuses 3 E-DATA-KIND 'X0: .*networks over levels' meta-learn "${numbers[@]}" -o new
accepts simulate graph --graph chain6 --mechanism categorical -o six -q
mapfile -t six < <(files six)
refuses 6 E-LIMIT-VARIABLES 'more than the 5' meta-learn "${six[@]}" -o new
accepts meta-learn "${six[@]}" --columns X0,X1 -o two -q
refuses 2 E-USAGE-DATA 'neither a world nor data' meta-learn -o new
refuses 2 E-USAGE-DATA 'a world and data' meta-learn --config configs/c.json "${levels[@]}" -o new

finish
