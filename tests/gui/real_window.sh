#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# real_window.sh PROGRAM CAPTURE OTHER FOLDER: the real window under Xvfb with a window manager: pictures of the
# start page and of every view that PROGRAM has, light and dark, on screens of 1024x600 and 1600x1000 and on one of
# 3840x2160 at scale 2, into FOLDER. OTHER is what CAPTURE is compared with. SCREENS, COLOURS and VIEWS, where set,
# take the place of these lists ("1024x600@1", "light", "timeline ladder").
set -euo pipefail
program=$1 capture=$2 other=$3 folder=$4
mkdir -p "$folder"
for tool in Xvfb openbox xdotool import; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: no $tool"; exit 77; }
done
server='' manager='' window='' settings=$(mktemp -d)
end() {
    for p in $window $manager $server; do kill "$p" 2>/dev/null || true; done
    rm -rf "$settings"
}
trap end EXIT
views=${VIEWS:-start $("$program" --help | tr '\n' ' ' | sed 's/.*view to begin with: \([a-z, ]*\).*/\1/; s/,/ /g; s/  */ /g; s/ *$//')}
shots=0
for screen in ${SCREENS:-1024x600@1 1600x1000@1 3840x2160@2}; do
    pixels=${screen%@*} scale=${screen#*@}
    number=$((80 + RANDOM % 400))
    Xvfb ":$number" -screen 0 "${pixels}x24" -nolisten tcp >/dev/null 2>&1 &
    server=$!
    export DISPLAY=:$number
    for _ in $(seq 50); do xdotool getdisplaygeometry >/dev/null 2>&1 && break; sleep 0.1; done
    openbox >/dev/null 2>&1 &
    manager=$!
    for colours in ${COLOURS:-light dark}; do
        for view in $views; do
            arguments=(--colours "$colours")
            case $view in
                start) ;;
                compare) arguments+=("$capture" --view compare --compare "$other") ;;
                *) arguments+=("$capture" --view "$view") ;;
            esac
            XDG_CONFIG_HOME=$settings QT_SCALE_FACTOR=$scale "$program" "${arguments[@]}" >/dev/null 2>&1 &
            window=$!
            # Windows come and go while it looks: an error of one look is none.
            for _ in $(seq 100); do
                id=$(xdotool search --onlyvisible --name iscsiscope 2>/dev/null | head -1) && [ -n "$id" ] && break
                sleep 0.1
            done
            xdotool windowsize "$id" "${pixels%x*}" "${pixels#*x}" windowmove "$id" 0 0 2>/dev/null || true
            sleep "${SETTLE:-3}"
            import -window root "$folder/$view-$colours-$pixels.png"
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
