#!/usr/bin/env bash
# examples.sh CAIRN FOLDER: nothing is found in the examples.
set -euo pipefail
report=$(mktemp)
trap 'rm -f "$report"' EXIT
for source in "$2"/*.cpp; do
  "$1" check --notes --log-file "$report" "$source" >/dev/null || { cat "$report" >&2; exit 1; }
  [[ $(wc -l <"$report") == 1 ]] && grep -q '^cairn check: nothing found' "$report" || { cat "$report" >&2; exit 1; }
done
