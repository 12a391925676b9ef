#!/bin/bash
# declared.sh CXX INCLUDE_DIR UNDECLARED LIST...: the lists together name every function that the headers declare,
# and beyond them only the names in UNDECLARED.
export LC_ALL=C
cxx=$1 include=$2 undeclared=$3
shift 3
# After the preprocessor no comment is left, and a name of ours before a parenthesis can only be a declaration.
declared=$(find "$include" -name '*.h' -printf '#include "%P"\n' | "$cxx" -x c++ -E -P "-I$include" - |
  tr '\n' ' ' | grep -oE '\b(acl|Acl|cairn)[A-Za-z0-9_]* ?\(' | tr -d ' (' | sort -u)
[[ -n $declared ]] || { echo "no declarations found in $include" >&2; exit 1; }
twice=$(sort "$@" | uniq -d)
[[ -z $twice ]] || { printf 'in two lists:\n%s\n' "$twice" >&2; exit 1; }
difference=$(diff <(sort - "$undeclared" <<<"$declared") <(sort "$@"))
[[ -z $difference ]] || { printf '< declared but in no list, > listed but not declared\n%s\n' "$difference" >&2; exit 1; }
