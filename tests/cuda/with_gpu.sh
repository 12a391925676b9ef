#!/usr/bin/env bash
# with_gpu.sh CAIRN PROGRAM...: runs the program on the GPU; says "Skipped" where there is none, or where CAIRN_DEVICE is
# cpu. A GPU that cannot be used is a failure.
tool=$1
shift
if [[ ${CAIRN_DEVICE-} == cpu || ! -e /dev/nvidiactl ]]; then
  echo "Skipped: there is no GPU, or CAIRN_DEVICE is cpu"
  exit 0
fi
export CAIRN_DEVICE=cuda
"$tool" devices || exit 1
exec "$@"
