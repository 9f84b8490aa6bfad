#!/usr/bin/env bash
# The command line (L01 to L05, L10 of the catalogue), help and version.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
make_results

# L01 unknown, missing, repeated
refuses 2 E-USAGE-COMMAND "no command 'reprodcue' .*did you mean 'reproduce'" reprodcue all
refuses 2 E-USAGE-COMMAND 'hint: whence --help' help
refuses 2 E-USAGE-COMMAND "no command '-' .*one of: demo" -
refuses 2 E-USAGE-COMMAND 'which command\?' --
refuses 2 E-USAGE-COMMAND 'which command\?' --quiet
refuses 2 E-USAGE-OPTION "no option '--sede' .*did you mean '--seed'" reproduce belief-discrete --sede 5
refuses 2 E-USAGE-OPTION "no option '--sede'" reproduce --sede 5
refuses 2 E-USAGE-OPTION "no option '-x' .*whence demo --help" demo -x
refuses 2 E-USAGE-OPTION "no option '-qq'" demo -qq
refuses 2 E-USAGE-MISSING 'reproduce needs NAME .*one of: all, ' reproduce
refuses 2 E-USAGE-MISSING 'reproduce needs NAME' reproduce --
refuses 2 E-USAGE-MISSING 'needs a value .*--seed N' reproduce belief-discrete --seed
refuses 2 E-USAGE-MISSING 'needs a value .*--seed N' reproduce belief-discrete --seed --json
refuses 2 E-USAGE-CHOICE "no NAME 'belief' .*did you mean 'belief-discrete'" reproduce belief
refuses 2 E-USAGE-CHOICE "no NAME '../../.bashrc' .*one of: " reproduce ../../.bashrc
refuses 2 E-USAGE-CHOICE "no NAME 'demo'" reproduce demo
refuses 2 E-USAGE-CHOICE "no NAME '-rf'" reproduce -- -rf
refuses 2 E-USAGE-CHOICE "no --scale 'ful' .*did you mean 'full'" reproduce all --scale ful
refuses 2 E-USAGE-CHOICE "one of: paper, released-code" reproduce all --profile x
refuses 2 E-USAGE-CHOICE "no SHELL 'tcsh' .*bash, zsh, fish" completion tcsh
refuses 2 E-USAGE-EXTRA "'extra' is one argument too many" demo extra
refuses 2 E-USAGE-REPEATED '--seed is given more than once' demo --seed 1 --seed 2
refuses 2 E-USAGE-REPEATED '--json is given more than once' demo --json --json
refuses 2 E-USAGE-REPEATED '--output is given more than once' demo -o a --output=b
refuses 2 E-USAGE-VALUE '--json takes no value' demo --json=yes

# L02 threads, and the other numbers
for threads in 0 -1 abc 1.5 nan 2x; do
  refuses 2 E-USAGE-VALUE "--threads: '$threads' is not a whole number of at least 1" demo --threads "$threads"
done
refuses 2 E-USAGE-VALUE "--threads: '-1'" demo --threads=-1
for seed in -1 18446744073709551616 0x10 time 1e3 ' 1'; do
  refuses 2 E-USAGE-VALUE '--seed: .* 0 to 18446744073709551615' demo --seed "$seed"
done
for size in 0 4X -1 G 99999999999999999999 18446744073709551615K; do
  refuses 2 E-USAGE-VALUE '--max-memory: .* such as 500M' reproduce all --max-memory "$size"
done
for threads in 1e9 1000000000; do
  accepts demo -o out --threads "$threads"
  check 'capped with a note' grep -q 'note: --threads .* is capped at 256' <<<"$err"
done
accepts demo -o out --threads 3 --seed 18446744073709551615 --json
check 'the seed is kept' grep -q '"seed": 18446744073709551615' <<<"$out"

# L03 odd bytes: shown escaped in messages, taken as they are in paths
refuses 2 E-USAGE-EMPTY 'an argument is empty' ''
refuses 2 E-USAGE-EMPTY 'an argument is empty' reproduce ''
refuses 2 E-USAGE-EMPTY '--output has an empty value .*--output DIR' demo --output ''
refuses 2 E-USAGE-EMPTY '-o has an empty value' demo -o ''
refuses 2 E-USAGE-CHOICE "'\\\\xff\\\\xfe'" reproduce $'\xff\xfe'
refuses 2 E-USAGE-OPTION "'--\\\\x1b\[2J'" demo $'--\e[2J'
refuses 2 E-USAGE-CHOICE '\.\.\.' reproduce "$(printf 'x%.0s' {1..100000})"
refuses 2 E-USAGE-OPTION "\\\\xe2\\\\x80\\\\xae" demo $'--\u202e'
accepts demo -q -o $'odd \xff name'
check 'raw bytes in paths' test -f $'odd \xff name/index.html'

# L04 nothing at all: help, on stderr
run
checks=$((checks + 1))
[[ $rc == 2 && -z $out && $err == *'Usage: whence COMMAND'* ]] || fail "no arguments: exit $rc"

# Help and version
accepts --help
check 'help on stdout' grep -q '^Start here:' <<<"$out"
accepts reproduce --help
check 'defaults are stated' grep -q 'default: full' <<<"$out"
check 'experiments are listed' grep -q '  belief-discrete  *The belief' <<<"$out"
check 'at most 80 columns' awk 'length > 80 { exit 1 }' <<<"$out"
accepts simulate --help
check 'choices are listed once' test "$(grep -o 'two-hard' <<<"$out" | wc -l)" = 1
check 'er:V:E is an average' grep -Eq 'on average' <<<"$(tr -s ' \n' ' ' <<<"$out")"
accepts convert --help
check 'but they are listed' grep -q 'graphml' <<<"${out%%Graphs:*}"
accepts reproduce -h --sede
accepts --version
check 'a version' grep -Eq '^whence [0-9]+\.[0-9]+\.[0-9]+ \(.+\)$' <<<"$out"
refuses 2 E-USAGE-OPTION "'--sede'" reproduce --sede -h

# Errors for machines
run reproduce nowhere --error-format=json
check 'errors as JSON' python3 -c '
import json, sys
error = json.loads(sys.stdin.read())
assert error["error"] == "E-USAGE-CHOICE" and error["exit_code"] == 2 and error["hint"], error' <<<"$err"
printf '{"runs": 0}' >c.json
run --error-format json reproduce belief-discrete --config c.json
check 'the place is there' python3 -c '
import json, sys
error = json.loads(sys.stdin.read())
assert error["place"] == "c.json:1:10" and error["exit_code"] == 4, error' <<<"$err"

# Outside UTF-8 nothing but ASCII is printed
LC_ALL=C run reproduce zero-gradient --scale smoke -o out
check 'ASCII in the C locale' bash -c '! LC_ALL=C grep -q "[^ -~]"' <<<"$out$err"
check 'marks are words there' grep -Eq '^  (ok|NO) ' <<<"$out"

finish
