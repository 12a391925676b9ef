#!/usr/bin/env bash
# corpus.sh CAIRN SOURCE: the faulty program gives exactly the finding that its first line names, at the line marked
# "here" (and "earlier"); compiled with -DFIXED it gives none. A line "// under WORDS" adds words to CAIRN_CHECK. A file
# SOURCE.says has lines that the report on the CPU device must have, with addresses as 0x…. With CAIRN_DEVICE=cuda the
# level is what it is there, and a program with a line "// CPU device" may go unnoticed.
set -euo pipefail
cairn=$1
source=$2
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=$(basename "$source")
words=notes$(sed -n 's|^// under |,|p' "$source")

fail() {
  printf '%s\n' "$*" >&2
  cat "$work/report" >&2
  exit 1
}

run() { # FLAGS…: compiles, and runs under check
  "$cairn" c++ -std=c++11 -Wall -Wextra -g -O0 "$@" -I"$folder" -o "$work/program" "$source"
  status=0
  CAIRN_CHECK=$words CAIRN_LOG=off "$work/program" >"$work/output" 2>"$work/report" || status=$?
}

line_of() { grep -n "// $1\$" "$source" | cut -d: -f1 || true; }

run -DFIXED
[[ $status == 0 ]] || fail "fixed, $name exits with $status: $(cat "$work/output")"
[[ ! -s $work/report ]] || fail "fixed, $name is reported:"

read -r rule level < <(sed -n '1s|^// \([a-z0-9_]*\), \([a-z]*\):.*|\1 \2|p' "$source")
if [[ ${CAIRN_DEVICE-} == cuda && $rule == uninitialised_read ]]; then
  level=warning # code that check does not see may have written it
fi
run
wanted=0
[[ $level != error ]] || wanted=99
if [[ ${CAIRN_DEVICE-} == cuda && $rule == host_touches_device_memory ]]; then
  wanted=139 # reported, then it ends as it does without check
fi
if [[ ${CAIRN_DEVICE-} == cuda && $status == 0 && ! -s $work/report ]] && grep -q '^// CPU device$' "$source"; then
  exit 0
fi
[[ $status == "$wanted" ]] || fail "$name exits with $status, not $wanted: $(cat "$work/output")"
found=$(sed -n 's/^cairn: \(error\|warning\|note\): /\1 /p' "$work/report")
[[ $found == "$level $rule" ]] || fail "$name gives '$found', expected '$level $rule':"

# The innermost frame of the program's own file.
lines_in() { # PATTERN
  grep -E "^  ($1)" "$work/report" | grep -oE "[A-Za-z0-9_]+\.(cpp|h):[0-9]+" | grep -m 1 "^$name:" || true
}
here=$(line_of here)
[[ $(lines_in 'at |made: ') == "$name:$here" ]] || fail "$name is reported at $(lines_in 'at |made: '), expected line $here:"
earlier=$(line_of earlier)
[[ -z $earlier ]] || grep -Eq "^  [a-z 0-9]+: .* $name:$earlier\b" "$work/report" || fail "$name: nothing is said of line $earlier:"

if [[ ${CAIRN_DEVICE-} != cuda && -f $source.says ]]; then
  sed -i 's/0x[0-9a-f]*/0x…/g' "$work/report"
  while IFS= read -r text; do
    grep -Fqx "  $text" "$work/report" || fail "$name: the report lacks '$text':"
  done <"$source.says"
fi
