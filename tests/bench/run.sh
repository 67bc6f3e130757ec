#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole-program benchmarks on large captures grown from small ones, and the micro benchmarks.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/bench/run.sh [options]
  --full BYTES      size of the full capture (default 2000000000)
  --headers BYTES   size of the header-only capture (default 1000000000)
  --digests BYTES   size of the capture with digests (default 1000000000)
  --mix NAME        this one only: full, headers, kernel-full, window-headers, loss-headers, random-headers,
                    sessions-headers (eight connections at the same time), digests
  --no-steps        leave out the micro benchmarks
  --history FILE    ratios of each run, to compare with the next one's (default build/bench-history.tsv)
  --runs N          alternating runs; the least CPU counts (default 7; tshark runs once)
  --folder DIR      where the captures are grown (default: a temporary folder); removed at the end
  --no-tshark       leave out tshark, which takes minutes
  --no-profiled     leave out the program of profiled_build.sh, which takes two more builds
  --no-install      do not look for missing packages
  -j N              parallel build jobs
Small captures come from $ISCSISCOPE_CAPTURES, else ../shared/captures beside the source tree.
TEXT
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
full=2000000000 headers=1000000000 digests=1000000000 runs=7 parent=${TMPDIR:-/tmp} tshark=1 profiled=1 install=1 jobs=$(nproc)
only='' steps=1 history=$top/build/bench-history.tsv
while [ $# -gt 0 ]; do
    case $1 in
        --full | --headers | --digests | --runs | --folder | --mix | --history | -j)
            [ $# -ge 2 ] || { usage >&2; exit 2; }
            case $1 in
                --full) full=$2 ;; --headers) headers=$2 ;; --digests) digests=$2 ;;
                --runs) runs=$2 ;; --folder) parent=$2 ;; -j) jobs=$2 ;;
                --mix) only=$2 ;; --history) history=$2 ;;
            esac
            shift
            ;;
        --no-tshark) tshark=0 ;;
        --no-profiled) profiled=0 ;;
        --no-steps) steps=0 ;;
        --no-install) install=0 ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done

captures=${ISCSISCOPE_CAPTURES:-$top/../shared/captures}
if [ ! -d "$captures" ]; then
    echo "SKIPPED: no captures in $captures (set ISCSISCOPE_CAPTURES)"
    exit 77
fi
[ $install -eq 0 ] || "$top/tests/packages.sh"
cd "$top"
cmake --preset release >/dev/null
cmake --build build/release -j "$jobs" --target iscsiscope grow bare_loop micro_bench
[ $profiled -eq 0 ] || tests/bench/profiled_build.sh --no-install -j "$jobs" build/profiled
program=$top/build/release/analyzer/cli/iscsiscope
bench=$top/build/release/tests/bench

work=$(mktemp -d "$parent/iscsiscope-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# grow_from NAME SIZE [OPTION VALUE]... -- CAPTURE...: $work/NAME.pcap
grow_from() {
    local name=$1 size=$2 options=() small=() capture
    shift 2
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    for capture in "$@"; do
        zstd -dqf "$captures/$capture.pcap.zst" -o "$work/$capture.small"
        small+=("$work/$capture.small")
    done
    "$bench/grow" "${options[@]}" --bytes "$size" "$work/$name.pcap" "${small[@]}"
    rm -f "${small[@]}"
}
# mix NAME WORDS SIZE [OPTION VALUE]... -- CAPTURE...
mix() {
    local name=$1 words=$2 programs=()
    [ -z "$only" ] || [ "$only" = "$name" ] || return 0
    echo; echo "== $words =="
    shift 2
    grow_from "$name" "$@"
    [ $profiled -eq 0 ] ||
        programs+=("profiled, --threads 1=$top/build/profiled/analyzer/cli/iscsiscope report --quiet --threads 1 {}")
    [ $tshark -eq 0 ] || programs+=("tshark -z scsi,srt,0:1=tshark -n -q -r {} -z scsi,srt,0")
    python3 "$top/tests/bench/compare.py" --runs "$runs" --history "$history" --mix "$name" "$work/$name.pcap" \
        "pcap_next_ex loop=$bench/bare_loop {}" \
        "iscsiscope, --threads 1=$program report --quiet --threads 1 {}" \
        "iscsiscope, --threads 2=$program report --quiet --threads 2 {}" "${programs[@]}" \
        "tcptrace -n -lrW=tcptrace -n -lrW {}" \
        "tcpdump -r -w /dev/null=tcpdump -n -r {} -w /dev/null"
    rm -f "$work/$name.pcap"
}

echo "processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) in use"
made=(a_read_4MiB_512K_1ms.ini b_write_4MiB_256K_5ms_r2t64k.ini c_write_4MiB_256K_5ms_unsolicited.ini z01_clean_read.ini)
loss=(d_read_4MiB_loss0.5_reno.ini d_write_4MiB_loss0.5_reno.ini)

mix full 'full packets (bar: CPU of --threads 1 at most 1.25)' "$full" -- "${made[@]}"
mix headers 'headers only, 128 bytes a packet (bar: CPU at most 4)' "$headers" --snap 128 -- "${made[@]}"
mix kernel-full 'full packets of Reads and Writes with losses (bar 1.25)' "$full" -- "${loss[@]}"
mix window-headers 'a Write that the congestion window limits, headers only (bar 4)' "$headers" --snap 128 -- n_cwnd_write_reno_20mbit.ini
mix loss-headers 'Reads and Writes with losses, headers only (bar 4)' "$headers" --snap 128 -- "${loss[@]}"
mix random-headers 'random Reads of 4 KiB, headers only (bar 4)' "$headers" --snap 128 -- i_randread_4K_qd8.ini
mix sessions-headers 'eight connections at a time, headers only (bar 4; elapsed of --threads 2 at most 0.62 of 1)' \
    "$headers" --snap 128 --abreast 8 -- "${made[@]}" "${loss[@]}"
mix digests 'full packets with header and data digests (no bar)' "$digests" -- e_read_2MiB_digests.ini

[ $steps -eq 1 ] || exit 0
echo; echo '== steps =='
for capture in a_read_4MiB_512K_1ms.ini h_read_4MiB_snap128.ini e_read_2MiB_digests.ini; do
    echo "-- $capture"
    "$bench/micro_bench" --benchmark_min_time=0.3 "$captures/$capture.pcap.zst" 2>/dev/null
done
