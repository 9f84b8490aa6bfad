#!/usr/bin/env bash
# Bad configurations (K01 to K16 of the catalogue): each is refused with its place and a remedy.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
make_results
mkdir configs

# config TEXT: writes it to configs/c.json, byte for byte.
config() { printf '%s' "$1" >configs/c.json; }
# rejected CODE ID PATTERN TEXT [EXPERIMENT]
rejected() {
  config "$4"
  refuses "$1" "$2" "$3" reproduce "${5:-belief-discrete}" --scale smoke --config configs/c.json -o results
}

# K01 nothing, or not an object
rejected 4 E-JSON-EMPTY 'configs/c.json:1:1: .*hint: write an object' ''
rejected 4 E-JSON-EMPTY 'configs/c.json:3:1' $'\n \n'
rejected 4 E-CONFIG-TYPE 'configs/c.json:1:1: .*object' 'null'
rejected 4 E-CONFIG-TYPE 'configs/c.json:1:1: .*object' '[1, 2]'
rejected 4 E-CONFIG-TYPE 'configs/c.json:1:1: .*object' '"runs"'

# K02 syntax, with line and column (columns count characters)
rejected 4 E-JSON-SYNTAX 'configs/c.json:2:12: expected .,. or .\}., found the end' $'{\n "runs": 10'
rejected 4 E-JSON-SYNTAX "configs/c.json:1:9: expected ':'" '{"runs" 10}'
rejected 4 E-JSON-SYNTAX 'c.json:1:12: .*key in double quotes' '{"runs": 1,}'
rejected 4 E-JSON-SYNTAX "c.json:1:2: .*key in double quotes, found '.runs.'" "{'runs': 1}"
rejected 4 E-JSON-SYNTAX 'c.json:1:10: .*no comments' '{"runs": /* ten */ 10}'
rejected 4 E-JSON-SYNTAX 'c.json:1:2: ' '{]'
rejected 4 E-JSON-SYNTAX 'c.json:1:13: .*nothing after' '{"runs": 1} {}'
rejected 4 E-JSON-SYNTAX 'c.json:1:11: .*begin with 0' '{"runs": 010}'
rejected 4 E-JSON-SYNTAX 'c.json:1:2: .*no closing quote' '{"runs'
rejected 4 E-JSON-SYNTAX 'c.json:1:11: .*control character' $'{"é": 1, "\t": 2}'
rejected 4 E-JSON-ENCODING 'c.json:1:3: .*UTF-8' $'{"\xff": 1}'

# K03 unknown keys, with the nearest or the right place
rejected 4 E-CONFIG-KEY "c.json:1:2: unknown key 'rnus' .*did you mean 'runs'" '{"rnus": 10}'
rejected 4 E-CONFIG-KEY "c.json:3:4: .*did you mean 'learning_rate'" $'{\n "adaptation": {\n   "learnig_rate": 1}}'
rejected 4 E-CONFIG-KEY "it belongs inside 'belief'|it belongs inside 'adaptation'" '{"learning_rate": 1}'
rejected 4 E-CONFIG-KEY 'known here: ' '{"zzzzzzzz": 1}'
rejected 4 E-CONFIG-KEY 'not used by the optimizer sgd .*sgd uses' '{"adaptation": {"alpha": 0.5}}'
rejected 4 E-CONFIG-KEY 'unknown key .\\x1b\[2J' '{"\u001b[2J": 1}'
rejected 4 E-CONFIG-KEY "unknown key '\\$\{HOME\}'" '{"${HOME}": 1}'

# K04 a key twice
rejected 4 E-JSON-DUPLICATE "c.json:1:13: key 'runs' is given twice .*keep one" '{"runs": 1, "runs": 2}'
rejected 4 E-JSON-DUPLICATE 'c.json:1:13' '{"runs": 1, "ru\u006es": 2}'
rejected 4 E-CONFIG-DUPLICATE "10 is twice in 'levels'" '{"levels": [10, 10]}'

# K05 deep nesting, a million levels
head -c 1000000 /dev/zero | tr '\0' '[' >configs/deep.json
refuses 4 E-JSON-DEPTH 'deep.json:1:65: .*64 deep' reproduce belief-discrete --config configs/deep.json
head -c 1000000 /dev/zero | sed 's/\x00/{"a":/g' | head -c 1000000 >configs/deep.json
refuses 4 E-JSON-DEPTH '64 deep' reproduce belief-discrete --config configs/deep.json

