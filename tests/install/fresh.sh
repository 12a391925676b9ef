#!/usr/bin/env bash
# fresh.sh BUILD PREFIX: installs the build where nothing was before.
set -euo pipefail
rm -rf "$2"
cmake --install "$1" --prefix "$2" >/dev/null
