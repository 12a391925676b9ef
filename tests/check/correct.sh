#!/usr/bin/env bash
# correct.sh CAIRN SOURCE: a correct program prints the same with check and without, and nothing is found; neither with
# poison, nor with other legal orders of its queued work.
set -euo pipefail
cairn=$1
source=$2
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  printf '%s\n' "$*" >&2
  cat "$work/report" >&2
  exit 1
}

"$cairn" c++ -std=c++11 -Wall -Wextra -g -O1 -I"$folder" -o "$work/program" "$source" -pthread
"$work/program" >"$work/expected"
runs=(notes notes,poison notes,poison=255,workspace=0)
[[ ${CAIRN_DEVICE-} == cuda ]] || runs+=(notes,late notes,seed={1..5})
for words in "${runs[@]}"; do
  CAIRN_CHECK=$words "$work/program" >"$work/output" 2>"$work/report" || fail "$source exits with $? under $words:"
  cmp "$work/expected" "$work/output" || fail "$source prints something else under $words:"
  [[ ! -s $work/report ]] || fail "$source is reported under $words:"
done
