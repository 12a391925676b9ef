# shellcheck shell=bash disable=SC2034
# Sourced by the scripts beside it: how clang's sanitizers are to behave, and how the fuzz targets are built.

build=${CAIRN_FUZZ_BUILD:-build/fuzz}
targets=(fuzz_plan fuzz_run)
corpus=tests/fuzz/corpus

export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# Kernels run on threads of the pool; an allocation an input asks for in vain must be a status, not an abort.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1
# Leaks are looked for in phase 1 only: the pool's threads ask for libraries that need not be there, and glibc keeps
# the text of such a failure for as long as the thread lives, which at the end looks like a leak.
declare -A leaks=([fuzz_plan]=1 [fuzz_run]=0)

build_targets() { # TARGET…
  cmake --preset fuzz -B "$build" >/dev/null
  cmake --build "$build" --target "$@"
}

# The committed inputs as files, which is how libFuzzer reads them.
unpack() { # TARGET
  local line=0 input
  rm -rf "$build/committed/$1"
  mkdir -p "$build/committed/$1"
  while read -r input _; do
    line=$((line + 1))
    base64 -d <<<"$input" >"$build/committed/$1/$line"
  done < <(cat "$corpus/$1/found.txt" "$corpus/$1/reach.txt" | grep -v '^#')
}
