#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the scripts here. $1 is the target program and what must stand before its options
# ("iscsiscope-testbed target" or testbed_target_alone). Everything it starts ends with it. Nothing here depends on how
# busy the machine is: what is waited for is an event, and bounds of minutes end what hangs.
set -u
target_command=${1:?usage: $0 TARGET_COMMAND}
work=$(mktemp -d)
started=()
finish() {
  for pid in "${started[@]}"; do kill -9 "$pid" 2>/dev/null; done
  wait 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

need() { # a program the test cannot do without: 77 is CTest's "skipped"
  command -v "$1" >/dev/null || { echo "SKIP: $1 is not installed ($2)"; exit 77; }
}

# start_target OPTIONS…: sets portal and pid once it is ready
start_target() {
  : >"$work/ready"; : >"$work/log" # the one before said "ready" too
  $target_command --portal 127.0.0.1:0 --name iqn.2026-11.example:disk "$@" >"$work/ready" 2>"$work/log" &
  pid=$!
  started+=("$pid")
  for _ in $(seq 2400); do
    grep -q '^ready' "$work/ready" && break
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
  done
  portal=$(awk '/^ready/ {print $2}' "$work/ready")
  [ -n "$portal" ] || { echo "the target did not start:"; cat "$work/log"; exit 1; }
  url="iscsi://$portal/iqn.2026-11.example:disk"
}

# stop_target: SIGTERM; its exit code in code
stop_target() {
  kill -TERM "$pid"
  wait "$pid"
  code=$?
}

# start_tgtd SIZE: Debian's tgtd on loopback with its own control port, one memory-backed disk as LUN 1;
# sets tgtd_url. Returns 1 where it is not installed.
start_tgtd() {
  command -v tgtd >/dev/null || return 1
  local control=$((20000 + $$ % 10000)) port=$((20000 + $$ % 10000)) store=/dev/shm
  [ -w $store ] || store=$work
  tgtd_store=$(mktemp "$store/iscsiscope-tgtd-XXXXXX")
  truncate -s "$1" "$tgtd_store"
  tgtd -f -C $control --iscsi portal=127.0.0.1:$port >"$work/tgtd.log" 2>&1 &
  tgtd_pid=$!
  started+=("$tgtd_pid")
  for _ in $(seq 600); do
    tgtadm -C $control --lld iscsi --op show --mode system >/dev/null 2>&1 && break
    sleep 0.1
  done
  tgtadm -C $control --lld iscsi --op new --mode target --tid 1 -T iqn.2026-11.example:tgtd &&
    tgtadm -C $control --lld iscsi --op new --mode logicalunit --tid 1 --lun 1 -b "$tgtd_store" &&
    tgtadm -C $control --lld iscsi --op bind --mode target --tid 1 -I ALL || return 1
  rm -f "$tgtd_store" # tgtd has it open
  tgtd_url="iscsi://127.0.0.1:$port/iqn.2026-11.example:tgtd/1"
}
