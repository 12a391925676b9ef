#!/usr/bin/env bash
# pages.sh CAIRN CASE: what the README and the pages say is so.
set -euo pipefail
cairn=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# The first command of each README, and what it prints there.
case_readme_shows_what_its_command_prints() {
  local page command
  for page in README.md README.zh.md; do
    command=$(sed -n '/^```console$/,/^```$/s/^\$ //p' "$page")
    [[ $command == './cairn run '* ]] || fail "$page begins with $command"
    diff <(sed -n '/^```console$/,/^```$/p' "$page" | grep -v '^```\|^\$') <("$cairn" ${command#./cairn }) ||
      fail "$page shows another output"
  done
}

case_readme_is_short() {
  local words
  words=$(grep -oE '[^ |]*[A-Za-z0-9][^ |]*' README.md | wc -l)
  ((words < 700)) || fail "README.md has $words words"
}

case_readme_names_every_verb() {
  local page verb
  for page in README.md README.zh.md; do
    for verb in $("$cairn" --help | sed -n '/^Subcommands/,$s/^  \([a-z+]*\) .*/\1/p'); do
      grep -q "[|\`、 ]\`*$verb[ \`]" "$page" || fail "$page leaves out cairn $verb"
    done
  done
}

case_links_lead_somewhere() {
  local page target
  for page in *.md docs/*.md docs/*/*.md; do
    while read -r target; do
      [[ -e $(dirname "$page")/${target%%#*} || $target == \#* ]] || fail "$page links to $target"
    done < <(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:')
  done
}

# The Chinese page has the same codes in the same order.
case_chinese_status_codes_are_the_same() {
  local codes='s/^| \([0-9][0-9、, ]*\)|.*/\1/p'
  diff <(sed -n "$codes" docs/when-it-fails.md | tr -d ' ' | tr ',' '\n') \
    <(sed -n "$codes" docs/zh/when-it-fails.md | sed 's/、/,/g' | tr -d ' ' | tr ',' '\n') || fail "docs/zh/when-it-fails.md has other codes"
}

"case_$2"
