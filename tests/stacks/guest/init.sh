#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# First process of the guest. The host's folder with the Debian root is mounted read-only; an overlay in memory
# takes every write, so that a run leaves nothing in it and several guests share it. In: the kernel parameters
# stacks_share (folder of jobs and results), stacks_source (tests/stacks) and, for a guest that carries out the one job
# that is there, stacks_once. Out: starts guest/agent.py, whose end halts the guest.
set -u
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DM_DISABLE_UDEV=1
# A kernel without modules has all of this built in.
load() { [ ! -e /proc/modules ] || modprobe "$@"; }
if [ "${1:-}" != inside ]; then
    mount -t proc proc /proc
    load overlay
    mount -t tmpfs -o size=2g tmpfs /overlay
    mkdir /overlay/upper /overlay/work /overlay/root
    mount -t overlay -o lowerdir=/,upperdir=/overlay/upper,workdir=/overlay/work overlay /overlay/root
    exec chroot /overlay/root /sbin/stacks-init inside
fi
parameter() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" /proc/cmdline; }
mount -t proc proc /proc
share=$(parameter stacks_share) source=$(parameter stacks_source)
mount -t sysfs sys /sys
mountpoint -q /dev || mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts pts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs run /run
mount -t tmpfs -o size=2g tmp /tmp
mkdir -p /run/netns /run/lock/iscsi /run/tgtd
mount -t hostfs -o "$share" none /share
mount -t hostfs -o "$source" none /stacks
hostname laboratory
load -a ipv6 configfs veth sch_netem sch_tbf iscsi_tcp iscsi_target_mod target_core_mod target_core_iblock \
    target_core_file sd_mod crc32c_generic dm-mod dm-delay dm-multipath dm-round-robin loop sg \
    ip_tables iptable_filter xt_statistic xt_length xt_tcpudp
load brd rd_nr=6 rd_size=65536
mount -t configfs configfs /sys/kernel/config
# iscsid asks for 512 KiB of buffer; the kernel's limit of 208 KiB would make the window the bound of every long path.
echo 4194304 >/proc/sys/net/core/rmem_max
echo 4194304 >/proc/sys/net/core/wmem_max
ip link set lo up
cd /stacks/guest && PYTHONDONTWRITEBYTECODE=1 python3 agent.py /share "$(parameter stacks_once)"
sync
# The power off of reboot(2): not every kernel here has the key for it.
exec python3 -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321fedc)'
