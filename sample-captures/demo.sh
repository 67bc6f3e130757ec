#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The main job on a bundled capture: installs the packages, builds the program, prints the report, writes it as an
# HTML page too and says where. Then, where this machine lets it make network namespaces, makes a capture afresh with
# the testbed and reports on that.
#
#   sample-captures/demo.sh [--no-install] [CAPTURE | NAME | papers]
#
# CAPTURE: a file of your own, report only. NAME: a scenario of sample-captures/scenarios (its bundled capture,
# then a fresh one). papers: the five studies, quick (some 4 minutes), as pages. Without any: tgt-qemu.pcapng.zst,
# then a fresh read-16ms-four-gaps.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
install=1
if [ "${1:-}" = --no-install ]; then
    install=0
    shift
fi
scenario=read-16ms-four-gaps
capture=$top/sample-captures/bundle/tgt-qemu/tgt-qemu.pcapng.zst
if [ $# -gt 0 ] && [ -e "$top/sample-captures/scenarios/$1.toml" ]; then
    scenario=$1
    capture=$top/sample-captures/bundle/$1/$1.initiator.pcapng.zst
elif [ $# -gt 0 ] && [ "$1" != papers ]; then
    scenario=
    capture=$(realpath "$1")
fi

cd "$top"
build() { # what the build says goes to standard error: standard output is the report
    cmake --build build/demo -j "$(nproc)" --target "$1" >&2
}
{
    [ $install -eq 0 ] || tests/packages.sh
    cmake --preset demo
} >&2
build iscsiscope
if [ "${1:-}" = papers ]; then
    build iscsiscope-testbed
    code=0
    "$(find build/demo -name iscsiscope-testbed -type f | head -n 1)" papers --quick -o build/demo/papers || code=$?
    [ $code -gt 1 ] || echo "The studies as pages, for any browser: $top/build/demo/papers/index.html"
    exit $code
fi
report() {
    echo "+ iscsiscope report $1" >&2
    build/demo/analyzer/cli/iscsiscope report "$1"
    local page
    page=$top/build/demo/$(basename "$1").html
    build/demo/analyzer/cli/iscsiscope report "$1" --format html -o "$page" --quiet
    echo
    echo "The same as a page with charts, for any browser: $page"
}
report "$capture"
[ -n "$scenario" ] || exit 0

build iscsiscope-testbed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
testbed=$(find build/demo -name iscsiscope-testbed -type f | head -n 1)
echo "+ iscsiscope-testbed run $scenario" >&2
code=0
"$testbed" run "sample-captures/scenarios/$scenario.toml" -o "$work" >"$work/log" || code=$?
case $code in
0) report "$work/$scenario.initiator.pcapng" ;;
1) echo "demo.sh: the fresh run does not count (see above): nothing to report" >&2 ;;
2) echo "demo.sh: no capture could be made afresh here: the reason and the remedy stand above" >&2 ;;
*) exit $code ;;
esac
