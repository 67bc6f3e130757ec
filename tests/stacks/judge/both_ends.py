# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs with whole captures at both ends, and what a script finds of the truth in both.

In: folders that hold NAME.ini.pcap.zst and NAME.tgt.pcap.zst, and NAME.json with the label of the run; the script that
finds the truth, called with both captures, begin and end of the work (s since 1970) and the target's ports, which
prints JSON. Out: Runs sorted by name; the JSON, or a Reason if the script failed. A cache folder keeps the JSON of each
run until its capture or one of the sources of the truth changes.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import typing

from runs import TAPS

HERE = os.path.dirname(os.path.abspath(__file__))
WALKER = os.path.join(HERE, "..", "walker")


class Run(typing.NamedTuple):
    """One run with captures at both taps."""

    name: str
    label: dict | None  # None: there is no NAME.json
    paths: dict  # tap → capture


class Reason(str):
    """Why a run has no truth."""


def runs(folder, above=False):
    """The Runs of a folder. With `above` a capture may lie in the folder above that of its label."""
    files = sorted(os.listdir(folder))
    labels = {file.removesuffix(".json") for file in files if file.endswith(".json") and not file.endswith(".walk.json")}
    captured = {file.removesuffix(".ini.pcap.zst") for file in files if file.endswith(".ini.pcap.zst")}
    places = (folder, os.path.join(folder, "..")) if above else (folder,)
    found = []
    for name in sorted(labels | captured):
        paths = {}
        for tap in TAPS:
            candidates = [os.path.join(place, f"{name}.{tap}.pcap.zst") for place in places]
            paths |= {tap: path for path in [*filter(os.path.exists, candidates)][:1]}
        if len(paths) == len(TAPS):
            found.append(Run(name, read_label(folder, name) if name in labels else None, paths))
    return found


def read_label(folder, name):
    with open(os.path.join(folder, name + ".json"), encoding="utf-8") as text:
        return json.load(text)


def labelled(folders, only="", above=False):
    """The Runs of the folders that have a label and `only` in their name, each name once, of the first folder."""
    found = {run.name: run for folder in reversed(folders) if os.path.isdir(folder)
             for run in runs(folder, above) if run.label is not None and only in run.name}
    return list(found.values())


def version(sources):
    """A name of the scripts that make the truth, which changes with them. `sources`: those of this folder."""
    paths = [os.path.join(HERE, source) for source in sources]
    paths += [os.path.join(WALKER, source) for source in sorted(os.listdir(WALKER)) if source.endswith(".py")]
    found = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            found.update(file.read())
    return found.hexdigest()[:12]


def truth(run, sources, cache=None):
    """What the script sources[0] prints of a Run; a Reason if it failed. `cache`: folder that keeps it, or None."""
    kept = cache and os.path.join(cache, f"{run.name}.{os.path.getsize(run.paths['tgt'])}.{version(sources)}.json")
    if kept and os.path.exists(kept):
        with open(kept, encoding="utf-8") as text:
            return json.load(text)
    ports = sorted({3260, *(run.label.get("ports") or [])})
    call = [sys.executable, os.path.join(HERE, sources[0]), *(run.paths[tap] for tap in TAPS),
            str(run.label.get("work_start") or 0), str(run.label.get("work_end") or 1e10), ",".join(map(str, ports))]
    done = subprocess.run(call, check=False, capture_output=True, text=True)
    if done.returncode:
        return Reason(f"no truth: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
    if kept:
        os.makedirs(cache, exist_ok=True)
        with open(kept, "w", encoding="utf-8") as text:
            text.write(done.stdout)
    return json.loads(done.stdout)


def arguments(doc, compared):
    """The parser of a script that holds the program against the truth. `compared`: what it lists the worst of."""
    parser = argparse.ArgumentParser(description=doc.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="path of iscsiscope")
    parser.add_argument("folders", nargs="*", help="folders of labelled runs")
    parser.add_argument("--cache", help="folder that keeps the truth of each run")
    parser.add_argument("--only", default="", help="runs whose name contains this")
    parser.add_argument("--worst", type=int, default=20, help=f"number of {compared} listed")
    return parser
