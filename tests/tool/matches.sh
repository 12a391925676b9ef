#!/usr/bin/env bash
# matches.sh EXPECTED ACTUAL: every line of EXPECTED is an extended regular expression for the same line of ACTUAL.
set -euo pipefail
mapfile -t expected <"$1"
mapfile -t actual <"$2"
for ((i = 0; i < ${#expected[@]} || i < ${#actual[@]}; ++i)); do
  if [[ ! ${actual[i]-} =~ ^${expected[i]-}$ ]]; then
    printf 'line %d is: %s\nexpected:   %s\n' $((i + 1)) "${actual[i]-}" "${expected[i]-}" >&2
    exit 1
  fi
done
