#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""For each kind of finding a capture of other people's stacks on which it is right, and one that rules it out.

In: the program and folders of labelled runs (judge/runs.py); the labelled captures beside them (judge/zoo.py). Out: a
Markdown table: kind; stack, run and tap where the label wants the kind and the report shows it first; another stack,
run and tap where the report rules it out, with its reason. Of the reasons the longest with a figure is taken of those
runs whose label does not want the kind. A dash: there is none in these runs. It judges nothing and always exits with 0.
"""

import os
import sys
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "judge"))

import reports  # noqa: E402
import runs  # noqa: E402
import verdict  # noqa: E402
import zoo  # noqa: E402


class Capture(typing.NamedTuple):
    """A capture with its label."""

    stack: str
    name: str
    tap: str
    label: dict
    path: str

    def words(self):
        return f"{self.stack}: `{self.name}` {self.tap}"


def captures(folders):
    """All captures at whole taps: the labelled ones, then those of the folders."""
    for case in zoo.cases():
        target = "tgtd" if "_tgt_" in case.name else "lio"
        yield Capture(f"open-iscsi+{target}", case.name, case.tap, case.label, case.path)
    for folder in folders:
        for run in runs.read_all(folder)[0]:
            if run.shown:
                for tap in runs.TAPS:
                    if tap in run.captures:
                        yield Capture(run.stack, run.name, tap, run.label, run.captures[tap])


def wants(capture, kind):
    return kind in [*capture.label["want"], *(capture.label.get("allowed") or [])]


def telling(reason):
    """How much a reason shows: figures before none, then its length up to a line."""
    return any(c.isdigit() for c in reason), min(len(reason), 120)


def table(rows):
    """Lines of the table. `rows`: (Capture, report)."""
    right, out = {}, {}
    for capture, report in rows:
        judged = verdict.judge(capture.label, report)
        if judged.faulty and judged.right:
            right.setdefault(judged.found, capture)
    for capture, report in rows:
        for one in report["ruled_out"]:
            kind = one["kind"]
            if wants(capture, kind) or (kind in right and right[kind].stack == capture.stack):
                continue
            if kind not in out or telling(one["why_not"]) > telling(out[kind][1]):
                out[kind] = capture, one["why_not"]
    yield "| finding | right on | ruled out on | reason given |"
    yield "| --- | --- | --- | --- |"
    for kind in sorted(set(right) | set(out)):
        where = right[kind].words() if kind in right else "-"
        other, reason = out.get(kind, (None, "-"))
        yield f"| `{kind}` | {where} | {other.words() if other else '-'} | {reason.replace('|', '/')} |"


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: seen.py PROGRAM FOLDER...")
    found = list(captures(sys.argv[2:]))
    made = reports.reports(sys.argv[1], [capture.path for capture in found])
    rows = [(capture, report) for capture, report in zip(found, made) if not isinstance(report, reports.Failure)]
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
