#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# table.sh BUILD_FOLDER [FOLDER]: runs the testbed over congestion control, delay and loss, Writes and Reads,
# and prints the congestion window's errors against TCP_INFO at four taps. About 12 s a run; captures go to
# FOLDER (default: a temporary one, removed at the end).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { echo "usage: table.sh BUILD_FOLDER [FOLDER]" >&2; exit 2; }
accuracy=$1/tests/tcp_inference/tcp_accuracy
testbed=$(find "$1" -name iscsiscope-testbed -type f -perm -u+x | head -n 1)
[ -x "$accuracy" ] || { echo "$accuracy is not built" >&2; exit 2; }
[ -n "$testbed" ] || { echo "iscsiscope-testbed is not built in $1" >&2; exit 2; }
if [ $# -ge 2 ]; then
    out=$2
    mkdir -p "$out"
else
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi

# scenario, sender, direction of the link that the data crosses, and the taps from the sender on
one_run() {
    scenario=$1 sender=$2 way=$3 receiver=$4 control=$5 delay=$6 loss=$7
    folder=$out/$scenario-$control-$delay-$loss
    if ! "$testbed" run "$here/$scenario.toml" --set "host.$sender.congestion_control=$control" \
        --set "link.wan.delay=$delay" --set "link.wan.$way.loss=$loss" -o "$folder" --progress none >/dev/null; then
        echo "$scenario $control $delay $loss: the run is not valid"
        return
    fi
    echo "== $scenario, $control, $delay one way, loss $loss"
    for flags in "" --no-timestamps; do
        [ -z "$flags" ] || echo "   without timestamps:"
        # shellcheck disable=SC2086
        "$accuracy" --$sender $flags "$folder/$scenario.truth.jsonl" "$folder/$scenario.$sender.pcapng" \
            "$folder/$scenario.before.pcapng" "$folder/$scenario.behind.pcapng" "$folder/$scenario.$receiver.pcapng"
    done
}

for control in ${CONTROLS:-reno cubic bbr}; do
    for delay in ${DELAYS:-4ms}; do
        for loss in ${LOSSES:-0 0.0005}; do
            one_run bulk-write initiator forward target "$control" "$delay" "$loss"
            one_run bulk-read target backward initiator "$control" "$delay" "$loss"
        done
    done
done
