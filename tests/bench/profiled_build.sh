#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line program as fast as it gets: built to note which of its code works, let to read captures, and
# built again for that (GCC's profile-guided optimisation). The captures are the bundled ones, whole and with their
# headers only, and larger ones grown from them: nothing that a benchmark measures.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/bench/profiled_build.sh [options] [FOLDER]
The program is FOLDER/analyzer/cli/iscsiscope (FOLDER: build/profiled).
  --no-install   do not look for missing packages
  -j N           parallel build jobs
TEXT
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$top/build/profiled install=1 jobs=$(nproc)
while [ $# -gt 0 ]; do
    case $1 in
        -j) [ $# -ge 2 ] || { usage >&2; exit 2; }; jobs=$2; shift ;;
        -j*) jobs=${1#-j} ;;
        --no-install) install=0 ;;
        -h | --help) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) folder=$1 ;;
    esac
    shift
done
[ $install -eq 0 ] || "$top/tests/packages.sh"
cd "$top"

work=$(mktemp -d "${TMPDIR:-/tmp}/iscsiscope-profile.XXXXXX")
trap 'rm -rf "$work"' EXIT

configure() { # configure record|use; a compiler cache would mix up the two
    cmake --preset release -B "$folder" -DCCACHE= -DISCSISCOPE_PROFILE="$1" >/dev/null
}

configure record
find "$folder" -name '*.gcda' -delete # of other sources
cmake --build "$folder" -j "$jobs" --target iscsiscope grow
program=$folder/analyzer/cli/iscsiscope
inputs=()
for packed in sample-captures/bundle/*/*.pcapng.zst; do
    input=$work/$(basename "${packed%.zst}")
    zstd -dqf "$packed" -o "$input"
    inputs+=("$input")
done
"$folder/tests/bench/grow" --bytes 60000000 "$work/whole.pcap" "${inputs[@]}"
"$folder/tests/bench/grow" --bytes 40000000 --snap 128 "$work/headers.pcap" "${inputs[@]}"
for input in "$work/whole.pcap" "$work/headers.pcap" sample-captures/bundle/*/*.pcapng.zst; do
    "$program" report --quiet "$input" >/dev/null
done
for rows in cycles pdus bursts gaps connections tcp; do
    "$program" $rows --quiet "$work/headers.pcap" >/dev/null
done

configure use
cmake --build "$folder" -j "$jobs" --target iscsiscope
echo "built: $program"
