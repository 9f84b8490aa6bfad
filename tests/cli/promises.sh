#!/usr/bin/env bash
# Promises about hostile data, small machines and files from elsewhere: each case once broke one.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
make_results
column() { printf '%s\n' "$@"; }

(echo X,Y; for _ in 1 2 3 4 5 6; do column 0,0 1,1 2,0; done) >b.csv
(echo X,Y; for _ in 1 2 3 4 5 6; do column 0,1 1,1 2,0; done) >w1.csv
(echo X,Y; for _ in 1 2 3 4 5 6; do column 0,1 1,0 2,1; done) >w2.csv
(echo X,Y; for _ in 1 2 3 4 5 6; do column a,0 b,1; done) >words.csv
(echo X,Y; for _ in 1 2 3 4 5 6; do column 3,0 4,1; done) >unseen.csv
base=(direction --baseline b.csv --shifted w1.csv)

# ---- A state: one run's bytes, or one run's refusal ----
one_run_or_two() {  # NEW-FILE OPTION...
  local new=$1
  shift
  run "${base[@]}" --shifted "$new" "$@" -q -o once
  local once=$rc said=$err
  rm -f s.json*
  accepts "${base[@]}" --state s.json "$@" -q -o twice
  cp s.json before.json
  run direction --shifted "$new" --state s.json "$@" -q -o twice
  check "$new $*: the same exit code" test "$rc" = "$once"
  if ((once == 0)); then
    check "$new $*: the same bytes" cmp -s once/result.json twice/result.json
  else
    check "$new $*: the same words" test "$err" = "$said"
    check "$new $*: the state stays" cmp -s s.json before.json
  fi
  rm -rf once twice
}
one_run_or_two w2.csv
one_run_or_two words.csv
one_run_or_two unseen.csv
one_run_or_two unseen.csv --unseen error
one_run_or_two words.csv --types X=labels
mkdir again && cp w2.csv again/w1.csv
one_run_or_two again/w1.csv  # the same name, another file
printf 'X,Y\n0.5,1.5\n0.7,2.5\n0.9,1.25\n' >real.csv
one_run_or_two real.csv
one_run_or_two real.csv --types X=real,Y=real
printf 'X,Y\n0,0\n' >short.csv
one_run_or_two short.csv
(echo environment,X,Y; column p,0,1 p,1,0 q,1,1 q,0,0) >table.csv
refuses 2 E-USAGE-DATA 'not tables' direction table.csv --environment environment --state t.json

# Two at a time: one after the other, or one is refused; nothing is lost
rm -f s.json*
accepts "${base[@]}" --state s.json -q -o p0
for name in A B C; do sed "s/2,0/2,1/" w2.csv >"w$name.csv"; echo "0,0" >>"w$name.csv"; done
echo "1,0" >>wB.csv; echo "2,0" >>wC.csv
for name in A B C; do
  { "$WHENCE" direction --shifted "w$name.csv" --state s.json -q -o "p$name" 2>"$name.err"; echo $? >"$name.rc"; } &
done
wait
kept=1
for name in A B C; do
  [[ $(cat "$name.rc") == 0 ]] && kept=$((kept + 1))
  [[ $(cat "$name.rc") == 0 ]] || check "$name: told of the other" grep -q 'E-LOCK' "$name.err"
done
run verify s.json --json
checks=$((checks + 1))
has=$(python3 -c 'import json,sys; print(len(json.load(sys.stdin)["remembers"]))' <<<"$out")
[[ $has == $((kept + 1)) ]] || fail "$kept runs said yes, the state has $has files"
check 'no lock is left' test ! -e .s.json.whence-lock

# Damaged: the state before is continued, and that is said
rm -f s.json*
accepts "${base[@]}" --state s.json -q -o p0
accepts direction --shifted w2.csv --state s.json -q -o p1
printf 'x' | dd of=s.json bs=1 seek=400 conv=notrunc status=none
refuses 8 E-STATE-DAMAGED 'damaged|cut short' verify s.json
accepts direction --shifted wA.csv --state s.json -o p2
check 'said on stderr' grep -q 'the state before it is continued, which has b.csv, w1.csv' <<<"$err"
check 'and in the result' grep -q 'the state before it is continued' p2/result.json
accepts verify s.json
cp s.json only.json; printf 'x' | dd of=only.json bs=1 seek=400 conv=notrunc status=none
refuses 8 E-STATE-DAMAGED 'damaged|cut short' direction --shifted wB.csv --state only.json

