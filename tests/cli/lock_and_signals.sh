#!/usr/bin/env bash
# L10: one writer per output directory. And Ctrl-C: nothing half-written, the right exit code.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
make_results

# A run that takes long enough to be met: more work than anyone waits for.
printf '{"runs": 100000, "episodes": 10000, "levels": [10]}' >long.json
start() {
  "$WHENCE" reproduce belief-discrete --config long.json --max-memory 64G -o "$1" >started.out 2>started.err &
  pid=$!
  for _ in {1..2400}; do
    [[ -e .$1.whence-lock ]] && grep -q "^$pid " ".$1.whence-lock" && return
    sleep 0.05
  done
  fail "the long run did not start: $(cat started.err)"
}
# stopped SIGNAL CODE: the run of start() must end soon with that code.
stopped() {
  checks=$((checks + 1))
  kill -"$1" "$pid"
  for _ in {1..2400}; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
  done
  kill -0 "$pid" 2>/dev/null && fail "$1 was not heard" && kill -9 "$pid"
  local rc=0
  wait "$pid" || rc=$?
  [[ $rc == "$2" ]] || fail "$1: exit $rc, expected $2: $(cat started.err)"
}

# L10 the second process is told who the first is
start results
before=$(hash_of results)
run demo -o results
check 'exit 5' test "$rc" = 5
check 'process and host are named' grep -Eq "^error\[E-LOCK\]: .*results: .*number $pid on host $(hostname) .*hint: " <<<"$err"
check 'nothing on stdout' test -z "$out"
accepts demo -q -o elsewhere
stopped INT 130
check 'interrupted: nothing changed' test "$before" = "$(hash_of results)"
check 'interrupted: said so' grep -q '^error\[E-INTERRUPTED\]' started.err
check 'the lock is gone' test ! -e .results.whence-lock

start results
stopped TERM 143
check 'terminated: nothing changed' test "$before" = "$(hash_of results)"

# The terminal goes away; the time on the processor is used up
for signal in HUP:129 XCPU:152; do
  start results
  stopped "${signal%:*}" "${signal#*:}"
  check "${signal%:*}: nothing changed" test "$before" = "$(hash_of results)"
done

# A place where nobody looks whether there was a signal: one long fit. It ends all the same.
python3 - <<'P'
for name, shift in (('many_b', 0), ('many_s', 7)):
    with open(name + '.csv', 'w') as f:
        f.write('X,Y\n' + ''.join('a%d,b%d\n' % (i * 37 % 251 + shift, i * i % 509) for i in range(700)))
P
for signal in INT:130 TERM:143; do
  "$WHENCE" check --baseline many_b.csv --shifted many_s.csv >started.out 2>started.err &
  pid=$!
  until_working "$pid" || fail "no long fit was met: $(cat started.err)"
  stopped "${signal%:*}" "${signal#*:}"
  check "${signal%:*}: one line" grep -q '^error\[E-INTERRUPTED\]' started.err
done

# The same in a search: that its watcher has heard of the signal is no answer
python3 - <<'P'
import random
r = random.Random(1)
for name in ('columns_b', 'columns_s'):
    with open(name + '.csv', 'w') as f:
        f.write(','.join('v%d' % i for i in range(1000)) + '\n')
        f.writelines(','.join('%.3f' % r.gauss(0, 1) for _ in range(1000)) + '\n' for _ in range(60))
P
"$WHENCE" discover --baseline columns_b.csv --shifted columns_s.csv --threads 1 -o searched >started.out 2>started.err &
pid=$!
until_working "$pid" || fail "no long search was met: $(cat started.err)"
SECONDS=0
stopped TERM 143
check 'a search that does not listen ends soon' test "$SECONDS" -lt 20

# 2,000 environments take minutes: every command ends where it is told to, and a limit of time holds
awk 'BEGIN { srand(3); print "environment,X,Y"
  for (e = 0; e < 2000; ++e)
    for (i = 0; i < 20; ++i) { x = rand() + e % 7; printf "e%d,%.3f,%.3f\n", e, x, 2 * x + rand() } }' >environments.csv
for command in check direction discover; do
  to=(-o "$command")
  [[ $command == check ]] && to=()
  "$WHENCE" "$command" environments.csv --environment environment "${to[@]}" >started.out 2>started.err &
  pid=$!
  until_working "$pid" || fail "$command of 2,000 environments did not last: $(cat started.err)"
  SECONDS=0
  stopped TERM 143
  check "$command of 2,000 environments ends soon" test "$SECONDS" -lt 20
done
accepts discover environments.csv --environment environment --time-limit 1 -q -o limited
check 'which is said' grep -q 'the time limit of 1 s' limited/result.json

# The best graph so far is written without drawings, which take longer than whoever stopped it waits
accepts simulate graph --graph er:30:60 --rows 40 --baseline-rows 80 -o wide -q
"$WHENCE" discover --baseline wide/baseline.csv --shifted wide/shifted_01.csv --model linear --sweeps 1000000 \
  -o stopped >started.out 2>started.err &
pid=$!
until_working "$pid" || fail "no long search was met: $(cat started.err)"
stopped INT 130
if [[ -e stopped ]]; then  # a slow machine may not get so far in time
  check 'an answer' grep -q 'stopped (interrupted)' stopped/result.json
  check 'no drawings' test -z "$(find stopped -name '*.png')"
  check 'which is noted' grep -q 'asked to stop' stopped/run.json
fi

# A process that was killed blocks nobody, and its leftovers are cleared away
start results
mkdir .results.whence-new.abcdef && touch .results.whence-new.abcdef/junk
kill -9 "$pid"
wait "$pid" 2>/dev/null
check 'its lock is left' test -e .results.whence-lock
accepts demo -q -o results
check 'no leftovers' test -z "$(find . -maxdepth 1 -name '.results.whence-*')"

# A lock of another host is respected: its process cannot be seen from here
echo '4711 far-away.example' >.results.whence-lock
refuses 5 E-LOCK 'number 4711 on host far-away.example .*remove .*whence-lock' demo -o results
rm .results.whence-lock
ln -s results/result.json .results.whence-lock
refuses 5 E-IO-SYSTEM 'whence-lock' demo -o results
rm .results.whence-lock

# Interrupted with no earlier result: no folder appears
start fresh
stopped INT 130
check 'no folder' test ! -e fresh
# The second signal ends it at once
start fresh
kill -STOP "$pid"; kill -INT "$pid"; kill -TERM "$pid"; kill -CONT "$pid"
rc=0; wait "$pid" || rc=$?
check 'twice' test "$rc" = 130 -o "$rc" = 143

finish
