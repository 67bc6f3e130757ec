# SPDX-License-Identifier: GPL-2.0-or-later
"""The analyzer's command line: a small capture in each format, several captures, comparisons, rows."""
import gzip
import json
import os
import sqlite3
import subprocess
import tempfile

from faulted import SOURCE, Faulted

PROGRAM = os.environ["ISCSISCOPE"]


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


def whole_reports(text):
    """Whether a batch in which a capture failed has the whole reports of the others."""
    return all("findings" in report for report in json.loads(text))


class AnalyzerRun(Faulted):
    """output: what was written, None for nothing."""

    def command(self, out):
        arguments, self.name = CASES[self.case]
        return [PROGRAM, *(os.path.join(out, self.name) if a == "OUT" else a for a in arguments)]

    def look(self, out):
        if not self.name:
            self.output = self.printed
        else:
            self.output = content(os.path.join(out, self.name)) if self.name in self.left else None

    def wrong(self, plain):
        if self.code is None or self.code < 0:
            return "it did not end" if self.code is None else "it ended by signal %d" % -self.code
        if self.code == 0:
            # a capture that could not be read on is one that is cut short
            told = "cut short or damaged" in self.words and self.fault.startswith("io")
            if self.output != plain.output and not told:
                return "exit code 0, but the output differs"
            return "" if self.left == plain.left else "exit code 0, but there is %s" % self.left
        if self.code != 2:
            return "exit code %d" % self.code
        if not self.ended:
            return "it ended at once"
        if not self.words.startswith("iscsiscope: "):
            return "no sentence on standard error: %r" % self.words
        return ""

    def leak(self, plain):
        """Files, or blocks of memory beyond those of a run without a fault."""
        partly = self.case == "batch" and self.left == plain.left and whole_reports(self.output)
        if self.code == 2 and self.left and not partly:
            return "left behind: %s" % self.left
        if self.ended and self.blocks > plain.blocks:  # not known of a run that ended at once (_exit)
            return "%d blocks of memory more than without a fault" % (self.blocks - plain.blocks)
        return ""
