#!/usr/bin/env bash
# tool.sh CAIRN CASE: checks one behaviour of cairn check. Each case works in an empty folder of its own.
set -euo pipefail
# shellcheck source=tests/tool/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tool/common.sh" "$1"
here=$root/tests/check
unset CAIRN_CHECK
export CXXFLAGS="-I$here -std=c++11"

has() { grep -q -- "$1" "${2:-err}" || fail "'$1' is missing: $(cat "${2:-err}")"; }
lacks() { ! grep -q -- "$1" "${2:-err}" || fail "'$1' is there: $(cat "${2:-err}")"; }

# A program that nobody watches has no mistakes either.
case_without_its_library_nothing_is_checked() {
  mkdir -p tree/bin tree/lib64
  local files=("$(dirname "$cairn")"/../lib64/*)
  for file in "${files[@]}"; do
    [[ $file == */libcairn_tools.so ]] || ln -s "$(readlink -f "$file")" "tree/lib64/${file##*/}"
  done
  cp "$cairn" tree/bin/cairn
  expect 127 tree/bin/cairn check /bin/true
  has 'nothing can be checked: .*/tree/lib64/libcairn_tools.so is missing'
}

case_exit_codes() {
  expect 99 "$cairn" check "$here/faulty/free_twice.cpp"
  expect 7 "$cairn" check --error-exitcode 7 "$here/faulty/free_twice.cpp"
  expect 0 "$cairn" check --error-exitcode 0 "$here/faulty/free_twice.cpp"
  expect 0 "$cairn" check "$here/faulty/lost_event.cpp"
  expect 99 "$cairn" check --werror "$here/faulty/lost_event.cpp"
  expect 99 "$cairn" check --werror=leaks "$here/faulty/lost_event.cpp"
  expect 0 "$cairn" check --werror=memory "$here/faulty/lost_event.cpp"
  printf 'int main() { return 37; }' >program.cpp
  expect 37 "$cairn" check program.cpp
  expect 2 "$cairn" check
  expect 2 "$cairn" check nowhere.cpp
  expect 2 "$cairn" check --only nonsense program.cpp
}

case_rules_can_be_chosen() {
  expect 0 "$cairn" check --skip double_free "$here/faulty/free_twice.cpp"
  has 'nothing found'
  expect 0 "$cairn" check --only order,init "$here/faulty/free_twice.cpp"
  expect 99 "$cairn" check --only memory "$here/faulty/free_twice.cpp"
  expect 2 "$cairn" check --skip double_freed "$here/faulty/free_twice.cpp"
}

case_notes_are_counted_and_printed_on_demand() {
  expect 0 "$cairn" check "$here/faulty/lost_array.cpp"
  has 'notes (--notes): leaked_array 1'
  lacks '^cairn: note'
  expect 0 "$cairn" check --notes "$here/faulty/lost_array.cpp"
  has '^cairn: note: leaked_array'
}

case_arguments_and_output_are_the_programs() {
  cat >program.cpp <<<'#include <cstdio>
    int main(int count, char** words) { for (int i = 1; i < count; ++i) std::puts(words[i]); }'
  expect 0 "$cairn" check program.cpp one -- --two
  [[ $(cat out) == $'one\n--two' ]] || fail "arguments arrive as: $(cat out)"
}

case_wrong_options_are_explained() {
  printf 'int main() {}' >program.cpp
  refuses() { # SENTENCE WORDS…
    local sentence=$1
    shift
    expect 2 "$cairn" check "$@" program.cpp
    [[ $(cat err) == "cairn: check: $sentence" ]] || fail "check $* says: $(cat err)"
  }
  refuses 'only: there is no rule or group nonsense (cairn check --list-rules names them)' --only memory,nonsense
  refuses 'seed is soon, expected a number' --seed soon
  refuses 'poison is 256, expected a byte, 0 to 255' --poison=256
  refuses 'nowhere/list cannot be read: No such file or directory' --suppressions nowhere/list
  refuses 'nowhere/a.json cannot be written: No such file or directory' --json nowhere/a.json
  refuses 'nowhere/log cannot be written: No such file or directory' --log-file nowhere/log
  refuses '. is a folder' --junit .
  expect 0 "$cairn" c++ "$here/faulty/lost_event.cpp" -I"$here" -o program
  CAIRN_CHECK=frob expect 0 ./program
  has 'cairn: CAIRN_CHECK: there is no option frob (cairn check --help lists them)'
  CAIRN_CHECK=suppressions=/nowhere/list expect 0 ./program
  has 'cairn: CAIRN_CHECK: suppressions: /nowhere/list cannot be read'
}

