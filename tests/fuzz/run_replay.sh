#!/usr/bin/env bash
# Builds with clang's ASan and UBSan (preset "fuzz") and replays the committed corpus, then a fixed number of changed
# inputs from a fixed seed: the same ones on every run. Exits with 77 where there is no clang, and where nobody asked
# for it: the build takes longer than all other tests, which replay the same inputs without a sanitizer.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
source tests/fuzz/environment.sh

if [[ -z ${CAIRN_TEST_FUZZ-} && ! -x $build/fuzz/fuzz_run_replay ]]; then
  echo "skipped: CAIRN_TEST_FUZZ=1 builds the library with clang's sanitizers for this; .ci/run does"
  exit 77
fi
if ! command -v clang++ >/dev/null; then
  echo "skipped: clang++ is not installed"
  exit 77
fi
# The libFuzzer targets are built too, so that they stay fit for use.
build_targets "${targets[@]/%/_replay}" "${targets[@]}"

declare -A runs=([fuzz_plan]=60000 [fuzz_run]=40000)
for target in "${targets[@]}"; do
  ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=${leaks[$target]} "$build/fuzz/${target}_replay" \
    --runs="${runs[$target]}" --seed=1 "$corpus/$target/found.txt" "$corpus/$target/reach.txt"
done
