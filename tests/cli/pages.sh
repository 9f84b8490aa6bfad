#!/usr/bin/env bash
# Doctor, manual and completions: made from the option table, so they must know every option.
source "$WHENCE_SOURCE/tests/cli/lib.bash"

accepts doctor
for word in whence 'built by' 'instruction set' threads memory libraries rsvg-convert torch; do
  check "doctor says $word" grep -q "^$word " <<<"$out"
done
accepts doctor --json
check 'doctor as JSON' python3 -c '
import json, sys
d = json.loads(sys.stdin.read())
assert d["instruction_set"] in d["instruction_sets"], d
assert d["threads"] >= 1 and d["memory_bytes"] > 2**20 and "belief-discrete" in d["experiments"]
assert {t["name"] for t in d["tools"]} >= {"rsvg-convert", "torch"}' <<<"$out"

# Every option of every command is in the help of that command, in the manual and in bash.
accepts man
manual=$out
accepts completion bash
completion=$out
for command in demo reproduce check direction discover changes simulate evaluate report convert bench doctor completion man; do
  accepts "$command" --help
  check "the manual has $command" grep -q "^\.SS whence $command" <<<"$manual"
  while read -r option; do
    check "the manual has $option" grep -Fq -- "${option//-/\\-}" <<<"$manual"
    check "bash completes $option" grep -Fq -- " $option" <<<"$completion"
  done < <(grep -oE '^ +(-., )?--[a-z-]+' <<<"$out" | grep -oE -- '--[a-z-]+')
done
check 'options were found' test "$checks" -gt 40
for code in 0 1 2 3 4 5 6 7 8 9 10 11 129 130 143 152; do
  check "the manual has exit code $code" grep -Eq "^\.B $code\$" <<<"$manual"
done
if command -v man >/dev/null && man --version >/dev/null 2>&1; then
  printf '%s' "$manual" >whence.1
  page=$(MANWIDTH=100 man --warnings -l whence.1 2>warnings)
  check 'the manual renders without warnings' test ! -s warnings
  check 'with its sections' grep -q '^EXIT STATUS' <<<"$page"
  check 'and its dashes' grep -q -- '--max-memory SIZE' <<<"$page"
fi

# bash: source it and complete
complete_bash() {
  bash --norc -c '
    source <("$WHENCE" completion bash) || exit 1
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    compopt() { :; }
    _whence
    printf "%s\n" "${COMPREPLY[@]}"' bash "$@" 2>&1
}
completes() {
  local wanted=$1
  shift
  checks=$((checks + 1))
  complete_bash "$@" | grep -Fxq -- "$wanted" || fail "bash: '$*' does not give '$wanted' but: $(complete_bash "$@" | head -c 200)"
}
completes reproduce whence re
completes doctor whence ''
completes belief-discrete whence reproduce bel
completes all whence reproduce ''
completes --scale whence reproduce belief-discrete --sc
completes smoke whence reproduce belief-discrete --scale s
completes smoke whence reproduce belief-discrete --scale = s
completes released-code whence reproduce --profile ''
completes json whence --error-format j
completes --error-format whence reproduce --err
completes fish whence completion f
touch settings.json && mkdir folder
completes settings.json whence reproduce all --config se
completes folder whence demo -o f
check 'folders only' bash -c '! grep -q settings <<<"$1"' bash "$(complete_bash whence demo -o '')"
check 'nothing for numbers' test -z "$(complete_bash whence demo --seed '')"

accepts completion zsh
check 'zsh header' grep -q '^#compdef whence' <<<"$out"
check 'zsh names' grep -q 'belief-discrete' <<<"$out"
if command -v zsh >/dev/null; then check 'zsh reads it' zsh -n <(printf '%s' "$out"); fi
accepts completion fish
check 'fish choices' grep -Eq "^complete -c whence .*-l scale -x -a 'smoke full'" <<<"$out"
if command -v fish >/dev/null; then check 'fish reads it' fish -n <(printf '%s' "$out"); fi

# The demo answers in words, shows the belief and names the page
accepts demo -o out
check 'the answer' grep -q '^rain causes umbrella' <<<"$out"
check 'bars' grep -Eq '█+ +[0-9]+ %' <<<"$out"
check 'the page' grep -q '^page: out/index.html$' <<<"$out"
accepts reproduce zero-gradient --scale smoke
check 'marks' grep -Eq '^  (✓|✗) ' <<<"$out"
check 'measured' grep -q '^      measured: ' <<<"$out"
check 'the default folder' grep -q '^page: whence-out/reproduce/zero-gradient/index.html$' <<<"$out"
check 'no escapes in a pipe' bash -c '! grep -q $'"'\e'"' <<<"$1"' bash "$out$err"

# On a terminal: colours and a bar, unless NO_COLOR
if command -v script >/dev/null; then
  printf '{"runs": 400, "levels": [100]}' >c.json
  shown=$(TERM=xterm script -qec "'$WHENCE' reproduce belief-discrete --config c.json -o tty" /dev/null)
  check 'colours' grep -q $'\e\\[3[12]m' <<<"$shown"
  check 'a bar' grep -Eq 'belief-discrete  (█|░)+ +[0-9]+ %' <<<"$shown"
  shown=$(TERM=xterm NO_COLOR=1 script -qec "'$WHENCE' reproduce zero-gradient --scale smoke -o tty2" /dev/null)
  check 'no colours' bash -c '! grep -q "\[3[12]m" <<<"$1"' bash "$shown"
fi

finish
