#!/usr/bin/env bash
# Configures and builds one preset as far as needed:  scripts/build.sh PRESET [TARGET...]
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

preset=$1
build=build/$preset
targets=("${@:2}")

# A build tree remembers where it was made: forget it when the repository has moved.
if [[ -f $build/CMakeCache.txt ]] &&
  ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$build/CMakeCache.txt"; then
  rm -rf "$build"
fi
if [[ ! -f $build/build.ninja || CMakePresets.json -nt $build/build.ninja ]]; then
  cmake --preset "$preset"
fi
exec cmake --build "$build" --parallel "$(nproc)" ${targets:+--target "${targets[@]}"}
