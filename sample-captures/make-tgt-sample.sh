#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes tgt-qemu.pcapng.zst: Debian's tgtd serves a disk over loopback, qemu-img bench reads and writes it,
# dumpcap captures. Needs root (a network namespace of its own, so that nothing of the host is touched).
#
#   make-tgt-sample.sh [OUT.pcapng.zst]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(realpath -m "${1:-$here/bundle/tgt-qemu/tgt-qemu.pcapng.zst}")
if [ "${ISCSISCOPE_SAMPLE_NAMESPACE:-}" != inside ]; then
    [ "$(id -u)" -eq 0 ] || { echo "make-tgt-sample.sh: needs root" >&2; exit 1; }
    ISCSISCOPE_SAMPLE_NAMESPACE=inside exec unshare --net --mount -- "$0" "$out"
fi

work=$(mktemp -d)
capture=0 target=0
finish() {
    [ "$capture" -eq 0 ] || kill "$capture" 2>/dev/null || true
    [ "$target" -eq 0 ] || kill -KILL "$target" 2>/dev/null || true # tgtd stays on SIGTERM
    wait 2>/dev/null || true
    umount /run/tgtd 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# An ordinary link instead of loopback's 64 KiB frames.
ip link set lo mtu 1500 up
ethtool -K lo tso off gso off gro off >/dev/null

# A private place for tgtd's control socket.
mkdir -p /run/tgtd
mount -t tmpfs tmpfs /run/tgtd
truncate -s 64M "$work/disk.img"
tgtd -f -C 77 --iscsi portal=127.0.0.1:3260 >"$work/tgtd.log" 2>&1 &
target=$!
for _ in $(seq 50); do
    tgtadm -C 77 --lld iscsi --mode target --op show >/dev/null 2>&1 && break
    sleep 0.1
done
name=iqn.2026-11.example:sample
tgtadm -C 77 --lld iscsi --mode target --op new --tid 1 --targetname $name
tgtadm -C 77 --lld iscsi --mode logicalunit --op new --tid 1 --lun 1 --backing-store "$work/disk.img"
tgtadm -C 77 --lld iscsi --mode target --op bind --tid 1 --initiator-address ALL

dumpcap -q -B 64 -i lo -f 'tcp port 3260' -w "$work/sample.pcapng" >"$work/dumpcap.log" 2>&1 &
capture=$!
for _ in $(seq 50); do
    [ -s "$work/sample.pcapng" ] && break
    sleep 0.1
done

disk=iscsi://127.0.0.1/$name/1
echo 'reads of 64 KiB, four outstanding'
qemu-img bench -f raw -t none -c 80 -d 4 -s 65536 "$disk"
echo 'writes of 256 KiB, one outstanding'
qemu-img bench -f raw -t none -w --pattern=165 -c 24 -d 1 -s 262144 -o 16777216 "$disk"
echo 'reads of 4 KiB, eight outstanding'
qemu-img bench -f raw -t none -c 200 -d 8 -s 4096 -S 135168 "$disk"

sleep 0.5
kill -INT "$capture"
wait "$capture" || true
capture=0
# A sample that the capturing host lost frames of is no sample.
cat "$work/dumpcap.log"
grep -q 'dropped on interface.*: [0-9]*/0 ' "$work/dumpcap.log" || { echo 'make-tgt-sample.sh: frames were dropped' >&2; exit 1; }
zstd -q -19 -f "$work/sample.pcapng" -o "$out"
chmod 644 "$out"
ls -l "$out"
