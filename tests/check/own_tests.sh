#!/usr/bin/env bash
# own_tests.sh FOLDER PROGRAM…: tests of Cairn's own pass under check, and no error is found but in those that
# own_tests.txt lists.
set -euo pipefail
folder=$1
shift
list=$(dirname "${BASH_SOURCE[0]}")/own_tests.txt
report=$(mktemp)
trap 'rm -f "$report"' EXIT
export CAIRN_TEST_CASES=${CAIRN_TEST_CASES-40}

run() { # WORDS PROGRAM FILTER
  CAIRN_CHECK=$1 "$folder/$2" --gtest_filter="$3" >"$report" 2>&1 || {
    echo "$2 --gtest_filter='$3' fails under CAIRN_CHECK=$1:" >&2
    tail -n 60 "$report" >&2
    exit 1
  }
}

for program in "$@"; do
  misuses=$(sed -n "s/^$program \([^ !]*\) .*/\1/p" "$list" | paste -sd:)
  left_out=$(sed -n "s/^$program !\([^ ]*\) .*/\1/p" "$list" | paste -sd:)
  run max=3 "$program" "*-$misuses:$left_out"
  [[ -z $misuses ]] || run max=0,error-exitcode=0 "$program" "$misuses"
done
