#!/bin/bash
# each_alone.sh INCLUDE_DIR CXX CC: every header compiles by itself, as C++11, and those of acl/ and cairn/ as C99 too.
include=$1 cxx=$2 cc=$3
flags=(-Wall -Wextra -pedantic -Werror -fsyntax-only "-I$include")
failed=0 checked=0
cd "$include" || exit 1
while IFS= read -r header; do
  # The declaration keeps a header that declares nothing from being an empty translation unit, which C forbids.
  source=$(printf '#include "%s"\n#include "%s"\nextern int declared;\n' "$header" "$header")
  "$cxx" -x c++ -std=c++11 "${flags[@]}" - <<<"$source" || { echo "$header: not clean C++11" >&2; failed=1; }
  if [[ $header == acl/* || $header == cairn/* ]]; then
    "$cc" -x c -std=c99 "${flags[@]}" - <<<"$source" || { echo "$header: not clean C99" >&2; failed=1; }
  fi
  checked=$((checked + 1))
done < <(find . -name '*.h' -printf '%P\n' | LC_ALL=C sort)
echo "$checked headers"
[[ $checked -gt 0 && $failed == 0 ]]
