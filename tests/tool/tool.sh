#!/usr/bin/env bash
# tool.sh CAIRN CASE: checks one behaviour of the cairn command. Each case works in an empty folder of its own.
set -euo pipefail

cairn=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset CXX CXXFLAGS CAIRN_PRODUCT

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

expect() { # STATUS COMMAND…: leaves what it printed in ./out and ./err
  local wanted=$1 status=0
  shift
  "$@" >out 2>err || status=$?
  [[ $status == "$wanted" ]] || fail "$* exits with $status, not $wanted: $(cat out err)"
}

expect_wrong_use() { # PATTERN WORDS…: one sentence that matches, on stderr
  local pattern=$1
  shift
  expect 2 "$cairn" "$@"
  [[ ! -s out && $(wc -l <err) == 1 ]] || fail "cairn $* prints: $(cat out err)"
  grep -q -- "$pattern" err || fail "cairn $* says: $(cat err)"
}

case_wrong_use_is_a_sentence_and_2() {
  expect_wrong_use 'verb is missing; the verbs are run, c++, env'
  expect_wrong_use 'no frobnicate; the verbs are' frobnicate
  expect_wrong_use 'no --frobnicate' --frobnicate
  expect_wrong_use 'PROGRAM is required' run
  expect_wrong_use 'nowhere.cpp does not exist' run nowhere.cpp
  expect_wrong_use "$work is neither" run "$work"
  expect_wrong_use '--prefix is required' install
  expect_wrong_use 'not expected: much' devices much
  expect_wrong_use 'not expected: --wide' products --wide
}

case_version_and_help() {
  expect 0 "$cairn" --version
  grep -Eqx 'cairn [0-9]+\.[0-9]+\.[0-9]+' out || fail "$(cat out)"
  expect 0 "$cairn" --help
  local verb
  for verb in run c++ env products devices test python bench install; do
    grep -Eq "^  ${verb//+/\\+} " out || fail "--help leaves out $verb"
  done
}

case_run_passes_arguments_and_status() {
  cat >program.cpp <<<'#include <cstdio>
    int main(int count, char** words) { for (int i = 1; i < count; ++i) std::puts(words[i]); return 37; }'
  expect 37 "$cairn" run program.cpp one -- --two -- three
  [[ $(cat out) == $'one\n--two\n--\nthree' ]] || fail "arguments arrive as: $(cat out)"
}

case_run_takes_a_binary() {
  cp "$(command -v printenv)" binary
  expect 0 "$cairn" run binary ASCEND_HOME_PATH LD_LIBRARY_PATH
  local prefix
  prefix=$(head -n 1 out)
  [[ -e $prefix/lib64/libopapi.so && -e $prefix/include/acl/acl.h ]] || fail "ASCEND_HOME_PATH is $prefix"
  [[ $(tail -n 1 out) == "$prefix/lib64"* ]] || fail "LD_LIBRARY_PATH is $(tail -n 1 out)"
}

case_run_names_the_signal() {
  cat >program.cpp <<<'#include <csignal>
    int main() { std::raise(SIGSEGV); }'
  expect 139 "$cairn" run program.cpp
  grep -q 'program.cpp was ended by signal 11 (Segmentation fault)' err || fail "$(cat err)"
}

case_run_compiles_once_a_text() {
  printf '#!/bin/sh\necho "$@" >>%s/compiled\nexec c++ "$@"\n' "$work" >compiler
  chmod +x compiler
  export CXX=$work/compiler
  printf '#define STATUS %d\n' 5 >status.h
  printf '#include "status.h"\nint main() { return STATUS; } // %s\n' "$RANDOM$RANDOM$RANDOM" >program.cpp
  links() { grep -c -- ' -o ' compiled; }
  expect 5 "$cairn" run program.cpp
  expect 5 "$cairn" run program.cpp
  [[ $(links) == 1 ]] || fail "the same text was compiled $(links) times"
  printf '#define STATUS %d\n' 6 >status.h
  expect 6 "$cairn" run program.cpp
  [[ $(links) == 2 ]] || fail "a changed header was not compiled"
  CXXFLAGS=-O1 expect 6 "$cairn" run program.cpp
  [[ $(links) == 3 ]] || fail "changed flags were not compiled"
}

case_run_shows_the_compilers_message() {
  echo 'int main() { return undeclared_thing; }' >program.cpp
  expect 1 "$cairn" run program.cpp
  grep -q "program.cpp:1:.*undeclared_thing" err || fail "$(cat err)"
  echo '#include "no/such/header.h"' >program.cpp
  expect 1 "$cairn" run program.cpp
  [[ $(grep -c 'no/such/header.h' err) -ge 1 ]] || fail "$(cat err)"
}

case_run_without_a_compiler() {
  echo 'int main() {}' >program.cpp
  CXX=no-such-compiler expect 127 "$cairn" run program.cpp
  grep -q 'cannot start no-such-compiler' err || fail "$(cat err)"
}

