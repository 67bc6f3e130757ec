#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The plugin in the real Wireshark on an X server without a screen: profile, packet list, details, statistics, I/O
# graph, reload, another file, closing while it reads. Screenshots go to a folder, to be looked at; what can be
# checked without eyes is checked here: that each window opens and that Wireshark is alive until it is ended.
#
#   wireshark_gui.sh [--plugin iscsiscope.so] [--output FOLDER] [--no-install]
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
plugin='' output=$top/build/wireshark-gui install=1
while [ $# -gt 0 ]; do
    case $1 in
        --plugin) plugin=$2; shift ;;
        --output) output=$2; shift ;;
        --no-install) install=0 ;;
        *) sed -n '3,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    shift
done
packages=(wireshark xvfb xdotool openbox imagemagick zstd)
if [ $install -eq 1 ] && ! dpkg-query -W "${packages[@]}" >/dev/null 2>&1; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
fi
if [ -z "$plugin" ]; then
    cmake --preset dev -S "$top" >/dev/null
    cmake --build "$top/build/dev" --target iscsiscope_plugin
    plugin=$(find "$top/build/dev/plugin/wireshark-plugins" -name iscsiscope.so)
fi

mkdir -p "$output"
work=$(mktemp -d)
started=()
finish() {
    for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT
version=$(basename "$(dirname "$(dirname "$plugin")")")
mkdir -p "$work/plugins/$version/epan" "$work/home/.config/wireshark/profiles" "$work/run"
cp "$plugin" "$work/plugins/$version/epan/"
cp -r "$top/plugin/profile" "$work/home/.config/wireshark/profiles/iSCSI cycles"
for name in r2t-ping-pong.initiator tgt-qemu mcs-unequal.initiator; do
    zstd -qd "$top/sample-captures/bundle/${name%%.*}/$name.pcapng.zst" -o "$work/$name.pcapng"
done
chmod -R a+rX "$work"
chmod 700 "$work/run"

# Wireshark ignores the plug-in folder for root.
user=()
if [ "$(id -u)" -eq 0 ]; then
    chown -R 65534:65534 "$work/home" "$work/run"
    user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
export DISPLAY=:${ISCSISCOPE_DISPLAY:-83}
Xvfb "$DISPLAY" -screen 0 1400x900x24 -nolisten tcp >/dev/null 2>&1 &
started+=($!)
sleep 2
openbox >/dev/null 2>&1 &
started+=($!)

start() { # start CAPTURE [more]
    "${user[@]}" env HOME="$work/home" XDG_RUNTIME_DIR="$work/run" WIRESHARK_PLUGIN_DIR="$work/plugins" LANG=C.UTF-8 \
        wireshark -C 'iSCSI cycles' "$@" >"$work/log" 2>&1 &
    wireshark=$!
    started+=($!)
}
alive() { kill -0 "$wireshark" 2>/dev/null || { echo "wireshark has gone:"; tail -n 20 "$work/log"; exit 1; }; }
window() { # window NAME: waits for it, prints its number
    local id
    for _ in $(seq 1 120); do
        id=$(xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1) && [ -n "$id" ] && { echo "$id"; return; }
        sleep 0.5
    done
    echo "no window \"$1\"; there are:" >&2
    xdotool search --onlyvisible --name . getwindowname %@ >&2 || true
    exit 1
}
picture() { # picture NAME WINDOW
    sleep "${3:-2}"
    import -window "$2" -strip "$work/picture.png"
    convert "$work/picture.png" +dither -colors 32 -define png:compression-level=9 "png8:$output/$1.png"
    echo "$output/$1.png: $(stat -c %s "$output/$1.png") bytes"
    alive
}
leave() {
    xdotool windowactivate --sync "$main" key ctrl+q 2>/dev/null || true
    for _ in $(seq 1 60); do kill -0 "$wireshark" 2>/dev/null || break; sleep 0.5; done
    if kill -0 "$wireshark" 2>/dev/null; then echo "wireshark did not end"; exit 1; fi
    local code=0
    wait "$wireshark" || code=$?
    [ $code -eq 0 ] || { echo "wireshark ended with $code:"; tail -n 20 "$work/log"; exit 1; }
}

key() { local k; for k in "$@"; do xdotool key "$k"; sleep 0.4; done; alive; }
# The packet list as it looks now.
shown() { import -window "$main" -crop 1300x380+0+110 rgb:- | md5sum; }
settle() { sleep "${1:-2}"; alive; }
# The protocol's own line, the last of the closed tree: frame 36 is Ethernet, IP, TCP, iSCSI and ours.
ours() { xdotool mousemove 100 $((515 + 5 * 15)) click "${1:-1}"; sleep 0.5; }

# Packet list and details: a frame that ends a gap, its subtree open; a link to another frame followed.
start -r "$work/r2t-ping-pong.initiator.pcapng" -g 36
main=$(window 'r2t-ping-pong')
xdotool windowsize --sync "$main" 1400 900 windowmove "$main" 0 0
settle 5
ours
key shift+Right
picture details "$main"
before=$(shown)
xdotool mousemove 150 $((515 + 18 * 15)) click --repeat 2 1 # "Command in: 16"
settle
[ "$before" != "$(shown)" ] || { echo "the link led nowhere"; exit 1; }
echo "FIGURE: plugin, Wireshark: a link to the command's frame was followed"
xdotool key --window "$main" alt+Left

# The frame that delivers the status: the end of what stands there, the figures of the cycle.
xdotool key ctrl+g; sleep 1; xdotool type 161; key Return
ours
key End
picture result "$main"

# Statistics > iSCSI > Cycles, the last of the menu.
key alt+s Up Right
picture menu root 1
key Return
cycles=$(window 'Cycles')
picture cycles "$cycles" 3
xdotool windowactivate --sync "$main"

# Statistics > iSCSI Findings, Service Response Times and Summary, which stand one below the other.
for row in 0 1 2; do
    key alt+s
    xdotool mousemove 400 $((331 + 25 * row)) click 1
    settle 2
    picture "table$row" root 1
    key Escape
    xdotool windowactivate --sync "$main"
done

# Reload with that window open; a preference changed by the protocol's own menu (the frames are dissected anew);
# another file; its I/O graph.
for _ in 1 2 3; do key ctrl+r; settle; done
xdotool key ctrl+g; sleep 1; xdotool type 36; key Return
ours 3
xdotool mousemove $((100 + 95)) $((515 + 5 * 15 - 90)) click 1 # Protocol Preferences
settle 1
key Up Up Up Up # "TCP estimates", above "Findings", "Cycles in the Info column" and "Disable"
picture preferences root 1
key Return
settle 3
grep -q '^iscsiscope.tcp: FALSE' "$work/home/.config/wireshark/profiles/iSCSI cycles/preferences" ||
    { echo "the preference was not changed"; exit 1; }
key ctrl+o
sleep 2
xdotool type "$work/tgt-qemu.pcapng"
key Return
main=$(window 'tgt-qemu')
settle 4
key alt+s i
graph=$(window 'I/O Graphs')
xdotool windowsize --sync "$graph" 900 640
xdotool mousemove --window "$graph" 415 586 click 1
key Home Down Down Return
xdotool mousemove --window "$graph" 850 586 click 1
picture graph "$graph" 5
drawn=$(convert "$work/picture.png" -crop 860x420+30+40 +repage -fuzz 15% -fill black +opaque '#1f77b4' \
    -fill white -opaque '#1f77b4' -colorspace gray -format '%[fx:round(mean*w*h)]' info:)
[ "$drawn" -gt 100 ] || { echo "the I/O graph is empty"; exit 1; }
echo "FIGURE: plugin, Wireshark: I/O graph of iscsiscope.cycle.response_time: $drawn pixels of Reads"
xdotool windowactivate --sync "$main"
for _ in 1 2; do key ctrl+r; settle; done
echo "FIGURE: plugin, Wireshark: reload, preference, another file: alive"
leave

# Closing the file, and leaving, while it is being read.
mergecap -a -w "$work/long.pcapng" $(for _ in $(seq 12); do echo "$work/mcs-unequal.initiator.pcapng"; done)
chmod a+r "$work/long.pcapng"
for way in ctrl+w ctrl+q; do
    start -r "$work/long.pcapng"
    main=$(window 'long')
    sleep 1
    xdotool windowactivate --sync "$main" || true
    xdotool key "$way"
    sleep 2
    [ $way = ctrl+q ] || alive
    leave
done
echo "FIGURE: plugin, Wireshark: closed twice while reading $(stat -c %s "$work/long.pcapng") bytes: no crash"
