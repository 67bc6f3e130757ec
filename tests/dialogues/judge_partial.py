#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Since when, and which one: judge_partial.py PROGRAM [--count N] [--seed S] [--first K] [--keep FOLDER]

On random dialogues with a fault in a part of the time or of one of many (partial.py): the share of those whose first
finding is right; of these, the share whose times are right (begin and end each within 0.5 s or 5 % of the capture;
throughout said of what holds throughout) and whose place is right (the LUN, connection or type named; none where it is
everywhere). Even numbers are the tuning half, odd ones the judging half."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import partial
import wire

sys.path.append(str(pathlib.Path(__file__).parent / "../support"))
import finding_times  # noqa: E402


def report(program, path):
    run = subprocess.run([program, "report", path, "--format", "json"], capture_output=True, timeout=120, check=True)
    return json.loads(run.stdout)


def right_times(finding, truth, begin, end):
    """None: not judged, too few tasks have the fault."""
    if truth["faulty"] < 4:
        return None
    return finding_times.right(finding["times"], truth["from"], truth["to"], begin, end)


def right_place(finding, truth):
    """None: not judged, so few tasks have the fault that chance may put them anywhere."""
    place = finding["place"]
    if truth["faulty"] < 12:
        return None
    if truth["where"] == "all":
        return place["kind"] is None
    if truth["where"] == "type":
        return place["type"] == truth["type"]
    if truth["where"] == "lun":
        return place["kind"] == "lun" and int(place["lun"]) == truth["lun"] or finding["lun"] == str(truth["lun"])
    hosts = 2 * truth["session"]  # either end's address names the one session that they have
    return any("192.0.2.%d" % (hosts + end) in finding["where"] for end in (1, 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--half", choices=("tuning", "judging"))
    parser.add_argument("--bar", type=float, default=0, help="least percentage of each of the three")
    options = parser.parse_args()
    sums = {half: {"first": [0, 0], "times": [0, 0], "place": [0, 0]} for half in ("tuning", "judging")}
    with tempfile.TemporaryDirectory(prefix="iscsiscope-partial-") as folder:
        folder = options.keep or folder
        os.makedirs(folder, exist_ok=True)
        for number in range(options.first, options.first + options.count):
            half = "judging" if number % 2 else "tuning"
            if options.half not in (None, half):
                continue
            made = partial.Partial(options.seed, number)
            truth = made.truth()
            if truth["from"] is None:
                continue
            path = str(pathlib.Path(folder) / ("%d-%d.pcap" % (options.seed, number)))
            made.dialogue.write(path)
            packets = list(made.dialogue.packets())
            begin, end = packets[0][0] + wire.EPOCH, packets[-1][0] + wire.EPOCH
            truth["from"] += wire.EPOCH
            truth["to"] += wire.EPOCH
            result = report(options.program, path)
            shown = [f for f in result["findings"] if f["severity"] != "info"]
            right = bool(shown) and shown[0]["kind"] in truth["kinds"]
            score = {"first": right}
            if right:
                found = [f for f in shown if f["kind"] in truth["kinds"]]
                score["times"] = finding_times.best([right_times(f, truth, begin, end) for f in found])
                score["place"] = finding_times.best([right_place(f, truth) for f in found])
            for what, good in score.items():
                if good is not None:
                    sums[half][what][0] += good
                    sums[half][what][1] += 1
            if half == "tuning" and not all(v is not False for v in score.values()):
                f = shown[0] if shown else {}
                print("WRONG %d-%d: %s, %s of %s (LUN %d, session %d, %s), %d tasks, %.2f to %.2f of %.2f s: %s; %s; %s; %s" % (
                    options.seed, number, truth["fault"], truth["when"], truth["where"], truth["lun"],
                    truth["session"], truth["type"], truth["faulty"], (truth["from"] - begin) / 1e9,
                    (truth["to"] - begin) / 1e9, (end - begin) / 1e9, ", ".join(k for k, v in score.items() if v is False),
                    f.get("kind"), f.get("where"), f.get("when")))
            if not options.keep:
                os.unlink(path)
    for half, of in sums.items():
        print("FIGURE: partial faults, %s half: first finding right in %d of %d; of these times in %d of %d, place in %d of %d"
              % (half, *of["first"], *of["times"], *of["place"]))
    shares = [100 * sum(of[what][0] for of in sums.values()) / max(1, sum(of[what][1] for of in sums.values()))
              for what in ("first", "times", "place")]
    return 0 if min(shares) >= options.bar else 1


if __name__ == "__main__":
    sys.exit(main())
