#!/usr/bin/env bash
# The page of a graph in a real browser: no error, no request, hostile names are text, all of it works.
source "$WHENCE_SOURCE/tests/cli/chromium.bash"
cat >"$work/hostile.json" <<'JSON'
{"variables": ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\" onload=\"alert(1)", "plain", "a&b", "x", "v1", "v2", "v3", "v4", "v5", "v6", "v7"],
 "edges": [{"from": "plain", "to": "a&b"}, {"from": "plain", "to": "</script><script>alert(1)</script>"},
           {"from": "a&b", "to": "<img src=x onerror=alert(1)>"}, {"from": "x", "to": "\" onload=\"alert(1)"},
           {"from": "v1", "to": "v2"}, {"from": "v2", "to": "v3"}, {"from": "v3", "to": "v4"}, {"from": "v4", "to": "v5"},
           {"from": "v5", "to": "v6"}, {"from": "v6", "to": "v7"}]}
JSON
"$WHENCE" simulate graph --graph "$work/hostile.json" --environments 3 -o "$work/data" -q
inputs=(--baseline "$work/data/baseline.csv")
for file in "$work"/data/shifted_*.csv; do inputs+=(--shifted "$file"); done
"$WHENCE" discover "${inputs[@]}" -o "$work/found" -q
python3 graph_page_in_chromium.py "$work/found/index.html"
