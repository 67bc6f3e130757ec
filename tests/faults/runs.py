# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of the program with the library of faults: what is asked for, and what a run left behind."""
import gzip
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile

PROGRAM = os.environ["ISCSISCOPE"]
LIBRARY = os.environ["ISCSISCOPE_FAULTS"]
SOURCE = os.environ["ISCSISCOPE_SOURCE_DIR"]


def bundled(name):
    return os.path.join(SOURCE, "sample-captures", "bundle", name.split(".")[0], name + ".pcapng.zst")


# Arguments of each case, and the output's name (empty: standard output); OUT stands for its path.
SMALL, OTHER = bundled("delayed-ack.initiator"), bundled("delayed-ack.target")
MADE = tempfile.TemporaryDirectory(prefix="iscsiscope-faults-")
PACKED = os.path.join(MADE.name, "small.pcapng.gz")
with open(PACKED, "wb") as file:
    file.write(gzip.compress(subprocess.run(["zstd", "-dcq", SMALL], check=True, capture_output=True).stdout))

CASES = {
    "text": (["report", SMALL], ""),
    "json": (["report", SMALL, "--format", "json", "-o", "OUT"], "x.json"),
    "html": (["report", SMALL, "--format", "html", "-o", "OUT"], "x.html"),
    "sqlite": (["report", SMALL, "--format", "sqlite", "-o", "OUT"], "x.db"),
    "csv": (["report", SMALL, "--format", "csv", "-o", "OUT"], "tables"),
    "batch": (["report", SMALL, OTHER, "--jobs", "2", "--format", "json", "--hash", "-o", "OUT"], "batch.json"),
    "gzip": (["gaps", PACKED, "-o", "OUT"], "gaps.csv"),
    "rows": (["cycles", SMALL, "-o", "OUT"], "x.csv"),
    "lines": (["pdus", SMALL, "--format", "jsonl", "-o", "OUT"], "x.jsonl"),
    "compare": (["compare", SMALL, OTHER, "--ends", "-o", "OUT"], "x.txt"),
    "ends": (["compare", SMALL, OTHER, "--ends", "--format", "json", "-o", "OUT"], "x.json"),
    "predict": (["predict", SMALL, "--format", "json", "-o", "OUT"], "x.json"),
    "explain": (["explain", "--format", "json", "-o", "OUT"], "x.json"),
    "anonymous": (["report", SMALL, "--anonymize", "--format", "json", "-o", "OUT"], "a.json"),
}


def content(path):
    """What an output holds, in a form that two runs have in common."""
    if os.path.isdir(path):
        return {name: content(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    if path.endswith(".db"):
        with sqlite3.connect(path) as base:
            return list(base.iterdump())
    with open(path, "rb") as f:
        return f.read()


class Run:
    """One run with a fault, in a folder of its own that is empty before it."""

    def __init__(self, case, fault):
        arguments, name = CASES[case]
        self.folder = tempfile.mkdtemp(prefix="iscsiscope-faults-")
        try:
            out, log = os.path.join(self.folder, "out"), os.path.join(self.folder, "log")
            os.mkdir(out)
            target = os.path.join(out, name)
            environment = {**os.environ, "LD_PRELOAD": LIBRARY, "ISCSISCOPE_FAULT": fault, "ISCSISCOPE_FAULT_LOG": log}
            done = subprocess.run([PROGRAM, *(target if a == "OUT" else a for a in arguments)], capture_output=True,
                                  timeout=120, env=environment, stdin=subprocess.DEVNULL)
            self.code, self.words = done.returncode, done.stderr.decode(errors="replace")
            self.left = sorted(os.listdir(out))
            self.name = name
            self.output = content(target) if name and name in self.left else done.stdout if not name else None
            with open(log, encoding="utf-8") as f:
                self.trace = f.read().splitlines()
            last = re.match(r"calls (-?\d+) blocks (-?\d+) failures (\d+)$", self.trace[-1] if self.trace else "")
            self.ended = last is not None
            self.calls, self.blocks, self.failures = map(int, last.groups()) if last else (0, 0, 1)
        finally:
            shutil.rmtree(self.folder)
