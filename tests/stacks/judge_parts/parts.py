#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Since when, and which one, on runs of the laboratory: parts.py PROGRAM FOLDER

In: the program and a folder of labelled runs (runs.py). Judged are the runs whose label has a `part` (`from`, `to`, unix
seconds: when the fault was in force, as the guest did it) and the healthy ones. Out: how many have the right finding
first (verdict.py), in how many of these begin and end are right (tests/support/finding_times.py; the capture is that of the
work), in how many the LUN, path or type of `which` is named; how many healthy ones are accused. The half of a run is that of
its seed: even numbers are for tuning, and those that are wrong are printed; odd ones are for judging."""

import argparse
import collections
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE + "/../judge", HERE + "/../../support"]

import finding_times  # noqa: E402
import reports  # noqa: E402
import runs  # noqa: E402
import verdict  # noqa: E402

WHAT = ("first", "times", "which")


def half_of(run):
    return ("tuning", "judging")[run.label["seed"] % 2]


def names(finding, which, report):
    """Whether the finding names the one that the label names."""
    if "lun" in which:
        return finding["lun"] == str(which["lun"]) or finding["place"]["lun"] == str(which["lun"])
    if "type" in which:
        return finding["place"]["type"] == which["type"]
    path = which["portal"].split(".")[2]
    ends = (f"10.20.{path}.2", f"10.10.{path}.1")
    return any(end in finding["where"] for end in ends) or any(
        end in str(connection) for connection in report["connections"] if connection["stream"] == finding["stream"]
        for end in ends)


def scores(run, report):
    """{what: True, False or None where it is not judged}"""
    judged = verdict.judge(run.label, report)
    out = {"first": judged.right}
    if judged.right:
        found = [f for f in verdict.counted(run.label, report["findings"]) if f["kind"] in run.label["want"]]
        part = [int(run.label["part"][key] * 1e9) for key in ("from", "to")]
        work = [int(run.label[key] * 1e9) for key in ("work_start", "work_end")]
        out["times"] = finding_times.best([finding_times.right(f["times"], *part, *work) for f in found])
        if run.label.get("which"):
            out["which"] = any(names(f, run.label["which"], report) for f in found)
    return out


def wrong(run, view, score, report):
    """A line with what is true and what the report says."""
    shown = verdict.counted(run.label, report["findings"])
    first = shown[0] if shown else {"kind": "nothing", "when": "", "where": ""}
    start = run.label["work_start"]
    part = run.label["part"]
    return (f"  {run.name} {view}: wrong {', '.join(what for what, value in score.items() if value is False)}; true: "
            f"{part['from'] - start:.2f} to {part['to'] - start:.2f} of {run.label['work_end'] - start:.2f} s, "
            f"{run.label.get('which')}; {first['kind']} | {first['where']} | {first['when']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="path of iscsiscope")
    parser.add_argument("folder", help="folder of labels and captures")
    options = parser.parse_args()
    all_runs, bad = runs.read_all(options.folder)
    kept = [r for r in all_runs if r.shown and (r.label.get("part") or not r.label["want"])]
    work = [(run, view, path) for run in kept for view, path in run.captures.items() if view in runs.TAPS]
    sums = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    lines, accused = [], collections.defaultdict(lambda: [0, 0])
    for (run, view, _), report in zip(work, reports.reports(options.program, [path for *_, path in work])):
        half = half_of(run)
        if not run.label["want"]:
            kinds = verdict.judge(run.label, report).accused
            accused[half][0] += bool(kinds)
            accused[half][1] += 1
            if kinds and half == "tuning":
                lines.append(f"  {run.name} {view}: healthy, accused of {', '.join(kinds)}")
            continue
        score = scores(run, report)
        for what, good in score.items():
            if good is not None:
                for key in (half, f"{half} {run.fault}"):
                    sums[key][what][0] += good
                    sums[key][what][1] += 1
        if half == "tuning" and False in score.values():
            lines.append(wrong(run, view, score, report))
    print("\n".join(lines))
    for key in sorted(sums):
        print(f"FIGURE: parts: {key}: " + ", ".join(f"{what} {sums[key][what][0]} of {sums[key][what][1]}" for what in WHAT))
    for half, (count, of) in sorted(accused.items()):
        print(f"FIGURE: parts: {half}: {count} of {of} healthy captures accused")
    return 1 if bad or not work else 0


if __name__ == "__main__":
    sys.exit(main())