# Files of strangers with a right checksum
forge() {  # PYTHON: changes c, the content
  python3 - "$1" <<'P'
import json, hashlib, sys, base64
j = json.load(open('good.json')); c = j['content']; exec(sys.argv[1])
text = json.dumps(c, separators=(',', ':'), ensure_ascii=False)
j['sha256'] = hashlib.sha256(text.encode()).hexdigest()
open('bad.json', 'w').write(json.dumps(j, separators=(',', ':'), ensure_ascii=False) + '\n')
P
}
rm -f good.json*
accepts "${base[@]}" --state good.json -q -o p0
forge 'pass' && accepts direction --shifted w2.csv --state bad.json -q -o p0
for change in "c['files']=[]" "c['files'][0]['content']='@@@@'" "c['files'][0]['content']='QQ'" \
  "c['files'][0]['path']=''" "c['files'][1]['baseline']=True" "del c['files'][0]['path']" \
  "c['files'][0]['content']=5" "c['options']=[]" "c['files']={}"; do
  forge "$change"
  refuses 8 E-STATE . direction --shifted w2.csv --state bad.json
done
forge "c['files'][1]['content']=base64.b64encode(b'X,Y\n1\n').decode()"
refuses 3 E-CSV-FIELDS . direction --shifted w2.csv --state bad.json
sed 's/"format":2/"format":1/' good.json >older.json
refuses 8 E-STATE 'older' direction --shifted w2.csv --state older.json

# ---- A failing command changes nothing ----
refuses 5 E-IO-SYSTEM 'no/s.json' direction --baseline b.csv --shifted w2.csv --state no/s.json -o results
accepts simulate graph --graph chain3 --rows 20 --baseline-rows 40 -o g -q
discover=(discover --baseline g/baseline.csv --shifted g/shifted_01.csv -q)
accepts "${discover[@]}" -o found
refuses 4 E-OUT-INPUT 'result.json' changes --graph found --baseline g/baseline.csv --shifted g/shifted_01.csv -o found
refuses 4 E-OUT-INPUT 'graph.dot' changes --graph found/graph.dot --baseline g/baseline.csv --shifted g/shifted_01.csv -o found
refuses 4 E-OUT-INPUT 'graph.dot' simulate graph --graph found/graph.dot -o found

# Folders of others in the results: rights and empty ones stay
mkdir -m 700 found/notes; echo x >found/notes/n.txt; mkdir -p found/empty/inner; chmod 2750 found/empty
accepts "${discover[@]}" -o found
check 'private stays private' test "$(stat -c %a found/notes)" = 700
check 'rights of an empty folder' test "$(stat -c %a found/empty)" = 2750
check 'empty folders stay' test -d found/empty/inner
check 'the file, too' grep -q x found/notes/n.txt

# convert --force replaces files, nothing else
ln -s found/graph.dot link.dot; mkfifo pipe.dot
refuses 5 E-OUT-KIND 'link' convert g/truth.json link.dot --force
refuses 5 E-OUT-KIND 'regular' convert g/truth.json pipe.dot --force
refuses 5 E-OUT-KIND 'regular' convert g/truth.json /dev/full --to dot --force
check 'the device is one' test -c /dev/full

# ---- verify ----
accepts verify found
check 'counted' grep -Eq '^[0-9]+ files, all as they were written$' <<<"$out"
cp -r found damaged
printf 'X' | dd of=damaged/page.json bs=1 seek=9 conv=notrunc status=none
refuses 8 E-RUN-DAMAGED 'page.json holds other bytes' verify damaged
rm damaged/result.json
refuses 8 E-RUN-DAMAGED 'result.json is gone' verify damaged
rm -r damaged; cp -r found damaged; sed -i 's/"threads": [0-9]*/"threads": 77/' damaged/run.json
refuses 8 E-RUN-DAMAGED 'run.json says other things' verify damaged
sed -i 's|"name": "result.json"|"name": "../b.csv"|' damaged/run.json
refuses 8 E-RUN 'not below its folder' verify damaged
refuses 5 E-IO-SYSTEM 'run.json' verify g/..
accepts report found
accepts verify found

