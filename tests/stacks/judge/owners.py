#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the owners of the busy time that the program states against the captures at both ends of each run.

In: the program and folders of labelled runs, NAME.json with NAME.{ini,tgt}.pcap.zst beside it or in the folder above
(without a folder: the labelled captures of zoo.py; skipped with exit code 77 if there are none). Out: how many pairs of
captures are right, and the worst; exit code 1 if less than `--bar` are, 2 if the program states no owners.

The truth comes from true_owners.py. Compared are the shares of busy time that belong to the target, to the host and to
the path, which is `network` and `transfer` together, over all connections of a capture. A capture is right if each of
the three lies within 5 points of the truth; a pair is right if both captures are and each of the three differs by at
most 5 points between them. Time whose owner the program does not know is in none of the three. A pair is left out if it
has no answered task, or if it has a connection that one of the captures does not hold whole.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "differential"))

import common  # noqa: E402
import reports  # noqa: E402

TAPS, SHARES = ("ini", "tgt"), ("target", "host", "path")
ALLOWED = 0.05  # of busy time
SOURCES = ("true_owners.py", "tcp_held.py", "spans.py")  # what the truth depends on


class Shares(typing.NamedTuple):
    """Shares of busy time."""

    target: float
    host: float
    path: float
    transfer: float
    network: float
    unknown: float
    busy: int  # ns

    def off(self, other):
        """The largest difference of target, host and path."""
        return max(abs(getattr(self, name) - getattr(other, name)) for name in SHARES)

    def __str__(self):
        parts = [f"{100 * getattr(self, name):5.1f}" for name in SHARES + ("transfer", "unknown")]
        return " ".join(parts) + f" {self.busy / 1e6:9.1f}"


class Pair(typing.NamedTuple):
    """One run: the shares at each tap and the true ones."""

    name: str
    taps: dict
    truth: Shares

    def right_at(self, tap):
        return self.taps[tap].off(self.truth) <= ALLOWED

    @property
    def agree(self):
        return self.taps["ini"].off(self.taps["tgt"]) <= ALLOWED

    @property
    def right(self):
        return self.agree and all(map(self.right_at, TAPS))

    @property
    def worst(self):
        return max(self.taps["ini"].off(self.taps["tgt"]), *(found.off(self.truth) for found in self.taps.values()))


class NoOwners(Exception):
    """The program does not state what is to be judged."""


class Reason(str):
    """Why a run was not compared."""


def shares(figures):
    """The Shares of an object with the times in ns by owner."""
    busy = max(1, figures["busy_ns"])
    part = {name: figures.get(f"{name}_ns", 0) / busy for name in ("target", "host", "transfer", "network", "unknown")}
    return Shares(path=part["transfer"] + part["network"], busy=figures["busy_ns"], **part)


def stated(report):
    """The object with the times in ns by owner that a report states over all connections; None if it has none."""
    return (report.get("owners") or {}).get("all")


def labels(folder):
    """(name, label, {tap: path}) of the runs that have whole captures at both taps"""
    places = folder, os.path.join(folder, "..")
    for file in sorted(os.listdir(folder)):
        name = file.removesuffix(".json")
        if file == name or name.endswith(".walk"):
            continue
        paths = {}
        for tap in TAPS:
            found = [os.path.join(place, f"{name}.{tap}.pcap.zst") for place in places]
            paths |= {tap: path for path in reversed(found) if os.path.exists(path)}
        if len(paths) == len(TAPS):
            with open(os.path.join(folder, file), encoding="utf-8") as text:
                yield name, json.load(text), paths


def version():
    """A name of the scripts that make the truth, which changes with them."""
    found = hashlib.sha256()
    for source in SOURCES:
        with open(os.path.join(HERE, source), "rb") as file:
            found.update(file.read())
    return found.hexdigest()[:12]


