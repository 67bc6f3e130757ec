#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the small captures on which the ordinary tests hold the engine's figures against what the kernel itself knew.

In: the laboratory with its kernel of virtual time (build.sh --virtual). Out, in a folder: NAME.ini.pcap.zst and
NAME.tgt.pcap.zst, NAME.truth.jsonl.zst (truth/kernel_rows.py) and NAME.json: what was done, the window of the work, and
`control`, the congestion control. Nothing is drawn: the same kernel makes the same bytes. Needs root."""

import argparse
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import archive  # noqa: E402
from catalogue.controls import CONTROLS, settings  # noqa: E402
from truth import make  # noqa: E402
from virtual_guest import VirtualGuest  # noqa: E402

KiB = 1024
NAME = "iqn.2026-11.lab.stacks:disk"


def path(delay_ms, more=""):
    return f"netem delay {delay_ms}ms {more} limit 100000".replace("  ", " ")


def plan(name, done, work, delay_ms=5, during=None, control="cubic", lun=None, back_ms=None, events=()):
    """A run (README.md, "A run"). during: tc's words (to the target, to the initiator) while the work goes on; back_ms:
    the delay to the initiator, where it is another."""
    back_ms = delay_ms if back_ms is None else back_ms
    return {"name": name, "what_was_done": done, "control": control, "kernel_events": True,
            "stack": {"initiator": "open-iscsi", "target": "lio"},
            "network": {"to_target": path(delay_ms), "to_initiator": path(back_ms), "ip": 4},
            "sysctl": settings(control),
            "during": {"1": during} if during else {}, "events": list(events), "work": work,
            "target": {"name": NAME, "luns": [lun or {"backing": "memory"}]},
            "initiator": {"settings": {"node.conn[0].timeo.noop_out_interval": 0,
                                       "node.conn[0].timeo.noop_out_timeout": 0}}}


def io(rw, block, depth, ios, **more):
    return [{"rw": rw, "block": block, "depth": depth, "ios": ios, **more}]


def plans():
    """All runs, in order."""
    for control in CONTROLS:
        mark = " ecn" if control == "dctcp" else ""
        what = "netem marks 1 % of the packets with ECN" if mark else "netem drops 1 % of the packets"
        yield plan(f"{control}-read-loss", f"{what} to the initiator, which reads", io("read", 64 * KiB, 8, 20),
                   during=[path(5), path(5, "loss 1%" + mark + " rate 100mbit")], control=control)
        yield plan(f"{control}-write-queue", "the initiator writes into a queue of 30 kB at 50 Mbit/s",
                   io("write", 64 * KiB, 8, 20), during=["tbf rate 50mbit burst 6kb limit 30000", path(10)], control=control)
    slow = {"backing": "slow", "read_ms": 8, "write_ms": 8}
    yield plan("slow-read", "reads from a disk of 8 ms", io("randread", 8 * KiB, 1, 40), delay_ms=2, lun=slow)
    yield plan("slow-read-deep", "four reads at once from a disk of 8 ms", io("randread", 8 * KiB, 4, 80), delay_ms=2,
               lun=slow)
    yield plan("slow-write", "writes to a disk of 8 ms, with R2T", io("randwrite", 64 * KiB, 1, 20), delay_ms=2, lun=slow)
    yield plan("far-read", "one read at a time over 40 ms", io("randread", 8 * KiB, 1, 30), delay_ms=20)
    yield plan("unequal-ways", "3 ms to the target and 9 ms back", io("randrw", 8 * KiB, 2, 60), delay_ms=3, back_ms=9)
    yield plan("lost-tails", "netem drops 5 % of the packets of single small reads", io("randread", 4 * KiB, 1, 120),
               during=[path(5), path(5, "loss 5%")])
    yield plan("outages", "three times nothing gets through for 0.4 s", io("randread", 8 * KiB, 4, 400, rate=130),
               events=[{"at": at + after, "do": "shape", "to_target": path(5, loss), "to_initiator": path(5, loss)}
                       for at in (0.7, 1.6, 2.5) for after, loss in ((0, "loss 100%"), (0.4, ""))])
    yield plan("paced-read", "reads at random moments, 40 a second", io("randread", 8 * KiB, 8, 50, rate=40), delay_ms=2,
               lun=slow)


def keep(run, share, folder):
    """Captures, truth and label of a run."""
    outcome = run["outcome"]
    if outcome.get("error"):
        raise RuntimeError(f"{run['name']}: {outcome['error']}")
    dropped = [tap["dropped"] for tap in outcome["captures"].values()]
    if any(dropped):
        raise RuntimeError(f"{run['name']}: the taps dropped packets: {dropped}")
    for file in [make.of_run(run, f"{share}/out")] + [f"{share}/out/{tap['file']}" for tap in outcome["captures"].values()]:
        archive.compress(file, folder, level=19)
    label = {key: run[key] for key in ("name", "what_was_done", "control", "stack", "network", "during", "events", "work", "target")}
    label |= {"work_start": outcome["work_start"], "work_end": outcome["work_end"], "versions": outcome["versions"]}
    with open(f"{folder}/{run['name']}.json", "w", encoding="utf-8") as file:
        json.dump(label, file, indent=1)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--laboratory", required=True, metavar="FOLDER", help="what build.sh --virtual built")
    parser.add_argument("-o", "--output", default=HERE + "/fixtures", metavar="FOLDER", help="default: fixtures, beside this file")
    parser.add_argument("--only", default="", help="runs whose name contains this")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    guest = VirtualGuest(os.path.abspath(options.laboratory), 0)
    try:
        for seed, one in enumerate(plans(), 1):
            if options.only in one["name"]:
                run = guest.run({**one, "boot_seed": seed})
                keep(run, guest.share, os.path.abspath(options.output))
                print(f"{one['name']}: {run['outcome']['seconds']} s of virtual time in {run['wall_s']} s", flush=True)
    finally:
        guest.stop()
    if shutil.which("du"):
        size = subprocess.run(["du", "-sb", options.output], capture_output=True, text=True, check=True).stdout.split()[0]
        print(f"FIGURE: stacks: {int(size) / 1e6:.2f} MB of captures and truth in {options.output}")


main()