case_lambdas_have_a_name() {
  expect 0 "$cairn" check "$here/faulty/thread_without_device.cpp"
  has '  at \(operator()\|main::lambda\).* thread_without_device.cpp:18$'
}

case_suppressions() {
  expect 99 "$cairn" check --gen-suppressions "$here/faulty/no_event.cpp"
  has '  suppression: race_between_streams Twice::run main'
  sed -n 's/^  suppression: //p' err >list
  expect 0 "$cairn" check --suppressions list "$here/faulty/no_event.cpp"
  has 'suppressed: 1'
  echo 'race_* program.h no_ev*.cpp # files, too' >list
  expect 0 "$cairn" check --suppressions list "$here/faulty/no_event.cpp"
  echo 'race_between_streams somebody_else' >list
  expect 99 "$cairn" check --suppressions list "$here/faulty/no_event.cpp"
}

case_reports_for_other_programs() {
  expect 99 "$cairn" check --json a.json --sarif a.sarif --junit a.xml "$here/faulty/no_event.cpp"
  python3 - <<'EOF'
import json
import xml.etree.ElementTree as tree

report = json.load(open("a.json"))
assert set(report) == {"version", "program", "exit_code", "findings", "summary"}, report
(found,) = report["findings"]
assert found["rule"] == "race_between_streams" and found["level"] == "error" and found["count"] == 1, found
assert [frame["function"] for frame in found["stack"]] == ["Twice::run", "main"], found
assert found["stack"][1]["file"].endswith("no_event.cpp") and found["stack"][1]["line"] > 0
assert found["related"][0]["what"].startswith("other: ") and found["npu"] and found["fix"]
assert report["summary"]["errors"] == 1 and report["exit_code"] == 0

# What the schemas of both ask for: names, types, and nothing beyond.
frame = {"function": str, "file": str, "line": int, "module": str, "offset": int}
shape = {"rule": str, "level": str, "message": str, "call": str, "count": int, "process": int, "thread": str, "stack": [frame],
         "related": [{"what": str, "stack": [frame]}], "npu": str, "fix": str}

def conforms(value, wanted, where):
    if isinstance(wanted, list):
        assert isinstance(value, list), where
        for item in value:
            conforms(item, wanted[0], where)
    elif isinstance(wanted, dict):
        assert isinstance(value, dict) and set(value) == set(wanted), (where, value)
        for name, inner in wanted.items():
            conforms(value[name], inner, f"{where}.{name}")
    else:
        assert type(value) is wanted, (where, value)

conforms(report["findings"], [shape], "findings")
assert found["level"] in {"error", "warning", "note"} and type(report["version"]) is int

sarif = json.load(open("a.sarif"))
assert sarif["$schema"].endswith("sarif-2.1.0.json") and set(sarif) == {"$schema", "version", "runs"}
(run,) = sarif["runs"]
assert set(run) <= {"tool", "results", "invocations", "columnKind", "originalUriBaseIds"} and set(run["tool"]) == {"driver"}
for rule in run["tool"]["driver"]["rules"]:
    assert type(rule["id"]) is str and set(rule) <= {"id", "name", "shortDescription", "fullDescription", "help", "helpUri",
                                                     "defaultConfiguration", "properties"}, rule
    assert rule.get("defaultConfiguration", {"level": "note"})["level"] in {"error", "warning", "note", "none"}
for result in run["results"]:
    assert set(result) <= {"ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations", "partialFingerprints",
                           "occurrenceCount", "properties", "stacks", "fixes"}, result
    assert result["level"] in {"error", "warning", "note", "none"} and type(result["message"]["text"]) is str
    assert all(type(value) is str for value in result["partialFingerprints"].values())
    for place in result["locations"] + result["relatedLocations"]:
        assert set(place) <= {"id", "physicalLocation", "logicalLocations", "message"}, place
try:  # the schemas themselves, where both are there
    import jsonschema
    import os
    if "SARIF_SCHEMA" in os.environ:
        jsonschema.validate(sarif, json.load(open(os.environ["SARIF_SCHEMA"])))
except ImportError:
    pass
assert sarif["version"] == "2.1.0" and run["tool"]["driver"]["name"] == "cairn check"
(result,) = run["results"]
assert result["ruleId"] in [rule["id"] for rule in run["tool"]["driver"]["rules"]]
place = result["locations"][0]["physicalLocation"]
assert place["artifactLocation"]["uri"].endswith("program.h") and place["region"]["startLine"] > 0
assert len(result["relatedLocations"]) == 1 and result["partialFingerprints"]

suite = tree.parse("a.xml").getroot()
assert suite.tag == "testsuite" and {"name", "tests", "failures"} <= set(suite.attrib), suite.attrib
assert int(suite.get("tests")) == len(list(suite)) and all(case.tag == "testcase" and case.get("classname") for case in suite)
failed = [case.get("name") for case in suite if case.find("failure") is not None]
assert suite.get("failures") == "1" and failed == ["race_between_streams"], failed
EOF
}

