#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two-sided pairs: clocks, one-way delays and losses between the taps, against what the links were set to and did.

pairs.py [FOLDER...]: runs of the testbed; without one the bundled captures. Both ends' captures carry one clock, so
the true offset is what is added here: nothing, then 1 s and 50 ppm.

Environment: ISCSISCOPE_PAIR (the program tcp_pair), ISCSISCOPE_SOURCE_DIR."""
import glob
import json
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("ISCSISCOPE_EVIDENCE", "")
from losses import rows_of

PROGRAM = os.environ["ISCSISCOPE_PAIR"]
MICRO = 1000
# The scenarios' one-way delay of the link (sample-captures/scenarios), ns
DELAYS = {"plain-read": 500_000, "loss-timeout": 5_000_000, "speed-step": 500_000, "read-16ms-two-gaps": 16_000_000,
          "delayed-ack": 200_000, "r2t-ping-pong": 4_000_000}


def pair(a, b, *shift):
    out = subprocess.run([PROGRAM, a, b, *map(str, shift)], check=True, stdout=subprocess.PIPE).stdout
    rows = [json.loads(line) for line in out.splitlines()]
    clock = next((r for r in rows if r["row"] == "clock"), None)
    return clock, [r for r in rows if r["row"] == "direction"]


def check(stem, results):
    a, b = (glob.glob(f"{stem}.{end}.pcapng*")[0] for end in ("initiator", "target"))
    truth = rows_of(glob.glob(stem + ".truth.jsonl*")[0])
    name = os.path.basename(stem)
    clock, directions = pair(a, b)
    bound = 50 * MICRO + clock["asymmetry_ns"]
    worst = abs(clock["offset_ns"])
    shifted, _ = pair(a, b, 10**9, 50)
    swapped, turned = pair(b, a)
    # What was added at the reference: first frame of b to there, at 50 ppm.
    drift = abs(shifted["drift_ppm"] - clock["drift_ppm"] - 50)
    run_ns = 2 * max(1, (shifted["reference_ns"] - min(r["time_ns"] for r in truth if r["row"] == "tcp_info")))
    added = 10**9 + run_ns / 2 * 50e-6
    off = abs(shifted["offset_ns"] - clock["offset_ns"] - added)
    good = worst <= bound and off <= bound and (drift <= 5 or not shifted["drift_known"])
    good &= abs(swapped["offset_ns"] + clock["offset_ns"]) <= 2 * MICRO
    drops = {}
    for d in truth:
        if d["row"] == "drop" and d["payload_bytes"] > 0:
            key = d["source_port"], d["destination_port"]
            drops[key] = drops.get(key, 0) + 1
    lost = sum(d["lost"] for d in directions)
    dropped = sum(drops.get((d["sender_port"], d["receiver_port"]), 0) for d in directions)
    for d in directions:
        good &= d["lost"] == drops.get((d["sender_port"], d["receiver_port"]), 0)
        good &= d["a_first"] == (d["receiver_port"] == 3260) and d["unmatched_second"] == 0
    good &= sum(d["lost"] for d in turned) == lost
    words = ""
    if name in DELAYS:
        late = [d["delay_min_ns"] - DELAYS[name] for d in directions]
        # The shim is never early; what it is late by is the machine's.
        good &= min(late) >= -clock["asymmetry_ns"] // 10 - 50 * MICRO and max(late) < 1_000_000
        words = f", least delay {max(late, key=abs) / 1000:+.0f} µs from the link's"
    results.append((worst, off, drift))
    print(f"{'ok' if good else 'FAILED'}: {name}: offset {clock['offset_ns'] / 1000:+.1f} µs ± "
          f"{clock['asymmetry_ns'] / 1000:.0f}; with 1 s and 50 ppm {off / 1000:.1f} µs off, "
          f"{f'{drift:.2f} ppm' if shifted['drift_known'] else 'too short for the drift'}; "
          f"{lost} lost between the taps, {dropped} dropped{words}")
    return not good


def main():
    folders = sys.argv[1:]
    if not folders and shutil.which("zstd") is None:
        print("SKIPPED: the zstd program is needed to read the compressed truth")
        return 77
    source = os.environ["ISCSISCOPE_SOURCE_DIR"] + "/sample-captures/bundle/"
    stems = [p.split(".truth.jsonl")[0] for f in folders for p in glob.glob(f + "/*.truth.jsonl*")] or \
            [f"{source}{n}/{n}" for n in [*DELAYS, "mcs-unequal", "slow-target", "plain-write"]]
    results = []
    failures = sum(check(stem, results) for stem in stems)
    print(f"FIGURE: two-sided pairs: offset at most {max(r[0] for r in results) / 1000:.1f} µs from the truth, "
          f"{max(r[1] for r in results) / 1000:.1f} µs with a clock set wrong by 1 s and 50 ppm")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
