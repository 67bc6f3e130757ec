#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the plugin for release and measures what it adds to tshark: bench.py. Options: -j N, the rest is bench.py's.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jobs=$(nproc)
if [ "${1:-}" = -j ]; then
    jobs=$2
    shift 2
fi
build=${ISCSISCOPE_RELEASE_BUILD:-$top/build/release}
cmake -S "$top" --preset release -B "$build" >/dev/null
cmake --build "$build" -j "$jobs" --target iscsiscope iscsiscope_plugin grow
export ISCSISCOPE=$build/analyzer/cli/iscsiscope ISCSISCOPE_SOURCE_DIR=$top PYTHONDONTWRITEBYTECODE=1
ISCSISCOPE_PLUGIN=$(find "$build/plugin/wireshark-plugins" -name iscsiscope.so)
export ISCSISCOPE_PLUGIN
echo "processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(tshark --version 2>/dev/null | head -n 1)"
exec python3 "$top/tests/plugin/bench.py" "$@" "$build/tests/bench/grow"
