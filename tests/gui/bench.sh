#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bench.sh BUILD-FOLDER [cycles]: frame times of the desktop program at ten million cycles and twenty million
# TCP samples, memory, and the reading of a large capture. Prints figures; a bar that is missed ends with 1.
set -euo pipefail
cmake --build "$1" --target gui_bench
exec "$1"/tests/gui/gui_bench "${2:-10000000}"
