#!/bin/bash
# compare.sh NM LIBRARY LIST: the library exports exactly what the list names.
export LC_ALL=C
exported=$("$1" -D --defined-only "$2" | awk '{print $NF}' | sort) || exit 1
[[ -n $exported ]] || { echo "$2 exports nothing" >&2; exit 1; }
difference=$(diff <(sort "$3") - <<<"$exported")
[[ -z $difference ]] || { printf '< only in %s, > only in %s\n%s\n' "${3##*/}" "${2##*/}" "$difference" >&2; exit 1; }
