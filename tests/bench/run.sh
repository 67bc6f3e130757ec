#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole-program benchmarks on large captures grown from small ones, and the micro benchmarks.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/bench/run.sh [options]
  --full BYTES      size of the full capture (default 2000000000)
  --headers BYTES   size of the header-only captures (default 1000000000)
  --digests BYTES   size of the capture with digests (default 1000000000)
  --mix NAME,...    these only; whole packets:
                      full            Reads and Writes
                      kernel-full     Reads and Writes with losses
                      digests         Reads with header and data digests
                    headers only, 128 bytes a packet:
                      headers         Reads and Writes
                      window-headers  a Write that the congestion window limits
                      loss-headers    Reads and Writes with losses
                      random-headers  random Reads of 4 KiB
                      sessions-1, sessions-8, sessions-64, sessions-512
                                      so many connections at a time, their packets in turn
                                      (sessions-8 is also known by its old name, sessions-headers; the last two
                                      are whole rounds of six inputs, 204 MB and 1.6 GB at the least)
                    160 bytes a packet:
                      cut             a Write that the congestion window limits
  --no-instructions leave out the instructions a packet, which take minutes under valgrind
  --no-steps        leave out the micro benchmarks
  --history FILE    figures of each run, to compare with the next one's (default build/bench-history.tsv;
                    its columns: tests/bench/compare.py --help)
  --runs N          alternating runs; the least CPU counts (default 7; tshark runs once)
  --folder DIR      where the captures are grown (default: a temporary folder); removed at the end
  --build FOLDER    measure the programs of a build folder as it is configured, not of build/release, which the
                    preset release configures
  --no-tshark       leave out tshark, which takes minutes
  --no-profiled     leave out the program of profiled_build.sh, which takes two more builds
  --no-install      do not look for missing packages
  -j N              parallel build jobs

Each mix prints CPU and elapsed time with their ratios to a bare pcap_next_ex loop, the ratio of the CPU to tcptrace's,
and instructions a packet of the loop and of the program with --threads 1: counted by valgrind over two small captures
of the same mix, their difference divided by that of the packets, so that the start cancels. The load of the machine
does not change these; whether it was quiet while times were measured is said in a line. The first lines say which
build is measured. For the mixes sessions-N, a table of the CPU that each part takes with 1 to 16 threads, and of how threads
would share it, follows (tests/bench/threads.cpp).