# K06 numbers that are none, or that no double holds
rejected 4 E-JSON-NUMBER 'c.json:1:10: number 1e999 .*double' '{"runs": 1e999}'
rejected 4 E-JSON-NUMBER 'c.json:1:10' '{"runs": 1e-999}'
rejected 4 E-JSON-SYNTAX 'c.json:1:10: .*finite numbers' '{"runs": NaN}'
rejected 4 E-JSON-SYNTAX 'c.json:1:10: .*finite numbers' '{"runs": Infinity}'
rejected 4 E-JSON-SYNTAX 'c.json:1:11' '{"runs": -Infinity}'
rejected 4 E-JSON-NUMBER 'negative zero .*write 0' '{"gamma0": -0}'
rejected 4 E-JSON-NUMBER 'negative zero' '{"gamma0": -0.0e3}'
{ printf '{"runs": '; head -c 1000000 /dev/zero | tr '\0' 9; printf '}'; } >configs/long.json
refuses 4 E-JSON-NUMBER 'number 9999' reproduce belief-discrete --config configs/long.json
{ printf '{"runs": 1'; head -c 3000000 /dev/zero | tr '\0' ' '; printf '}'; } >configs/large.json
refuses 4 E-JSON-SIZE '1048576 bytes' reproduce belief-discrete --config configs/large.json
# ... all of it in little memory (a sanitized build needs more for itself alone)
if (ulimit -v 524288 && "$WHENCE" --version >/dev/null 2>&1); then
  for file in deep long large; do
    checks=$((checks + 1))
    rc=0
    (ulimit -v 131072 && exec "$WHENCE" reproduce belief-discrete --config "configs/$file.json") 2>/dev/null || rc=$?
    [[ $rc == 4 ]] || fail "$file.json in 128 MiB: exit $rc"
  done
