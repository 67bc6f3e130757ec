#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the owners of the busy time that the program states against the captures at both ends of each run.

In: the program and folders of labelled runs, NAME.json with NAME.{ini,tgt}.pcap.zst beside it or in the folder above
(without a folder: the labelled captures of zoo.py; skipped with exit code 77 if there are none). Out: how many pairs of
captures are right, and the worst; exit code 1 if less than `--bar` are, 2 if the program states no owners.

The truth comes from true_owners.py. Compared are the shares of busy time that belong to the target, to the host and to
the path, which is `network` and `transfer` together, over all connections of a capture. A capture is right if each of
the three lies within 5 points of the truth; a pair is right if both captures are and each of the three differs by at
most 5 points between them (`--points`: another bound). Time whose owner the program does not know is in none of the three. A pair is left out if it
has no answered task, or if it has a connection that one of the captures does not hold whole.
"""

import concurrent.futures
import os
import sys
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "differential"))

import both_ends  # noqa: E402
import common  # noqa: E402
import reports  # noqa: E402
from both_ends import Reason  # noqa: E402
from runs import TAPS  # noqa: E402

SHARES = ("target", "host", "path")
POINTS = 5  # of 100 of busy time
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
    allowed: float    # of busy time

    def right_at(self, tap):
        return self.taps[tap].off(self.truth) <= self.allowed

    @property
    def agree(self):
        return self.taps["ini"].off(self.taps["tgt"]) <= self.allowed

    @property
    def right(self):
        return self.agree and all(map(self.right_at, TAPS))

    @property
    def worst(self):
        return max(self.taps["ini"].off(self.taps["tgt"]), *(found.off(self.truth) for found in self.taps.values()))


class NoOwners(Exception):
    """The program does not state what is to be judged."""


def shares(figures):
    """The Shares of an object with the times in ns by owner."""
    busy = max(1, figures["busy_ns"])
    part = {name: figures.get(f"{name}_ns", 0) / busy for name in ("target", "host", "transfer", "network", "unknown")}
    return Shares(path=part["transfer"] + part["network"], busy=figures["busy_ns"], **part)


def stated(report):
    """The object with the times in ns by owner that a report states over all connections; None if it has none."""
    return (report.get("owners") or {}).get("all")


def compare(program, run, cache, points):
    """The Pair of one run, or (name, Reason)."""
    name, true = run.name, both_ends.truth(run, SOURCES, cache)
    if isinstance(true, Reason):
        return name, true
    if not true["answered"] or not true["all"]["busy_ns"]:
        return name, Reason("no answered task")
    if true["left_out"]:
        return name, Reason(f"{true['left_out']} connections that one of the captures does not hold whole")
    taps = {}
    for tap in TAPS:
        answer = reports.report(program, run.paths[tap])
        if isinstance(answer, reports.Failure):
            return name, Reason(f"no report of {tap}: {answer}")
        figures = stated(answer)
        if figures is None:
            raise NoOwners(f"The report of {name} at {tap} has no key `owners` with an object `all`.")
        taps[tap] = shares(figures)
    return Pair(name, taps, shares(true["all"]), points / 100)


def compared(options):
    """What compare() gives of each run."""
    folders = options.folders
    if not folders:
        top = common.capture_folder()
        folders = [os.path.join(top, "zoo"), top]
    runs = both_ends.labelled(folders, options.only, above=True)
    if not runs:
        common.skip(f"no labelled run in {', '.join(folders)}")
    with concurrent.futures.ThreadPoolExecutor(reports.AT_ONCE) as pool:
        waiting = [pool.submit(compare, os.path.abspath(options.program), run, options.cache, options.points)
                   for run in runs]
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
    parser = both_ends.arguments(__doc__, "pairs")
    parser.add_argument("--bar", type=float, default=95, help="per cent of the pairs that are to be right")
    parser.add_argument("--points", type=float, default=POINTS, help="points of busy time that a share may be off")
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
