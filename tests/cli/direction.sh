#!/usr/bin/env bash
# The commands for a user's own pair of variables: simulate, check, direction, evaluate.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
schema=$WHENCE_SOURCE/schemas/direction.schema.json
# direction FOLDER OPTION...: on simulated data; results in found-FOLDER
direction() {
  local folder=$1 inputs
  shift
  mapfile -t inputs < <(files "$folder")
  accepts direction "${inputs[@]}" -o "found-$folder" --json "$@"
}

# The right answer whatever shifted; nothing where nothing did
for kind in categorical linear-gaussian; do
  for shift in cause effect mechanism; do
    for truth in forward backward; do
      data=$kind-$shift-$truth
      accepts simulate pair --kind "$kind" --levels 4 --shift "$shift" --truth "$truth" \
        --environments 6 --rows 200 --seed 1 -o "$data"
      direction "$data"
      says verdict.kind direction
      says verdict.from "$([[ $truth == forward ]] && echo X || echo Y)"
      check "$data is valid" valid "$schema" "found-$data/result.json"
      accepts evaluate "found-$data/result.json" "$data/truth.json" --json
      says outcome right
    done
  done
  accepts simulate pair --kind "$kind" --levels 4 --shift none --environments 6 --rows 200 -o "$kind-none"
  direction "$kind-none"
  check 'nothing is decided without a shift' grep -Eq '"kind": "(no-shift|undecided)"' <<<"$out"
  accepts evaluate "found-$kind-none/result.json" "$kind-none/truth.json"
  check 'and evaluate says so' grep -q '^verdict: undecided' <<<"$out"
done
# A change of one column that does not reach the other: of an effect, or beside something hidden
python3 - <<'PYTHON'
import random
random.seed(5)
for name, shift in (("still.csv", 0), ("moved.csv", 1.5)):
    with open(name, "w") as file:
        print("X,Y", file=file)
        for _ in range(300):
            hidden = random.gauss(0, 1)
            print(f"{hidden + random.gauss(0, 1)},{hidden + shift + random.gauss(0, 1)}", file=file)
PYTHON
accepts direction --baseline still.csv --shifted moved.csv --json -o beside
says verdict.kind undecided
says verdict.confounded True
says verdict.from None
check 'valid' valid "$schema" beside/result.json
accepts direction --baseline still.csv --shifted moved.csv --prior hidden=0 --json -o beside
says verdict.from X
says hidden 0
# What is known
accepts direction --baseline still.csv --shifted moved.csv --forbid 'X->Y' --json -o beside
says beliefs.0.probability 0
accepts direction --baseline still.csv --shifted moved.csv --require 'X->Y' --json -o beside
says beliefs.0.probability 1
refuses 2 E-USAGE-KNOWLEDGE 'required and forbidden' direction --baseline still.csv --shifted moved.csv --require 'X->Y' --forbid 'X->Y'
refuses 2 E-USAGE-KNOWLEDGE 'no variable .*Z' direction --baseline still.csv --shifted moved.csv --forbid 'X->Z'
accepts simulate pair --levels 4 --shift row --environments 8 --rows 400 -o rows
accepts simulate pair --levels 4 --shift cause --truth none --environments 6 --rows 200 -o apart
direction apart
says verdict.kind no-link
check 'the validator finds what is wrong' valid --self-test "$schema" found-apart/result.json

# Swapping the columns mirrors the answer, digit for digit
data=categorical-cause-forward
direction "$data" --columns X,Y
cp "found-$data/result.json" straight.json
direction "$data" --columns Y,X
check 'mirrored' python3 - "$(pwd)/straight.json" "$(pwd)/found-$data/result.json" <<'PYTHON'
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
assert a["variables"] == b["variables"][::-1]
key = lambda belief: (belief["from"], belief["to"])
assert sorted(a["beliefs"], key=key) == sorted(b["beliefs"], key=key)
assert a["verdict"] == b["verdict"] and a["no_link"] == b["no_link"]
for one, other in zip(a["environments"], b["environments"]):
    assert one["changed"] == other["changed"] and one["log_odds"] == -other["log_odds"], (one, other)
PYTHON

