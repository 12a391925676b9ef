#!/usr/bin/env bash
# tool.sh CAIRN CASE: checks one behaviour of the cairn command.
set -euo pipefail
# shellcheck source=tests/tool/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"

expect_wrong_use() { # PATTERN WORDS…: one sentence that matches, on stderr
  local pattern=$1
  shift
  expect 2 "$cairn" "$@"
  [[ ! -s out && $(wc -l <err) == 1 ]] || fail "cairn $* prints: $(cat out err)"
  grep -q -- "$pattern" err || fail "cairn $* says: $(cat err)"
}

case_wrong_use_is_a_sentence_and_2() {
  expect_wrong_use 'verb is missing; the verbs are run, check, c++, env'
  expect_wrong_use 'no frobnicate; the verbs are' frobnicate
  expect_wrong_use 'no --frobnicate' --frobnicate
  expect_wrong_use 'PROGRAM is required' run
  expect_wrong_use 'nowhere.cpp does not exist' run nowhere.cpp
  expect_wrong_use "$work is neither" run "$work"
  expect_wrong_use '--prefix is required' install
  expect_wrong_use 'not expected: much' devices much
  expect_wrong_use 'not expected: --nonsense;' run --nonsense
  expect_wrong_use 'not expected: --one -t; what the program itself is to get goes after --' run nowhere.cpp --one -t
  expect_wrong_use 'check needs a C++ source file or a program; nowhere.cpp' check nowhere.cpp
  expect_wrong_use 'c++ needs what the compiler' c++
  expect_wrong_use 'not expected: --wide' products --wide
}

case_version_and_help() {
  expect 0 "$cairn" --version
  grep -Eqx 'cairn [0-9]+\.[0-9]+\.[0-9]+' out || fail "$(cat out)"
  expect 0 "$cairn" --help
  local verb
  for verb in run check c++ env products coverage devices test python bench install package; do
    grep -Eq "^  ${verb//+/\\+} " out || fail "--help leaves out $verb"
  done
}

