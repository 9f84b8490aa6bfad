#!/usr/bin/env bash
# Builds the fuzz targets with clang and sanitizers, and runs each for a while, or so many times:
#   scripts/fuzz.sh [SECONDS | --runs N] [TARGET...]
# Seeds are the cases of tests/bad_input; inputs that fail stay in build/fuzz/failures.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

long="20 s"
limit=(-max_total_time=20)
if [[ ${1-} == --runs ]]; then
  long="$2 runs" limit=("-runs=$2")
  shift 2
elif (($#)); then
  long="$1 s" limit=("-max_total_time=$1")
  shift
fi
targets=("$@")
((${#targets[@]})) || mapfile -t targets < <(basename -s .cpp -a tests/fuzz/*_fuzz.cpp)

scripts/setup.sh build fuzz
scripts/build.sh fuzz write_seeds "${targets[@]}"
build=build/fuzz/tests/fuzz
"$build/write_seeds" build/fuzz/seeds "${targets[@]}"
mkdir -p build/fuzz/failures

result=0
for target in "${targets[@]}"; do
  mkdir -p "build/fuzz/corpus/$target"
  echo "== $target: $long"
  "$build/$target" "${limit[@]}" -rss_limit_mb=512 -timeout=5 -max_len=8192 \
    -print_final_stats=1 -verbosity=0 -artifact_prefix="build/fuzz/failures/$target-" \
    "build/fuzz/corpus/$target" "build/fuzz/seeds/$target" 2>&1 |
    grep -E 'SUMMARY|ERROR|number_of_executed|Test unit' || result=1
  if ((PIPESTATUS[0])); then result=1; fi
done
exit "$result"
