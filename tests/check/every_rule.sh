#!/usr/bin/env bash
# every_rule.sh CAIRN FOLDER: each rule has a program that breaks it, and each program names a rule.
set -euo pipefail
rules=$("$1" check --list-rules | cut -d' ' -f1 | sort)
named=$(sed -s -n '1s|^// \([a-z0-9_]*\), .*|\1|p' "$2"/*.cpp | sort -u)
difference=$(diff <(echo "$rules") <(echo "$named")) || {
  printf '< rules without a program, > programs without a rule\n%s\n' "$difference" >&2
  exit 1
}
