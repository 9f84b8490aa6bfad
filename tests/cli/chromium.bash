# Before a test in a browser: ends the test, without failing it, where there is none. Then $work is a
# folder of its own, and this one, with the Python scripts, the current one.
set -euo pipefail
cd "$WHENCE_SOURCE/tests/cli"
if ! python3 -c 'import chromium, sys; sys.exit(not chromium.find_chromium())'; then
  echo "skipped: no Chromium here (apt install chromium)"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
