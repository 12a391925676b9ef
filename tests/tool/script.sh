#!/usr/bin/env bash
# script.sh CAIRN CASE: checks one behaviour of ./cairn, the script that builds when needed.
set -euo pipefail
# shellcheck source=tests/tool/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"

# ./cairn builds build/release; from another build tree that would take a build of its own.
case_works_from_anywhere() {
  [[ $(readlink -f "$cairn") == "$root/build/release/bin/cairn" ]] || exit 77
  ln -s "$root" "a way round"
  ln -s "$root/cairn" shortcut
  local script
  for script in "$root/cairn" "a way round/cairn" ./shortcut; do
    expect 0 "$script" --version
    grep -q '^cairn [0-9]' out || fail "$(cat out)"
  done
  expect 2 ./shortcut frobnicate
}

# Ubuntu 22.04's CMake and Highway, by programs that say so.
case_refuses_old_tools() {
  mkdir -p tree bin
  cp "$root/cairn" tree/
  printf '#!/bin/sh\necho cmake version 3.22.1\n' >bin/cmake
  printf '#!/bin/sh\necho 0.16.0\n' >bin/pkg-config
  printf '#!/bin/sh\n[ "$1" = --version ] && echo "g++ 11.4.0" || echo 11.4.0\n' >bin/c++
  printf '#!/bin/sh\nshift 2\nfor name; do echo "installed:$name"; done\n' >bin/dpkg-query
  chmod +x bin/*
  echo 'int main() {}' >program.cpp
  PATH=$work/bin:$PATH expect 1 tree/cairn run program.cpp
  grep -q 'CMake is 3.22.1, and Cairn needs 3.25 or newer' err || fail "$(cat err)"
  grep -q 'Highway is 0.16.0, and Cairn needs 1.0.3 or newer' err || fail "$(cat err)"
  grep -q 'g++ is 11.4.0, and Cairn needs 12 or newer' err || fail "$(cat err)"
  grep -q 'a package made elsewhere runs here' err || fail "$(cat err)"
}

# Debian 11, by programs that say what its own say.
case_refuses_a_system_without_the_packages() {
  ((EUID == 0)) || exit 77
  mkdir -p tree bin
  cp "$root/cairn" tree/
  printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
  printf '#!/bin/sh\n[ "$2" = update ] || { echo "E: Unable to locate package libhwy-dev" && exit 100; }\n' >bin/apt-get
  printf '#!/bin/sh\necho Package: g++\n' >bin/apt-cache
  printf '#!/bin/sh\necho glibc 2.31\n' >bin/getconf
  chmod +x bin/*
  echo 'int main() {}' >program.cpp
  PATH=$work/bin:$PATH expect 1 tree/cairn run program.cpp
  grep -q 'has no package called libhwy-dev$' err || fail "$(cat err)"
  grep -q 'glibc is 2.31, and Cairn needs 2.34 or newer' err || fail "$(cat err)"
  grep -q 'can neither build Cairn nor run a package of it' err || fail "$(cat err)"
  printf '#!/bin/sh\nexit 100\n' >bin/apt-cache  # no lists: nothing is known
  PATH=$work/bin:$PATH expect 1 tree/cairn run program.cpp
  grep -q 'could not install them; as root, try' err || fail "$(cat err)"
}

# A wrong word costs no build. The tree has nothing to build.
case_refuses_wrong_use_before_a_build() {
  mkdir tree
  cp "$root/cairn" tree/
  script_says() { # PATTERN WORDS…
    local pattern=$1
    shift
    expect 2 tree/cairn "$@"
    [[ ! -s out && $(wc -l <err) == 1 ]] || fail "./cairn $* prints: $(cat out err)"
    grep -q -- "$pattern" err || fail "./cairn $* says: $(cat err)"
    [[ ! -e tree/build ]] || fail "./cairn $* begins to build"
  }
  script_says 'a verb is missing; the verbs are run, check'
  script_says 'no frobnicate; the verbs are' frobnicate
  script_says 'PROGRAM is required' run
  script_says 'check needs a C++ source file or a program; nowhere.cpp does not exist' check nowhere.cpp
  script_says 'tree is neither' run tree
  local verbs
  verbs=$("$cairn" --help | sed -n '/^Subcommands/,$s/^  \([a-z+]*\) .*/\1/p' | sort)
  [[ $verbs == "$(sed -n 's/^verbs=(\(.*\))/\1/p' tree/cairn | tr ' ' '\n' | sort)" ]] || fail "./cairn knows other verbs than: $verbs"
}

case_in_a_folder_that_cannot_be_written() {
  ((EUID == 0)) && command -v setpriv >/dev/null || exit 77
  mkdir -p tree/build/release
  cp "$root/cairn" tree/
  touch tree/build/release/build.ninja
  chmod -R a+rX .
  local words
  for words in devices package; do # one whose folder is there, one whose folder is not
    expect 1 setpriv --reuid=65534 --regid=65534 --clear-groups tree/cairn $words
    [[ $(wc -l <err) == 1 ]] || fail "./cairn $words prints: $(cat err)"
    grep -q 'cairn: .*/tree/build/[a-z]* cannot be written: please build in a tree of your own' err || fail "$(cat err)"
  done
}

# As a user who may read the tree and no more. The tree is a copy of what ./cairn looks at.
case_in_somebody_elses_tree() {
  ((EUID == 0)) && command -v setpriv >/dev/null || exit 77
  mkdir -p tree/build/release/bin
  cp "$root/cairn" tree/
  printf '#!/bin/sh\necho "built: $*"\n' >tree/build/release/bin/cairn
  chmod -R a+rX,a+x . tree/build/release/bin/cairn
  expect 0 setpriv --reuid=65534 --regid=65534 --clear-groups tree/cairn products
  [[ $(cat out) == 'built: products' ]] || fail "$(cat out err)"
}

"case_$2"
