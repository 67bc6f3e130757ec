#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What may go wrong around the target: clear error, exit code, nothing left behind.
source "$(dirname "$0")/common.sh"
bad=0
expect() { # LABEL EXPECTED GOT
  if [ "$2" = "$3" ]; then echo "ok: $1"; else echo "FAILED: $1: expected $2, got $3"; bad=1; fi
}
await() { # TEXT: in the target's log
  for _ in $(seq 2400); do
    grep -q -- "$1" "$work/log" && return 0
    sleep 0.05
  done
  return 1
}
refused() { # LABEL TEXT OPTIONS…: exit 2 and a sentence that has TEXT
  local label=$1 text=$2
  shift 2
  timeout 120 $target_command "$@" >"$work/out" 2>"$work/err"
  expect "$label: exit code" 2 $?
  grep -q -- "$text" "$work/err" || { echo "FAILED: $label: said: $(cat "$work/err")"; bad=1; }
  expect "$label: nothing on standard output" 0 "$(wc -c <"$work/out")"
}

export ACCOUNT=me:verysecret1234 SHORT_ACCOUNT=me:elevenbytes
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
refused "mutual CHAP alone" "--mutual-chap needs --chap" --lun ram:1MiB --mutual-chap env:ACCOUNT
refused "a secret on the command line" "everybody" --lun ram:1MiB --chap me:verysecret1234
refused "a short secret" "11 octets" --lun ram:1MiB --chap env:SHORT_ACCOUNT
refused "the same secret in both directions" "different secrets" --lun ram:1MiB --chap env:ACCOUNT --mutual-chap env:ACCOUNT
refused "no such variable" "no variable NONE" --lun ram:1MiB --chap env:NONE
refused "no account file" "No such file" --lun ram:1MiB --chap "file:$work/none"
refused "small segments" "MaxRecvDataSegmentLength" --lun ram:1MiB --key MaxRecvDataSegmentLength=511
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

# One writer for a file, also within one target; a reader beside it is welcome.
start_target --lun "file:$work/disk,size=1MiB"
refused "a second writer" "another writer" --portal 127.0.0.1:0 --lun "file:$work/disk"
refused "a file twice" "another writer" --portal 127.0.0.1:0 --lun "file:$work/two,size=1MiB" --lun "file:$work/two"
writer=$pid
start_target --lun "file:$work/disk,readonly=yes"
stop_target
expect "a reader beside a writer" 0 $code
pid=$writer; stop_target
start_target --lun "file:$work/disk"
stop_target
expect "the lock ends with the writer" 0 $code

# An account from a file; nobody finds the secret in the command line.
(umask 077; printf 'me:verysecret1234\n' >"$work/account")
start_target --lun ram:1MiB --chap "file:$work/account"
expect "no secret in the command line" 0 "$(tr '\0' '\n' <"/proc/$pid/cmdline" | grep -c verysecret)"
if command -v iscsi-inq >/dev/null; then
  iscsi-inq "iscsi://me%verysecret1234@$portal/iqn.2026-11.example:disk/0" >"$work/inq" 2>&1
  expect "login with the account of a file" 0 $?
fi
stop_target

# A truth file that cannot be written to the end.
start_target --lun ram:1MiB --truth /dev/full
stop_target
expect "disk full: exit code" 1 $code
exit $bad
