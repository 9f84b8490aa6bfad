#!/usr/bin/env bash
# The page of a run in a real browser: no error, no request, and everything on it works.
source "$WHENCE_SOURCE/tests/cli/chromium.bash"
"$WHENCE" reproduce belief-discrete --scale smoke --seed 3 -o "$work/run" >/dev/null
python3 page_in_chromium.py "$work/run/index.html"
