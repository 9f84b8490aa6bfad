#!/usr/bin/env bash
# Columns that mix the variables behind them: simulate mixed, disentangle, evaluate.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
schema=$WHENCE_SOURCE/schemas/encoder.schema.json
# disentangle FOLDER OPTION...: on simulated data; results in found-FOLDER
disentangle() {
  local folder=$1 inputs
  shift
  mapfile -t inputs < <(files "$folder")
  accepts disentangle "${inputs[@]}" -o "found-$folder" --json "$@"
}

# A rotation, found and judged
accepts simulate mixed --shift mixed --environments 8 --rows 400 --baseline-rows 4000 --seed 3 -o turned
disentangle turned
says verdict.kind encoder
says mixing rotation
says direction.from Z1
check 'a rotation is valid' valid "$schema" found-turned/result.json
check 'the validator finds what is wrong' valid --self-test "$schema" found-turned/result.json
check 'latents of every row' test "$(wc -l <found-turned/latents.csv)" == 7201
check 'latents have names' grep -qx 'environment,row,Z1,Z2' <(head -1 found-turned/latents.csv)
check 'the page shows J' grep -q 'J over angles' found-turned/index.html
check 'and both scatters' grep -q 'As encoded' found-turned/index.html
cp found-turned/result.json once.json
disentangle turned --threads 3
check 'the same bytes for any number of threads' cmp once.json found-turned/result.json
accepts evaluate found-turned turned --json
check 'within .05 rad' python3 -c '
import json, sys
found = json.load(sys.stdin)
assert found["angle_error"] < .05 and found["covered"] and found["direction_right"], found
assert found["mean_correlation"] > .99 > found["random_floor"], found' <<<"$out"
accepts evaluate found-turned turned
check 'in words' grep -q '^angle: off by' <<<"$out"
accepts report found-turned

# A matrix
accepts simulate mixed --mixing linear --mechanism linear --latents 3 --per-latent 2 --rows 500 \
  --unchanged 1 --doubles 0 --seed 2 -o matrix
disentangle matrix
says mixing linear
check 'a matrix is valid' valid "$schema" found-matrix/result.json
accepts evaluate found-matrix matrix --json
says rows_above_95 3
disentangle matrix --latents 2
check 'no more latents than asked for' test "$(grep -c '"latent": "Z' found-matrix/result.json)" == 2

# Noisy sensors, more of them than variables, each changed once
accepts simulate mixed --mixing linear --mechanism linear --latents 3 --per-latent 1 --unchanged 0 --doubles 0 \
  --links 0 --columns 5 --sensors multiplicative --seed 4 -o lamps
disentangle lamps --latents 3
check 'sensors are valid' valid "$schema" found-lamps/result.json
accepts evaluate found-lamps lamps --json
check 'rows come near the best linear ones' python3 -c '
import json, sys
found = json.load(sys.stdin)
assert found["rows"] == 3 and found["mean_correlation"] > .97, found' <<<"$out"
refuses 2 E-WORLD-SENSORS 'functions of each other' simulate mixed --mixing linear --columns 5 -o none
refuses 2 E-USAGE-CHOICE 'saturating' simulate mixed --mixing linear --sensors dirty -o none

# Nothing where nothing changed, and that is valid too
accepts simulate mixed --shift none --environments 4 --rows 400 -o still
disentangle still
says verdict.kind no-shift
says angle None
check 'no shift is valid' valid "$schema" found-still/result.json
accepts evaluate found-still still
accepts simulate mixed --mixing linear --shift none --latents 3 --rows 300 -o quiet
disentangle quiet
says verdict.kind no-shift

# Bad data, each with its remedy
base=(--baseline turned/baseline.csv)
refuses 3 E-DATA-ENVIRONMENTS 'two shifted files' disentangle "${base[@]}" --shifted turned/shifted_01.csv
printf 'x1,x2\n1,2\n3,4\n' >two.csv
refuses 3 E-DATA-ENVIRONMENTS '1 shifted environment cannot tell' disentangle "${base[@]}" --shifted turned/shifted_01.csv --shifted two.csv
for name in baseline shifted_01 shifted_02; do
  awk -F, 'NR == 1 { print "a,b,c"; next } { printf "%s,%s,%.17g\n", $1, $2, $1 - 2 * $2 }' "turned/$name.csv" >"s_$name.csv"
  awk -F, 'NR == 1 { print "a,b,c"; next } { print $1 "," $2 ",7.5" }' "turned/$name.csv" >"c_$name.csv"
  awk -F, 'NR == 1 { print "a,b,c"; next } { print $1 "," $2 "," (NR % 2 ? "hot" : "cold") }' "turned/$name.csv" >"k_$name.csv"
  awk -F, 'NR == 1 { print "a,d"; next } { print }' "turned/$name.csv" >"d_$name.csv"
done
trial() { echo --baseline "$1_baseline.csv" --shifted "$1_shifted_01.csv" --shifted "$1_shifted_02.csv"; }
# shellcheck disable=SC2046 # words on purpose
{
  refuses 3 E-DATA-SINGULAR 'functions of each other.*--columns' disentangle $(trial s)
  accepts disentangle $(trial c) -q -o constant # a column at rest is left out
  refuses 3 E-DATA-KIND 'categorical.*--types' disentangle $(trial k)
  refuses 2 E-USAGE-VALUE '5 latents cannot be told from 2 columns' disentangle "${base[@]}" \
    --shifted turned/shifted_01.csv --shifted turned/shifted_02.csv --latents 5
  refuses 2 E-USAGE-OPTION 'a rotation has two columns' disentangle $(files matrix) --mixing rotation
  refuses 3 E-DATA-COLUMNS 'no column "x1"' disentangle "${base[@]}" --shifted turned/shifted_01.csv --shifted d_shifted_02.csv
}
refuses 2 E-USAGE-MISSING 'baseline' disentangle --shifted turned/shifted_01.csv --shifted turned/shifted_02.csv
refuses 2 E-USAGE-OPTION 'simulate mixed' simulate pair --mixing linear
refuses 2 E-USAGE-OPTION 'mixing linear' simulate mixed --latents 3
refuses 2 E-USAGE-CHOICE 'spline, linear' simulate mixed --mechanism categorical
refuses 2 E-WORLD-SHIFT 'two latents' simulate mixed --shift hard
finish
