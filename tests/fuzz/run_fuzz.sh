#!/bin/bash
# Builds the fuzz targets (preset "fuzz") and runs them for SECONDS, divided among them.
# What they find is left in build/fuzz/found; run the target with that file to see it again.
set -euo pipefail

seconds=${1:-60}
root=$(cd "$(dirname "$0")/../.." && pwd)
targets=(fuzz_plan fuzz_run)

if ! command -v clang++ >/dev/null; then
  echo "skipped: clang++ is not installed"
  exit 77
fi

cd "$root"
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${targets[@]}"

export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# Kernels run on threads of the pool; an allocation an input asks for in vain must be a status, not an abort.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1
# Leaks are looked for in phase 1 only: the pool's threads ask for libraries that need not be there, and glibc keeps
# the text of such a failure for as long as the thread lives, which at the end looks like a leak.
declare -A leaks=([fuzz_plan]=1 [fuzz_run]=0)
mkdir -p build/fuzz/found
for target in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$target
  mkdir -p "$corpus"
  echo "$target: $((seconds / ${#targets[@]})) seconds"
  ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=${leaks[$target]} \
    "build/fuzz/fuzz/$target" -detect_leaks="${leaks[$target]}" -max_total_time=$((seconds / ${#targets[@]})) -max_len=512 -timeout=30 \
    -rss_limit_mb=4096 -verbosity=0 -print_funcs=0 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/found/$target-" "$corpus"
done
