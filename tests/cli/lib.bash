# Helpers for the command-line tests. Each test runs in a folder of its own, with earlier results in
# results/ whose bytes no failing command may change. WHENCE is the command, WHENCE_SOURCE the tree.
set -u
: "${WHENCE:?the command to test}" "${WHENCE_SOURCE:?the source tree}"

work=$(mktemp -d)
# Not in a child that a signal finds before it has become somebody else.
trap 'if [[ $BASHPID == "$$" ]]; then chmod -R u+rwX "$work" 2>/dev/null; rm -rf "$work"; fi' EXIT
cd "$work" || exit 1
export LC_ALL=C.UTF-8
failures=0
checks=0

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$*" >&2
}

# check DESCRIPTION COMMAND...: the command must succeed.
check() {
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" || fail "$what"
}

# One number for everything below a folder: names, kinds, modes and contents.
hash_of() {
  (cd "$1" && find . -printf '%p %y %m %l\n' | LC_ALL=C sort | sha256sum &&
    find . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum) | sha256sum
}

# Earlier results, to be replaced by a good run and by nothing else.
make_results() {
  "$WHENCE" demo -q -o results || fail "cannot make earlier results"
}

# run ARGUMENT...: runs the command; fills $rc, $out and $err.
run() {
  rc=0
  "$WHENCE" "$@" >.stdout 2>.stderr </dev/null || rc=$?
  out=$(cat .stdout; printf x) out=${out%x}
  err=$(cat .stderr; printf x) err=${err%x}
  rm -f .stdout .stderr
}

# until_working PID: waits until the process listens to Ctrl-C and has used half a second of processor
# time of its own, however long that takes on this machine. Fails where it ended before.
until_working() {
  local caught ticks fields
  for _ in {1..2400}; do
    caught=$(awk '$1 == "SigCgt:" { print $2 }' "/proc/$1/status" 2>/dev/null) || caught=
    [[ -n $caught ]] || break
    read -ra fields <"/proc/$1/stat" 2>/dev/null || break
    ticks=$((fields[13] + fields[14]))
    if (((16#$caught & 2) != 0 && 2 * ticks >= $(getconf CLK_TCK))); then return 0; fi
    sleep 0.05
  done
  return 1
}

# until_kept FILE PID: waits until a checkpoint holds more than at the beginning. Fails where the process ended before.
until_kept() {
  local first='' now
  while kill -0 "$2" 2>/dev/null; do
    now=$(stat -c %s "$1" 2>/dev/null) || now=
    if [[ -n $now ]]; then
      first=${first:-$now}
      ((now > first)) && return 0
    fi
    sleep 0.01
  done
  return 1
}

# refuses CODE ID PATTERN ARGUMENT...: exit code, error id, a piece of the line (place or remedy, as
# an extended regular expression); one line of at most 4 KiB without control bytes on stderr,
# nothing on stdout, and not a byte of this folder changed.
refuses() {
  local code=$1 id=$2 pattern=$3 before after
  shift 3
  checks=$((checks + 1))
  before=$(hash_of .)
  run "$@"
  after=$(hash_of .)
  local shown="whence ${*@Q}"
  [[ $rc == "$code" ]] || fail "$shown: exit $rc, expected $code: ${err:0:300}"
  [[ $err == "error[$id]: "* ]] || fail "$shown: expected $id: ${err:0:300}"
  grep -Eq -- "$pattern" <<<"$err" || fail "$shown: no '$pattern' in: ${err:0:300}"
  [[ $(wc -l <<<"${err%$'\n'}") == 1 ]] || fail "$shown: more than one line"
  [[ ${#err} -le 4096 ]] || fail "$shown: ${#err} characters"
  LC_ALL=C grep -q '[[:cntrl:]]' <<<"${err%$'\n'}" && fail "$shown: control bytes"
  [[ -z $out ]] || fail "$shown: something on stdout"
  [[ $before == "$after" ]] || fail "$shown: the folder changed"
}

# accepts ARGUMENT...: exit 0.
accepts() {
  checks=$((checks + 1))
  run "$@"
  [[ $rc == 0 ]] || fail "whence ${*@Q}: exit $rc: ${err:0:300}"
}

# valid SCHEMA FILE: a document is as its schema says; valid --self-test SCHEMA FILE: that is checked.
valid() { python3 "$WHENCE_SOURCE/tests/cli/check_schema.py" "$@" >.valid || { cat .valid >&2; return 1; }; }

# files FOLDER: the options that name its data
files() {
  printf -- '--baseline\n%s\n' "$1/baseline.csv"
  for file in "$1"/shifted_*.csv; do printf -- '--shifted\n%s\n' "$file"; done
}

# says KEY VALUE: the last JSON on stdout
says() {
  local got
  got=$(python3 -c '
import json, sys
value = json.load(sys.stdin)
for key in sys.argv[1].split("."):
    value = value[int(key) if key.isdigit() else key]
print(value)' "$1" <<<"$out")
  checks=$((checks + 1))
  [[ $got == "$2" ]] || fail "$1 is '$got', not '$2'"
}

# To be called last: says how it went.
finish() {
  if ((checks == 0)); then fail "nothing was checked"; fi
  echo "$checks checks, $failures failures"
  exit $((failures > 0))
}
