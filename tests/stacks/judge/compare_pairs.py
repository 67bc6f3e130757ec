#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds `iscsiscope compare` against pairs of labelled runs of which it is known how their throughput differs.

In: the program and a folder of runs (runs.py states what a label holds). Pairs are runs of one stack that do the same
(reads, writes or both) and whose throughput by the walker, bytes over the time with a Read or Write open, differs by
at least 20 %. Each run stands in one pair at most, with the nearest that differs enough; pairs come from all stacks and
directions in turn. The captures are
those at the initiator (`--tap` changes that). Out: a line for each pair, with the change that is true and the one that
`compare` states, and two FIGURE lines: signs that are right, and sizes (after / before) within 15 % of the true one.
Exit code 1 if one is not, 2 if there is no pair.
"""

import argparse
import itertools
import json
import subprocess
import sys

import figures
import runs

MIN_CHANGE = 0.2  # of the throughput
MARGIN = 0.15  # of after / before


def direction(run):
    """What the run's work does: read, write or both; None if the walker found neither."""
    done = [way for way in ("read", "write") if figures.follow(run.evidence, "throughput", way, "tasks")]
    return None if not done else done[0] if len(done) == 1 else "both"


def true_rate(run):
    return figures.follow(run.evidence, "throughput", "both", "MB_per_s")


def pairs_of(group):
    """Each run with the nearest one whose throughput is higher enough, the two in either order in turn."""
    left = sorted(group, key=true_rate)
    while left:
        low = left.pop(0)
        high = next((run for run in left if true_rate(run) >= (1 + MIN_CHANGE) * true_rate(low)), None)
        if high is not None:
            left.remove(high)
            yield (low, high) if len(left) % 4 < 2 else (high, low)


def choose(found, tap, most):
    """Up to `most` pairs, one of each stack and direction in turn."""
    groups = {}
    for run in found:
        if tap in run.captures and direction(run) and true_rate(run):
            groups.setdefault((run.stack, direction(run)), []).append(run)
    turns = itertools.zip_longest(*(pairs_of(group) for _, group in sorted(groups.items())))
    return [pair for turn in turns for pair in turn if pair is not None][:most]


def stated(program, before, after):
    """after / before of the throughput of Reads and Writes together, as compare states it; and its sentence."""
    done = subprocess.run([program, "compare", before, after, "--format", "json", "--quiet"], capture_output=True,
                          text=True, check=True, timeout=240)
    answer = json.loads(done.stdout)
    change = [d["change"] for d in answer["differences"] if (d["group"], d["name"]) == ("both", "throughput")]
    return 1 + change[0] if change and change[0] is not None else None, answer["sentence"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--tap", choices=runs.TAPS, default="ini")
    parser.add_argument("--pairs", type=int, default=10, metavar="N", help="at most so many (default 10)")
    given = parser.parse_args()
    found = [run for folder in given.folder for run in runs.read_all(folder)[0]]
    pairs = choose(found, given.tap, given.pairs)
    if not pairs:
        print("no two runs of one stack and direction differ enough")
        return 2
    signs = sizes = 0
    for before, after in pairs:
        true = true_rate(after) / true_rate(before)
        found_ratio, sentence = stated(given.program, before.captures[given.tap], after.captures[given.tap])
        sign = found_ratio is not None and (found_ratio > 1) == (true > 1)
        size = found_ratio is not None and abs(found_ratio / true - 1) <= MARGIN
        signs, sizes = signs + sign, sizes + size
        shown = "-" if found_ratio is None else f"{found_ratio - 1:+.1%}"
        print(f"{before.name} → {after.name}: true {true - 1:+.1%}, stated {shown}"
              f"{'' if sign else '  WRONG SIGN'}{'' if size else '  WRONG SIZE'}\n    {sentence}")
    print(f"FIGURE: compare: {signs} of {len(pairs)} signs right")
    print(f"FIGURE: compare: {sizes} of {len(pairs)} sizes within {MARGIN:.0%}")
    return 0 if signs == sizes == len(pairs) else 1


if __name__ == "__main__":
    sys.exit(main())
