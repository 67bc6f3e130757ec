#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the bundled captures anew: runs every scenario of scenarios/ (or those named) and keeps the captures of
# each end and the truth, compressed. Needs the right to make network namespaces (iscsiscope-testbed says how),
# zstd, and a machine with little else to do: a run in which the links were late is made again, up to 8 times.
#
#   make-bundle.sh [NAME…]      ISCSISCOPE_TESTBED=path/to/iscsiscope-testbed: instead of building it
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")
testbed=${ISCSISCOPE_TESTBED:-}
if [ -z "$testbed" ]; then
    (cd "$top" && cmake --preset demo &&
        cmake --build build/demo -j "$(nproc)" --target iscsiscope-testbed) >&2
    testbed=$(find "$top/build/demo" -name iscsiscope-testbed -type f | head -n 1)
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -eq 0 ]; then
    for scenario in "$here"/scenarios/*.toml; do
        set -- "$@" "$(basename "$scenario" .toml)"
    done
fi
for name in "$@"; do
    for attempt in 1 2 3 4 5 6 7 8; do
        code=0
        "$testbed" run "$here/scenarios/$name.toml" -o "$work/$name" --progress none >"$work/log" 2>&1 || code=$?
        # Code 1: the run is not valid. 2: it cannot be made here, and the message says why.
        if [ $code -ne 0 ] && [ $code -ne 1 ]; then
            cat "$work/log" >&2
            exit $code
        fi
        [ $code -eq 0 ] && ! grep -q 'could not hold the set times' "$work/log" && break
        echo "make-bundle.sh: $name, attempt $attempt: $(grep -v '^/' "$work/log" | head -n 1)" >&2
    done
    [ $code -eq 0 ] || { echo "make-bundle.sh: $name: no valid run" >&2; exit 1; }
    mkdir -p "$here/bundle/$name"
    for file in "$work/$name/"*; do
        zstd -q -19 -f "$file" -o "$here/bundle/$name/$(basename "$file").zst"
    done
done
du -ch "$here"/bundle/*/*.zst | tail -n 1
