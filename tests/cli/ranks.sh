#!/usr/bin/env bash
# Several processes, shards and checkpoints: the same bytes as one process, whatever happened before.
source "$WHENCE_SOURCE/tests/cli/lib.bash"

accepts simulate graph --graph '0->1,1->2,0->3,3->2,2->4,4->5' --rows 40 --baseline-rows 200 -o data -q
mapfile -t inputs < <(files data)
ask=(discover "${inputs[@]}" --restarts 3 --sweeps 20 -q)
accepts "${ask[@]}" -o alone
sum_of() { sha256sum <"$1/result.json"; }
want=$(sum_of alone)

# What is kept is continued, also after a kill, and also by another number of threads
accepts "${ask[@]}" -o kept --checkpoint run.checkpoint --threads 2
check 'a checkpoint changes nothing' test "$(sum_of kept)" = "$want"
accepts "${ask[@]}" -o again --checkpoint run.checkpoint --threads 1
check 'nor does going on from one' test "$(sum_of again)" = "$want"
for wait in 0.02 0.1 0.3; do
  "$WHENCE" "${ask[@]}" -o killed --checkpoint killed.checkpoint --threads 1 2>/dev/null &
  sleep "$wait"
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
done
accepts "${ask[@]}" -o killed --checkpoint killed.checkpoint --threads 2
check 'killed and gone on' test "$(sum_of killed)" = "$want"

# Interrupted by a signal, which a queue sends before it kills: searches that ended early are part of
# the answer, but not of the checkpoint
long=(discover "${inputs[@]}" --restarts 300 --sweeps 20 -q --threads 2)
accepts "${long[@]}" -o long
for _ in 1 2 3; do
  rm -rf interrupted interrupted.checkpoint
  "$WHENCE" "${long[@]}" -o interrupted --checkpoint interrupted.checkpoint 2>/dev/null &
  until [[ -s interrupted.checkpoint ]] || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
  kill -TERM $! 2>/dev/null
  wait $!
  check 'a signal ends a search' test $? = 143
  accepts "${long[@]}" -o interrupted --checkpoint interrupted.checkpoint
  check 'interrupted and gone on' test "$(sum_of interrupted)" = "$(sum_of long)"
done

# The same by labels: what is kept is evidence
labels=(discover "${inputs[@]}" --model labels -q)
accepts "${labels[@]}" -o labels
want_labels=$(sum_of labels)
accepts "${labels[@]}" -o labels-kept --checkpoint labels.checkpoint --threads 2
check 'by labels a checkpoint changes nothing' test "$(sum_of labels-kept)" = "$want_labels"
for wait in 0.1 0.3; do
  "$WHENCE" "${labels[@]}" -o labels-killed --checkpoint labels-killed.checkpoint --threads 1 2>/dev/null &
  sleep "$wait"
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
done
accepts "${labels[@]}" -o labels-killed --checkpoint labels-killed.checkpoint --threads 2
check 'by labels killed and gone on' test "$(sum_of labels-killed)" = "$want_labels"
# and once interrupted, as soon as something is kept
rm -f labels-killed.checkpoint
"$WHENCE" "${labels[@]}" -o labels-killed --checkpoint labels-killed.checkpoint --threads 1 2>/dev/null &
until [[ -s labels-killed.checkpoint ]] || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
kill -TERM $! 2>/dev/null
wait $! 2>/dev/null
accepts "${labels[@]}" -o labels-term --checkpoint labels-killed.checkpoint --threads 2
check 'by labels interrupted and gone on' test "$(sum_of labels-term)" = "$want_labels"

# Foreign and damaged checkpoints have an exit code of their own
refuses 8 E-CHECKPOINT-FOREIGN 'its command is not' "${ask[@]}" --seed 9 --checkpoint run.checkpoint -o no
awk 'NR == 3 { sub(/[0-8]$/, 9) } 1' data/baseline.csv >other.csv
cmp -s other.csv data/baseline.csv && awk 'NR == 3 { sub(/9$/, 8) } 1' data/baseline.csv >other.csv
refuses 8 E-CHECKPOINT-FOREIGN 'is not that of this one' discover --baseline other.csv \
  "${inputs[@]:2}" --restarts 3 --sweeps 20 -q --checkpoint run.checkpoint -o no
