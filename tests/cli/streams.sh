#!/usr/bin/env bash
# L05: output that cannot be written is an error, never a quiet success.
source "$WHENCE_SOURCE/tests/cli/lib.bash"

# lost COMMAND-LINE...: a shell command whose whence must exit 5 and say so.
lost() {
  checks=$((checks + 1))
  local rc=0
  bash -c "$1" 2>message || rc=$?
  [[ $rc == 5 ]] || fail "$1: exit $rc"
  grep -q '^error\[E-IO-STDOUT\]: stdout: cannot write' message || fail "$1: $(cat message)"
  rm -f message
}

# A pipe whose reader is gone: opened for both, then for writing, then closed for both.
mkfifo pipe
for arguments in '--help' '--version' 'doctor' 'doctor --json' 'man' 'completion zsh' 'demo -o out' \
  'demo --json -o out' 'reproduce zero-gradient --scale smoke -o zero --json'; do
  lost "'$WHENCE' $arguments >&-"
  lost "'$WHENCE' $arguments >/dev/full"
  lost "exec 4<>pipe 5>pipe 4>&-; '$WHENCE' $arguments >&5"
done

# A closed stdout must not become one of our files.
"$WHENCE" demo -q -o quiet >&- || fail 'quiet prints nothing, so it loses nothing'
check 'files are whole' python3 -c 'import json; json.load(open("quiet/result.json"))'
(exec 0<&- 1>&- 2>&-; "$WHENCE" demo -q -o closed)
check 'works with everything closed' python3 -c 'import json; json.load(open("closed/result.json"))'
checks=$((checks + 1))
rc=0
"$WHENCE" nonsense 2>&- || rc=$?
[[ $rc == 2 ]] || fail "stderr closed: exit $rc"

# Nothing but the document with --json; nothing but errors on stderr when quiet.
run demo --json -o out
check 'one document' python3 -c 'import json, sys; json.loads(sys.stdin.read())' <<<"$out"
check 'the document is result.json' cmp -s out/result.json <(printf '%s' "$out")
run demo -q -o out
check 'quiet' test -z "$out$err"

finish
