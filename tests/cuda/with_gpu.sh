#!/usr/bin/env bash
# with_gpu.sh CAIRN PROGRAM...: runs the program on the GPU; says "Skipped" where there is none.
tool=$1
shift
export CAIRN_DEVICE=cuda
if ! why=$("$tool" devices 2>&1); then
  printf 'Skipped: %s\n' "$why"
  exit 0
fi
exec "$@"
