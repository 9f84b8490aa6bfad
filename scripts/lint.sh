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

# It reads the build's flags and generated files. Interrupted, it goes on where it ended.
static_analysis() {
  scripts/build.sh dev whence >/dev/null && scripts/tidy.py --jobs "$(nproc)"
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
