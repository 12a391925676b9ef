#!/usr/bin/env bash
# random.sh CAIRN: what check says of a random program depends neither on when its work runs, nor on the number of threads,
# nor on the device (with CAIRN_DEVICE=cuda); where it finds no race, what the program prints does not either.
set -euo pipefail
cairn=$1
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cairn" c++ -std=c++11 -Wall -Wextra -g -O1 -I"$folder" -o "$work/program" "$folder/random_program.cpp"

run() { # SEED WORDS VARIABLE…: leaves ./verdict (rules and how often) and ./output
  local seed=$1 words=$2
  shift 2
  env "$@" CAIRN_CHECK="$words,error-exitcode=0,max=0" "$work/program" "$seed" >"$work/output" 2>"$work/report" || {
    cat "$work/output" "$work/report" >&2
    exit 1
  }
  sed -n 's/^  \([a-z_]*_[a-z_]*\)  *\([0-9]*\)  .*/\1 \2/p' "$work/report" | grep -v '^rule ' >"$work/verdict" || true
}

racing=0 quiet=0
for seed in {1..12}; do
  run "$seed" notes CAIRN_DEVICE=cpu
  mv "$work/verdict" "$work/expected"
  mv "$work/output" "$work/expected_output"
  if [[ -s $work/expected ]]; then racing=$((racing + 1)); else quiet=$((quiet + 1)); fi
  for how in notes,late notes,seed=1 notes,seed=2 notes,seed="$seed" "notes CAIRN_THREADS=1" "notes CAIRN_THREADS=5" \
    "notes CAIRN_DEVICE=${CAIRN_DEVICE-cpu}"; do
    read -r words variable <<<"$how"
    run "$seed" "$words" CAIRN_DEVICE=cpu ${variable:+"$variable"}
    diff "$work/expected" "$work/verdict" >&2 || { echo "program $seed has another verdict under $how" >&2; exit 1; }
    [[ -s $work/verdict ]] || diff "$work/expected_output" "$work/output" >&2 || {
      echo "program $seed has no race, but another outcome under $how" >&2
      exit 1
    }
  done
done
echo "$racing programs race, $quiet do not"
((racing > 2 && quiet > 2)) || { echo "one sort is too rare" >&2; exit 1; }