def truth(name, label, paths, cache):
    """What true_owners.py prints, kept in the folder `cache` if there is one; a Reason if it failed."""
    kept = cache and os.path.join(cache, f"{name}.{os.path.getsize(paths['tgt'])}.{version()}.json")
    if kept and os.path.exists(kept):
        with open(kept, encoding="utf-8") as text:
            return json.load(text)
    ports = sorted({3260, *(label.get("ports") or [])})
    call = [sys.executable, os.path.join(HERE, "true_owners.py"), paths["ini"], paths["tgt"],
            str(label.get("work_start") or 0), str(label.get("work_end") or 1e10), ",".join(map(str, ports))]
    done = subprocess.run(call, check=False, capture_output=True, text=True)
    if done.returncode:
        return Reason(f"no truth: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
    if kept:
        os.makedirs(cache, exist_ok=True)
        with open(kept, "w", encoding="utf-8") as text:
            text.write(done.stdout)
    return json.loads(done.stdout)


def compare(program, name, label, paths, cache):
    """The Pair of one run, or (name, Reason)."""
    true = truth(name, label, paths, cache)
    if isinstance(true, Reason):
        return name, true
    if not true["answered"] or not true["all"]["busy_ns"]:
        return name, Reason("no answered task")
    if true["left_out"]:
        return name, Reason(f"{true['left_out']} connections that one of the captures does not hold whole")
    taps = {}
    for tap in TAPS:
        answer = reports.report(program, paths[tap])
        if isinstance(answer, reports.Failure):
            return name, Reason(f"no report of {tap}: {answer}")
        figures = stated(answer)
        if figures is None:
            raise NoOwners(f"The report of {name} at {tap} has no key `owners` with an object `all`.")
        taps[tap] = shares(figures)
    return Pair(name, taps, shares(true["all"]))


def runs(options):
    """The labelled runs of the folders, each name once."""
    folders = options.folders
    if not folders:
        top = common.capture_folder()
        folders = [os.path.join(top, "zoo"), top]
    found = {run[0]: run for folder in reversed(folders) if os.path.isdir(folder) for run in labels(folder)
             if options.only in run[0]}
    return list(found.values()) or common.skip(f"no labelled run in {', '.join(folders)}")


def compared(options):
    """What compare() gives of each run."""
    with concurrent.futures.ThreadPoolExecutor(reports.AT_ONCE) as pool:
        waiting = [pool.submit(compare, os.path.abspath(options.program), *run, options.cache) for run in runs(options)]
        try:
            return [one.result() for one in waiting]
        except NoOwners as error:
            pool.shutdown(cancel_futures=True)
            print(error, file=sys.stderr)
            sys.exit(2)


def count(title, right, pairs):
    share = f", {100 * right / len(pairs):.1f} %" if pairs else ""
    common.figure(f"owners {title}: {right} of {len(pairs)} pairs{share}")


def print_wrong(wrong, number):
    if wrong:
        print(f"Wrong ({len(wrong)}), the worst first; % of busy time: target, host, path, transfer within the path, "
              f"unknown; busy time in ms")
    for pair in sorted(wrong, key=lambda pair: -pair.worst)[:number]:
        for title, found in (*pair.taps.items(), ("truth", pair.truth)):
            print(f"  {pair.name if title == 'ini' else '':60} {title:5} {found}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="path of iscsiscope")
    parser.add_argument("folders", nargs="*", help="folders of labelled runs")
    parser.add_argument("--cache", help="folder that keeps the truth of each run")
    parser.add_argument("--only", default="", help="runs whose name contains this")
    parser.add_argument("--bar", type=float, default=95, help="per cent of the pairs that are to be right")
    parser.add_argument("--worst", type=int, default=20, help="number of pairs listed")
    options = parser.parse_args()
    results = compared(options)
    pairs = [found for found in results if isinstance(found, Pair)]
    for tap in TAPS:
        count(f"right at {tap}", sum(pair.right_at(tap) for pair in pairs), pairs)
    count("of which the taps agree", sum(pair.agree for pair in pairs), pairs)
    right = sum(pair.right for pair in pairs)
    count("right at both taps, which agree", right, pairs)
    print_wrong([pair for pair in pairs if not pair.right], options.worst)
    for name, reason in (found for found in results if not isinstance(found, Pair)):
        print(f"  left out: {name}: {reason}")
    sys.exit(0 if 100 * right >= options.bar * len(pairs) else 1)


if __name__ == "__main__":
    main()
