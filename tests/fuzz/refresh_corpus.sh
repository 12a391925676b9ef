#!/usr/bin/env bash
# refresh_corpus.sh: writes every reach.txt of the committed corpus anew: of all inputs at hand, that is of the committed
# ones and of what run_fuzz.sh left in build/fuzz/corpus, a small set that reaches all the code they reach together.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
source tests/fuzz/environment.sh

build_targets "${targets[@]}"
for target in "${targets[@]}"; do
  merged=$build/merged/$target
  rm -rf "$merged"
  mkdir -p "$merged" "$build/corpus/$target"
  unpack "$target"
  # By what was reached, not how often: the set would be ten times as large.
  ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "$build/fuzz/$target" -set_cover_merge=1 -use_counters=0 -max_len=512 \
    -rss_limit_mb=4096 -verbosity=0 "$merged" "$build/committed/$target" "$build/corpus/$target"
  {
    echo "# Inputs that reach the code, in base64, written by refresh_corpus.sh."
    for input in "$merged"/*; do base64 -w0 "$input" && echo; done | LC_ALL=C sort | grep .
  } >"$corpus/$target/reach.txt"
  echo "$target: $(grep -vc '^#' "$corpus/$target/reach.txt") inputs"
done
