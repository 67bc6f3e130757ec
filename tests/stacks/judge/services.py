#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds `target_service` of the program against the captures at both ends of each run.

In: the program and folders of labelled runs, NAME.json beside NAME.{ini,tgt}.pcap.zst (without one: the labelled captures
of zoo.py; skipped with exit code 77 if there are none). Out: how many medians are right at each tap, and the worst; exit
code 1 if less than nine in ten are right at a tap. The truth comes from true_services.py. A median is taken over the answered READs or
WRITEs of the work of one capture whose service the program states, and compared with the median of the truth of the
same tasks. It counts if there are at least 20 of them; it is right within 10 % or 300 µs (`--exact`, for runs in
virtual time: 1 % or 20 µs). The line `all tasks` compares
with the median of the truth of all tasks instead, also of those that the program leaves unknown.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "differential"))

import both_ends  # noqa: E402
import common  # noqa: E402
from runs import TAPS  # noqa: E402

KINDS = ("read", "write")
FEWEST = 20
WITHIN, EXACT = (0.10, 300_000), (0.01, 20_000)    # share of the truth, or ns
BAR = 0.9  # share of the medians that is to be right at each tap


class Median(typing.NamedTuple):
    """One comparison; times in ns."""

    name: str
    tap: str
    kind: str
    stated: int  # tasks with a service
    tasks: int
    found: int | None
    truth: int | None  # of the same tasks
    truth_of_all: int
    within: tuple

    @property
    def counts(self):
        return self.stated >= FEWEST

    def right(self, truth):
        return self.counts and abs(self.found - truth) <= self.allowed(truth)

    def allowed(self, truth):
        return max(self.within[0] * truth, self.within[1])


def middle(values):
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def stated(program, path):
    """(frame of the command, task tag) → service in ns or None"""
    done = subprocess.run([program, "cycles", path, "--format", "jsonl"], check=False, capture_output=True, text=True)
    if done.returncode:
        print(f"{path}: {done.stderr.strip()}")
    return {(row["command_frame"], row["itt"]): row["target_service_ns"]
            for row in map(json.loads, done.stdout.splitlines())}


def compare(program, run, cache, within):
    """The Medians of one run."""
    rows, found = both_ends.truth(run, ("true_services.py",), cache), []
    if isinstance(rows, both_ends.Reason):
        print(f"{run.name}: {rows}")
        return []
    for place, tap in enumerate(TAPS):
        services = stated(program, run.paths[tap]) if rows else {}
        for kind in KINDS:
            pairs = [(services.get((row[1 + place], row[3])), row[4]) for row in rows if row[0] == kind]
            if len(pairs) >= FEWEST:
                known = [pair for pair in pairs if pair[0] is not None]
                found.append(Median(run.name, tap, kind, len(known), len(pairs), middle(p[0] for p in known),
                                    middle(p[1] for p in known), middle(p[1] for p in pairs), within))
    return found


def worth(median):
    """How far a median is off, as a multiple of what is allowed."""
    return abs(median.found - median.truth) / median.allowed(median.truth) if median.counts else 0


def print_tap(tap, medians):
    """Prints the figures of one tap. Returns whether enough medians are right."""
    counted = [m for m in medians if m.counts]
    right, whole = sum(m.right(m.truth) for m in counted), sum(m.right(m.truth_of_all) for m in counted)
    share = f", {100 * right / len(counted):.1f} %" if counted else ""
    common.figure(f"target_service at {tap}: right {right} of {len(counted)} medians{share}; "
                  f"too few tasks known in {len(medians) - len(counted)} of {len(medians)}")
    common.figure(f"target_service at {tap}, all tasks: right {whole} of {len(counted)}; "
                  f"known for {sum(m.stated for m in medians)} of {sum(m.tasks for m in medians)} tasks")
    return right >= BAR * len(counted)


def main():
    parser = both_ends.arguments(__doc__, "medians")
    parser.add_argument("--exact", action="store_true", help="the bars of runs in virtual time")
    options = parser.parse_args()
    within = EXACT if options.exact else WITHIN
    folders = options.folders or [os.path.join(common.capture_folder(), "zoo")]
    runs = [run for run in both_ends.labelled(folders, options.only) if run.label.get("work_start")]
    if not runs:
        common.skip(f"no labelled run in {', '.join(folders)}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        medians = [m for found in pool.map(lambda run: compare(options.program, run, options.cache, within), runs)
                   for m in found]
    enough = [print_tap(tap, [m for m in medians if m.tap == tap]) for tap in TAPS]
    wrong = [m for m in medians if m.counts and not m.right(m.truth)]
    print(f"Wrong ({len(wrong)}), the worst first; ms: stated, true of the same tasks, true of all")
    for m in sorted(wrong, key=worth, reverse=True)[:options.worst]:
        print(f"  {m.name:52} {m.tap} {m.kind:5} {m.found / 1e6:9.3f} {m.truth / 1e6:9.3f} {m.truth_of_all / 1e6:9.3f}"
              f"  known {m.stated} of {m.tasks}")
    for m in medians:
        if not m.counts:
            print(f"  {m.name:52} {m.tap} {m.kind:5} too few known: {m.stated} of {m.tasks}, "
                  f"true {m.truth_of_all / 1e6:.3f}")
    sys.exit(0 if all(enough) else 1)


if __name__ == "__main__":
    main()
