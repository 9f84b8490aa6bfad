#!/usr/bin/env bash
# Results on disk: all at once or not at all, never over somebody else's files.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
make_results

# What a run leaves behind
check 'nothing beside the folder' test "$(ls -A)" = results
for file in result.json run.json index.html figures/demo.svg; do
  check "$file exists" test -s "results/$file"
done
if command -v rsvg-convert >/dev/null; then check 'a picture' test -s results/figures/demo.png; fi
check 'run.json lists every file and its hash' python3 - <<'PYTHON'
import hashlib, json, os
run = json.load(open("results/run.json"))
listed = {f["name"]: f["sha256"] for f in run["files"]}
there = {os.path.relpath(os.path.join(d, f), "results") for d, _, fs in os.walk("results") for f in fs}
assert there == set(listed) | {"run.json"}, there ^ set(listed)
for name, digest in listed.items():
    assert hashlib.sha256(open("results/" + name, "rb").read()).hexdigest() == digest, name
for key in ("started", "finished", "seconds", "threads", "host", "cpu", "instruction_set"):
    assert key in run, key
PYTHON
check 'no host, path, time or thread count in result.json or the page' bash -c \
  '! grep -Eq -e "$PWD|\"(host|threads|started|seconds|cpu)\"" results/result.json results/index.html'

# Without the converter there are no pictures, and run.json says why
mkdir empty-path
PATH=$work/empty-path "$WHENCE" demo -q -o plain
check 'no picture' test ! -e plain/figures/demo.png
check 'and a note' grep -q 'no PNG figures' plain/run.json

# Equal runs give equal results, whatever the number of threads
for threads in 1 2 3 7; do
  accepts reproduce belief-discrete --scale smoke --threads "$threads" -o "threads-$threads" -q
  check "the same with $threads threads" cmp -s threads-1/result.json "threads-$threads/result.json"
  check "the same page with $threads threads" cmp -s threads-1/index.html "threads-$threads/index.html"
done
LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 accepts reproduce belief-discrete --scale smoke -o german -q
check 'the same where decimals have commas' cmp -s threads-1/result.json german/result.json
accepts reproduce belief-discrete --scale smoke --seed 1 -o seed-1 -q
check 'another seed, another result' bash -c '! cmp -s threads-1/result.json seed-1/result.json'

# An earlier result is replaced as a whole; files of others survive, the very same
echo mine >results/curves/notes.txt
ln -s /nowhere results/link
before=$(stat -c %i results/curves/notes.txt)
chmod 750 results
accepts demo -q -o results --seed 5
check 'the note survives' test "$(stat -c %i results/curves/notes.txt)" = "$before"
check 'so does the link' test "$(readlink results/link)" = /nowhere
check 'and the mode' test "$(stat -c %a results)" = 750
check 'the result is new' grep -q '"seed": 5' results/result.json
accepts reproduce zero-gradient --scale smoke -q -o results
check 'files of the old result are gone' test ! -e results/figures/demo.svg
check 'the note is still there' test "$(cat results/curves/notes.txt)" = mine
check 'no leftovers' test -z "$(find . -maxdepth 1 -name '*whence-*')"

# Folders that are not ours, and things in the way
mkdir foreign && echo precious >foreign/thesis.txt
refuses 5 E-OUT-FOREIGN 'foreign: .*not results of whence .*hint: choose an empty' demo -o foreign
mkdir similar && echo '{"program": "other", "files": []}' >similar/run.json
refuses 5 E-OUT-FOREIGN similar demo -o similar
echo '{"program": "whence", "files": [' >similar/run.json
refuses 5 E-OUT-FOREIGN similar demo -o similar
touch file
refuses 5 E-OUT-KIND 'file: this is not a folder' demo -o file
refuses 5 E-OUT-KIND 'file: this is not a folder' demo -o file/inside
ln -s results link
refuses 5 E-OUT-KIND 'link: this is a symbolic link .*name the folder' demo -o link
ln -s nowhere broken
refuses 5 E-OUT-KIND 'symbolic link' demo -o broken
mkfifo pipe
refuses 5 E-OUT-KIND 'not a folder' demo -o pipe
refuses 5 E-OUT-NAME 'current directory .*name a folder inside' demo -o .
refuses 5 E-OUT-NAME 'current directory' demo -o ..
refuses 5 E-OUT-NAME '' demo -o /
cp -r plain swapped && rm swapped/result.json && ln -s ../precious swapped/result.json
refuses 5 E-OUT-KIND 'swapped/result.json: .*not a regular file' demo -o swapped
rm swapped/result.json && mkfifo swapped/result.json
refuses 5 E-OUT-KIND 'swapped/result.json' demo -o swapped
cp -r plain collide && mkdir -p collide/tables
refuses 5 E-IO-SYSTEM '(Not a directory|No such file|File name too long)' demo -o "$(printf 'n%.0s' {1..300})"
mkdir -p blank/inner
accepts demo -q -o blank/inner/
check 'an empty folder may be used' test -f blank/inner/index.html
accepts demo -q -o new/a/b/../c
check 'parents are made' test -f new/a/c/index.html

