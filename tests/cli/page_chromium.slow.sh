#!/usr/bin/env bash
# The page of a run in a real browser: no error, no request, and everything on it works.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
cd "$here"
if ! python3 -c 'import chromium, sys; sys.exit(not chromium.find_chromium())'; then
  echo "skipped: no Chromium here (apt install chromium)"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$WHENCE" reproduce belief-discrete --scale smoke --seed 3 -o "$work/run" >/dev/null
python3 page_in_chromium.py "$work/run/index.html"
