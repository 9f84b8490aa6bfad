#!/usr/bin/env bash
# Runs every experiment and rewrites what the documentation says of them: docs/what_holds.md and
# docs/figures; or docs/graphs.md from a benchmark of graphs. Review the difference.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

usage() {
  cat <<'END'
usage: scripts/refresh_docs.sh [--scale smoke|full] [--results DIR ... [--keep]] [--graphs DIR ...] [--answer]

  --scale    of the experiments; full (the default) takes many minutes
  --results  use the results of an earlier `./whence reproduce all|NAME -o DIR` instead of running;
             may be given again, for single experiments or other profiles
  --keep     experiments without results stay as docs/what_holds.md has them
  --graphs   instead of the experiments: docs/graphs.md, from `./whence bench graphs -o DIR` or
             `./whence bench real FOLDER... -o DIR`; may be given again, for other rows or folders
  --answer   instead of the experiments: the table docs/examples/garden.csv, simulated from
             garden.dot, and docs/figures/answer.svg, the graph that discover finds in it
END
}

# A simulated table with names, rounded to three decimals, and the answer to it.
refresh_answer() {
  local folder
  folder=$(mktemp -d)
  ./whence simulate graph --graph docs/examples/garden.dot --mechanism linear-gaussian --rows 40 \
    --baseline-rows 120 --seed 4 -o "$folder/garden" -q
  ./whence convert "$folder/garden" "$folder/garden.csv" -q
  awk -F, -v OFS=, 'NR > 1 { for (i = 2; i <= NF; ++i) $i = sprintf("%.3f", $i) } { print }' \
    "$folder/garden.csv" >docs/examples/garden.csv
  ./whence discover docs/examples/garden.csv --environment environment --baseline baseline \
    -o "$folder/found" -q
  cp "$folder/found/figures/graph.svg" docs/figures/answer.svg
  rm -rf "$folder"
}

scale=full
results=()
keep=()
graphs=()
while (($#)); do
  case $1 in
    --scale) scale=${2:?--scale needs smoke or full}; shift 2 ;;
    --results) results+=("${2:?--results needs a folder}"); shift 2 ;;
    --keep) keep=(--keep); shift ;;
    --graphs) graphs+=("${2:?--graphs needs a folder}"); shift 2 ;;
    --answer) refresh_answer; exit 0 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "refresh_docs.sh: unknown option '$1'" >&2; usage >&2; exit 2 ;;
  esac
done

if ((${#graphs[@]})); then
  scripts/graph_figures.py "${graphs[@]}"
  exit
fi
if ((!${#results[@]})); then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  # Exit 11 means that some experiments failed; the page then says so.
  ./whence reproduce all --scale "$scale" -o "$folder/all" || (($? == 11))
  ./whence reproduce belief-continuous --profile released-code --scale "$scale" -o "$folder/released"
  results=("$folder/all" "$folder/released")
fi
scripts/what_holds.py "${results[@]}" "${keep[@]}"
git --no-pager diff --stat -- docs
