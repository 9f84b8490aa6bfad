#!/usr/bin/env bash
# Installs the packages of packages.txt that carry one of the given tags and are missing.
#   scripts/setup.sh build test
# With the tag "test" also a virtual environment for the Python package, in build/venv; without a
# network there is none.
# Silent when nothing is missing. Everything it says goes to stderr. Exit 5: could not install.
set -euo pipefail
exec >&2

list=$(dirname "${BASH_SOURCE[0]}")/../packages.txt

packages_tagged() {
  local tag
  for tag in "$@"; do awk -v tag="$tag" '$1 == tag { print $2 }' "$list"; done | sort -u
}

# dpkg-query prints nothing for a package it never heard of, so absence is a set difference.
missing_of() {
  comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
      awk '$1 == "installed" { print $2 }' | sort -u)
}

# What python/requirements-*.txt list for the tags "test" and "slow": installed when a list changes.
prepare_python() {
  local root venv tag list
  root=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/..")
  venv=$root/build/venv
  for tag in "$@"; do
    list=$root/python/requirements-$tag.txt
    [[ -f $list ]] || continue
    cmp -s "$list" "$venv/installed-$tag.txt" && continue
    echo "whence: preparing Python in build/venv (python/requirements-$tag.txt)"
    if ! { [[ -x $venv/bin/python ]] || python3 -m venv "$venv"; } ||
      ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 2 -r "$list"; then
      # No network is no reason to test nothing; test.sh says what it leaves out.
      echo "whence: going on without: pip could not install these (see above)."
      [[ $tag != test ]] || rm -rf "$venv"
      return
    fi
    cp "$list" "$venv/installed-$tag.txt"
  done
}
finish() {
  prepare_python "$@"
  exit 0
}

mapfile -t wanted < <(packages_tagged "$@")

if ! command -v dpkg-query >/dev/null; then
  # Not Debian or Ubuntu: we cannot install, but the build may well work; CMake says what it misses.
  command -v cmake >/dev/null && command -v ninja >/dev/null && finish "$@"
  echo "whence: no dpkg here. Please install the counterparts of: ${wanted[*]}"
  exit 5
fi

mapfile -t missing < <(missing_of "${wanted[@]}")
((${#missing[@]})) || finish "$@"

give_up() {
  echo "whence: $1"
  echo "whence: please ask an administrator of this machine to run"
  echo "    apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  exit 5
}

if ((EUID == 0)); then
  as_root=()
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
  as_root=(sudo)
else
  give_up "packages are missing, and installing them needs root or sudo."
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 </dev/null
}

echo "whence: installing ${missing[*]}"
# A failed update is not fatal: the package lists at hand may be good enough.
apt update || tail -n 5 "$log"
if ! apt install --no-install-recommends "${missing[@]}"; then
  tail -n 20 "$log"
  grep -q 'Unable to locate' "$log" && grep -qs '^ID=ubuntu' /etc/os-release &&
    echo "whence: on Ubuntu some of these live in 'universe' (add-apt-repository universe)."
  give_up "apt-get could not install what is missing (see above)."
fi

# Optional packages ride along with a first installation; without them we go on.
mapfile -t extras < <(packages_tagged optional)
for extra in $(missing_of "${extras[@]}"); do
  apt install --no-install-recommends "$extra" || echo "whence: going on without $extra"
done
finish "$@"
