# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a folder of labelled runs.

In: a folder with one NAME.json for each run. Its keys: `name`, `stack`, `fault`, `strength` (clean, mild, strong),
`loop` (paced, closed), `seed`, `drawn`, `want`, `want_severity`, `severity_also_ok`, `allowed`, `captures` (view →
file in the folder; the views `ini` and `tgt` are the taps, a view such as `ini-snap96` is a tap with a change),
`shown` (`ok`, `sentence`: whether the evidence shows the fault) and `evidence` (tests/stacks/walker). Out: a list of
Run. JSON files without `captures` are not labels and are left out.
"""

import dataclasses
import json
import os

STRENGTHS = ("clean", "mild", "strong")
TAPS = ("ini", "tgt")
NEEDED = ("name", "stack", "fault", "strength", "want", "want_severity", "captures")


class BadLabel(ValueError):
    """A label that cannot be used, with its file and the reason."""


@dataclasses.dataclass
class Run:
    """One run of a scenario, with the views that were captured of it."""

    name: str
    stack: str
    fault: str
    strength: str
    loop: str | None
    label: dict
    captures: dict  # view → path
    shown: bool  # the evidence shows what the label states
    sentence: str  # of the evidence
    evidence: dict | None


def place(name, order):
    """Sort key: known names in their order, others behind them by name."""
    return (order.index(name), "") if name in order else (len(order), name)


def read(path):
    """Returns the Run of a label file, or None if the file is no label."""
    with open(path, encoding="utf-8") as file:
        try:
            label = json.load(file)
        except json.JSONDecodeError as error:
            raise BadLabel(f"{path}: not JSON ({error})") from error
    if not isinstance(label, dict) or not isinstance(label.get("captures"), dict):
        return None
    missing = [key for key in NEEDED if key not in label]
    if missing:
        raise BadLabel(f"{path}: without {', '.join(missing)}")
    folder = os.path.dirname(path)
    captures = {view: os.path.join(folder, label["captures"][view])
                for view in sorted(label["captures"], key=lambda v: place(v, TAPS))}
    for file in captures.values():
        if not os.path.exists(file):
            raise BadLabel(f"{path}: there is no capture {os.path.basename(file)}")
    shown = label.get("shown") or {"ok": False, "sentence": "The label does not state whether the evidence shows it."}
    return Run(label["name"], label["stack"], label["fault"], label["strength"], label.get("loop"), label, captures,
               bool(shown["ok"]), shown.get("sentence", ""), label.get("evidence"))


def read_all(folder):
    """(runs sorted by stack, fault, strength and name; sentences of labels that cannot be used)"""
    found, bad = [], []
    for file in sorted(os.listdir(folder)):
        if file.endswith(".json"):
            try:
                run = read(os.path.join(folder, file))
            except BadLabel as error:
                bad.append(str(error))
                continue
            if run is not None:
                found.append(run)
    found.sort(key=lambda r: (r.stack, r.fault, place(r.strength, STRENGTHS), r.name))
    return found, bad
