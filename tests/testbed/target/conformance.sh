#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# iscsi-test-cu (package libiscsi-bin) against this target. Passes if it has family iSCSI 15 of 15 and family ALL
# without a failure. Prints what was skipped and why. With --tgtd behind the target also what tgtd has, for comparison.
source "$(dirname "$0")/common.sh"
need iscsi-test-cu libiscsi-bin

summary() { awk '$1 == "tests" {printf "%d tests, %d passed, %d failed", $2, $4, $5}' "$1"; }
failed() { awk '$1 == "tests" {print $5}' "$1"; }

start_target --lun ram:64MiB
bad=0
for family in iSCSI ALL; do
  timeout 900 iscsi-test-cu -d -g -n -t $family "$url/0" >"$work/$family" 2>&1
  echo "this target, $family: $(summary "$work/$family")"
  [ "$(failed "$work/$family")" = 0 ] || { bad=1; grep -A3 'had failures' "$work/$family"; }
done
awk '$1 == "tests" {exit !($2 == 15 && $4 == 15)}' "$work/iSCSI" || bad=1
echo "skipped by the suite on this target (times said, why):"
grep -o 'SKIPPED\].*' "$work/ALL" | cut -c 10- | sort | uniq -c | sort -rn

stop_target
[ $code = 0 ] || { echo "the target ended with exit code $code"; bad=1; }

if [ "${2:-}" = --tgtd ]; then
  start_tgtd 64M || { echo "tgtd is not here: no comparison"; exit $bad; }
  for family in iSCSI ALL; do
    timeout 900 iscsi-test-cu -d -g -n -t $family "$tgtd_url" >"$work/tgtd-$family" 2>&1
    echo "tgtd, $family: $(summary "$work/tgtd-$family")"
  done
fi
exit $bad
