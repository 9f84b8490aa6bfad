#!/usr/bin/env bash
# Faults of the catalogue that a command line can show: K14, K15, K17, K18, L06, L11, F03, F07.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
make_results
accepts simulate pair --shift cause --environments 3 --baseline-rows 300 --rows 200 -o pair -q
accepts simulate pair --kind linear-gaussian --environments 2 --baseline-rows 100 --rows 60 -o real -q
mapfile -t inputs < <(files pair)
mapfile -t real < <(files real)

# K14 what contradicts itself: a device that this build does not have, a model that does not fit
refuses 10 E-DEVICE 'without CUDA .*--device auto' direction "${inputs[@]}" --device cuda
refuses 10 E-DEVICE 'without CUDA' reproduce belief-discrete --scale smoke --device=cuda -o results
refuses 2 E-USAGE-CHOICE "no --device 'gpu'" demo --device gpu
refuses 4 E-MODEL-KIND "'categorical' needs categorical columns .*--model auto" direction "${real[@]}" --model categorical
refuses 4 E-MODEL-KIND "'gaussian' needs real columns" direction "${inputs[@]}" --model gaussian
for device in auto cpu; do
  accepts direction "${inputs[@]}" -q -o "on-$device" --device "$device"
done
check 'the same on the processor by name' cmp -s on-auto/result.json on-cpu/result.json
rm -r on-auto on-cpu

# K15 results that would replace the data they come from
refuses 4 E-OUT-INPUT 'would replace .*baseline.csv' direction "${inputs[@]}" -o pair/baseline.csv
refuses 4 E-OUT-INPUT 'the folder of shifted_01.csv .*choose another' direction "${inputs[@]}" -o pair
refuses 4 E-OUT-INPUT '' direction "${inputs[@]}" -o ./pair/../pair/
refuses 4 E-OUT-INPUT '' direction "${inputs[@]}" -o ../"$(basename "$PWD")"
refuses 4 E-OUT-INPUT 'shifted_01.csv .*another file with --state' direction "${inputs[@]}" -o found --state pair/shifted_01.csv
ln -s pair by-link
refuses 4 E-OUT-INPUT '' direction "${inputs[@]}" -o by-link/baseline.csv
ln pair/baseline.csv second-name.csv
refuses 4 E-OUT-INPUT '' direction "${inputs[@]}" -o found --state second-name.csv
rm by-link second-name.csv
accepts simulate graph --graph '0->1' --rows 30 --baseline-rows 60 -o many -q
mapfile -t many < <(files many)
refuses 4 E-OUT-INPUT '' discover "${many[@]}" -o many
refuses 4 E-OUT-INPUT 'inside the data' convert many many/again --to dcdi
printf 'digraph { a -> b; }\n' >graph.dot
refuses 4 E-OUT-INPUT 'graph.dot' convert graph.dot graph.dot --force
rm -r many graph.dot

# K17 nothing in a configuration is substituted, included, constructed or expanded
config() { printf '%s' "$1" >c.json; }
rejected() {
  config "$3"
  refuses 4 "$1" "$2" reproduce belief-discrete --scale smoke --config c.json -o results
  refuses 4 "$1" '' direction "${inputs[@]}" --config c.json -o results
}
rejected E-CONFIG-KEY "unknown key '\\$\{HOME\}'" '{"${HOME}": 1}'
rejected E-CONFIG-KEY "unknown key '<<'" '{"<<": {"runs": 1}}'
rejected E-CONFIG-KEY "unknown key 'include'" '{"include": "/etc/passwd"}'
rejected E-CONFIG-KEY "unknown key '\\\$ref'" '{"$ref": "#/runs"}'
rejected E-JSON-SYNTAX 'c.json:1:1' '!!python/object:os.system [1]'
rejected E-JSON-SYNTAX 'c.json:1:10' '{"runs": &a 1}'
rejected E-JSON-SYNTAX 'c.json:1:10' '{"runs": *a}'
rejected E-JSON-SYNTAX 'c.json:1:10' '{"runs": ${RUNS}}'
rejected E-JSON-SYNTAX 'c.json:1:1' $'a: &a [1, 1]\nb: &b [*a, *a]\nc: [*b, *b]'
config '{"name": "${HOME}"}'
refuses 4 E-CONFIG-NAME 'folder name' reproduce belief-discrete --scale smoke --config c.json
config '{"model": "${MODEL}"}'
refuses 4 E-CONFIG-VALUE 'no such model' direction "${inputs[@]}" --config c.json

# K18 a configuration of a newer whence
for needs in '"99"' '"0.99"' '"0.1.99"' '"4294967295.0.0"'; do
  rejected E-CONFIG-VERSION 'c.json:1:11: .*needs whence >= .*this is [0-9.]+ .*update' "{\"needs\": $needs, \"unheard_of\": 1}"
done
for needs in 1 null '""' '"1."' '"new"' '"1.2.3.4"' '"-1"' '"99999999999"' '[]'; do
  rejected E-CONFIG-VERSION 'c.json:1:11: .*must be a version' "{\"needs\": $needs}"
done
version=$("$WHENCE" --version | cut -d' ' -f2)
config "{\"needs\": \"$version\", \"prior\": {\"no_link\": 0.2}}"
accepts direction "${inputs[@]}" --config c.json -q -o needs
config "{\"needs\": \"0.1\", \"runs\": 2}"
accepts reproduce belief-discrete --scale smoke --config c.json -q -o needs
rm -r needs c.json