# One long table whose groups were assigned says the same as files
{
  echo site,X,Y
  for file in "$data"/*.csv; do tail -n +2 "$file" | sed "s/^/$(basename "$file" .csv),/"; done
} >long.csv
accepts direction long.csv --environment site --baseline baseline --assigned --json -o long
check 'the same beliefs' python3 - "$(pwd)/straight.json" <<'PYTHON'
import json, sys
assert json.load(open(sys.argv[1]))["beliefs"] == json.load(open("long/result.json"))["beliefs"]
PYTHON
accepts direction long.csv --environment site --assigned -o alike --json
says verdict.from X
says environments.0.baseline False

# What a run leaves behind: the same bytes for any number of threads, no folder of this machine
direction "$data" --threads 1 -q
cp -r "found-$data" one
direction "$data" --threads 3 -q
check 'threads do not matter' cmp -s one/result.json "found-$data/result.json"
check 'nor to the page' cmp -s one/index.html "found-$data/index.html"
for file in index.html run.json tables/changes.csv tables/kinds.csv tables/beliefs.csv \
  tables/prior-sensitivity.csv figures/belief.svg figures/evidence.svg; do
  check "$file exists" test -s "one/$file"
done
check 'no path in the results' bash -c '! grep -Fq "$PWD" one/result.json one/index.html'
mapfile -t inputs < <(files "$data")
accepts direction "${inputs[@]}"
check 'the answer in words' grep -q '^X causes Y' <<<"$out"
check 'it fits a screen' test "$(wc -l <<<"$out")" -le 30
check 'of 80 columns' awk 'length > 80 { exit 1 }' <<<"$out"
check 'with the page' grep -q '^page: whence-out/direction/index.html' <<<"$out"
LC_ALL=C run direction "${inputs[@]}" -o one
check 'ASCII in the C locale' bash -c '! LC_ALL=C grep -q "[^ -~]"' <<<"$out"

# Priors and models
direction "$data" --model labels
says model.name labels
direction "$data" --prior no_link=0.5,quiet=0.1
says provenance.options.prior.no_link 0.5
says provenance.options.prior.forward 0.25
echo '{"model": "labels", "prior": {"row": 0}}' >c.json
direction "$data" --config c.json
says provenance.options.prior.row 0
says model.name labels
direction "$data" --config c.json --model categorical
says model.name categorical

# Environments that arrive later: the same bytes as all at once
for kind in categorical linear-gaussian spline; do
  accepts simulate pair --kind "$kind" --levels 3 --environments 3 --rows 60 --baseline-rows 200 -o "late-$kind"
  direction "late-$kind" -q
  at=late-$kind/shifted_0
  accepts direction --baseline "late-$kind/baseline.csv" --shifted "${at}1.csv" --state "$kind.state" -q -o "step-$kind"
  accepts direction --shifted "${at}2.csv" --state "$kind.state" -q -o "step-$kind"
  accepts direction --shifted "${at}3.csv" --state "$kind.state" -q -o "step-$kind"
  check "$kind: one run or three" cmp -s "found-late-$kind/result.json" "step-$kind/result.json"
done
refuses 8 E-STATE 'already has the environment' direction --shifted late-spline/shifted_03.csv --state spline.state
refuses 8 E-STATE 'other options' direction --shifted late-spline/shifted_03.csv --state spline.state --model labels
printf 'X,Z\n1.5,2\n2.5,3\n3.5,4.5\n' >other.csv
refuses 8 E-STATE 'other options' direction --shifted other.csv --state spline.state --columns X,Z
refuses 3 E-DATA-COLUMNS 'no column "Y"' direction --shifted other.csv --state spline.state
sed 's/"content":"WC/"content":"WD/' categorical.state >damaged.state
head -c 300 categorical.state >short.state
check 'damaged it is' bash -c '! cmp -s categorical.state damaged.state'
refuses 8 E-STATE-DAMAGED 'checksum' direction --shifted late-categorical/shifted_03.csv --state damaged.state
refuses 8 E-STATE-DAMAGED 'cut short' direction --shifted late-categorical/shifted_03.csv --state short.state
refuses 8 E-STATE 'not a state' direction --shifted late-categorical/shifted_03.csv --state straight.json
sed 's/"format":2/"format":99/' categorical.state >new.state
refuses 8 E-STATE 'newer' direction --shifted late-categorical/shifted_03.csv --state new.state
check 'a refused run leaves the state alone' cmp -s <(head -c 300 categorical.state) short.state

# The page again, from what the run left behind
direction "$data" -q
cp "found-$data/index.html" page.html
echo broken >"found-$data/index.html"
accepts report "found-$data"
check 'the same page' cmp -s page.html "found-$data/index.html"
check 'it shows the graph' grep -q 'class="g-node' "found-$data/index.html"
for figure in adaptation shift-1; do check "$figure" test -s "found-$data/figures/$figure.svg"; done
refuses 5 E-IO-SYSTEM 'page.json' report "$data"
mkdir odd && echo '{}' >odd/page.json
refuses 3 E-DATA-DOCUMENT 'page.json' report odd

# Hostile names stay text
printf '<script>alert(1)</script>,"=cmd|x"\na,b\nb,a\na,a\nb,b\n' >h0.csv
printf '<script>alert(1)</script>,"=cmd|x"\na,b\na,b\na,a\nb,b\n' >h1.csv
accepts direction --baseline h0.csv --shifted h1.csv --min-rows 2 -o hostile
check 'no script' bash -c '! grep -q "<script>alert" hostile/index.html'
check 'no formula' bash -c '! grep -Eq "(^|,)\"?=cmd" hostile/tables/*.csv'

# Mistakes
printf 'a,b,c\n1,2,3\n4,5,6\n' >three.csv
refuses 2 E-USAGE-COLUMNS "a.*b.*c" direction --baseline three.csv --shifted three.csv
refuses 2 E-USAGE-DATA 'no shifted data set' direction
refuses 2 E-USAGE-DATA 'no shifted data set' direction --baseline three.csv
refuses 2 E-USAGE-DATA 'which column of long.csv' direction long.csv
refuses 2 E-USAGE-DATA 'not both' direction long.csv --environment site --shifted three.csv
refuses 2 E-USAGE-DATA 'belongs to one table' direction --shifted three.csv --environment site
refuses 2 E-USAGE-DATA '3 variables are named' direction --shifted three.csv --columns a,b,c
refuses 2 E-USAGE-MISSING '' direction --shifted
refuses 2 E-USAGE-REPEATED '' direction --baseline a --baseline b --shifted c
refuses 2 E-USAGE-CHOICE "no --model 'gausian' .*did you mean 'gaussian'" direction --shifted x --model gausian
refuses 2 E-USAGE-VALUE "no prior weight 'nolink' .*did you mean 'no_link'" direction --shifted x --prior nolink=1
refuses 2 E-USAGE-VALUE 'sum to 1.2' direction --shifted x --prior forward=.6,backward=.6
refuses 2 E-USAGE-VALUE 'between 0 and 1' direction --shifted x --prior quiet=nan
refuses 2 E-USAGE-VALUE '--delimiter' direction --shifted x --delimiter ab
echo '{"prios": {}}' >c.json
refuses 4 E-CONFIG-KEY "c.json:1:2: unknown key 'prios'" direction --shifted x --config c.json
echo '{"prior": {"row": 2}}' >c.json
refuses 4 E-CONFIG-PRIOR 'c.json:1:12: .*between 0 and 1' direction --shifted x --config c.json
refuses 5 E-IO-SYSTEM 'nowhere.csv' direction --baseline nowhere.csv --shifted three.csv
refuses 4 E-MODEL-KIND '' direction "${inputs[@]}" --model gaussian
refuses 4 E-OUT-INPUT 'choose another folder' direction "${inputs[@]}" -o "$data"
refuses 2 E-USAGE-CHOICE "no WHAT 'tree'" simulate tree
refuses 2 E-USAGE-OPTION '--graph: it belongs to simulate graph' simulate pair --graph chain3
refuses 2 E-USAGE-CHOICE "no --shift 'hard'" simulate pair --shift hard
refuses 2 E-USAGE-VALUE '--levels: .*from 2' simulate pair --levels 1
refuses 2 E-USAGE-VALUE 'no rows' simulate pair --kind linear-gaussian --shift row
refuses 2 E-USAGE-VALUE 'no rows' simulate pair --kind spline --shift row
refuses 3 E-DATA-DOCUMENT "no usable" evaluate "$data/truth.json" "$data/truth.json"

finish
