#!/usr/bin/env bash
# format.sh: lays out every source file by .clang-format. format.sh --check: names those that are not, and fails;
# exits with 77 when there is nothing to check with.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

if ! command -v clang-format >/dev/null; then
  echo "clang-format is not installed: the layout is not checked"
  exit 77
fi
# Outside a checkout (an archive, say) every source file counts.
mapfile -t files < <(git ls-files '*.h' '*.cpp' '*.cu' 2>/dev/null ||
  find bench examples include src tests tools -name '*.h' -o -name '*.cpp' -o -name '*.cu')
if [[ ${1-} == --check ]]; then
  clang-format --dry-run --Werror "${files[@]}"
else
  clang-format -i "${files[@]}"
fi