# L06 surroundings that are not there
accepts direction "${inputs[@]}" -q -o plain
expected=$(sha256sum <plain/result.json)
# surrounded COMMAND...: runs it, and the result must be the usual one
surrounded() {
  checks=$((checks + 1))
  rm -rf around
  "$@" || fail "$*: exit $?"
  [[ $(sha256sum <around/result.json) == "$expected" ]] || fail "$*: another result"
}
surrounded bash -c '"$0" direction "$@" -q -o around <&-' "$WHENCE" "${inputs[@]}"
surrounded env -u HOME -u TMPDIR -u PATH "$WHENCE" direction "${inputs[@]}" -q -o around
surrounded env TMPDIR=/nonexistent HOME=/nonexistent "$WHENCE" direction "${inputs[@]}" -q -o around
surrounded env TMPDIR=/proc HOME= "$WHENCE" direction "${inputs[@]}" -q -o around
# gone OUTPUT: from a folder that was deleted, exit 5 naming the path
gone() {
  checks=$((checks + 1))
  local rc=0 message
  mkdir gone
  message=$(cd gone && rmdir ../gone && "$WHENCE" demo -q -o "$1" 2>&1) || rc=$?
  [[ $rc == 5 && $message == 'error[E-IO-SYSTEM]: '*"$1"* ]] || fail "deleted folder, -o $1: $rc $message"
}
gone inside
gone "$work/absolute"
check 'nothing came of it' test ! -e absolute
# Under a mask of 777 nobody but root can write what was just made: 5 with the path, or all is well.
checks=$((checks + 1))
rc=0
message=$(umask 777 && "$WHENCE" demo -q -o masked/deep 2>&1) || rc=$?
if [[ $rc == 0 ]]; then
  chmod -R u+rwX masked && check 'whole' test -s masked/deep/result.json
else
  [[ $rc == 5 && $message == 'error[E-IO-SYSTEM]: '*masked* ]] || fail "umask 777: $rc $message"
  check 'nothing is left' test ! -e masked
fi
rm -rf masked around plain

# L11 places that cannot be written to (what the file system itself says is in tests/faults)
if mkdir read-only && mount -t tmpfs -o ro none read-only 2>/dev/null; then
  refuses 5 E-IO-SYSTEM 'read-only.*Read-only file system .*may write to' demo -o read-only/out
  umount read-only
fi
rm -rf read-only
# As nobody, in a folder of somebody else.
if [[ $(id -u) == 0 ]] && chmod 755 "$work" && mkdir owned && setpriv --reuid=65534 --clear-groups "$WHENCE" --version >/dev/null 2>&1; then
  checks=$((checks + 1))
  before=$(hash_of .) rc=0
  message=$(setpriv --reuid=65534 --clear-groups "$WHENCE" demo -q -o owned/out 2>&1) || rc=$?
  [[ $rc == 5 && $message == 'error[E-IO-SYSTEM]: '*owned*'Permission denied'* ]] || fail "not owned: $rc $message"
  check 'nothing changed' test "$before" = "$(hash_of .)"
fi
rm -rf owned

# F03 a device that is always full, for the one stream that is a file
checks=$((checks + 1))
rc=0
"$WHENCE" direction "${inputs[@]}" --json -o full >/dev/full 2>message || rc=$?
[[ $rc == 5 ]] && grep -q '^error\[E-IO-STDOUT\]' message || fail "full: $rc $(cat message)"
rm -rf full message

# F07 a signal at any time: the old state and results or the new ones, and a second try ends as if
# nothing had happened
mapfile -t first < <(files pair | head -4)
accepts direction "${first[@]}" --state start.state -q -o before
cp start.state end.state
accepts direction --shifted pair/shifted_02.csv --shifted pair/shifted_03.csv --state end.state -q -o after
old=$(sha256sum <before/result.json) new=$(sha256sum <after/result.json)
heard=0
for trial in {1..16}; do
  checks=$((checks + 1))
  rm -rf out && cp -r before out && cp start.state s.state
  signal=INT code=130
  if ((trial % 2)); then signal=TERM code=143; fi
  "$WHENCE" direction --shifted pair/shifted_02.csv --shifted pair/shifted_03.csv --state s.state -q -o out 2>message &
  pid=$!
  # From before it has started to after it has ended, whatever the machine.
  sleep "$(printf '0.%03d' $((trial * trial)))"
  kill -"$signal" "$pid" 2>/dev/null
  rc=0
  wait "$pid" || rc=$?
  case $rc in
    0) ;;
    "$code") heard=$((heard + 1)) ;;
    *) fail "F07 trial $trial: exit $rc: $(cat message)" ;;
  esac
  got=$(sha256sum <out/result.json)
  [[ $got == "$old" || $got == "$new" ]] || fail "F07 trial $trial: half a result"
  cmp -s s.state start.state || cmp -s s.state end.state || fail "F07 trial $trial: half a state"
  [[ -z $(find . -maxdepth 1 -name '.out.whence-*' -o -name '.s.state.whence-*') ]] || fail "F07 trial $trial: leftovers"
  if cmp -s s.state start.state; then
    accepts direction --shifted pair/shifted_02.csv --shifted pair/shifted_03.csv --state s.state -q -o out
    [[ $(sha256sum <out/result.json) == "$new" ]] || fail "F07 trial $trial: resumed to something else"
  fi
done
echo "$heard of 16 signals came in time"

finish
