#!/usr/bin/env bash
# The page and the figures that a run writes: well formed, safe, self-contained, same bytes again.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$WHENCE" reproduce belief-discrete --scale smoke --seed 3 -o "$work/one" >/dev/null
"$WHENCE" reproduce belief-discrete --scale smoke --seed 3 -o "$work/two" >/dev/null
"$WHENCE" reproduce shift-controls --scale smoke --seed 3 -o "$work/table" >/dev/null
python3 "$here/check_page.py" "$work"

# Equal runs give equal bytes but for the name of the folder in the command that repeats them.
sed "s:$work/two:$work/one:g; s:\btwo\b:one:g" "$work/two/index.html" >"$work/two.html"
cmp "$work/one/index.html" "$work/two.html"
for figure in "$work"/one/figures/*.svg; do
  cmp "$figure" "$work/two/figures/$(basename "$figure")"
done

# Nothing about this machine and its user travels with the page.
for secret in "$work" "$HOME" "$(hostname)"; do
  [[ ${#secret} -gt 3 ]] || continue
  if grep -qF -- "$secret" "$work/one/index.html"; then
    echo "the page tells '$secret'" >&2
    exit 1
  fi
done
