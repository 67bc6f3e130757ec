#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges the program on a folder of labelled runs of other people's stacks and prints the tables.

In: the program and a folder of runs (runs.py states what a label holds). Out: for each stack a table with a line for
each fault, strength and tap; totals; PDU counts and login outcomes that differ; figures against the truth; the runs
that were discarded because their evidence does not show their fault. `--markdown FILE` writes the same tables as
Markdown, `--jsonl FILE` one line for each capture judged and each run discarded, `--half` judges one half of the
scenarios only (halves.py). Round trips and service times are in
milliseconds, throughput in MB/s (1000000 bytes). Exit code 1 if a label cannot be used, the program made no report of
a capture, or its PDU counts or login outcomes differ from the walk's, 2 if there is nothing to judge; findings that are
wrong do not change the exit code.
"""

import argparse
import dataclasses
import json
import os
import sys

import figures
import halves
import layout
import pdus
import reports
import runs
import summary
import verdict


def record(run, view, answer):
    """What is known of one capture, ready for JSON. `answer` is the report or a Failure."""
    failed = isinstance(answer, reports.Failure)
    label = run.label
    if view not in runs.TAPS:  # a report of a cut or one-sided capture may begin with that
        label = {**label, "allowed": [*label.get("allowed", []), "capture_quality"]}
    v = verdict.no_report(label, answer) if failed else verdict.judge(label, answer)
    # A view of a tap (cut packets, a late start) need not hold the PDUs that the evidence counted at the tap.
    tap = (run.evidence or {}).get(view) if view in runs.TAPS else None
    walked = not failed and tap is not None and pdus.comparable(tap)
    return {
        "name": run.name, "stack": run.stack, "fault": run.fault, "strength": run.strength, "loop": run.loop,
        "half": halves.half_of(run.stack, run.fault), "seed": run.label.get("seed"), "drawn": run.label.get("drawn"), "tap": view, "want": run.label["want"],
        "want_severity": run.label["want_severity"], "faulty": v.faulty, "found": v.found, "word": v.word,
        "found_severity": v.found_severity, "right": v.right, "severity_right": v.severity_right,
        "accused": list(v.accused), "sentence": v.sentence, "report": not failed,
        "pdu_differences": pdus.compare_pdus(tap, answer) if walked else None,
        "figures": [] if failed or run.evidence is None else
                   [dataclasses.asdict(row) for row in figures.compare_figures(run.evidence, answer)],
    }


def judged(program, all_runs):
    """Yields the record of each view of each run."""
    work = [(run, view, path) for run in all_runs for view, path in run.captures.items()]
    for (run, view, _), answer in zip(work, reports.reports(program, [path for *_, path in work])):
        yield record(run, view, answer)


def discarded_record(run):
    return {"name": run.name, "stack": run.stack, "fault": run.fault, "strength": run.strength,
            "seed": run.label.get("seed"), "discarded": run.sentence}


def write_lines(path, records):
    with open(path, "w", encoding="utf-8") as out:
        for one in records:
            out.write(json.dumps(one, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="path of iscsiscope")
    parser.add_argument("folder", help="folder of labels and captures")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables there as Markdown")
    parser.add_argument("--jsonl", metavar="FILE", help="write what is known of each capture there as JSON lines")
    halves.add_option(parser)
    options = parser.parse_args()
    all_runs, bad = runs.read_all(options.folder)
    for sentence in bad:
        print(f"LABEL LEFT OUT: {sentence}", file=sys.stderr)
    all_runs = [r for r in all_runs if options.half in (None, halves.half_of(r.stack, r.fault))]
    if not all_runs:
        print(f"There is no usable label in {options.folder}.", file=sys.stderr)
        sys.exit(2)
    kept, discarded = [r for r in all_runs if r.shown], [r for r in all_runs if not r.shown]
    records = list(judged(os.path.abspath(options.program), kept))
    tables = summary.tables(records, kept, discarded)
    print("\n\n".join(layout.text(t) for t in tables))
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as out:
            out.write("\n\n".join(layout.markdown(t) for t in tables) + "\n")
    if options.jsonl:
        write_lines(options.jsonl, records + [discarded_record(r) for r in discarded])
    failed = bad or not all(r["report"] for r in records) or any(r["pdu_differences"] for r in records)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