# A failing run leaves no folders behind
printf '{"adaptation": {"learning_rate": 1e308}, "runs": 2, "episodes": 5, "steps": 5, "levels": [3]}' >diverge.json
refuses 7 E-NUM-DIVERGED '' reproduce belief-discrete --config diverge.json
refuses 7 E-NUM-DIVERGED '' reproduce belief-discrete --config diverge.json -o some/new/place
refuses 7 E-NUM-DIVERGED '' reproduce belief-discrete --config diverge.json -o results

# No permission (root may write anywhere, so then only where nobody may)
if [[ $(id -u) != 0 ]]; then
  mkdir locked && chmod 555 locked
  refuses 5 E-IO-SYSTEM 'locked.*Permission denied .*hint: ' demo -o locked/x
  chmod 555 results
  refuses 5 E-IO-SYSTEM 'results.*Permission denied' demo -o results
  chmod 755 results
fi
refuses 5 E-IO-SYSTEM '/proc' demo -o /proc/whence
if [[ -d /sys/kernel ]]; then # a bare root has an ordinary, empty /sys
  refuses 5 E-IO-SYSTEM '/sys' demo -o /sys/a/b
fi

# Files that may not grow, a disk that is full: exit 5, the earlier result untouched
limited() {
  checks=$((checks + 1))
  local before after message rc=0
  before=$(hash_of results)
  message=$(ulimit -f "$1" && exec "$WHENCE" demo -o results 2>&1 >/dev/null) || rc=$?
  after=$(hash_of results)
  [[ $rc == 5 ]] || fail "ulimit -f $1: exit $rc: $message"
  [[ $message == 'error[E-IO-SYSTEM]: '*'File too large'* ]] || fail "ulimit -f $1: $message"
  [[ $before == "$after" ]] || fail "ulimit -f $1 changed the result"
  [[ -z $(find . -maxdepth 1 -name '.*whence-*') ]] || fail "ulimit -f $1 left something"
}
# (TSan's own start writes a file, before the program can say that it minds.)
grep -q __tsan_init "$WHENCE" || limited 0
for blocks in 1 4 16; do limited "$blocks"; done
if mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
  checks=$((checks + 1))
  rc=0
  "$WHENCE" demo -o small/out 2>full.err || rc=$?
  [[ $rc == 5 ]] && grep -q 'No space left .*hint: free some space' full.err || fail "full disk: $rc"
  [[ -z $(ls -A small) ]] || fail 'a full disk keeps pieces'
  refuses 5 E-OUT-NAME 'mounted .*folder inside' demo -o small
  umount small
fi

# Several experiments, one of which is too large: the others count, and the exit code says so
run reproduce all --scale smoke --max-memory 1M -o partial
check 'exit 11' test "$rc" = 11
check 'the failure is named' grep -q 'warning: belief-discrete failed: ' <<<"$err"
check 'the others are there' test -f partial/zero-gradient/index.html
check 'that one is not' test ! -e partial/belief-discrete
check 'result.json lists it' python3 - <<'PYTHON'
import json
result = json.load(open("partial/result.json"))
failed = {f["experiment"]: f["error"] for f in result["failed"]}
assert failed["belief-discrete"] == "E-LIMIT-MEMORY", failed
done = [e["experiment"] for e in result["experiments"]]
assert "zero-gradient" in done and not set(done) & set(failed), done
PYTHON
refuses 6 E-LIMIT-MEMORY 'raise --max-memory' reproduce all --scale smoke --max-memory 1 -o partial
refuses 6 E-LIMIT-MEMORY '' reproduce belief-discrete --scale smoke --max-memory 1M

finish
