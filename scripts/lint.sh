#!/usr/bin/env bash
# Everything about the code that needs no running of it. ./test.sh --lint calls this after set-up.
# --quick leaves clang-tidy out.
set -uo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

failed=()
step() {
  local name=$1
  shift
  echo "== $name"
  "$@" || failed+=("$name")
}

mapfile -t code < <(find src apps python tests bench -name '*.[ch]pp' | sort)

format_check() {
  local file bad=0
  for file in "${code[@]}"; do
    clang-format "$file" | cmp -s - "$file" || { bad=1; echo "$file: mend with clang-format -i"; }
  done
  return "$bad"
}

# Each header compiles alone, so that it can be included first. (*-inl.hpp are compiled once per
# instruction set, from inside other files.)
headers_stand_alone() {
  find src -name '*.hpp' ! -name '*-inl.hpp' -print0 |
    xargs -0 -P"$(nproc)" -I{} \
      "${CXX:-g++}" -std=c++20 -Isrc -Wall -Wextra -Werror -fsyntax-only -include {} -x c++ /dev/null
}

# Findings once each, without colours: the same header is seen from many files.
static_analysis() {
  scripts/build.sh dev whence >/dev/null && # it reads the build's flags and generated files
    run-clang-tidy -quiet -p build/dev -j "$(nproc)" "$PWD/(src|apps)/.*" 2>/dev/null |
      sed 's/\x1b\[[0-9;]*m//g' | { ! grep -E ': (warning|error): '; } | sort -u
}

step "layers" scripts/check_layers.py
step "format" format_check
step "headers stand alone" headers_stand_alone
if [[ ${1-} != --quick ]]; then step "clang-tidy" static_analysis; fi

if ((${#failed[@]})); then
  echo "lint: failed: ${failed[*]}"
  exit 1
fi
echo "lint: clean"
