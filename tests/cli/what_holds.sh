#!/usr/bin/env bash
# The script that writes docs/what_holds.md: every claim under the name of whose it is, the paper's
# counted alone, and a table of how many hold first.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for experiment in propositions shift-controls; do
  "$WHENCE" reproduce "$experiment" --scale smoke -q -o "$experiment"
done
mkdir -p root/docs/figures
"$WHENCE_SOURCE/scripts/what_holds.py" propositions shift-controls --root root >/dev/null

# One of them again, the other kept: the same page.
cp root/docs/what_holds.md both.md
"$WHENCE_SOURCE/scripts/what_holds.py" shift-controls --keep --root root >/dev/null
cmp both.md root/docs/what_holds.md

python3 - "$WHENCE_SOURCE" <<'END'
import importlib.util, json, pathlib, sys
spec = importlib.util.spec_from_file_location("what_holds", sys.argv[1] + "/scripts/what_holds.py")
what_holds = importlib.util.module_from_spec(spec)
spec.loader.exec_module(what_holds)

page = pathlib.Path("root/docs/what_holds.md").read_text(encoding="utf-8")
results = [json.loads(pathlib.Path(name, "result.json").read_text()) for name in ("propositions", "shift-controls")]
claims = [claim for result in results for claim in result["claims"]]
assert {claim["kind"] for claim in claims} == {"paper", "corrected", "control"}, claims

# every claim once, below the head of its kind and its verdict first
heads = {f"| | {head} |": kind for kind, (head, _) in what_holds.KINDS.items()}
rows, kind = [], None
for line in page.splitlines():
    for head, of in heads.items():
        kind = of if line.startswith(head) else kind
    if line.startswith("| holds |") or line.startswith("| **does not hold** |"):
        rows.append((kind, line.startswith("| holds |"), line.split(" | ")[1]))
shown = sorted(rows)
wanted = sorted((c["kind"], c["holds"], what_holds.cell(c["paper"])) for c in claims)
assert shown == wanted, (shown, wanted)

papers = [claim for claim in claims if claim["kind"] == "paper"]
hold = sum(claim["holds"] for claim in papers)
assert f"{hold} of {len(papers)} hold" in page, page[:400]
assert results[0]["provenance"]["revision"] in page
table = what_holds.short_table([what_holds.Run(result, pathlib.Path(".")) for result in results])
assert "| `shift-controls` | 1 of 1 | – | – |" in table, table
assert table in page and page.index(table) < page.index("## propositions"), page[:2000]
END
echo "what_holds.sh: ok"
