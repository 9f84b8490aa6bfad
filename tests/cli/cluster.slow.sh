#!/usr/bin/env bash
# The job scripts of docs/examples: in a SLURM of one node where it can be started (packages slurm-wlm
# and munge, as root), else as plain scripts. The same bytes as one process either way.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
examples=$WHENCE_SOURCE/docs/examples
export WHENCE
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# A controller, a node and its keeper of keys, all of our own.
start_slurm() {
  local host port=$((20000 + $$ % 20000))
  for tool in munged slurmctld slurmd sbatch sinfo; do command -v $tool >/dev/null || return 1; done
  [[ $(id -u) == 0 ]] || return 1
  host=$(hostname -s)
  mkdir -p slurm/{state,spool,munge}
  chmod 711 . slurm slurm/munge
  head -c 1024 /dev/urandom >slurm/key
  chmod 400 slurm/key
  munged --force --key-file="$work/slurm/key" --socket="$work/slurm/munge/socket" \
    --pid-file="$work/slurm/munged.pid" --log-file="$work/slurm/munged.log" \
    --seed-file="$work/slurm/seed" 2>/dev/null || return 1
  export SLURM_CONF=$work/slurm/slurm.conf
  cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$host
AuthType=auth/munge
AuthInfo=socket=$work/slurm/munge/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SlurmctldPidFile=$work/slurm/slurmctld.pid
SlurmdPidFile=$work/slurm/slurmd.pid
SlurmctldLogFile=$work/slurm/slurmctld.log
SlurmdLogFile=$work/slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
SlurmctldPort=$port
SlurmdPort=$((port + 1))
NodeName=$host CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
  slurmctld -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF" || return 1
  for _ in {1..30}; do
    [[ $(sinfo -h -o %t 2>/dev/null) == idle ]] && return 0
    sleep 1
  done
  return 1
}
stop_slurm() {
  local name
  for name in slurmd slurmctld munged; do
    [[ -s slurm/$name.pid ]] && kill "$(cat "slurm/$name.pid")" 2>/dev/null
  done
  sleep 1
}

grid=(bench graphs --scale smoke --only 'er20,no-shift*')
accepts "${grid[@]}" --threads 1 -o alone -q
accepts simulate graph --graph er:12:15 --rows 40 --baseline-rows 200 -o data -q
mapfile -t inputs < <(files data)
accepts discover "${inputs[@]}" -o direct -q

if start_slurm; then
  how=SLURM
  submit() { sbatch --wait -Q --mem-per-cpu=100 -o slurm/job-%A-%a.out --export=ALL "$@"; }
  GRID="${grid[*]}" RESULT=grid submit --array=1-3 --cpus-per-task=1 "$examples/grid.sbatch" ||
    fail "grid: exit $?: $(cat slurm/job-*.out)"
  if command -v mpirun >/dev/null; then
    DATA=data RESULT=fit submit --ntasks=2 --cpus-per-task=1 "$examples/fit.sbatch" ||
      fail "fit: exit $?: $(cat slurm/job-*.out)"
  fi
  stop_slurm
else
  how='plain scripts (no SLURM could be started)'
  stop_slurm
  for i in 3 1 2; do
    GRID="${grid[*]}" RESULT=grid SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=3 \
      bash "$examples/grid.sbatch" || fail "shard $i: exit $?"
  done
  if command -v mpirun >/dev/null; then
    DATA=data RESULT=fit timeout -s KILL 1 bash "$examples/fit.sbatch" >/dev/null 2>&1
    sleep 1
    DATA=data RESULT=fit bash "$examples/fit.sbatch" || fail "fit: exit $?"
  fi
fi
# Long runs of other commands: killed with -9, then gone on by two processes
for name in 'reproduce all' 'bench direction'; do
  command -v mpirun >/dev/null || break
  read -ra run <<<"$name --scale smoke -q"
  accepts "${run[@]}" -o undisturbed
  "$WHENCE" "${run[@]}" --checkpoint run.checkpoint -o disturbed 2>/dev/null &
  check "$name: killed while it works" until_kept run.checkpoint $!
  kill -9 $!
  wait $! 2>/dev/null
  check "$name: nothing half-written" test ! -e disturbed
  mpirun -n 2 "$WHENCE" "${run[@]}" --checkpoint run.checkpoint -o disturbed </dev/null || fail "$name: exit $?"
  check "$name, killed and gone on by two processes" cmp -s undisturbed/result.json disturbed/result.json
  rm -rf undisturbed disturbed run.checkpoint
done

printf 'job scripts were run by %s\n' "$how"
check 'the grid tells what one run does' cmp -s alone/result.json grid/result.json
if command -v mpirun >/dev/null; then
  check 'the search tells what one run does' cmp -s direct/result.json fit/result.json
fi
finish