case_log_file_gets_the_text() {
  expect 99 "$cairn" check --log-file log "$here/faulty/free_twice.cpp"
  [[ ! -s err ]] || fail "stderr has: $(cat err)"
  has '^cairn: error: double_free' log
  has '^cairn check: 1 error' log
}

case_equal_findings_are_printed_once() {
  cat >program.cpp <<<'#include "program.h"
    int main() { Device device; Memory memory(256); memory.fill(0);
      for (int i = 0; i < 5; ++i) aclrtFree(static_cast<char*>(memory.data) + 64); }'
  expect 99 "$cairn" check program.cpp
  [[ $(grep -c '^cairn: error' err) == 1 ]] || fail "$(cat err)"
  has 'free_of_interior_pointer  *5  program.cpp:3'
}

case_halt_ends_at_the_first_error() {
  cat >program.cpp <<<'#include "program.h"
    int main() { Device device; Memory memory(256); aclrtFree(&device); std::puts("after"); }'
  expect 99 "$cairn" check --halt program.cpp
  lacks after out
}

case_without_debugging_information() {
  "$cairn" c++ -I"$here" -O0 -o program "$here/faulty/free_twice.cpp"
  expect 99 "$cairn" check ./program
  has '  at main+0x[0-9a-f]*$'
  has 'compile the program with -g'
}

case_variable_alone_is_enough() {
  "$cairn" c++ -g -I"$here" -o program "$here/faulty/free_twice.cpp"
  CAIRN_CHECK=1 expect 99 ./program
  has '^cairn check: 1 error, 0 warnings, 0 notes · .*program returned 0'
  CAIRN_CHECK=error-exitcode=5 expect 5 ./program
  CAIRN_CHECK=0 expect 0 ./program
  [[ ! -s err ]] || fail "CAIRN_CHECK=0 prints: $(cat err)"
  "$cairn" c++ -g -DFIXED -I"$here" -o program "$here/faulty/free_twice.cpp"
  CAIRN_CHECK=1 expect 0 ./program
  [[ ! -s err ]] || fail "nothing is wrong, but it prints: $(cat err)"
}

