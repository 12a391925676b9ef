#!/usr/bin/env bash
# ci_page.sh BUILD: runs the commands of docs/ci.md in a folder with a program, and a package of BUILD under the name that
# the page uses. Left out: apt-get, and what only a platform can do.
set -euo pipefail
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
page=$root/docs/ci.md
command -v cpack >/dev/null && command -v make >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

block() { # LANGUAGE N: the Nth block of that language
  awk -v fence="\`\`\`$1" -v wanted="$2" '$0 == fence {n++; on = n == wanted; next} $0 == "```" {on = 0} on' "$page"
}

cpack --config "$build/CPackConfig.cmake" -G TGZ -B "$work/packages" >log 2>&1 || { cat log; exit 1; }
version=$(sed -n 's/^project(cairn VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
package=cairn-$version-linux-x86_64.tar.gz
grep -qF "$package" "$page" || { echo "docs/ci.md is about another version than $version"; exit 1; }

run_in() { # FOLDER COMMANDS
  mkdir "$1"
  mv "$1.commands" "$1/commands"
  cp packages/*.tar.gz "$1/$package"
  cp "$root/examples/max_pool3d_backward.cpp" "$1/program.cpp"
  cp "$root/examples/example.h" "$1/"
  block cmake 1 >"$1/CMakeLists.txt"
  [[ -s $1/commands ]] || { echo "no commands for $1 found in docs/ci.md"; exit 1; }
  (cd "$1" && bash -euo pipefail -x ./commands) || { echo "the commands for $1 fail"; exit 1; }
}

block yaml 1 | awk '/run: \|/ {on = 1; next} /^      -/ {on = 0} on' >github.commands
run_in github
grep -q '"version"' github/check.sarif
block yaml 2 | sed -n 's/^    - //p' | grep -v apt-get >gitlab.commands
run_in gitlab
grep -q '<testsuite' gitlab/check.xml
block dockerfile 1 | sed -n 's/^RUN //p' | grep -v apt-get | sed "s|/opt/cairn|opt/cairn|g; s|/tmp/||" >image.commands
echo 'opt/cairn/bin/cairn run program.cpp' >>image.commands
run_in image
