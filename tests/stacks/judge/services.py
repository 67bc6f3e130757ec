#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds `target_service` of the program against the captures at both ends of each run.

In: the program and folders of labelled runs, NAME.json beside NAME.{ini,tgt}.pcap.zst (without one: the labelled captures
of zoo.py; skipped with exit code 77 if there are none). Out: how many medians are right at each tap, and the worst; exit
code 1 if less than nine in ten are right at a tap. The truth comes from true_services.py. A median is taken over the answered READs or
WRITEs of the work of one capture whose service the program states, and compared with the median of the truth of the
same tasks. It counts if there are at least 20 of them; it is right within 10 % or 300 µs. The line `all tasks` compares
with the median of the truth of all tasks instead, also of those that the program leaves unknown.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "differential"))

import common  # noqa: E402

TAPS, KINDS = ("ini", "tgt"), ("read", "write")
FEWEST, SHARE, FLOOR = 20, 0.10, 300_000
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

    @property
    def counts(self):
        return self.stated >= FEWEST

    def right(self, truth):
        return self.counts and abs(self.found - truth) <= max(SHARE * truth, FLOOR)


def middle(values):
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def labels(folder):
    """(name, label, {tap: path}) of the runs that have whole captures at both taps"""
    for file in sorted(os.listdir(folder)):
        name = file.removesuffix(".json")
        paths = {tap: os.path.join(folder, f"{name}.{tap}.pcap.zst") for tap in TAPS}
        if file == name or name.endswith(".walk") or not all(map(os.path.exists, paths.values())):
            continue
        with open(os.path.join(folder, file), encoding="utf-8") as text:
            label = json.load(text)
        if label.get("work_start"):
            yield name, label, paths


def truth(name, label, paths, cache):
    """The rows of true_services.py, which are kept in the folder `cache` if there is one."""
    kept = cache and os.path.join(cache, f"{name}.{os.path.getsize(paths['tgt'])}.json")
    if kept and os.path.exists(kept):
        with open(kept, encoding="utf-8") as text:
            return json.load(text)
    ports = sorted({3260, *(label.get("ports") or [])})
    call = [sys.executable, os.path.join(HERE, "true_services.py"), paths["ini"], paths["tgt"],
            str(label["work_start"]), str(label.get("work_end") or 1e10), ",".join(map(str, ports))]
    done = subprocess.run(call, check=False, capture_output=True, text=True)
    if done.returncode:
        print(f"{name}: no truth: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
        return []
    if kept:
        os.makedirs(cache, exist_ok=True)
        with open(kept, "w", encoding="utf-8") as text:
            text.write(done.stdout)
    return json.loads(done.stdout)


def stated(program, path):
    """(frame of the command, task tag) → service in ns or None"""
    done = subprocess.run([program, "cycles", path, "--format", "jsonl"], check=False, capture_output=True, text=True)
    if done.returncode:
        print(f"{path}: {done.stderr.strip()}")
    return {(row["command_frame"], row["itt"]): row["target_service_ns"]
            for row in map(json.loads, done.stdout.splitlines())}


def compare(program, name, label, paths, cache):
    """The Medians of one run."""
    rows, found = truth(name, label, paths, cache), []
    for place, tap in enumerate(TAPS):
        services = stated(program, paths[tap]) if rows else {}
        for kind in KINDS:
            pairs = [(services.get((row[1 + place], row[3])), row[4]) for row in rows if row[0] == kind]
            if len(pairs) >= FEWEST:
                known = [pair for pair in pairs if pair[0] is not None]
                found.append(Median(name, tap, kind, len(known), len(pairs), middle(p[0] for p in known),
                                    middle(p[1] for p in known), middle(p[1] for p in pairs)))
    return found


def worth(median):
    """How far a median is off, as a multiple of what is allowed."""
    return abs(median.found - median.truth) / max(SHARE * median.truth, FLOOR) if median.counts else 0


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
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="path of iscsiscope")
    parser.add_argument("folders", nargs="*", help="folders of labelled runs")
    parser.add_argument("--cache", help="folder that keeps the truth of each run")
    parser.add_argument("--only", default="", help="runs whose name contains this")
    parser.add_argument("--worst", type=int, default=20, help="number of medians listed")
    options = parser.parse_args()
    folders = options.folders or [os.path.join(common.capture_folder(), "zoo")]
    runs = [run for folder in folders if os.path.isdir(folder) for run in labels(folder) if options.only in run[0]]
    if not runs:
        common.skip(f"no labelled run in {', '.join(folders)}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        medians = [m for found in pool.map(lambda run: compare(options.program, *run, options.cache), runs)
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