case_exit_by_other_ways() {
  cat >program.cpp <<<'#include <unistd.h>
    #include "program.h"
    int main(int, char** words) {
      must(aclInit(nullptr)); must(aclrtSetDevice(0)); void* memory = nullptr;
      must(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST)); must(aclrtFree(memory)); aclrtFree(memory);
      if (words[1][0] == 0x5f) _exit(3);
      if (words[1][0] == 0x61) std::abort();
      if (words[1][0] == 0x73) *static_cast<volatile int*>(nullptr) = 0;
      std::exit(3); }'
  expect 99 "$cairn" check program.cpp _exit
  has 'returned 3'
  expect 99 "$cairn" check program.cpp exit
  has 'returned 3'
  expect 99 "$cairn" check program.cpp abort
  has 'was ended by signal 6'
  expect 99 "$cairn" check program.cpp segv
  has 'was ended by signal 11'
}

case_children_are_checked_too() {
  cat >program.cpp <<<'#include <sys/wait.h>
    #include <unistd.h>
    #include "program.h"
    static void wrong() { Device device; Memory memory(256); memory.fill(0); aclrtFree(static_cast<char*>(memory.data) + 64); }
    int main(int count, char** words) {
      if (count > 1) { wrong(); return 0; }
      { Device device; }
      for (int i = 0; i < 2; ++i) {
        if (fork() == 0) { if (i == 1) { execl(words[0], words[0], "again", nullptr); }
          wrong(); std::exit(0); }
        int status = 0; wait(&status); }
    }'
  expect 99 "$cairn" check program.cpp
  has '^cairn check: 2 errors'
  [[ $(grep -c '^cairn: error' err) == 1 ]] || fail "$(cat err)"
  [[ $(grep -Ec '^cairn\[[0-9]+\]: error' err) == 1 ]] || fail "$(cat err)"
}

# What a missing wait does is the same in every run.
case_late_work_shows_what_a_missing_wait_does() {
  cat >program.cpp <<<'#include "program.h"
    int main() { Device device; Stream stream; Memory memory(4); memory.fill(0); Memory two(8); two.fill(0);
      must(aclrtMemsetAsync(memory.data, 4, 7, 4, stream));
      char seen = 0; must(aclrtMemcpy(&seen, 1, memory.data, 1, ACL_MEMCPY_DEVICE_TO_HOST)); stream.wait();
      char after = 0; must(aclrtMemcpy(&after, 1, memory.data, 1, ACL_MEMCPY_DEVICE_TO_HOST));
      std::printf("%d %d\n", seen, after); }'
  for _ in 1 2 3; do
    expect 99 "$cairn" check --late program.cpp
    has '^0 7$' out
  done
  expect 99 "$cairn" check --seed 3 program.cpp
  has ' 7$' out
  expect 2 "$cairn" check --seed much program.cpp
}

# A program that was built against CANN's header names no library of ours: it finds one by the variable.
case_mstx_of_a_program_that_does_not_link_it() {
  cat >program.cpp <<<'#include "injected.h"
    #include "mstx/ms_tools_ext.h"
    #include "program.h"
    using namespace injected;
    int main() {
      if (!open()) { std::puts("no tool"); return 0; }
      uint64_t tool = 0;
      as<int (*)(uint64_t*)>(functions().core[4])(&tool);
      std::printf("tool %x\n", static_cast<unsigned>(tool));
      as<void (*)(const char*, void*)>(functions().core[1])("here", nullptr);
      void* domain = as<void* (*)(const char*)>(functions().domain[1])("mine");
      const mstxRangeId range = as<mstxRangeId (*)(void*, const char*, void*)>(functions().domain[4])(domain, "a", nullptr);
      Device device; Memory pool(4096); pool.fill(0);
      const mstxMemVirtualRangeDesc_t whole = {0, pool.data, pool.size};
      const mstxMemHeapDesc_t description = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &whole};
      void* heap = as<void* (*)(void*, const void*)>(functions().memory[1])(domain, &description);
      const mstxMemVirtualRangeDesc_t parts[] = {{0, pool.data, 100}, {0, static_cast<char*>(pool.data) + 100, 100}};
      const mstxMemRegionsRegisterBatch_t batch = {static_cast<mstxMemHeapHandle_t>(heap), MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 2, parts, nullptr};
      as<void (*)(void*, const void*)>(functions().memory[3])(domain, &batch);
      as<void (*)(void*, void*)>(functions().memory[2])(domain, heap);
      as<void (*)(void*, mstxRangeId)>(functions().domain[5])(domain, range); }'
  expect 0 "$cairn" check --notes program.cpp
  has '^tool 1002$' out
  has '^cairn: note: region_too_tight'
  expect 0 env -u MSTX_INJECTION_PATH "$cairn" run program.cpp
  has '^no tool$' out
}

