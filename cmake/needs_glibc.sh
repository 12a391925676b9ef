#!/usr/bin/env bash
# needs_glibc.sh VERSION TREE: fails if a program or library of an install tree asks for a newer glibc, and names the symbols.
set -euo pipefail
result=0
while IFS= read -r -d '' file; do
  symbols=$(readelf --dyn-syms --wide "$file" | grep -o '[^ ]*@GLIBC_[0-9.]*' | sort -u || true)
  newest=$(sed 's/.*@GLIBC_//' <<<"$symbols" | sort -V | tail -n 1)
  [[ -n $newest && $(printf '%s\n%s\n' "$newest" "$1" | sort -V | tail -n 1) != "$1" ]] || continue
  printf '%s needs glibc %s (%s), not %s: packages are made on Debian 12\n' "$file" "$newest" \
    "$(grep -F "@GLIBC_$newest" <<<"$symbols" | sed 's/@.*//' | paste -sd' ')" "$1" >&2
  result=1
done < <(find "$2" -type f \( -name '*.so*' -o -path '*/bin/cairn' \) -print0)
exit "$result"