fi
rm configs/*.json

# K07 nothing to do
for key in runs episodes steps batch; do
  rejected 4 E-CONFIG-RANGE "c.json:1:$((${#key} + 6)): '$key' must be at least 1, not 0 .*hint: '$key' is " "{\"$key\": 0}"
  rejected 4 E-CONFIG-RANGE "must be at least 1, not -5" "{\"$key\": -5}"
done
rejected 4 E-CONFIG-RANGE "'test_rows' must be at least 1" '{"test_rows": 0}' adaptation-curve
rejected 4 E-CONFIG-RANGE "'training_distributions' must be at least 1" '{"training_distributions": 0}' adaptation-curve
rejected 4 E-CONFIG-RANGE "'levels' must be at least 2, not 1 " '{"levels": [10, 1]}'
rejected 4 E-CONFIG-RANGE "'levels' must be at least 2, not 1 " '{"levels": 1}' adaptation-curve
rejected 4 E-CONFIG-RANGE '1 to 64 entries' '{"levels": []}'
for key in hidden components; do
  rejected 4 E-CONFIG-RANGE "'$key' must be at least 1, not 0" "{\"$key\": 0}" belief-continuous
done
rejected 4 E-CONFIG-RANGE "'hidden' must be at least 1, not 0" '{"printed": {"hidden": 0}}' belief-mlp
rejected 4 E-CONFIG-RANGE "'dimensions' must be 1 to 1000, not 0" '{"dimensions": [0]}' belief-linear-gaussian
rejected 4 E-CONFIG-RANGE "'samples' must be at least 1, not 0" '{"printed": {"samples": 0}}' belief-mlp

# K08 one sampled graph: its gradient has mean zero whatever the data
for row in printed released; do
  rejected 4 E-CONFIG-K 'E\[g\]=0 for K=1' "{\"$row\": {\"samples\": 1}}" belief-mlp
done

# K07, the rest
rejected 4 E-CONFIG-TYPE "whole number" '{"runs": 10.5}'
rejected 4 E-CONFIG-TYPE "whole number" '{"runs": 1e2}'
rejected 4 E-CONFIG-TYPE "whole number" '{"runs": "10"}'
rejected 4 E-CONFIG-TYPE "not null" '{"runs": null}'
rejected 4 E-CONFIG-TYPE "not a list" '{"runs": [10]}'
rejected 4 E-CONFIG-TYPE "must be a list, such as \[10\]" '{"levels": 10}'
rejected 4 E-CONFIG-TYPE "must be an object" '{"adaptation": "sgd"}'
rejected 4 E-CONFIG-TYPE "true or false" '{"reset": 1}'
rejected 4 E-CONFIG-CHOICE "'belief_objective' cannot be .*did you mean 'mixture'" '{"belief_objective": "mixtur"}'
rejected 4 E-CONFIG-CHOICE "possible: sgd, rmsprop, adam" '{"adaptation": {"optimizer": "x"}}'
rejected 4 E-CONFIG-CHOICE "did you mean 'cause'" '{"shifts": ["casue"]}' shift-controls
rejected 4 E-CONFIG-RANGE "'concentration' must be greater than 0" '{"concentration": 0}'

# K09 learning rates and the other numbers of an optimizer
for rate in 0 -0.1 -1e-300; do
  rejected 4 E-CONFIG-RANGE "'learning_rate' must be greater than 0" "{\"adaptation\": {\"learning_rate\": $rate}}"
done
rejected 4 E-CONFIG-RANGE "'momentum' must be .*less than 1" '{"adaptation": {"momentum": 1}}'
rejected 4 E-CONFIG-RANGE "'alpha' must be" '{"belief": {"alpha": -0.1}}'
rejected 4 E-CONFIG-RANGE "'epsilon' must be" '{"belief": {"epsilon": 0}}'
rejected 4 E-CONFIG-RANGE "'beta2' must be" '{"belief": {"optimizer": "adam", "beta2": 1}}'
rejected 7 E-NUM-DIVERGED 'step [0-9]+: .*hint: lower the .*learning rate' '{"adaptation": {"learning_rate": 1e308}, "runs": 2, "episodes": 5, "steps": 5, "levels": [3]}'

# K10 seeds
for seed in -1 18446744073709551616 1.5 '"time"' '"0x10"' null; do
  rejected 4 E-CONFIG-SEED "c.json:1:10: 'seed' must be .*0 to 18446744073709551615" "{\"seed\": $seed}"
done
rejected 4 E-JSON-SYNTAX 'c.json:1:11' '{"seed": 0x10}'

# K11 more work than can be counted
rejected 4 E-CONFIG-RANGE "'steps' must be at most 2147483647" '{"steps": 9223372036854775809}'
rejected 4 E-CONFIG-RANGE "'steps' must be at most 2147483647" '{"steps": 4294967297}'
rejected 4 E-CONFIG-OVERFLOW '2\^62 .*lower' '{"runs": 2000000000, "episodes": 2000000000, "steps": 2000000000}'

# K12 tables that fit nowhere: the bytes are computed, not tried
rejected 6 E-LIMIT-MEMORY '128000.* bytes .*--max-memory' '{"levels": [1000000]}'
rejected 6 E-LIMIT-MEMORY '128000.* bytes' '{"levels": 1000000}' adaptation-curve
config '{"levels": [1000], "runs": 1, "episodes": 1}'
refuses 6 E-LIMIT-MEMORY 'limit is 1048576' reproduce belief-discrete --max-memory 1M --config configs/c.json

# K13 a belief that could never move
for gamma in 41 -41 1e300; do
  rejected 4 E-CONFIG-RANGE "'gamma0' must be between -40 and 40" "{\"gamma0\": $gamma}"
done
rejected 4 E-JSON-NUMBER '' '{"gamma0": 1e400}'

# K16 names that would be paths, options or devices
long=$(printf 'n%.0s' {1..300})
for name in ../../.bashrc -rf con COM1 a/b . .. .hidden '' "$long" 'a\nb' 'a b' 'naïve'; do
  rejected 4 E-CONFIG-NAME 'folder name .*hint: 1 to 64 letters' "{\"name\": \"$name\"}"
done

# Files that are none
rm configs/c.json
refuses 5 E-IO-SYSTEM 'configs/none.json: cannot open: No such file' reproduce belief-discrete --config configs/none.json
refuses 5 E-IO-KIND 'configs: this is not a regular file' reproduce belief-discrete --config configs
mkfifo configs/pipe
refuses 5 E-IO-KIND 'not a regular file' reproduce belief-discrete --config configs/pipe
refuses 5 E-IO-KIND 'not a regular file' reproduce belief-discrete --config /dev/zero
refuses 2 E-USAGE-CONFIG "one experiment" reproduce all --config configs/c.json

# What is allowed, and that it counts
config $'\xef\xbb\xbf{"seed": 18446744073709551615, "name": "mine", "runs": 3, "episodes": 20, "levels": [5]}'
accepts reproduce belief-discrete --scale smoke --config configs/c.json
check 'the run name is the folder' test -f whence-out/reproduce/mine/index.html
check 'the settings count' python3 - <<'PYTHON'
import json
result = json.load(open("whence-out/reproduce/mine/result.json"))
assert result["seed"] == 2**64 - 1, result["seed"]
assert result["settings"]["runs"] == 3 and result["settings"]["levels"] == [5], result["settings"]
assert [c["id"] for c in result["curves"]].count("belief/N=5") == 1
assert len(result["curves"][0]["x"]) == 20
assert any("changed" in w for w in result["warnings"]), result["warnings"]
PYTHON
accepts reproduce belief-discrete --scale smoke --config configs/c.json --seed 7 -o seeds --json
check 'the command line wins over the file' test "$(python3 -c 'import json,sys; print(json.load(sys.stdin)["seed"])' <<<"$out")" = 7

finish
