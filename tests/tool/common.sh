# shellcheck shell=bash disable=SC2034,SC2164
# What the scripts that test the cairn command share: each case works in an empty folder of its own.
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
