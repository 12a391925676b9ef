#!/usr/bin/env bash
# run.sh TEST MODULE…: runs one file of tests with a python3 that has the modules; skipped (77) where there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

test=$1
shift
modules=$(IFS=,; echo "$*")
for python in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
  "$python" -c "import $modules" 2>/dev/null && exec "$python" -m unittest --verbose "$test"
done
echo "no python3 here has $modules"
exit 77