Small captures come from $ISCSISCOPE_CAPTURES, else ../shared/captures beside the source tree.
TEXT
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
full=2000000000 headers=1000000000 digests=1000000000 runs=7 parent=${TMPDIR:-/tmp} tshark=1 profiled=1 install=1 jobs=$(nproc)
only='' steps=1 instructions=1 found=0 build='' history=$top/build/bench-history.tsv
while [ $# -gt 0 ]; do
    case $1 in
        --full | --headers | --digests | --runs | --folder | --mix | --history | --build | -j)
            [ $# -ge 2 ] || { usage >&2; exit 2; }
            case $1 in
                --full) full=$2 ;; --headers) headers=$2 ;; --digests) digests=$2 ;;
                --runs) runs=$2 ;; --folder) parent=$2 ;; -j) jobs=$2 ;;
                --mix) only=$2 ;; --history) history=$2 ;; --build) build=$2 ;;
            esac
            shift
            ;;
        --no-tshark) tshark=0 ;;
        --no-profiled) profiled=0 ;;
        --no-steps) steps=0 ;;
        --no-instructions) instructions=0 ;;
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
only=${only//sessions-headers/sessions-8}
further=()
[ $instructions -eq 0 ] || further=(valgrind)
[ $install -eq 0 ] || "$top/tests/packages.sh" "${further[@]}"
if [ $instructions -eq 1 ] && ! command -v valgrind >/dev/null; then
    echo 'Left out: instructions a packet (valgrind is not installed)'
    instructions=0
fi
[ -z "$build" ] || build=$(cd "$build" && pwd)
cd "$top"
if [ -z "$build" ]; then
    build=$top/build/release
    cmake --preset release >/dev/null
fi
targets=(iscsiscope grow bare_loop threads_bench)
[ $steps -eq 0 ] || targets+=(micro_bench)
cmake --build "$build" -j "$jobs" --target "${targets[@]}"
[ $profiled -eq 0 ] || tests/bench/profiled_build.sh --no-install -j "$jobs" build/profiled
program=$build/analyzer/cli/iscsiscope
bench=$build/tests/bench

work=$(mktemp -d "$parent/iscsiscope-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

unpack() { # unpack CAPTURE...: sets small
    small=()
    for capture in "$@"; do
        [ -e "$work/$capture.small" ] || zstd -dqf "$captures/$capture.pcap.zst" -o "$work/$capture.small"
        small+=("$work/$capture.small")
    done
}
# mix NAME WORDS SIZE [OPTION VALUE]... -- CAPTURE...
mix() {
    local name=$1 words=$2 size=$3 options=() programs=() count=() abreast=1 copies=1 times=3 grown small
    [ -z "$only" ] || [[ ,$only, = *,$name,* ]] || return 0
    found=1
    shift 3
    while [ "$1" != -- ]; do
        [ "$1" != --abreast ] || abreast=$2
        options+=("$1" "$2")
        shift 2
    done
    shift
    echo; echo "== $name: $words =="
    unpack "$@"
    grown=(--bytes "$size")
    if [ "$abreast" -ge 64 ]; then # rounds of each input, or the first ones would make up the whole capture
        "$bench/grow" "${options[@]:0:2}" --copies 1 "$work/one.pcap" "${small[@]}" >/dev/null
        copies=$((size / $(stat -c %s "$work/one.pcap") / abreast))
        grown=(--copies $(((copies > 1 ? copies : 1) * abreast)))
        rm "$work/one.pcap"
    fi
    "$bench/grow" "${options[@]}" "${grown[@]}" "$work/$name.pcap" "${small[@]}"
    if [ $instructions -eq 1 ]; then
        # As many copies of each input, so that the two captures differ in nothing but their length. All inputs at once
        # keep those of many connections small.
        copies=$abreast
        if [ "$abreast" -ge 64 ]; then options+=(--groups $#) copies=$((abreast / $#)) times=2; fi
        "$bench/grow" "${options[@]}" --copies $copies "$work/$name.1.pcap" "${small[@]}" >/dev/null
        "$bench/grow" "${options[@]}" --copies $((copies * times)) "$work/$name.2.pcap" "${small[@]}" >/dev/null
        count=(--count "$work/$name.1.pcap" "$work/$name.2.pcap")
    fi
    [ $profiled -eq 0 ] ||
        programs+=("profiled, --threads 1=$top/build/profiled/analyzer/cli/iscsiscope report --quiet --threads 1 {}")
    [ $tshark -eq 0 ] || programs+=("tshark -z scsi,srt,0:1=tshark -n -q -r {} -z scsi,srt,0")
    python3 "$top/tests/bench/compare.py" --runs "$runs" --history "$history" --mix "$name" \
        --beside 'tcptrace -n -lrW' "${count[@]}" "$work/$name.pcap" \
        "pcap_next_ex loop=$bench/bare_loop {}" \
        "iscsiscope, --threads 1=$program report --quiet --threads 1 {}" \
        "iscsiscope, --threads 2=$program report --quiet --threads 2 {}" "${programs[@]}" \
        "tcptrace -n -lrW=tcptrace -n -lrW {}" \
        "tcpdump -r -w /dev/null=tcpdump -n -r {} -w /dev/null"
    [[ $name != sessions-* ]] || "$bench/threads_bench" "$work/$name.pcap"
    rm -f "$work/$name".*pcap
}
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

echo "processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) in use"
echo "build: $("$program" --version | head -n 1), $build, $("$(cached CMAKE_CXX_COMPILER)" --version | head -n 1)," \
    "$(cached CMAKE_BUILD_TYPE) $(cached "CMAKE_CXX_FLAGS_$(cached CMAKE_BUILD_TYPE | tr '[:lower:]' '[:upper:]')")," \
    "link-time optimisation $(cached CMAKE_INTERPROCEDURAL_OPTIMIZATION)"
made=(a_read_4MiB_512K_1ms.ini b_write_4MiB_256K_5ms_r2t64k.ini c_write_4MiB_256K_5ms_unsolicited.ini z01_clean_read.ini)
loss=(d_read_4MiB_loss0.5_reno.ini d_write_4MiB_loss0.5_reno.ini)

mix full 'full packets (bar: CPU of --threads 1 at most 1.25)' "$full" -- "${made[@]}"
mix headers 'headers only, 128 bytes a packet (bar: CPU at most 4)' "$headers" --snap 128 -- "${made[@]}"
mix kernel-full 'full packets of Reads and Writes with losses (bar 1.25)' "$full" -- "${loss[@]}"
mix window-headers 'a Write that the congestion window limits, headers only (bar 4)' "$headers" --snap 128 -- n_cwnd_write_reno_20mbit.ini
mix loss-headers 'Reads and Writes with losses, headers only (bar 4)' "$headers" --snap 128 -- "${loss[@]}"
mix random-headers 'random Reads of 4 KiB, headers only (bar 4)' "$headers" --snap 128 -- i_randread_4K_qd8.ini
sessions() { # sessions N BAR
    mix "sessions-$1" "connections at a time: $1, headers only ($2)" "$headers" --snap 128 --abreast "$1" -- \
        "${made[@]}" "${loss[@]}"
}
sessions 1 'bar 4'
sessions 8 'bar 4; elapsed of --threads 2 at most 0.62 of 1'
sessions 64 'no bar'
sessions 512 'no bar'
mix cut 'a Write that the congestion window limits, 160 bytes a packet (no bar)' "$headers" --snap 160 -- \
    n_cwnd_write_reno_20mbit.ini
mix digests 'full packets with header and data digests (no bar)' "$digests" -- e_read_2MiB_digests.ini

if [ $found -eq 0 ]; then
    echo "no such mix: $only" >&2
    exit 2
fi
[ $steps -eq 1 ] || exit 0
echo; echo '== steps =='
for capture in a_read_4MiB_512K_1ms.ini h_read_4MiB_snap128.ini e_read_2MiB_digests.ini; do
    echo "-- $capture"
    "$bench/micro_bench" --benchmark_min_time=0.3 "$captures/$capture.pcap.zst" 2>/dev/null
done
