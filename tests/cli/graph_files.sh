#!/usr/bin/env bash
# Graphs in files: simulate graph, convert, evaluate.
source "$WHENCE_SOURCE/tests/cli/lib.bash"

# Every shift of every mechanism, and what the truth says about it
for shift in none hard soft two-hard all-soft all-hard weak zero-mean; do
  accepts simulate graph --graph er:6:7 --shift "$shift" --noise t2.5 -o "linear-$shift"
done
for shift in none hard soft two-hard all-soft all-hard; do
  accepts simulate --graph jungle7 --mechanism categorical --levels 3 --rows 20 --baseline-rows 30 \
    --shift "$shift" -o "categorical-$shift"
done
check 'the truth says what changed' python3 - <<'PYTHON'
import json
for shift, targets in [("none", 0), ("hard", 1), ("soft", 1), ("two-hard", 2), ("all-soft", 6), ("weak", 1)]:
    truth = json.load(open(f"linear-{shift}/truth.json"))
    assert len(truth["variables"]) == 6 and truth["environments"][0]["name"] == "baseline"
    assert len(truth["environments"]) == 7, "one shifted environment per variable"
    for e in truth["environments"]:
        assert sum(e["changed"].values()) == (0 if e["name"] == "baseline" else targets), e
PYTHON
for kind in linear network square sine multiplicative heteroscedastic count mixed dense-network; do
  accepts simulate graph --graph er:6:7 --mechanism "$kind" --hidden 1 --drift .2 --typos 2 --noise-rows .05 \
    --rows 20 --baseline-rows 40 -o "kind-$kind"
done
check 'the truth tells hidden pairs and drift; columns are of their kinds' python3 - <<'PYTHON'
import csv, json
truth = json.load(open("kind-count/truth.json"))
assert len(truth["hidden"]) == 1 and truth["hidden"] == truth["confounded"] and truth["drift"] == 0.2
assert truth["provenance"]["mechanism"] == "count" and truth["provenance"]["typos"] == 2
rows = list(csv.DictReader(open("kind-mixed/baseline.csv")))
assert len(rows) == 40 and sum(value in ("k0", "k1", "k2") for value in rows[0].values()) == 3
PYTHON
refuses 2 E-USAGE-OPTION '--mechanism linear-gaussian' simulate graph --mechanism sine --noise t5 -o x
refuses 2 E-USAGE-CHOICE 'sine' simulate graph --mechanism sinus -o x
refuses 2 E-USAGE-VALUE 'from 0 to 10' simulate graph --mechanism sine --drift=-1 -o x
refuses 2 E-USAGE-VALUE 'from 0 to 1' simulate graph --mechanism sine --noise-rows nan -o x
refuses 2 E-USAGE-CHOICE 'spline' simulate pair --kind sine -o x
refuses 2 E-USAGE-OPTION 'simulate graph' simulate pair --drift .1 -o x
refuses 4 E-CONFIG-CHOICE 'linear, network' simulate graph --drift .1 -o x
accepts simulate graph --graph er:6:7 --seed 5 -o again -q
cp -r again first
accepts simulate graph --graph er:6:7 --seed 5 -o again -q
check 'equal seeds, equal bytes' cmp -s first/shifted_03.csv again/shifted_03.csv
accepts simulate graph --graph er:6:7 --seed 6 -o again -q
check 'other seeds, other bytes' bash -c '! cmp -s first/shifted_03.csv again/shifted_03.csv'
accepts simulate graph --graph 'sf:9:2' --hidden 2 --weights normal -o hidden
check 'hidden variables are told' grep -q '"confounded": \[' hidden/truth.json
accepts simulate graph --graph '0->1' --environments 100 --rows 2 --baseline-rows 4 -o hundred -q
check 'the names of many environments sort as their numbers' test -s hundred/shifted_001.csv -a -s hundred/shifted_100.csv

# Every format of graphs, there and back
accepts convert linear-hard/truth.json a.json
for format in json dot gml graphml csv; do
  accepts convert a.json "b.$format"
  accepts convert "b.$format" back.json --force
  check "$format keeps the graph" cmp -s a.json back.json
  accepts evaluate "b.$format" linear-hard/truth.json --json
  check "$format is the truth" grep -q '"total": 0' <<<"$out"
done
accepts convert a.json b.adj.csv --to adjacency
accepts convert b.adj.csv back.json --force
check 'a matrix of names' cmp -s a.json back.json
accepts convert a.json b.npy
check 'which says that it does not say' grep -q 'row causes the column' <<<"$err"
accepts convert b.npy back.json --force
check 'a bare matrix' cmp -s a.json back.json
accepts convert a.json t.npy --to-transposed -q
accepts convert t.npy back.json --from npy --from-transposed --force
check 'turned round twice' cmp -s a.json back.json
accepts convert t.npy back.json --force
check 'turned round once' bash -c '! cmp -s a.json back.json'
accepts convert a.json - --to dot
check 'stdout' grep -q '^digraph' <<<"$out"

# Networks with tables
cat >rain.bif <<'BIF'
network rain { }
variable rain { type discrete [ 2 ] { yes, no }; }
variable grass { type discrete [ 2 ] { wet, dry }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.1, 0.9; }
BIF
accepts simulate --graph rain.bif --mechanism categorical --baseline-rows 4000 -o rain
check 'the tables are followed' awk -F, 'NR > 1 { n++; wet += $1 == "yes" && $2 == "wet" }
  END { exit !(wet / n > .15 && wet / n < .21) }' rain/baseline.csv
