#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# qemu-img (package qemu-utils with its iSCSI driver, qemu-block-extra) against this target: a random image is written and compared (also
# with digests of every PDU, over CHAP, to a file, and with small segments); with --bench also IO/s at
# depth 16 beside tgtd's, taking turns.
source "$(dirname "$0")/common.sh"
need qemu-img qemu-utils
image=$work/image
head -c 33554432 /dev/urandom >"$image"
bad=0

round_trip() { # LABEL URL
  if qemu-img convert -n -f raw -O raw "$image" "$2" 2>"$work/error" &&
    qemu-img compare -q -f raw -F raw "$image" "$2" 2>>"$work/error"; then
    echo "data intact: $1"
  else
    echo "FAILED: $1: $(head -2 "$work/error")"
    bad=1
  fi
}

start_target --lun ram:32MiB
qemu-img info "$url/0" >"$work/error" 2>&1 ||
  { grep -q 'Unknown protocol' "$work/error" && { echo "SKIP: qemu-img has no iSCSI driver (qemu-block-extra)"; exit 77; }; }
round_trip "memory" "$url/0"
stop_target
start_target --lun "file:$work/disk.img,size=32MiB" --key MaxRecvDataSegmentLength=512 --key FirstBurstLength=1024 \
  --r2t-cap 3000 --key ImmediateData=No --phase-collapse off --legacy-send
round_trip "file, 512-byte segments, R2Ts of 3000 bytes, status apart, header and data apart" "$url/0"
stop_target
cmp -s "$image" "$work/disk.img" || { echo "FAILED: the file differs from what was written"; bad=1; }
export ISCSISCOPE_CHAP=me:verysecret1234
start_target --lun raid0:32MiB,seek=0ms..1ms,rotation=100us,cache=1MiB,write=back --chap env:ISCSISCOPE_CHAP
round_trip "RAID0, CHAP" "iscsi://me%verysecret1234@$portal/iqn.2026-11.example:disk/0"
stop_target

if [ "${2:-}" = --bench ]; then
  start_target --lun ram:64MiB
  start_tgtd 64M || tgtd_url=
  for mode in "-w" ""; do
    for size in 4096 65536; do
      for round in 1 2 3; do
        line="$([ -n "$mode" ] && echo write || echo read) $size:"
        for peer in "this-target=$url/0" ${tgtd_url:+"tgtd=$tgtd_url"}; do
          seconds=$(qemu-img bench -f raw $mode -d 16 -s $size -c 20000 "${peer#*=}" | awk '/completed in/ {print $4}')
          line+=" ${peer%%=*} $(awk -v s="$seconds" 'BEGIN {printf "%d IO/s", 20000 / s}')"
        done
        echo "$line"
      done
    done
  done
  stop_target
fi
exit $bad