head -c 2000 run.checkpoint >damaged.checkpoint
refuses 8 E-CHECKPOINT-DAMAGED damaged "${ask[@]}" --checkpoint damaged.checkpoint -o no
refuses 8 E-CHECKPOINT-FOREIGN 'no checkpoint' "${ask[@]}" --checkpoint other.csv -o no
refuses 5 E-IO-SYSTEM '' "${ask[@]}" --checkpoint nowhere/run.checkpoint -o no

# A checkpoint on a full disk: the last good one stays, and nothing is left beside it
if mkdir tiny && mount -t tmpfs -o size=96k none tiny 2>/dev/null; then
  head -c 80000 /dev/zero >tiny/others
  rc=0
  "$WHENCE" "${ask[@]}" --checkpoint tiny/run.checkpoint -o no 2>said || rc=$?
  check 'a full disk: exit 5' test $rc = 5
  check "with a message: $(head -c 300 said)" grep -q 'E-IO-SYSTEM.*tiny/.*No space left' said
  check 'no answer, and nothing half-written' test ! -e no -a "$(ls -A tiny | wc -l)" -le 2
  rm tiny/others
  accepts "${ask[@]}" --checkpoint tiny/run.checkpoint -o again
  check 'with room it goes on' test "$(sum_of again)" = "$want"
  umount tiny
fi
rm -rf tiny

# Shards of a grid
grid=(bench graphs --scale smoke --only 'er20,no-shift*,enco-none' --threads 1 -q)
accepts "${grid[@]}" -o grid
for i in 1 2 3; do accepts "${grid[@]}" --shard $i/3 --checkpoint $i.shard; done
accepts merge 1.shard 2.shard 3.shard -o all.shards
accepts "${grid[@]}" --checkpoint all.shards -o merged
check 'merged shards tell the same' cmp -s grid/result.json merged/result.json
refuses 5 E-OUT-EXISTS '--force' merge 1.shard -o all.shards
accepts merge 1.shard 2.shard --force -o all.shards # the hint names an option that exists
refuses 2 E-USAGE-SHARD 'I/N' "${grid[@]}" --shard 4/3 --checkpoint 4.shard
refuses 2 E-USAGE-SHARD 'I/N' "${grid[@]}" --shard 0/3 --checkpoint 4.shard
refuses 2 E-USAGE-SHARD 'checkpoint' "${grid[@]}" --shard 1/3
refuses 8 E-CHECKPOINT-FOREIGN 'another run' merge 1.shard run.checkpoint -o mixed.shards
refuses 2 E-USAGE-SHARD '' bench real --shard 1/2 --checkpoint x

# Ranks
if "$WHENCE" doctor 2>/dev/null | grep -q 'built without MPI'; then
  export OMPI_COMM_WORLD_SIZE=2 # as mpirun would
  refuses 9 E-RANKS 'built without MPI.*libopenmpi-dev' "${ask[@]}" -o no
  unset OMPI_COMM_WORLD_SIZE
fi
if ! command -v mpirun >/dev/null || "$WHENCE" doctor 2>/dev/null | grep -q 'built without MPI'; then
  printf 'no ranks are tested: mpirun, or MPI in this build, is missing\n'
  finish
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader
for ranks in 1 2 3 4; do
  for threads in 1 2; do
    rm -rf shared
    checks=$((checks + 1))
    mpirun -n $ranks "$WHENCE" "${ask[@]}" --threads $threads -o shared </dev/null ||
      fail "$ranks ranks: exit $?"
    check "$ranks ranks, $threads threads" test "$(sum_of shared)" = "$want"
  done
done
for ranks in 2 3 4; do
  for threads in 1 2; do
    rm -rf shared
    mpirun -n $ranks "$WHENCE" "${labels[@]}" --threads $threads -o shared </dev/null ||
      fail "labels, $ranks ranks: exit $?"
    check "by labels, $ranks ranks, $threads threads" test "$(sum_of shared)" = "$want_labels"
  done
done
mpirun -n 2 "$WHENCE" "${labels[@]}" --checkpoint labels.checkpoint -o resumed-labels </dev/null ||
  fail "going on by labels with 2 ranks"