# ---- Names of files and of variables ----
name=$'ann\xe9e'
cp w1.csv "$name.csv"
accepts direction --baseline b.csv --shifted "$name.csv" --state latin.json -q -o latin
check 'result.json is UTF-8' python3 -c 'import json; json.load(open("latin/result.json", "rb"))'
accepts direction --shifted w2.csv --state latin.json -q -o latin
accepts report latin -q
check 'spelt out' grep -qF 'ann\\xe9e' latin/result.json
printf '{"variables":["\\u001b[31mx","y\\u202e"],"edges":[]}' >esc.json
for to in dot gml graphml edges adjacency json; do
  accepts convert esc.json - --to "$to"
  check "$to: nothing acts on a terminal" bash -c '! LC_ALL=C grep -qP "\x1b|\xe2\x80\xae" <<<"$0"' "$out"
done
accepts convert esc.json back.json
accepts convert back.json - --to json
check 'JSON keeps the name' grep -qF '\u001b[31mx' <<<"$out"
(echo environment,X,Y; for i in 1 2 3 4 5 6 7 8; do column base,-lo,@a 'base,hi,b ' s1,-lo,'"b "' s1,hi,@a; done) >texts.csv
accepts convert texts.csv folder --to folder --environment environment --baseline base -q
accepts convert folder texts2.csv --to table -q
check 'levels and names survive' grep -qx 'base,-lo,@a' texts2.csv