case_a_program_with_a_handler_of_its_own() {
  cat >program.cpp <<<'#include <csetjmp>
    #include <csignal>
    #include "program.h"
    static sigjmp_buf back;
    static struct sigaction before;
    static void handle(int number, siginfo_t* info, void* context) {
      if (info->si_addr == nullptr) siglongjmp(back, 1);
      before.sa_sigaction(number, info, context);
    }
    int main(int count, char**) {
      Device device; Memory memory(4096); memory.fill(3);
      struct sigaction action = {};
      action.sa_sigaction = handle; action.sa_flags = SA_SIGINFO | SA_NODEFER;
      sigaction(SIGSEGV, &action, &before);
      Memory other(64); other.fill(0);
      for (int i = 0; i < 3; ++i) {
        if (sigsetjmp(back, 1) == 0) { *static_cast<volatile int*>(nullptr) = 1; std::puts("never"); }
        else std::puts("caught");
      }
      std::printf("%d\n", static_cast<volatile char*>(memory.data)[7]);
      if (count > 1) *reinterpret_cast<volatile int*>(4096) = 1; }'
  expect 99 "$cairn" check program.cpp
  [[ $(cat out) == $'caught\ncaught\ncaught\n3' ]] || fail "it prints: $(cat out)"
  has '^cairn: error: host_touches_device_memory'
  [[ $(grep -c '^cairn: ' err) == 1 ]] || fail "$(cat err)"
  # A fault that neither knows ends the program.
  expect 139 timeout 20 "$cairn" check program.cpp more
  has 'was ended by signal 11'
}

# Where the compiler has them.
case_programs_with_sanitizers() {
  local sanitizer
  # Libraries that are not built with it look like races.
  export TSAN_OPTIONS=ignore_noninstrumented_modules=1
  for sanitizer in address thread undefined; do
    "$cairn" c++ -fsanitize=$sanitizer -g -o program -x c++ - <<<'int main() {}' 2>/dev/null && ./program 2>/dev/null || continue
    "$cairn" c++ -fsanitize=$sanitizer -g -O1 -std=c++11 -I"$here" -o program "$here/faulty/no_event.cpp"
    CAIRN_CHECK=1 expect 99 ./program
    has '^cairn: error: race_between_streams'
    "$cairn" c++ -fsanitize=$sanitizer -g -O1 -std=c++11 -I"$here" -o program "$here/faulty/print_device_pointer.cpp"
    CAIRN_CHECK=1 expect 99 ./program
    has '^cairn: error: host_touches_device_memory'
    for source in two_streams_with_events pinned_ping_pong callback_signals four_threads; do
      "$cairn" c++ -fsanitize=$sanitizer -g -O1 -std=c++11 -I"$here" -o program "$here/correct/$source.cpp" -pthread
      CAIRN_CHECK=notes expect 0 ./program
      [[ ! -s err ]] || fail "$source with the $sanitizer sanitizer: $(cat err)"
    done
  done
}

case_rules_are_listed_and_explained() {
  expect 0 "$cairn" check --list-rules
  has '^race_between_streams  *order  *error' out
  expect 0 "$cairn" check --explain race_between_streams
  has 'no_event.cpp, right with -DFIXED' out
  has '#ifdef FIXED' out
  expect 2 "$cairn" check --explain nonsense
}

"case_$2"
