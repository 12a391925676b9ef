#!/usr/bin/env bash
# tidy.sh [BUILD] [PATTERN]: runs clang-tidy over the sources that BUILD (build/release) compiles and whose path has
# PATTERN in it, but not those for nvcc, whose CUDA clang-tidy does not know.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

build=${1:-build/release}
if [[ ! -f $build/compile_commands.json ]]; then
  echo "there is no $build/compile_commands.json: ./cairn test makes one" >&2
  exit 2
fi
sed -n 's/^  "file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u | grep -v '\.cu$' | grep -F -- "${2:-/}" |
  xargs --no-run-if-empty -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build" 2> >(grep -v 'warnings generated\|warning generated' >&2)
