#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds `target_service` of each Read against the target's own events, of runs in virtual time.

In: the program; folders with NAME.ini.pcap.zst, NAME.tgt.pcap.zst and NAME.truth.jsonl.zst (truth/kernel_rows.py). Out: for
each tap how many Reads have a service within 1 % or 20 µs of what LIO took (from the command taken to its data being
there), how many have none, and the worst; exit code 1 if less than `--bar` per cent of all Reads of
a tap are right, 77 if there is no run. The
answer leaves the target at the same instant: computing takes no time there. A command is known by its tag and CDB, in order
of time. Reads that LIO answers while it is still sending other answers of the connection are compared as well: that wait
is the network's, and LIO's events do not hold it."""

import argparse
import collections
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "judge"), os.path.join(HERE, "..", "..", "differential")]

import common  # noqa: E402
from runs import TAPS  # noqa: E402

SHARE, FLOOR_NS = 0.01, 20_000
READS = (0x28, 0xa8, 0x88)    # READ(10), (12), (16)


def truth(path):
    """tag → services of Reads in ns, in order of time"""
    text = subprocess.run(["zstd", "-dqc", path], capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(list)
    for row in map(json.loads, text.splitlines()):
        if row["row"] == "command" and row["side"] == "target" and row["opcode"] in READS and row["serviced_ns"]:
            found[row["itt"], str(row["lun"])].append(row["serviced_ns"] - row["received_ns"])
    return found


def stated(program, path):
    """tag → target_service of Reads in ns or None, in order of time"""
    done = subprocess.run([program, "cycles", path, "--format", "jsonl"], check=False, capture_output=True, text=True)
    found = collections.defaultdict(list)
    for row in map(json.loads, done.stdout.splitlines()):
        if row["opcode"] in READS and row["status"] is not None:
            found[row["itt"], row["lun"]].append(row["target_service_ns"])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="path of iscsiscope")
    parser.add_argument("folders", nargs="+", help="folders of runs")
    parser.add_argument("--bar", type=float, default=0, help="per cent of all Reads that are to be right at each tap")
    parser.add_argument("--worst", type=int, default=10, help="number of Reads listed")
    options = parser.parse_args()
    found = [(folder, file.removesuffix(".truth.jsonl.zst")) for folder in options.folders if os.path.isdir(folder)
             for file in sorted(os.listdir(folder)) if file.endswith(".truth.jsonl.zst")]
    if not found:
        common.skip(f"no run with the kernel's truth in {', '.join(options.folders)}")
    compared, missing = {tap: [] for tap in TAPS}, collections.Counter()
    for folder, name in found:
        own = truth(os.path.join(folder, name + ".truth.jsonl.zst"))
        for tap in TAPS:
            rows = stated(options.program, os.path.join(folder, f"{name}.{tap}.pcap.zst"))
            for key, services in own.items():
                if len(services) != len(rows.get(key, [])):    # a command that the capture holds without its status
                    missing[tap] += len(services)
                    continue
                for service, said in zip(services, rows[key]):
                    off = None if said is None else abs(said - service) / max(SHARE * service, FLOOR_NS)
                    compared[tap].append((off, name, key, service, said))
    good = True
    for tap, rows in compared.items():
        known = [row for row in rows if row[0] is not None]
        right = sum(row[0] <= 1 for row in known)
        count = len(rows) + missing[tap]
        share = 100 * right / max(1, count)
        good = good and share >= options.bar
        common.figure(f"target_service of single Reads at {tap}: right {right} of {count}, {share:.1f} %; not stated "
                      f"for {len(rows) - len(known)}, not matched {missing[tap]}")
    wrong = sorted((row for rows in compared.values() for row in rows if row[0] and row[0] > 1), key=lambda row: -row[0])
    print(f"Wrong ({len(wrong)}), the worst first; ms: stated, true")
    for _, name, (itt, _), service, said in wrong[:options.worst]:
        print(f"  {name:40} itt {itt:#x} {said / 1e6:9.4f} {service / 1e6:9.4f}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
