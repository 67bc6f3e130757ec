#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings on the labelled captures of real kernels, at both taps, against the table of what is right.

In: the program, the labelled captures (`$ISCSISCOPE_CAPTURES`, else the captures beside the source tree; with `--set
zoo2` those of the folder zoo2 beside that one; skipped with exit code 77 if there are none) and the set's table in the
folder tables. Out: `FIGURE: …` lines, what is not right yet, and exit
code 1 if a line of the table is no longer true. The table may only grow: `--accept` adds lines that are true now, and
never removes one. A line `NAME TAP kind` states that the first finding is right (verdict.py), `none` being the kind of
a healthy capture without a problem; a line that ends in a severity states that the severity is right as well. A line
holds as well for a kind that its label lists earlier, and for each severity that its label accepts. With `--half` the
captures and lines of one half of the scenarios alone are judged (halves.py).
"""

import argparse
import json
import os
import sys
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "differential"))

import common  # noqa: E402
import halves  # noqa: E402
import reports  # noqa: E402
import verdict  # noqa: E402

TABLES = {name: os.path.join(HERE, "tables", name + ".txt") for name in ("zoo", "zoo2")}
HEADER = """\
# SPDX-License-Identifier: GPL-2.0-or-later
# What is right of the findings on the labelled captures: NAME TAP kind, and the severity where it is right as well.
# `none`: a healthy capture without a problem. zoo.py checks this table, and `zoo.py PROGRAM --accept` adds to it.
"""
TAPS = ("ini", "tgt")


class Case(typing.NamedTuple):
    """One labelled capture at one tap."""

    name: str
    tap: str
    label: dict
    path: str

    @property
    def half(self):
        return halves.half_of(self.name)


def folders_of(name):
    """The folders of a set that are there."""
    top = common.capture_folder()
    beside = os.path.dirname(os.path.normpath(top))
    wanted = (top, os.path.join(top, "zoo")) if name == "zoo" else (os.path.join(beside, name),)
    return [f for f in wanted if os.path.isdir(f)]


def cases(of="zoo"):
    """All cases of a set, by name and tap. A label may lie in another folder than one of its captures."""
    folders = folders_of(of)
    labels = {}
    for folder in folders:
        for file in sorted(os.listdir(folder)):
            if file.endswith(".json") and not file.endswith(".walk.json"):
                with open(os.path.join(folder, file), encoding="utf-8") as text:
                    label = json.load(text)
                if "want" in label:
                    labels[file[:-len(".json")]] = label
    found = []
    for name, label in sorted(labels.items()):
        for tap in TAPS:
            paths = [os.path.join(f, f"{name}.{tap}.pcap.zst") for f in folders]
            found += [Case(name, tap, label, p) for p in paths if os.path.exists(p)][:1]
    if not found:
        common.skip(f"no labelled capture of {of} beside {common.capture_folder()}")
    return found


def judged(program, all_cases):
    """(name, tap) → (Case, Verdict)"""
    answers = reports.reports(program, [c.path for c in all_cases])
    return {(c.name, c.tap): (c, verdict.no_report(c.label, a) if isinstance(a, reports.Failure)
                              else verdict.judge(c.label, a)) for c, a in zip(all_cases, answers)}


def read_table(path):
    """(name, tap) → (kind, severity or None)"""
    table = {}
    if not os.path.exists(path):
        return table
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) not in (3, 4) or (words[0], words[1]) in table:
                sys.exit(f"{path}:{number}: not a line of the form NAME TAP kind [severity], or one name twice")
            table[words[0], words[1]] = (words[2], words[3] if len(words) == 4 else None)
    return table


def row_of(label, result):
    """What the table would state of a verdict: (kind, severity or None), or None if the verdict is wrong."""
    if not result.right:
        return None
    return verdict.as_wanted(label, result.word), result.found_severity if result.faulty and result.severity_right else None


def rank(label, kind):
    """Place of a kind in `want`, 0 first; a kind that is not wanted comes last."""
    kind = verdict.as_wanted(label, kind)
    return label["want"].index(kind) if kind in label["want"] else len(label["want"])


def holds(line, label, result):
    """Whether a line of the table is true of a verdict."""
    kind, severity = line
    if kind not in (label["want"] or ["none"]):
        return False
    return (result.right and rank(label, result.word) <= rank(label, kind)
            and (severity is None or result.severity_right))


def is_better(line, label, result):
    """Whether a verdict is right where no line says so, or says less."""
    row = row_of(label, result)
    if row is None or line is None:
        return row is not None
    return holds(line, label, result) and (rank(label, row[0]) < rank(label, line[0])
                                           or (line[1] is None and row[1] is not None))


def write_table(table, path):
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEADER)
        for (name, tap), (kind, severity) in sorted(table.items()):
            out.write(" ".join([name, tap, kind] + ([severity] if severity else [])) + "\n")


def print_figures(name, results):
    verdicts = [v for _, v in results]
    faulty = [v for v in verdicts if v.faulty]
    healthy = [v for v in verdicts if not v.faulty]
    right = sum(v.right for v in faulty)
    common.figure(f"{name}: right first in {right} of {len(faulty)} faulty captures, each tap counted")
    common.figure(f"{name}: healthy captures accused: {sum(bool(v.accused) for v in healthy)} of {len(healthy)}")
    common.figure(f"{name}: severity right in {sum(v.severity_right for v in faulty)} of the {right} that are right first")
    for half in halves.HALVES:
        print_half(name, half, [v for c, v in results if c.half == half])


def print_half(name, half, verdicts):
    faulty, healthy = ([v for v in verdicts if v.faulty == wanted] for wanted in (True, False))
    if verdicts:
        common.figure(f"{name}, {half} half: {sum(v.right for v in faulty)} of {len(faulty)} right first, "
                      f"{sum(bool(v.accused) for v in healthy)} of {len(healthy)} accused")


def print_wrong(results):
    wrong = [(c, v) for c, v in results if not (v.right and v.severity_right)]
    if wrong:
        print(f"Not right yet ({len(wrong)}):")
    for case, v in wrong:
        severity = "/".join([case.label["want_severity"], *(case.label.get("severity_also_ok") or [])])
        want = f"{'|'.join(case.label['want']) or 'no problem'} {severity if v.faulty else ''}".strip()
        found = " ".join(v.accused) if v.accused else f"{v.word} {v.found_severity or ''}".strip()
        print(f"  {case.name:29} {case.tap}  wanted {want:43} found {found}{'  (severity)' if v.right else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="path of iscsiscope")
    parser.add_argument("--accept", action="store_true", help="add what is right now to the table")
    parser.add_argument("--set", choices=TABLES, default="zoo", help="which labelled captures")
    halves.add_option(parser)
    options = parser.parse_args()
    path = TABLES[options.set]
    results = judged(os.path.abspath(options.program), [c for c in cases(options.set) if options.half in (None, c.half)])
    whole_table = read_table(path)
    table = {k: line for k, line in whole_table.items() if options.half in (None, halves.half_of(k[0]))}
    failures = common.Verdict()
    failures.LIMIT = len(table) + 1
    for key, line in table.items():
        words = " ".join([*key, *filter(None, line)])
        if failures.expect(key in results, f"{words}: the capture or its label is missing"):
            case, v = results[key]
            failures.expect(holds(line, case.label, v), f"{words}: not true. {v.sentence}")
    better = {k: row_of(c.label, v) for k, (c, v) in results.items() if is_better(table.get(k), c.label, v)}
    for key, row in better.items():
        print(f"  {'ADDED' if options.accept else 'NEW'}: {' '.join([*key, *filter(None, row)])}")
    if better and options.accept:
        write_table(whole_table | better, path)
    elif better:
        print(f"Right now and not in the table: {len(better)}; zoo.py PROGRAM --set {options.set} --accept adds them.")
    print_figures(options.set, results.values())
    print_wrong(results.values())
    failures.finish()


if __name__ == "__main__":
    main()
