#!/usr/bin/env bash
# Sets up, builds and runs the tests. Exit 0 only when everything passed.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

usage() {
  cat <<'END'
usage: ./test.sh [--slow] [--sanitizers] [--lint]

Installs what is missing, builds the dev preset and runs every test.
  --slow        also the tests labelled slow
  --sanitizers  instead: the same tests under ASan+UBSan, and those that use threads under TSan
  --lint        instead: format check, layer check, stand-alone headers, clang-tidy
END
}

presets=(dev)
tags=(build test)
skip=(-LE '^slow$')
lint=
for option in "$@"; do
  case $option in
    --slow) skip=() tags+=(slow) ;;
    --sanitizers) presets=(asan tsan) ;;
    --lint) lint=yes ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test.sh: unknown option '$option'" >&2; usage >&2; exit 2 ;;
  esac
done

if [[ $lint ]]; then
  scripts/setup.sh build test lint
  exec scripts/lint.sh
fi
scripts/setup.sh "${tags[@]}"

# TSan maps its shadow memory at fixed places, which strong address randomisation may occupy.
fixed_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then fixed_addresses=(setarch "$(uname -m)" -R); fi

for preset in "${presets[@]}"; do
  echo "== $preset: build"
  scripts/build.sh "$preset"
done

if [[ ${presets[0]} == dev && ! -x build/venv/bin/python ]]; then
  echo "== dev: WITHOUT the Python package, which needs build/venv (see above)"
fi

result=0
for preset in "${presets[@]}"; do
  echo "== $preset: test"
  launcher=()
  if [[ $preset == tsan ]]; then launcher=("${fixed_addresses[@]}"); fi
  "${launcher[@]}" ctest --test-dir "build/$preset" --parallel "$(nproc)" \
    --output-on-failure --no-tests=error --timeout 900 "${skip[@]}" || result=1
done
exit "$result"