accepts simulate --graph rain.bif --mechanism linear-gaussian -o line
check 'the names too' grep -qx 'rain,grass' line/baseline.csv
accepts convert rain.bif copy.bif
accepts convert copy.bif g.gml
accepts simulate --graph g.gml -o from-gml
refuses 3 E-GRAPH-TABLES 'holds tables' convert a.json x.bif

# Every format of data
accepts convert categorical-hard d.npz
accepts convert d.npz folder --to folder
accepts convert folder again.npz
check 'the same archive' cmp -s d.npz again.npz
accepts convert categorical-hard dcdi --to dcdi --index 3
check 'an empty line per observational row' test "$(grep -c '^$' dcdi/intervention3.csv)" = 30
accepts convert dcdi from-dcdi --index 3 --to folder
accepts convert dcdi d.dot --index 3
accepts evaluate d.dot categorical-hard/truth.json --json
check 'with the truth' grep -q '"total": 0' <<<"$out"
accepts convert categorical-hard t.csv
check 'one table' test "$(head -1 t.csv)" = environment,X0,X1,X2,X3,X4,X5,X6
accepts convert t.csv from-table --environment environment --baseline baseline --to folder
check 'the same rows' cmp -s from-table/shifted_02.csv categorical-hard/shifted_02.csv

# A result against a truth: every number that can be counted by hand
cat >truth.json <<'JSON'
{"variables": ["a", "b", "c"], "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}],
 "environments": [{"name": "e", "changed": {"a": true, "b": false, "c": false}}]}
JSON
cat >result.json <<'JSON'
{"variables": ["c", "b", "a"],
 "edges": [{"from": "a", "to": "b", "probability": 0.75}, {"from": "b", "to": "a", "probability": 0.25},
           {"from": "c", "to": "b", "probability": 1}],
 "graph": [["a", "b"], ["c", "b"]],
 "environments": [{"name": "e", "changed": {"a": 0.9, "b": 0.2, "c": 0.6}}],
 "draws": [{"count": 3, "edges": [[2, 1], [0, 1]]}, {"count": 1, "edges": [[1, 2], [0, 1]]}]}
JSON
accepts evaluate result.json truth.json --json
check 'the numbers' python3 - <<PYTHON
import json
e = json.loads('''$out''')
assert e["shd"] == {"total": 1, "missing": 0, "extra": 0, "reversed": 1}, e
assert e["sid"] == 3 and e["expected_shd"] == 1.25, e
assert e["changes"]["right"] == 2 and e["changes"]["judged"] == 3, e
assert e["changes"]["average_precision"] == 1, e
assert abs(e["average_precision"] - (1 / 2 + 2 / 6) / 2) < 1e-12, e
PYTHON
accepts evaluate result.json truth.json
check 'in words' grep -q 'SHD 1 (missing 0, extra 0, reversed 1), SID 3' <<<"$out"

# Hostile names
cat >hostile.json <<'JSON'
{"variables": ["</script>", "=1+1", "a\"b\\", "x\ny"], "edges": [{"from": "</script>", "to": "x\ny"}, {"from": "=1+1", "to": "a\"b\\"}]}
JSON
for format in dot gml graphml csv; do
  accepts convert hostile.json "h.$format"
  accepts convert "h.$format" h.json --force
  check "$format keeps names" cmp -s h.json <("$WHENCE" convert hostile.json - --to json)
done

# Mistakes
echo 'graph { a -- b }' >u.dot
refuses 3 E-GRAPH-UNDIRECTED 'u.dot:1:1' convert u.dot x.json
echo 'digraph { a -> b -> a }' >cycle.dot
refuses 3 E-GRAPH-CYCLE 'cycle.dot' simulate --graph cycle.dot
refuses 3 E-GRAPH-CYCLE 'cycle.dot' evaluate a.json cycle.dot
refuses 3 E-DATA-DOCUMENT 'other variables' evaluate a.json truth.json
refuses 4 E-OUT-INPUT 'would replace b.dot .*another name for OUT' convert b.dot b.dot --force
refuses 5 E-OUT-EXISTS '[-]-force' convert a.json b.dot
refuses 2 E-USAGE-FORMAT '[-]-to FORMAT' convert a.json nowhere
refuses 2 E-USAGE-FORMAT 'cannot become data' convert a.json x.npz
refuses 2 E-USAGE-FORMAT 'come without a graph' convert t.csv x.dot --environment environment
refuses 2 E-USAGE-FORMAT 'only matrices' convert a.json x.dot --to-transposed
refuses 3 E-ENCO-TARGETS 'are not known' convert t.csv x.npz --environment environment
refuses 3 E-ENCO-TARGETS 'not a baseline' convert categorical-two-hard x.npz
refuses 4 E-GRAPH-SYNTAX 'three parts' simulate --graph er:20
refuses 4 E-GRAPH-SYNTAX 'preset' simulate --graph wheel5
refuses 5 E-IO-SYSTEM 'none.bif' simulate --graph none.bif
refuses 2 E-USAGE-MISSING 'simulate needs WHAT' simulate
refuses 2 E-USAGE-OPTION '[-]-truth' simulate --graph chain3 --truth forward
refuses 2 E-USAGE-OPTION '[-]-noise' simulate --graph chain3 --mechanism categorical --noise t5
refuses 2 E-USAGE-CHOICE "no --shift 'cause'" simulate --graph chain3 --shift cause
refuses 4 E-CONFIG-CHOICE "no 'weak' shift" simulate --graph chain3 --mechanism categorical --shift weak
refuses 4 E-WORLD-SHAPE 'not joined' simulate --graph full4 --hidden 1

finish
