#!/usr/bin/env bash
# thread_variables.sh READELF LIBRARY: no variable of a thread is allocated when it is first used, which may be in a signal
# handler.
set -euo pipefail
found=$("$1" -rW "$2")
grep -q '^Relocation section' <<<"$found"
if grep -E 'DTPMOD|TLSDESC' <<<"$found"; then
  echo "$2 has variables of a thread that are allocated when they are first used" >&2
  exit 1
fi