case_compiler_finds_the_tree() {
  sed 's|"acl/acl.h"|"acl/acl.h"\n#include "aclnn_ops_nn.h"\n#include "opdev/op_errno.h"|' \
    "$root/examples/hello_device.cpp" >hello.cpp
  "$cairn" c++ -std=c++11 -Wall -Werror -c hello.cpp -o hello.o
  "$cairn" c++ hello.o -o hello
  ./hello >out || fail "$(cat out)"
  bash "$here/matches.sh" "$here/expected/hello_device.txt" out
  expect 1 "$cairn" c++ --no-such-option hello.cpp
  grep -q 'no-such-option' err || fail "$(cat err)"
}

case_env_can_be_evaluated() {
  eval "$("$cairn" env)"
  g++ "$root/examples/hello_device.cpp" "-I$ASCEND_HOME_PATH/include" "-L$ASCEND_HOME_PATH/lib64" -lascendcl -o hello
  ./hello >out || fail "$(cat out)"
  bash "$here/matches.sh" "$here/expected/hello_device.txt" out
  [[ $(command -v cairn) == "$ASCEND_HOME_PATH/bin/cairn" ]] || fail "PATH is $PATH"
}

case_find_package_in_the_build_tree() {
  eval "$("$cairn" env)"
  cp "$root/tests/install/consumer/CMakeLists.txt" "$root"/examples/{max_pool3d_backward.cpp,example.h} .
  cmake -S . -B build >log 2>&1 && cmake --build build >>log 2>&1 || fail "$(cat log)"
  ./build/consumer >out || fail "$(cat out)"
  bash "$here/matches.sh" "$here/expected/max_pool3d_backward.txt" out
}

case_products_shows_every_product_and_operator() {
  expect 0 "$cairn" products
  local name
  for name in portable atlas-a2 atlas-a3 ascend950 atlas-training atlas-inference atlas-200i-500-a2 atlas-200-300-500; do
    grep -q "^$name " out || fail "$name is missing"
  done
  for name in MaxPool3dWithArgmax MaxPool2dWithIndices MaxUnpool3d UpsampleNearest3d; do
    grep -qx "aclnn${name}Backward" out || fail "aclnn${name}Backward is missing"
  done
  sed -n '/aclnnMaxPool2dWithIndicesBackward/,/Refused/p' out >pool2d
  grep -Eqx '  atlas-a2, atlas-a3 +FLOAT +INT32 += 1 +no' pool2d || fail "$(cat pool2d)"
  grep -q 'Refused by atlas-training,' pool2d || fail "$(cat pool2d)"
  CAIRN_PRODUCT=ascend910b3 expect 0 "$cairn" products
  grep -q 'chooses atlas-a2 now' out || fail "$(tail -n 1 out)"
  CAIRN_PRODUCT=abacus expect 1 "$cairn" products
  grep -q '"abacus".*atlas-a2' err || fail "$(cat err)"
}

case_devices_shows_what_programs_see() {
  CAIRN_THREADS=1 expect 0 "$cairn" devices
  grep -Eq '^0 +CPU +.*, 1 thread +[0-9]+\.[0-9] GiB' out || fail "$(cat out)"
  grep -q 'CUDA backend' out || fail "$(cat out)"
  CAIRN_PRODUCT=atlas-training expect 0 "$cairn" devices
  grep -q 'aclrtGetSocName answers Ascend910A' out || fail "$(cat out)"
  CAIRN_DEVICE=abacus expect 1 "$cairn" devices
  grep -q 'CAIRN_DEVICE.*abacus' err || fail "$(cat err)"
}

case_python_finds_the_package() {
  command -v python3 >/dev/null || exit 77
  expect 0 "$cairn" python -c 'import cairn, sys; print(cairn.home(), *sys.argv[1:])' --one two
  [[ $(cat out) == "$(dirname "$(dirname "$(readlink -f "$cairn")")") --one two" ]] || fail "$(cat out)"
  expect 37 "$cairn" python -c 'raise SystemExit(37)'
  PYTHON=no-such-python expect 127 "$cairn" python -c pass
  grep -q 'cannot start no-such-python' err || fail "$(cat err)"
  # A virtual environment has no user's site: what follows would change it.
  python3 -c 'import site, sys; sys.exit(sys.prefix != sys.base_prefix or not site.ENABLE_USER_SITE)' || return 0
  PYTHONUSERBASE=$work/base expect 0 "$cairn" python
  grep -q 'import cairn now works in' out || fail "$(cat out)"
  PYTHONUSERBASE=$work/base expect 0 python3 -c 'import cairn; print(cairn.home())'
}

# ./cairn builds build/release; from another build tree that would take a build of its own.
case_script_works_from_anywhere() {
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

"case_$2"
