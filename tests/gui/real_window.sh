#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# real_window.sh PROGRAM CAPTURE OTHER FOLDER: the real window under Xvfb with a window manager: pictures of all
# seven views, light and dark, at 1x and 2x scale, into FOLDER. OTHER is what CAPTURE is compared with.
set -euo pipefail
program=$1 capture=$2 other=$3 folder=$4
mkdir -p "$folder"
for tool in Xvfb openbox xdotool import; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: no $tool"; exit 77; }
done
server='' manager='' window=''
end() { for p in $window $manager $server; do kill "$p" 2>/dev/null || true; done; }
trap end EXIT
settings=$(mktemp -d)
shots=0
for scale in 1 2; do
    number=$((80 + scale + RANDOM % 400))
    Xvfb ":$number" -screen 0 "$((1300 * scale))x$((860 * scale))x24" -nolisten tcp >/dev/null 2>&1 &
    server=$!
    export DISPLAY=:$number
    for _ in $(seq 50); do xdotool getdisplaygeometry >/dev/null 2>&1 && break; sleep 0.1; done
    openbox >/dev/null 2>&1 &
    manager=$!
    for colours in light dark; do
        for view in overview timeline ladder cycles model compare testbed; do
            arguments=("$capture" --view "$view" --colours "$colours" --size 1280x800)
            [ $view = compare ] && arguments+=(--compare "$other")
            XDG_CONFIG_HOME=$settings QT_SCALE_FACTOR=$scale "$program" "${arguments[@]}" >/dev/null 2>&1 &
            window=$!
            # Windows come and go while it looks: an error of one look is none.
            for _ in $(seq 100); do
                xdotool search --onlyvisible --name iscsiscope >/dev/null 2>&1 && break
                sleep 0.1
            done
            sleep 3
            import -window root "$folder/$view-$colours-${scale}x.png"
            shots=$((shots + 1))
            kill "$window"
            wait "$window" 2>/dev/null || true
            window=''
        done
    done
    kill "$manager" "$server"
    wait "$manager" "$server" 2>/dev/null || true
    manager='' server=''
done
echo "FIGURE: pictures of the real window: $shots, in $folder"
