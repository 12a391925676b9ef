#!/usr/bin/env bash
# coverage.sh [LABELS]: how many lines of the contracts (checks, rules, descriptors) the tests with these labels run,
# and which they do not; fails unless it is all of them. LABELS is what `ctest -L` takes, "contract" unless given.
# A line with nothing but a closing brace does not count: its code is there for exceptions.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/coverage

export CCACHE_DISABLE=1  # a cached object has its counts somewhere else
cmake --preset coverage >/dev/null
if [[ ${1:-contract} == contract ]]; then
  cmake --build $build --target product_test contract_rules_test contract_plan_test cairn_generate
else
  cmake --build $build
fi
find $build -name '*.gcda' -delete
ctest --test-dir $build -L "${1:-contract}" --output-on-failure >&2

find $build/src/ops/CMakeFiles/cairn_operators.dir -name '*.gcda' -exec gcov --json-format --stdout {} + 2>/dev/null |
  python3 -c '
import json, os, re, sys

contract = re.compile(r"src/ops/(call\.cpp|contract\.h|checks/.*|.*/contract\.(h|cpp)|.*/operators\.cpp)")
counts = {}
for line in sys.stdin:
    for file in json.loads(line)["files"]:
        path = os.path.relpath(file["file"])
        if not contract.fullmatch(path):
            continue
        source = open(path).read().splitlines()
        of_file = counts.setdefault(path, {})
        for entry in file["lines"]:
            number = entry["line_number"]
            if source[number - 1].strip() != "}":
                of_file[number] = of_file.get(number, 0) + entry["count"]
missed = 0
for path, lines in sorted(counts.items()):
    idle = sorted(number for number, count in lines.items() if count == 0)
    missed += len(idle)
    shown = " not run: " + ", ".join(map(str, idle)) if idle else ""
    if lines:
        print(f"{path}: {len(lines) - len(idle)} of {len(lines)} lines{shown}")
whole = sum(map(len, counts.values()))
if not whole:
    sys.exit("nothing was counted")
print(f"{100 * (whole - missed) / whole:.1f} % of {whole} lines in {len(counts)} files")
sys.exit(missed > 0)
'