# ---- Documents that claim too much ----
accepts simulate pair --levels 3 -o pp -q
accepts direction --baseline pp/baseline.csv --shifted pp/shifted_01.csv -q -o o15
doctored() { python3 -c "
import json; p = json.load(open('$1')); $3; json.dump(p, open('$2', 'w'))"; }
doctored o15/result.json neg.json '[b.update(probability=-1) for b in p["beliefs"]]'
refuses 3 E-DATA-DOCUMENT 'not a probability' evaluate neg.json pp/truth.json
doctored o15/result.json sum.json 'p["no_link"] = 0.9'
refuses 3 E-DATA-DOCUMENT 'do not sum to 1' evaluate sum.json pp/truth.json
doctored o15/result.json none.json 'p["beliefs"] = []'
refuses 3 E-DATA-DOCUMENT . evaluate none.json pp/truth.json
doctored o15/result.json new.json 'p["format"] = 99'
refuses 3 E-DATA-DOCUMENT 'newer' evaluate new.json pp/truth.json
doctored found/result.json change.json 'p["environments"][1]["changed"] = {k: 7 for k in p["environments"][1]["changed"]}'
refuses 3 E-DATA-DOCUMENT 'not the probability' evaluate change.json g/truth.json
: >empty.bif
refuses 3 E-DATA-DOCUMENT 'no variables' evaluate empty.bif empty.bif
echo '{"format":"whence-graph","version":99,"variables":["x","y"],"edges":[]}' >v99.json
refuses 3 E-GRAPH-VERSION 'newer' convert v99.json - --to dot
doctored found/result.json v99.json 'p["format"] = 99'
refuses 3 E-GRAPH-VERSION 'newer' convert v99.json - --to dot

# page.json of strangers: no loop, no crash
page() { cp -r "$1" doctored; doctored "$1/page.json" doctored/page.json "$2"; }
page found 'e = p["graph"]["edges"][0]; p["graph"]["edges"] = [dict(e, **{"from": a, "to": b, "in_graph": True}) for a, b in ((0, 1), (1, 0))]'
refuses 3 E-DATA-DOCUMENT 'circle' report doctored; rm -r doctored
page found 'p["graph"]["edges"][0]["to"] = p["graph"]["edges"][0]["from"]'
refuses 3 E-DATA-DOCUMENT 'its own' report doctored; rm -r doctored
page found 'p["graph"]["edges"].append(p["graph"]["edges"][0])'
refuses 3 E-DATA-DOCUMENT 'twice' report doctored; rm -r doctored
page found 'p["graph"]["edges"][0]["probability"] = None'
refuses 3 E-DATA-DOCUMENT 'probability' report doctored; rm -r doctored
page found 'p["graph"]["variables"] = ["v%d" % i for i in range(100000)]'
refuses 3 E-DATA-DOCUMENT 'too many' report doctored; rm -r doctored
page found 'p["reports"][0]["tables"][0]["rows"][0].append("x")'
refuses 3 E-DATA-DOCUMENT 'one cell each' report doctored; rm -r doctored
for range in 'y_min=0,y_max=5e-324' 'y_min=-1e308,y_max=1.7e308' 'y_min=1e-320,y_max=1,log_y=True'; do
  page results "[f.update($range) for f in p['reports'][0]['figures']]"
  accepts report doctored; rm -r doctored
done

# ---- Numbers at the ends of their range ----
printf 'X,Y\n0,1\n5e-324,2\n1e-323,4\n' >d1.csv
printf 'X,Y\n5e-324,3\n0,5\n1e-323,1\n' >d2.csv
accepts direction --baseline d1.csv --shifted d2.csv --min-rows 2 -q -o tiny
python3 - <<'P'
import random
def rows(mean, n, seed):
    r = random.Random(seed)
    return [(x := r.gauss(mean, 1), 2 * x + r.gauss(0, 1)) for _ in range(n)]
data = {'n': rows(0, 200, 50), 's': rows(3, 100, 53), 't': rows(-3, 100, 47)}
for prefix, unit in (('one', 1.0), ('big', 2.0 ** 532), ('small', 2.0 ** -532)):
    for name, pairs in data.items():
        with open(f'{prefix}_{name}.csv', 'w') as f:
            f.write('X,Y\n' + ''.join(f'{x * unit!r},{y * unit!r}\n' for x, y in pairs))
P
for prefix in one big small; do
  accepts direction --baseline ${prefix}_n.csv --shifted ${prefix}_s.csv --shifted ${prefix}_t.csv --json -q -o "units-$prefix"
  python3 -c 'import json,sys; j=json.load(sys.stdin); print(j["verdict"], j["model"], j["beliefs"])' <<<"$out" >"$prefix.said"
done
check 'units do not matter: large' cmp -s one.said big.said
check 'units do not matter: small' cmp -s one.said small.said

# ---- More than can be done: refused at once ----
# A sanitized build needs more memory and a larger stack for itself alone.
plain=no
if (ulimit -v 1500000 && "$WHENCE" --version >/dev/null 2>&1); then plain=yes; fi
in_little_memory() { (if [[ $plain == yes ]]; then ulimit -v 1500000; fi; "$WHENCE" "$@"); }
(echo X,Y; for i in $(seq 50); do echo "a$i,b$i"; done) >c1.csv
(echo X,Y; for i in $(seq 50); do echo "c$i,d$i"; done) >c2.csv
in_little_memory check --baseline c1.csv --shifted c2.csv --types X=labels,Y=labels -q >/dev/null || fail 'many levels: check'
in_little_memory direction --baseline c1.csv --shifted c2.csv --types X=labels,Y=labels -q -o levels || fail 'many levels: direction'
python3 -c "
print('digraph {', '{', ' '.join('a%d' % i for i in range(1000)), '} -> {', ' '.join('b%d' % i for i in range(1000)), '} }')" >wide.dot
refuses 6 E-LIMIT-GRAPH 'stand for more than' convert wide.dot - --to json
python3 - >wide.csv <<'P'
print(','.join('v%d' % i for i in range(60000)))
for r in range(3):
    print(','.join(str((i * 7 + r * 3) % 11) for i in range(60000)))
P
refuses 6 E-LIMIT-VARIABLES '60000 variables are more than the 1024' discover --baseline wide.csv --shifted wide.csv
refuses 6 E-LIMIT-VARIABLES '60000 variables' disentangle --baseline wide.csv --shifted wide.csv
refuses 6 E-LIMIT-MEMORY 'GB' simulate graph --graph er:500:2000 --rows 1000 -o large
refuses 6 E-LIMIT-MEMORY 'GB' simulate pair --rows 1000 --max-memory 100K -o large
refuses 6 E-LIMIT-MEMORY 'GB' simulate mixed --mixing linear --latents 50 --rows 100000 -o large
refuses 2 E-USAGE-COLUMNS 'has 60000 variables' direction --baseline wide.csv --shifted wide.csv
python3 - >wide.bif <<'P'
print('network x { }')
for i in range(30):
    print('variable v%d { type discrete [ 2 ] { a, b }; }' % i)
for child in (24, 25, 26):
    print('probability ( v%d | %s ) { default 0.5, 0.5; }' % (child, ', '.join('v%d' % i for i in range(22))))
P
refuses 6 E-LIMIT-TABLE 'cells' convert wide.bif - --to dot
python3 - >parents.bif <<'P'
print('network x { }')
for i in range(27):
    print('variable v%d { type discrete [ 2 ] { a, b }; }' % i)
for child in (24, 25, 26):
    print('probability ( v%d | %s ) { default 0.5, 0.5; }' % (child, ', '.join('v%d' % i for i in range(24))))
P
in_little_memory convert parents.bif - --to dot >/dev/null 2>parents.said
check '24 parents' grep -q 'E-LIMIT-TABLE' parents.said
# An identifier is no variable; two vectors of 100 coordinates are a pair, and too wide for a graph.
python3 - <<'P'
import random
r = random.Random(2)
def write(name, head, rows):
    with open(name, 'w') as f:
        f.writelines(','.join(map(str, row)) + '\n' for row in [head] + rows)
for name, shift in (('b', 0), ('s', 2)):
    write('id_%s.csv' % name, ['id', 'X'], [['%s%d' % (name, i), 'c%d' % r.randrange(3)] for i in range(5000)])
    write('vectors_%s.csv' % name, ['%s_%d' % (v, i) for v in 'ab' for i in range(100)],
          [['%.3f' % r.gauss(shift, 1) for _ in range(200)] for _ in range(60)])
P
for command in check direction; do
  refuses 3 E-DATA-COLUMNS 'id .an identifier' "$command" --baseline id_b.csv --shifted id_s.csv
done
vectors=(--baseline vectors_b.csv --shifted vectors_s.csv
  --columns "A=$(seq -s+ -f a_%g 0 99),B=$(seq -s+ -f b_%g 0 99)" -q)
in_little_memory direction "${vectors[@]}" -o vectors || fail 'vectors of 100 coordinates: direction'
in_little_memory check "${vectors[@]}" >/dev/null || fail 'vectors of 100 coordinates: check'
refuses 6 E-LIMIT-VARIABLES '100 coordinates' discover "${vectors[@]}"
# Files whose size alone says no are not read: 50 GB that take no room.
(printf 'whence checkpoint 1\n' >large.checkpoint && truncate -s 50G large.checkpoint)
refuses_unread() { # ID TEXT ARGUMENT...
  timeout 20 "$WHENCE" "${@:3}" >/dev/null 2>large.said
  check "not read: ${*:3}: $(head -c 200 large.said)" grep -q "$1.*$2" large.said
}
refuses_unread E-JSON-SIZE 'larger than' merge large.checkpoint -o merged.checkpoint
refuses_unread E-JSON-SIZE 'larger than' discover --baseline b.csv --shifted w1.csv --checkpoint large.checkpoint
refuses_unread E-JSON-SIZE 'larger than' direction --shifted w1.csv --state large.checkpoint
accepts demo -q -o large.run
truncate -s 50G large.run/page.json
refuses_unread E-RUN-DAMAGED '53687091200 bytes instead of' verify large.run
rm -rf large.run large.checkpoint

# ---- Small machines ----
if [[ $plain == yes ]]; then
  (ulimit -s 64; "$WHENCE" "${discover[@]}" -o stack) || fail 'a stack of 64 KiB'
  check 'the same answer on a small stack' cmp -s found/result.json stack/result.json
fi

# Threads that cannot start mean fewer threads. Root has no such limit: somebody else is asked.
if [[ $plain == yes && $(id -u) == 0 ]] && command -v setpriv >/dev/null; then
  mkdir nobody; cp g/baseline.csv g/shifted_01.csv nobody/; chmod 755 .; chmod 777 nobody; chmod 644 nobody/*
  (cd nobody && setpriv --reuid 65534 --regid 65534 --clear-groups bash -c \
    'ulimit -u 1; exec "$0" discover --baseline baseline.csv --shifted shifted_01.csv --threads 4 -q -o o' "$WHENCE") ||
    { [[ $? == 126 ]] || fail 'no threads to be had'; } # 126: nobody may not run the command here
  [[ ! -e nobody/o ]] || check 'the same answer without threads' cmp -s found/result.json nobody/o/result.json
fi

finish
