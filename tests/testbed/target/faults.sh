#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What may go wrong around the target: clear error, exit code, nothing left behind.
source "$(dirname "$0")/common.sh"
bad=0
expect() { # LABEL EXPECTED GOT
  if [ "$2" = "$3" ]; then echo "ok: $1"; else echo "FAILED: $1: expected $2, got $3"; bad=1; fi
}
await() { # TEXT: in the target's log, within five seconds
  for _ in $(seq 100); do
    grep -q -- "$1" "$work/log" && return 0
    sleep 0.05
  done
  return 1
}
refused() { # LABEL TEXT OPTIONS…: exit 2 and a sentence that has TEXT
  local label=$1 text=$2
  shift 2
  timeout 5 $target_command "$@" >"$work/out" 2>"$work/err"
  expect "$label: exit code" 2 $?
  grep -q -- "$text" "$work/err" || { echo "FAILED: $label: said: $(cat "$work/err")"; bad=1; }
  expect "$label: nothing on standard output" 0 "$(wc -c <"$work/out")"
}

start_target --lun ram:1MiB --truth "$work/truth"
refused "port taken" "cannot listen on $portal" --portal "$portal" --lun ram:1MiB
refused "no disk" "lun" --portal 127.0.0.1:0
refused "unknown kind of disk" "not a kind" --lun tape:1MiB
refused "unknown key of a disk" 'unknown key "rpn"' --lun disk:1MiB,rpn=5400
refused "missing file" "No such file" --lun "file:$work/none"
refused "bad key" "MaxBurstLength" --lun ram:1MiB --key MaxBurstLength=1
refused "bad duration" "has no unit" --lun ram:1MiB --r2t-delay 3
refused "not an address" "not an IP address" --lun ram:1MiB --portal nowhere:1
refused "no such congestion control" "cannot be used" --lun ram:1MiB --portal 127.0.0.1:0 --congestion nosuch
refused "truth in a folder that is not there" "cannot write" --lun ram:1MiB --portal 127.0.0.1:0 --truth "$work/no/t"

# A peer that says nonsense, one that goes away in the middle of a PDU, one that stays silent.
exec 3<>"/dev/tcp/${portal%:*}/${portal#*:}"; head -c 4096 /dev/urandom >&3; exec 3>&-
exec 3<>"/dev/tcp/${portal%:*}/${portal#*:}"; printf '\x43\x87\x00' >&3; exec 3>&-
exec 4<>"/dev/tcp/${portal%:*}/${portal#*:}"
if command -v iscsi-inq >/dev/null; then
  iscsi-inq "$url/0" >"$work/inq" 2>&1
  expect "it still serves after bad peers" 0 $?
fi
expect "no truth file before the end" no "$([ -e "$work/truth" ] && echo yes || echo no)"
stop_target
expect "SIGTERM: exit code" 0 $code
expect "SIGTERM: a whole truth file" 1 "$(grep -c '"row":"run"' "$work/truth")"
expect "no half file" 0 "$(find "$work" -name '*.part' | wc -l)"
exec 4>&-

# The initiator is killed in mid-transfer.
if command -v qemu-img >/dev/null && command -v qemu-io >/dev/null; then
  start_target --lun ram:64MiB,service=constant:5ms -v
  qemu-img bench -f raw -d 16 -s 65536 -c 100000 "$url/0" >/dev/null 2>&1 &
  killed=$!
  await "logged in"
  sleep 0.2
  kill -9 $killed
  wait $killed 2>/dev/null
  # Read or write, whichever comes first, brings the news.
  await 'closed the connection\|reset by peer\|Broken pipe' || sed 's/^/  log: /' "$work/log"
  await 'closed the connection\|reset by peer\|Broken pipe'
  expect "killed initiator is noticed" 0 $?
  kill -INT "$pid"; wait "$pid"
  expect "SIGINT: exit code" 0 $?
fi

# A truth file that cannot be written to the end.
start_target --lun ram:1MiB --truth /dev/full
stop_target
expect "disk full: exit code" 1 $code
exit $bad
