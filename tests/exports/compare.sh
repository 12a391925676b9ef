#!/bin/bash
# compare.sh NM LIBRARY LIST: the library exports exactly what the list names. STAMP stands for the stamp of a build.
export LC_ALL=C
exported=$("$1" -D --defined-only "$2" | awk '{print $NF}' |
  sed -E 's/(_of_one_build_)[0-9a-f]{16}$/\1STAMP/' | sort) || exit 1
[[ -n $exported ]] || { echo "$2 exports nothing" >&2; exit 1; }
difference=$(diff <(sort "$3") - <<<"$exported")
[[ -z $difference ]] || { printf '< only in %s, > only in %s\n%s\n' "${3##*/}" "${2##*/}" "$difference" >&2; exit 1; }
