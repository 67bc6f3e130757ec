#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The main job on a bundled capture: installs the packages, builds the program, prints the report.
#
#   sample-captures/demo.sh [--no-install] [CAPTURE]
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
install=1
if [ "${1:-}" = --no-install ]; then
    install=0
    shift
fi
capture=$(realpath "${1:-$top/sample-captures/tgt-qemu.pcapng.zst}")

cd "$top"
# What the build says goes to standard error: standard output is the report.
{
    [ $install -eq 0 ] || tests/packages.sh
    cmake --preset release -B build/demo -DISCSISCOPE_BUILD_TESTS=OFF
    cmake --build build/demo -j "$(nproc)"
} >&2
set -x
exec build/demo/analyzer/cli/iscsiscope report "$capture"
