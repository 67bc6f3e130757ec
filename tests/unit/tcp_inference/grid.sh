#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The grid of the congestion window's errors: makes captures with the testbed and prints one table.
set -eu
usage() {
    cat <<'TEXT'
usage: grid.sh [options] BUILD_FOLDER [FOLDER]

Runs grid.toml over congestion control, delay, loss, buffers, Writes and Reads, tapped at the sender, before and
behind the bottleneck and at the receiver, and prints the window's errors against TCP_INFO with the totals held
against the bars. About 5 s a run, 108 runs. Runs that FOLDER (default: temporary) already has are not made again.

  --quick           six runs for a first look
  --no-timestamps   runs whose hosts use no timestamps, judged by the bars without
  --table           no runs, only the table of those in FOLDER
  --details         beside each row, what the samples say held the sender

Subsets: CONTROLS, DELAYS, LOSSES, BUFFERS, SENDERS in the environment, as in CONTROLS="reno bbr" LOSSES=0.
TEXT
}
here=$(cd "$(dirname "$0")" && pwd)
quick=0 stamps=1 make=1 flags=
while [ $# -gt 0 ]; do
    case $1 in
        --quick) quick=1 ;;
        --no-timestamps) stamps=0 ;;
        --table) make=0 ;;
        --details) flags=--details ;;
        -h | --help) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) break ;;
    esac
    shift
done
[ $# -ge 1 ] || { usage >&2; exit 2; }
table=$1/tests/unit/tcp_inference/tcp_grid
testbed=${TESTBED:-$1/sample-captures/testbed/iscsiscope-testbed}
[ -x "$table" ] || { echo "$table is not built" >&2; exit 2; }
[ -x "$testbed" ] || { echo "$testbed is not built" >&2; exit 2; }
if [ $# -ge 2 ]; then
    out=$2
    mkdir -p "$out"
else
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
list=$out/runs.txt
: >"$list"

one_run() {
    sender=$1 control=$2 delay=$3 loss=$4 buffers=$5
    folder=$out/$sender-$control-$delay-$loss-$buffers
    [ $stamps -eq 1 ] || folder=$folder-nots
    case $sender in
        initiator) workload=seq-write way=forward ;;
        *) workload=seq-read way=backward ;;
    esac
    if [ ! -e "$folder/grid.truth.jsonl" ] && [ $make -eq 1 ]; then
        set -- --set "host.$sender.congestion_control=$control" --set "link.wan.delay=$delay" \
            --set "link.wan.$way.loss=$loss" --set "program.1.options.workload=$workload"
        case $buffers in
            small) set -- "$@" --set link.wan.queue_packets=20 --set "host.$sender.send_buffer=256KiB" ;;
            *) set -- "$@" --set link.wan.queue_packets=160 ;;
        esac
        for host in initiator target; do
            [ $stamps -eq 1 ] || set -- "$@" --set "host.$host.sysctl.\"net.ipv4.tcp_timestamps\"=0"
        done
        if ! "$testbed" run "$here/grid.toml" "$@" -o "$folder" --progress none >"$out/log" 2>&1; then
            echo "$sender $control $delay loss $loss $buffers: no valid run: $(tail -n 1 "$out/log")"
            rm -rf "$folder"
            return
        fi
    fi
    [ ! -e "$folder/grid.truth.jsonl" ] || echo "$folder $sender $control $delay $loss $buffers" >>"$list"
}

available=$(cat /proc/sys/net/ipv4/tcp_available_congestion_control 2>/dev/null || echo unknown)
echo "congestion controls of this kernel ($(uname -r)): $available"
if [ $quick -eq 1 ]; then
    one_run initiator reno 4ms 0 large
    one_run target cubic 16ms 0.0005 large
    one_run initiator bbr 4ms 0 large
    one_run target bbr 16ms 0.0005 small
    one_run target reno 1ms 0.005 small
    one_run initiator cubic 16ms 0 small
else
    for control in ${CONTROLS:-reno cubic bbr}; do
        case " $available " in
            *" $control "* | *unknown*) ;;
            *)
                echo "$control: not in this kernel, no runs"
                continue
                ;;
        esac
        for delay in ${DELAYS:-1ms 4ms 16ms}; do
            for loss in ${LOSSES:-0 0.0005 0.005}; do
                for buffers in ${BUFFERS:-small large}; do
                    for sender in ${SENDERS:-initiator target}; do
                        one_run "$sender" "$control" "$delay" "$loss" "$buffers"
                    done
                done
            done
        done
    done
fi
# shellcheck disable=SC2086
"$table" $flags <"$list"
