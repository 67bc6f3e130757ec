#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: tests/tidy.sh BUILD JOBS ONLY CHANGED MINUTES      (called by tests/run.sh --tidy)
# clang-tidy over the sources that the build compiles, newest commit first; a warning is an error. ONLY: a regular
# expression for paths; CHANGED: only files that the last so many commits changed; MINUTES: no new file is begun
# after that time, and how many were left is printed. Empty: no such bound.
set -euo pipefail
build=$1 jobs=$2 only=$3 changed=$4 minutes=$5
command -v clang-tidy-14 >/dev/null || { echo 'tests/tidy.sh: no clang-tidy-14' >&2; exit 1; }

# Paths that the last commits changed, the newest first, each once. A shallow clone has fewer commits.
candidates() {
    if [ -n "$changed" ]; then
        git log -n "$changed" --name-only --diff-filter=AMR --format= -- '*.cpp' | awk '!seen[$0]++'
    else
        git ls-files '*.cpp'
    fi
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
candidates | while IFS= read -r file; do
    if [ -f "$file" ] && [[ $file =~ $only ]] && grep -qF "/$file\"" "$build/compile_commands.json"; then
        echo "$file"
    fi
done >"$work/files"

deadline=$([ -z "$minutes" ] || date -d "+$minutes minutes" +%s)
# One file: its warnings on standard output, and a line in done; or a line in left when the time is over.
check() {
    if [ -n "$4" ] && [ "$(date +%s)" -ge "$4" ]; then
        echo "$3" >>"$1/left"
        return 0
    fi
    echo "$3" >>"$1/done"
    clang-tidy-14 -quiet -p "$2" -extra-arg=-Wno-unknown-warning-option "$3" 2>/dev/null || echo "$3" >>"$1/failed"
}
export -f check
touch "$work/left" "$work/done" "$work/failed"
xargs -a "$work/files" -d '\n' -P "$jobs" -I{} bash -c 'check "$@"' _ "$work" "$build" {} "$deadline"

echo "FIGURE: clang-tidy: $(wc -l <"$work/done") files checked, $(wc -l <"$work/failed") with warnings," \
    "$(wc -l <"$work/left") left when the time was over"
[ ! -s "$work/failed" ]
