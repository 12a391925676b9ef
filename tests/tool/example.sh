#!/usr/bin/env bash
# example.sh CAIRN SOURCE: an example prints what it should, compiled as C++11 without a warning.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
output=$(mktemp)
trap 'rm -f "$output"' EXIT
CXXFLAGS="-std=c++11 -Wall -Wextra -pedantic -Werror" "$1" run "$2" >"$output" || { cat "$output"; exit 1; }
bash "$here/matches.sh" "$here/expected/$(basename "$2" .cpp).txt" "$output"
