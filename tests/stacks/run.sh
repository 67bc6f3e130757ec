#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The matrix: builds the laboratory where it is not built yet, makes labelled runs on other people's stacks, judges the
# program on them and prints the tables. In: PROGRAM, options below. Out: FOLDER/runs (captures, labels), FOLDER/matrix.txt,
# FOLDER/matrix.jsonl. Fails if no run could be made, the program made no report, PDU counts or login outcomes differ
# from the walker's, or something was left behind on the host.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/stacks/run.sh PROGRAM [--folder FOLDER] [--runs N] [--only REGEX] [--seed N] [--guests N] [--virtual]
                           [--jitter US] [--judge-only]
  --folder FOLDER  the laboratory and its results (default: build/stacks)
  --runs N         how many runs (default 330; the catalogue has some 640 cells, those of open-iscsi with LIO come first)
  --only REGEX     of FAULT.INITIATOR.TARGET.STRENGTH.LOOP
  --seed N         draw the same runs again
  --guests N       guests at once (default: the number of processors)
  --virtual        guests in virtual time, one boot a run: the same seed gives the same bytes
  --jitter US      with --virtual: delays vary by up to so many microseconds, by the seed
  --judge-only     judge the runs that are there
TEXT
}

begin=$(date +%s)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { usage >&2; exit 2; }
case $1 in -h | --help) usage; exit 0 ;; esac
program=$(realpath "$1")
shift
folder=build/stacks runs=330 judge_only=0 virtual=() options=()
while [ $# -gt 0 ]; do
    case $1 in
        --judge-only) judge_only=1; shift; continue ;;
        --virtual) virtual=(--virtual); shift; continue ;;
        -h | --help) usage; exit 0 ;;
    esac
    [ $# -ge 2 ] || { echo "tests/stacks/run.sh: $1 needs a value" >&2; exit 2; }
    case $1 in
        --folder) folder=$2 ;;
        --runs) runs=$2 ;;
        --only | --seed | --guests | --jitter) options+=("$1" "$2") ;;
        *) echo "tests/stacks/run.sh: unknown argument $1" >&2; usage >&2; exit 2 ;;
    esac
    shift 2
done
export PYTHONDONTWRITEBYTECODE=1

# What a run could leave on the host, one line a thing.
state() {
    ps -eo stat=,pid=,comm= | grep -v "^Z" | grep -E 'linux.(uml|virtual)' || true
    ls /run/netns /dev/mapper /sys/kernel/config/target/iscsi 2>/dev/null || true
    losetup -a 2>/dev/null || true
    find /dev/shm -maxdepth 1 -name 'vm_file*' 2>/dev/null || true
    ip -o link show type veth 2>/dev/null | cut -d: -f2 || true
}

if [ $judge_only -eq 0 ]; then
    "$here/build.sh" "$folder" "${virtual[@]}"
    rm -rf "$folder/runs"
    before=$(state)
    python3 "$here/laboratory.py" --laboratory "$folder" --output "$folder/runs" --runs "$runs" --since "$begin" \
        "${virtual[@]}" "${options[@]}"
    left=$(diff <(echo "$before") <(state) | grep '^>' || true)
    [ -z "$left" ] || { printf 'left behind on the host:\n%s\n' "$left" >&2; exit 1; }
    echo "FIGURE: stacks: nothing left behind on the host (processes, namespaces, devices)"
fi
python3 "$here/judge/matrix.py" "$program" "$folder/runs" --jsonl "$folder/matrix.jsonl" | tee "$folder/matrix.txt"
