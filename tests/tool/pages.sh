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

# Its other commands, with a home of their own, and its lines for a CMakeLists.txt: the same program, built with CMake.
case_readme_install_works() {
  local page shown
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  for page in README.md README.zh.md; do
    mkdir "$work/$page"
    cp examples/max_pool3d_backward.cpp examples/example.h "$work/$page"
    shown=$(sed -n '/^```console$/,/^```$/p' "$page" | grep -v '^```\|^\$')
    {
      echo 'cmake_minimum_required(VERSION 3.20)'
      echo 'project(program LANGUAGES CXX)'
      echo 'add_executable(program max_pool3d_backward.cpp)'
      sed -n '/^```cmake$/,/^```$/p' "$page" | grep -v '^```'
    } >"$work/$page/CMakeLists.txt"
    {
      sed -n '/^```sh$/,/^```$/p' "$page" | grep -v '^```' | sed "s|^\./cairn|'$cairn'|"
      echo 'cmake -S . -B build && cmake --build build'
      echo 'build/program >output'
    } >"$work/$page/commands"
    (cd "$work/$page" && HOME=$PWD bash -euo pipefail ./commands) >"$work/log" 2>&1 || { cat "$work/log" && fail "$page: its commands fail"; }
    diff <(echo "$shown") "$work/$page/output" || fail "$page: built with CMake, the program prints something else"
  done
}

case_readme_is_short() {
  local words
  words=$(grep -oE '[^ |]*[A-Za-z0-9][^ |]*' README.md | wc -l)
  ((words < 700)) || fail "README.md has $words words"
}

# CMakeLists.txt has the version; pages can only repeat it.
case_pages_name_this_version() {
  local page version
  version=$(sed -n 's/^project(cairn VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  [[ $version == *.*.* ]] || fail "CMakeLists.txt names no version"
  for page in README.md README.zh.md; do
    grep -qE "(Version|版本) ${version//./\\.}[^0-9]" "$page" || fail "$page is about another version than $version"
    grep -qF "find_package(cairn ${version%.*} REQUIRED)" "$page" || fail "$page asks CMake for another version than $version"
  done
  [[ $(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1) == "$version" ]] || fail "CHANGELOG.md begins with another version than $version"
}

case_readme_names_every_verb() {
  local page verb verbs
  verbs=$("$cairn" --help | sed -n '/^Subcommands/,$s/^  \([a-z+]*\) .*/\1/p')
  [[ $verbs == *run* ]] || fail "cairn --help lists no commands"
  for page in README.md README.zh.md; do
    for verb in $verbs; do
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

# On an NPU a workspace is needed, and cairn check reports a call without one.
case_examples_allocate_their_workspace() {
  ! grep -n 'nullptr, workspaceSize' docs/operators/*.md || fail "these calls pass no workspace"
}

# The Chinese page has the same codes in the same order.
case_chinese_status_codes_are_the_same() {
  local codes='s/^| \([0-9][0-9、, ]*\)|.*/\1/p'
  diff <(sed -n "$codes" docs/when-it-fails.md | tr -d ' ' | tr ',' '\n') \
    <(sed -n "$codes" docs/zh/when-it-fails.md | sed 's/、/,/g' | tr -d ' ' | tr ',' '\n') || fail "docs/zh/when-it-fails.md has other codes"
}

# The Chinese list has every operator, with a link to the same page.
case_chinese_operators_are_the_same() {
  local links='s/[^[]*\[\(aclnn[A-Za-z0-9]*\)\](\([a-z0-9_./]*\))[^[]*/\1 \2\n/g; /^aclnn/p'
  diff <(sed -n "$links" docs/operators/README.md | grep . | sort) \
    <(sed -n "$links" docs/zh/operators.md | sed 's|\.\./operators/||' | grep . | sort) || fail "docs/zh/operators.md lists other operators"
}

"case_$2"
