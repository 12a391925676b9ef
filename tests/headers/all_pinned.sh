#!/bin/bash
# all_pinned.sh INCLUDE_DIR SOURCE...: every constant and macro of CANN's headers occurs in one of the sources.
include=$1
shift
names() { grep -ohE '\b(ACL|ACLNN)_[A-Z0-9_]+\b' "$@" | LC_ALL=C sort -u; }
mapfile -t headers < <(find "$include"/acl "$include"/aclnn "$include"/aclnnop -name '*.h')
[[ ${#headers[@]} -gt 0 ]] || exit 1
missing=$(LC_ALL=C comm -23 <(names "${headers[@]}" | grep -v '_H_$') <(names "$@"))
[[ -z $missing ]] || { printf 'not pinned by any test:\n%s\n' "$missing" >&2; exit 1; }
