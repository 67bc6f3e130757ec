#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the owners of busy time, and the first finding, that a program reports against the truth of random dialogues.

judge.py PROGRAM [--faults] [--count N] [--seed S] [--first I] [--bar PERCENT] [--first-bar PERCENT] [--keep FOLDER]

A dialogue is right if target, host, network, transfer, the last two together, and the busy time are each within 3 % of
the true busy time, and at most that much is unknown. Ends with 0 if as many are right as the bar says, 99 % without it.

With --faults the dialogues are those of faults.py. Their owners are judged on the connections of the dialogue; and their
first finding, a notice or a problem, is right if its kind is one that the truth names, or, where nothing is wrong, if none
is a problem. Ends with 0 if that reaches its bar too, 95 % without one, and no healthy dialogue is accused.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import faults
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


def owners_of(report, ports):
    """The owners of the connections from these ports of the initiator, as of report["owners"]["all"]."""
    found = dict.fromkeys((*(o + "_ns" for o in OWNERS), "unknown_ns", "busy_ns"), 0)
    for session in report["sessions"]:
        for c in session["connections"]:
            if c["initiator_port"] in ports and c["initiator_address"].startswith("192.0.2."):
                for owner in (*OWNERS, "unknown"):
                    found[owner + "_ns"] += c["busy_%s_ns" % owner] or 0
                found["busy_ns"] += c["busy_ns"] or 0
    return found


def first_mistake(report, first, also=()):
    """What is wrong with the first finding, and with the other one where two are wanted; empty: nothing."""
    shown = [f for f in report["findings"] if f["severity"] != "info"]
    if first:
        kind = shown[0]["kind"] if shown else "none"
        if kind not in (*first, *also):
            return "first is %s, wanted %s" % (kind, " or ".join((*first, *also)))
        missing = [kinds for kinds in (first, also) if kinds and not any(f["kind"] in kinds for f in shown)]
        return "; ".join("%s is not shown" % " or ".join(kinds) for kinds in missing)
    accused = [f["kind"] for f in shown if f["severity"] == "problem"]
    return "accused of %s" % accused[0] if accused else ""


class Judged:
    """Counts of one list of dialogues."""

    def __init__(self):
        self.count = self.owners = self.by_type = self.first = self.healthy = self.accused = 0

    def dialogue(self, dialogue, report):
        truth = dialogue.truth()
        mistakes = wrong(differences(report["owners"]["all"], truth))
        self.count += 1
        self.owners += not mistakes
        self.by_type += rows_right(report, truth)
        return _words(mistakes)

    def scene(self, scene, report):
        ports = {40000 + s.number for s in scene.dialogue.sessions}
        # The truth is that of the whole dialogue.
        mistakes = {} if scene.begins else wrong(differences(owners_of(report, ports), scene.dialogue.truth()))
        first = first_mistake(report, scene.first, scene.also)
        self.count += 1
        self.owners += not mistakes
        self.first += not first
        self.healthy += not scene.first
        self.accused += bool(first and not scene.first)
        text = "; ".join(t for t in (first, _words(mistakes)) if t)
        return text and "%s (%s)" % (text, scene.what)


def _words(mistakes):
    return ", ".join("%s %+.1f %%" % (k, 100 * v) for k, v in mistakes.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--faults", action="store_true", help="dialogues in which something goes wrong")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--bar", type=float, default=99, help="per cent whose owners have to be right (default: 99)")
    parser.add_argument("--first-bar", type=float, default=95,
                        help="per cent whose first finding has to be right (default: 95)")
    parser.add_argument("--keep", help="leave the captures in this folder")
    options = parser.parse_args()
    judged = Judged()
    made, judge = (faults.make, judged.scene) if options.faults else (random_dialogues.make, judged.dialogue)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for number in range(options.first, options.first + options.count):
            dialogue = made(options.seed, number)
            capture = os.path.join(folder, "%s-%03d.pcap" % (options.seed, number))
            dialogue.write(capture)
            mistakes = judge(dialogue, reported(options.program, capture))
            if mistakes:
                print("WRONG: %s-%03d: %s" % (options.seed, number, mistakes), flush=True)
            if not options.keep:
                os.remove(capture)
    print("FIGURE: dialogues: owners right in %d of %d (bar %g %%)%s" % (
        judged.owners, judged.count, options.bar,
        "" if options.faults else "; by type as well in %d" % judged.by_type))
    good = 100 * judged.owners >= options.bar * judged.count
    if options.faults:
        print("FIGURE: dialogues: first finding right in %d of %d (bar %g %%); %d of %d healthy ones accused" % (
            judged.first, judged.count, options.first_bar, judged.accused, judged.healthy))
        good = good and 100 * judged.first >= options.first_bar * judged.count and not judged.accused
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