case_log_names_the_call_and_its_kernel() {
  CAIRN_LOG=info expect 0 "$cairn" run "$root/examples/max_pool2d_backward.cpp"
  local tensors='gradOutput FLOAT \[1,1,2,2\], self FLOAT \[1,1,3,3\], indices INT32 \[1,1,2,2\], gradInput FLOAT \[1,1,3,3\]'
  grep -Eqx "\[cairn\] info aclnnMaxPool2dWithIndicesBackward on stream [0-9]+ of cpu: $tensors; kernel [a-z_]+( \(not .+\))?" err ||
    fail "CAIRN_LOG=info prints: $(cat err)"
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

case_run_prints_the_sentence_behind_a_status() {
  cat >program.cpp <<<'#include "acl/acl.h"
    int main() { return aclrtFree(nullptr) == 100000 ? 0 : 1; }'
  local sentence='[cairn] error aclrtFree: devPtr is null'
  expect 0 "$cairn" run program.cpp
  [[ $(cat err) == "$sentence" ]] || fail "prints: $(cat err)"
  CAIRN_LOG=off expect 0 "$cairn" run program.cpp
  [[ ! -s err ]] || fail "CAIRN_LOG=off prints: $(cat err)"
  CAIRN_LOG=info expect 0 "$cairn" run program.cpp
  grep -qx -F -- "$sentence" err || fail "CAIRN_LOG=info prints: $(cat err)"
  CAIRN_KERNEL=mispelt expect 0 "$cairn" run "$root/examples/max_pool2d_backward.cpp"
  grep -q 'CAIRN_KERNEL is "mispelt", but .* has no kernel of that name' err || fail "prints: $(cat err)"
}

case_run_takes_a_product() {
  cat >program.cpp <<<'#include <cstdio>
    #include "acl/acl.h"
    int main() { std::puts(aclrtGetSocName()); }'
  CAIRN_PRODUCT=atlas-a3 expect 0 "$cairn" run --product atlas-training program.cpp
  [[ $(cat out) == Ascend910A ]] || fail "--product atlas-training gives $(cat out)"
  expect_wrong_use '"abacus".*atlas-a2' run --product abacus program.cpp
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

case_run_says_that_nothing_was_run() {
  local text
  for text in 'int main() { return undeclared_thing; }' 'int no_main() { return 1; }'; do
    echo "$text" >program.cpp
    expect 1 "$cairn" run program.cpp
    [[ $(tail -n 1 err) == 'cairn: program.cpp was not compiled, so nothing was run'* ]] || fail "$(cat err)"
  done
}

case_reader_that_has_seen_enough() {
  cat >program.cpp <<<'#include <cstdio>
    int main() { for (int i = 0; i < 100000; ++i) std::puts("a line"); }'
  local status=0
  { "$cairn" run program.cpp 2>err || status=$?; echo $status >status; } | head -n 1 >out
  [[ $(cat status) == 141 && $(cat out) == 'a line' && ! -s err ]] || fail "$(cat status out err)"
}

case_install_where_nothing_can_be_written() {
  [[ -e $root/cairn && $(readlink -f "$cairn") == "$root"/build/* ]] || exit 77
  echo >file
  expect 1 "$cairn" install --prefix file/there
  [[ $(cat err) == "cairn: install cannot write to $work/file/there: Not a directory" ]] || fail "$(cat err)"
}

case_run_without_a_compiler() {
  echo 'int main() {}' >program.cpp
  CXX=no-such-compiler expect 127 "$cairn" run program.cpp
  grep -q 'cannot start no-such-compiler' err || fail "$(cat err)"
  grep -q 'a C++ compiler is needed' err || fail "$(cat err)"
}

case_run_takes_every_suffix_of_cpp() {
  local suffix
  for suffix in cpp CPP cc cxx cp c++ C Cpp; do
    echo 'class thing {}; int main() { return 11; }' >"program.$suffix"
    expect 11 "$cairn" run "program.$suffix"
  done
  echo 'int main(void) { return 0; }' >program.c
  expect_wrong_use 'program.c is C: compile it with CXX=cc cairn c++ program.c -o program' run program.c
  CXX=cc expect 0 "$cairn" c++ program.c -o program
  expect 0 "$cairn" run program
}

case_run_of_an_unreadable_name() {
  expect_wrong_use 'File name too long' run "$(printf 'n%.0s' {1..300}).cpp"
  echo >file
  expect_wrong_use 'file/program.cpp' run file/program.cpp
  echo 'int main() { return 12; }' >"$(printf 'n%.0s' {1..250}).cpp"
  expect 12 "$cairn" run n*.cpp
  mkdir gone
  (cd gone && rmdir ../gone && expect_status_1 "$cairn" run ./program.cpp)
}

expect_status_1() { # COMMAND…: in a folder that is gone, where nothing can be written
  local status=0 message
  message=$("$@" 2>&1) || status=$?
  [[ $status == 1 || $status == 2 ]] && [[ $message == cairn:* ]] || fail "$* exits with $status: $message"
}

case_output_that_cannot_be_written() {
  [[ -w /dev/full ]] || exit 77
  local words status
  for words in --version --help 'run --help' env products devices; do
    status=0
    # shellcheck disable=SC2086
    "$cairn" $words >/dev/full 2>err || status=$?
    [[ $status == 1 ]] || fail "cairn $words >/dev/full exits with $status"
    grep -q 'cairn: the output could not be written: No space left' err || fail "cairn $words says: $(cat err)"
    status=0
    # shellcheck disable=SC2086
    "$cairn" $words >&- 2>err || status=$?
    [[ $status == 1 ]] || fail "cairn $words >&- exits with $status"
  done
}

wait_for_file() { # FILE: until it is there, and not empty
  local i
  for ((i = 0; i < 600; ++i)); do
    [[ -s $1 ]] && return
    sleep 0.1
  done
  fail "$1 does not appear"
}

gone() { # PROCESS: whether it ends within a minute; one that nobody has reaped yet has ended
  local i
  for ((i = 0; i < 600; ++i)); do
    grep -qs '^State:[[:space:]]*[^Z]' "/proc/$1/status" || return 0
    sleep 0.1
  done
  return 1
}

# A program that writes its process id to the file it is given, and then waits.
write_waiting_program() {
  cat >program.cpp <<'END'
#include <unistd.h>
#include <cstdio>
int main(int, char** words) {
  std::FILE* file = std::fopen(words[1], "w");
  std::fprintf(file, "%d\n", getpid());
  std::fclose(file);
  alarm(250);  // it must not outlive a test that fails
  for (;;) pause();
}
END
  expect 0 "$cairn" c++ program.cpp -o waiting
}

case_signals_reach_the_program() {
  write_waiting_program
  local name number status tool
  for name in TERM HUP INT QUIT; do
    number=$(kill -l "$name")
    rm -f pid
    # A shell's background commands ignore a Ctrl-C, and what they start does too.
    env --default-signal=INT,QUIT "$cairn" run waiting "$work/pid" 2>err &
    tool=$!
    wait_for_file pid
    kill -s "$name" "$tool"
    status=0
    wait "$tool" || status=$?
    [[ $status == $((128 + number)) ]] || fail "after $name cairn exits with $status: $(cat err)"
    grep -q "waiting was ended by signal $number" err || fail "after $name: $(cat err)"
    gone "$(cat pid)" || fail "the program lives on after $name"
  done
}

case_program_decides_what_a_signal_means() {
  cat >program.sh <<'END'
#!/bin/sh
trap 'echo tidy; exit 7' TERM
echo $$ >pid
for i in $(seq 2500); do sleep 0.1; done
END
  chmod +x program.sh
  "$cairn" run program.sh >out &
  local tool=$! status=0
  wait_for_file pid
  kill "$tool"
  wait "$tool" || status=$?
  [[ $status == 7 && $(cat out) == tidy ]] || fail "exits with $status: $(cat out)"
}

case_program_ends_with_a_killed_cairn() {
  write_waiting_program
  "$cairn" run waiting "$work/pid" 2>err &
  local tool=$!
  wait_for_file pid
  kill -KILL "$tool"
  wait "$tool" 2>/dev/null || true
  gone "$(cat pid)" || fail "the program lives on"
}

# A compiler that says when it is at work, on something that it has half done, with a child that does it.
case_signal_while_compiling() {
  cat >compiler <<END
#!/bin/bash
for word; do
  [[ \$word == -E ]] && exec c++ "\$@"
  [[ \$last == -o ]] && output=\$word
  last=\$word
done
echo half >"\$output"
echo half >"\$TMPDIR/temporary"
echo "\$output" >$work/output
sleep 1000 &
echo \$! >$work/child
wait
END
  chmod +x compiler
  echo "int main() {} // $RANDOM$RANDOM$RANDOM" >program.cpp
  CXX=$work/compiler "$cairn" run program.cpp 2>err &
  local tool=$! status=0
  wait_for_file child
  kill "$tool"
  wait "$tool" || status=$?
  [[ $status == 143 ]] || fail "cairn exits with $status: $(cat err)"
  gone "$(cat child)" || fail "the compiler's child lives on"
  [[ ! -e $(dirname "$(cat output)") ]] || fail "left behind: $(ls -la "$(dirname "$(cat output)")")"
  expect 0 "$cairn" run program.cpp
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
  grep -Eq '^0 +CPU +.*, 1 thread \(pool: own\) +[0-9]+\.[0-9] GiB' out || fail "$(cat out)"
  grep -q 'CUDA backend' out || fail "$(cat out)"
  CAIRN_PRODUCT=atlas-training expect 0 "$cairn" devices
  grep -q 'aclrtGetSocName returns Ascend910A' out || fail "$(cat out)"
  CAIRN_DEVICE=abacus expect 1 "$cairn" devices
  grep -q 'CAIRN_DEVICE.*abacus' err || fail "$(cat err)"
}

case_missing_operator_gets_a_sentence() {
  printf '#include "aclnnop/aclnn_softmax.h"\n' >own.h
  printf '#include "acl/acl.h"\n#include "aclnn_max_pool.h"\n#include "own.h"\nint main() {}\n' >program.cpp
  expect 1 "$cairn" run program.cpp
  grep -q 'no aclnnop/aclnn_softmax.h, because Cairn does not have that operator' err || fail "$(cat err)"
  grep -q 'operators that it has are aclnn.*, aclnnMaxUnpool2d[, ]' err || fail "$(cat err)"
  expect 1 "$cairn" c++ -c program.cpp
  grep -q 'aclnn_softmax.h, because' err || fail "$(cat err)"
  printf 'int main() { return x; }\n' >other.cpp
  expect 1 "$cairn" c++ -c other.cpp
  ! grep -q 'operator' err || fail "$(cat err)"
}

case_coverage_of_sources_and_binaries() {
  cat >program.cpp <<'END'
#include "acl/acl.h"
// aclnnGelu(x) in a comment is not used
int main() {
  const char* name = "aclnnMatmul";
  aclDataType type = aclDataType(0);
  if (name == nullptr || type != 0) return 1;
  return aclInit (nullptr) == ACL_SUCCESS ? aclFinalize() : 1;
}
END
  expect 1 "$cairn" coverage program.cpp
  grep -Eqx 'aclInit +yes +program.cpp' out || fail "$(cat out)"
  grep -Eqx 'aclnnMatmul +no +program.cpp' out || fail "$(cat out)"
  ! grep -q 'Gelu\|aclDataType' out || fail "$(cat out)"
  grep -qx '2 of 3 functions are in Cairn.' out || fail "$(cat out)"
  expect 0 "$cairn" c++ "$root/examples/max_pool3d_backward.cpp" -o example
  expect 0 "$cairn" coverage example "$root/examples/hello_device.cpp"
  grep -Eqx 'aclnnMaxPool3dWithArgmaxBackward +yes +example' out || fail "$(cat out)"
  expect 2 "$cairn" coverage nowhere
}

# The version stands in CMakeLists.txt; what cannot read it there repeats it.
case_version_in_one_place() {
  local version
  version=$(sed -n 's/^project(cairn VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  expect 0 "$cairn" --version
  [[ $(cat out) == "cairn $version" ]] || fail "cairn --version prints $(cat out)"
  grep -qx "__version__ = \"$version\"" "$root/python/cairn/__init__.py" || fail "python/cairn/__init__.py is not $version"
  grep -q "^## $version" "$root/CHANGELOG.md" || fail "CHANGELOG.md has no section for $version"
}

case_devices_shows_whose_threads_help() {
  CAIRN_DEVICE=cpu CAIRN_POOL=own expect 0 "$cairn" devices
  grep -q '(pool: own)' out || fail "$(cat out)"
  CAIRN_DEVICE=cpu CAIRN_POOL=abacus expect 1 "$cairn" devices
  grep -q 'CAIRN_POOL is "abacus", expected auto, own or openmp' err || fail "$(cat err)"
  ldconfig -p | grep -q 'libgomp\.so\.1' || return 0
  CAIRN_DEVICE=cpu CAIRN_POOL=openmp expect 0 "$cairn" devices
  grep -q '(pool: openmp, libgomp\.so\.1)' out || fail "$(cat out)"
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

"case_$2"
