#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the owners of busy time that a program reports against the truth of random dialogues.

judge.py PROGRAM [--count N] [--seed S] [--first I] [--bar PERCENT] [--keep FOLDER]

A dialogue is right if target, host, network, transfer, the last two together, and the busy time are each within 3 % of
the true busy time, and at most that much is unknown. Ends with 0 if as many are right as the bar says, 99 % without it.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import random_dialogues
from ledger import OWNERS

NEAR = 0.03


def reported(program, capture):
    done = subprocess.run([program, "report", capture, "--format", "json"], capture_output=True, check=True,
                          timeout=120)
    return json.loads(done.stdout)


def differences(owners, truth):
    """Of each owner reported less true, as a share of the true busy time."""
    busy = max(1, truth["busy_ns"])
    found = {owner: (owners[owner + "_ns"] - truth["owners"][owner]) / busy for owner in OWNERS}
    found["way"] = found["transfer"] + found["network"]
    found["unknown"] = owners["unknown_ns"] / busy
    found["busy"] = owners["busy_ns"] / busy - 1
    return found


def wrong(found):
    return {k: v for k, v in found.items() if abs(v) > NEAR}


def rows_right(report, truth):
    """Whether the owners by type are right as well: a figure beside the bar."""
    for kind in ("read", "write", "control"):
        rows = [r for c in truth["connections"] for (t, _), r in c["rows"].items() if t == kind]
        said = report["owners"]["types"][kind]
        if any(abs(said[o + "_ns"] - sum(r[o] for r in rows)) > NEAR * truth["busy_ns"] for o in OWNERS):
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--bar", type=float, default=99, help="per cent that have to be right (default: 99)")
    parser.add_argument("--keep", help="leave the captures in this folder")
    options = parser.parse_args()
    right = by_type = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for number in range(options.first, options.first + options.count):
            dialogue = random_dialogues.make(options.seed, number)
            capture = os.path.join(folder, "%s-%03d.pcap" % (options.seed, number))
            dialogue.write(capture)
            truth, report = dialogue.truth(), reported(options.program, capture)
            mistakes = wrong(differences(report["owners"]["all"], truth))
            right += not mistakes
            by_type += rows_right(report, truth)
            if mistakes:
                print("WRONG: %s-%03d: %s" % (options.seed, number, ", ".join(
                    "%s %+.1f %%" % (k, 100 * v) for k, v in mistakes.items())), flush=True)
            if not options.keep:
                os.remove(capture)
    print("FIGURE: dialogues: owners right in %d of %d (bar %g %%); by type as well in %d" %
          (right, options.count, options.bar, by_type))
    return 0 if 100 * right >= options.bar * options.count else 1


if __name__ == "__main__":
    sys.exit(main())
