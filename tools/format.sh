#!/usr/bin/env bash
# format.sh: lays out every source file by .clang-format. format.sh --check: names those that are not, and fails;
# exits with 77 when there is nothing to check with. Versions disagree about layout, so one decides: 14, Debian 12's.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [[ -z $formatter || $("$formatter" --version) != *" version 14."* ]]; then
  echo "clang-format 14 is not installed: the layout is not checked"
  exit 77
fi
# Outside a checkout (an archive, say) every source file counts.
mapfile -t files < <(git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' 2>/dev/null ||
  find bench examples include src tests tools -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh')
if [[ ${1-} == --check ]]; then
  "$formatter" --dry-run --Werror "${files[@]}"
else
  "$formatter" -i "${files[@]}"
fi