check 'by labels two ranks go on' test "$(sum_of resumed-labels)" = "$want_labels"
accepts convert data/truth.json graph.json -q
accepts changes --graph graph.json "${inputs[@]}" -o changes -q
mpirun -n 3 "$WHENCE" changes --graph graph.json "${inputs[@]}" -o changes-ranked -q </dev/null || fail "changes on 3 ranks"
check 'changes on 3 ranks' test "$(sum_of changes)" = "$(sum_of changes-ranked)"
mpirun -n 3 "$WHENCE" "${grid[@]}" -o ranked </dev/null || fail "bench on 3 ranks"
check 'a grid on 3 ranks' cmp -s grid/result.json ranked/result.json
mpirun -n 2 "$WHENCE" "${ask[@]}" --checkpoint run.checkpoint -o resumed </dev/null ||
  fail "going on with 2 ranks"
check 'a checkpoint of one process goes on with two ranks' test "$(sum_of resumed)" = "$want"

# Ranks that were given different things, and a rank that dies
rc=0
mpirun -n 1 "$WHENCE" "${ask[@]}" -o no : -n 1 "$WHENCE" "${ask[@]}" --seed 4 -o no \
  </dev/null >said 2>&1 || rc=$?
check 'different options: exit 9' test $rc = 9
check 'and says which rank, and what' grep -q 'E-RANKS-DIFFER.*rank 1.*command' said
rc=0
mpirun -n 2 "$WHENCE" "${ask[@]}" -o no : -n 1 "$WHENCE" discover --baseline other.csv "${inputs[@]:2}" \
  --restarts 3 --sweeps 20 -q -o no </dev/null >said 2>&1 || rc=$?
check 'different files: exit 9' test $rc = 9
check "and says which rank: $(head -c 300 said)" grep -q 'E-RANKS-DIFFER.*rank 2' said
few=(discover "${inputs[@]}" --restarts 1 --sweeps 4 -q)
accepts "${few[@]}" -o few
mpirun -n 4 "$WHENCE" "${few[@]}" -o few-ranked </dev/null || fail "more ranks than searches"
check 'more ranks than searches' cmp -s few/result.json few-ranked/result.json
rc=0
mpirun -n 2 "$WHENCE" simulate graph -o no </dev/null >said 2>&1 || rc=$?
check 'a command for one process: exit 9' test $rc = 9
# Killed with -9 in the middle of its searches, one rank or all of them: the job ends, nothing is half-written, and the
# same command goes on with another number of ranks
cat >rank.sh <<'SCRIPT'
echo $$ >"pid.${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"
exec "$@"
SCRIPT
longer=(discover "${inputs[@]}" --restarts 1000 --sweeps 20 -q)
accepts "${longer[@]}" -o longer
for whom in one all; do
  rm -f pid.* dies.checkpoint
  mpirun -n 2 bash rank.sh "$WHENCE" "${longer[@]}" --checkpoint dies.checkpoint -o "dies-$whom" \
    </dev/null >said 2>&1 &
  job=$!
  check 'killed while it works' until_kept dies.checkpoint $job
  if [[ $whom == all ]]; then kill -9 $job "$(<pid.0)"; fi
  kill -9 "$(<pid.1)"
  rc=0
  wait $job 2>/dev/null || rc=$?
  check "$whom killed: the job ends" test $rc != 0
  check 'not by our refusal' bash -c '! grep -q "E-USAGE" said'
  if [[ $whom == one ]]; then
    check "with a message: $(head -c 600 said)" grep -Eqi 'signal|abort|exit|killed|lost' said
  fi
  check 'and nothing half-written' test ! -e "dies-$whom"
  if [[ $whom == one ]]; then
    mpirun -n 3 "$WHENCE" "${longer[@]}" --checkpoint dies.checkpoint -o "dies-$whom" </dev/null ||
      fail 'going on with 3 ranks'
  else
    accepts "${longer[@]}" --checkpoint dies.checkpoint -o "dies-$whom"
  fi
  check "$whom killed and gone on" test "$(sum_of "dies-$whom")" = "$(sum_of longer)"
done
finish
