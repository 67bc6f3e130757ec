#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`iscsiscope-testbed papers NAME --quick` of every study: it runs, its page is written and complete, and what the
study showed once it shows again. Claims rest on times of real TCP, so they are judged by the study's own runs: where
others had the processors, a study that misses a claim is reported as not judged if one of its runs was not valid in three
attempts, and else run again, at most twice (tests/support/live.py). One that was not disturbed and misses a claim has
its study run once more too: real TCP misses a bound now and then, a fault in the code misses it twice.

Environment: ISCSISCOPE_TESTBED (the program). PAPERS_OUT keeps the pages there."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

sys.dont_write_bytecode = True  # nothing is written into the source tree
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import live

TESTBED = os.environ["ISCSISCOPE_TESTBED"]
STUDIES_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "sample-captures")
STUDIES = ["latency", "mirror", "speed-step", "apt", "raid", "mirror-reasons", "apt-reasons",
           "raid-reasons"]
SHAPE = ("reproduced", "same direction")
# What must show again, at least in shape; the others depend on the machine too much.
MUST = {"latency": ["packets", "4mb-rate", "4mb-share"],
        "mirror": ["r2t-example", "ratio"],
        "speed-step": ["cause", "limited"],
        "apt": ["chunk", "converges"],
        "raid": ["two-constant", "buffer-step"],
        "mirror-reasons": [], "apt-reasons": [], "raid-reasons": []}  # additions, without a verdict
EXACT = {("mirror", "r2t-example"), ("latency", "packets")}  # no time in it: it holds in every valid run
# Reasons why a run is not valid that are the machine's (studies/lab.py, docs/testbed.md, "Links"), not a program's.
MACHINE = ("the ", "1 packet in 100")


def svgs(page):
    """The plots of a page, parsed as XML: what is not well formed fails here."""
    found, at = [], 0
    while (at := page.find("<svg", at)) >= 0:
        end = page.index("</svg>", at) + 6
        found.append(ET.fromstring(page[at:end]))
        at = end
    return found


def check_page(folder, study, data, wrong):
    page = open(f"{folder}/{study}.html", encoding="utf-8").read()
    if not svgs(page):
        wrong.append(f"{study}: no figure on the page")
    for needed in ("prefers-color-scheme:dark", "@media print", data["kernel"], data["machine"], "Method"):
        if needed not in page:
            wrong.append(f"{study}: the page does not say {needed}")
    if "http://" in page or "https://" in page or "<script" in page:
        wrong.append(f"{study}: the page is not complete in itself")


def load(folder, study):
    """The figures of a study, as its file has them."""
    with open(f"{folder}/{study}.seed1.json", encoding="utf-8") as file:
        data = json.load(file)
    runs, tables = data["runs"], data["points"]["rows"]
    data["runs"] = [dict(zip(runs["columns"], run)) for group in runs["groups"] for run in group["repeats"]]
    data["points"] = [dict(zip(table["columns"], row)) for table in tables for row in table["rows"]]
    return data


def check_latency(data):
    """What a quick run shows of the claims that it cannot judge: the cycle at 16 ms is 4·d + B/T, with
    four waits."""
    rows = {(row["kind"], row.get("block"), row.get("sending")): row for row in data["points"]
            if row["delay"] == 16 and row["valid"]}
    read, turns = rows.get(("read", "default", "held")), rows.get(("turns", None, None))
    if not read or not turns:
        return ["no valid run at 16 ms"]
    model = 4 * read["d_ms"] + 130.560 / turns["layer"]
    print(f"FIGURE: latency: cycle at 16 ms {read['cycle_ms']:.1f} ms, model {model:.1f}, {read['quiet']:g} waits")
    return ([] if abs(model / read["cycle_ms"] - 1) <= 0.09 and read["quiet"] == 4 else
            ["the cycle at 16 ms is not 4·d + B/T with four waits"])


def not_allowed(done):
    return done.returncode == 2 and ("private network" in done.stderr or "matplotlib" in done.stderr)


def python_of_studies():
    """The interpreter that the testbed takes for them."""
    chosen = os.environ.get("ISCSISCOPE_PYTHON")
    for candidate in [chosen] if chosen else ["python3", "/usr/bin/python3"]:
        asked = subprocess.run([candidate, "-c", "import matplotlib, numpy, pandas"], stderr=subprocess.DEVNULL)
        if asked.returncode == 0:
            return candidate
    raise Skipped("no Python with matplotlib, NumPy and pandas")


class Skipped(Exception):
    """The studies cannot run on this machine."""


class Study:
    """A study in a folder of its own; `wrong` holds what is wrong on any machine."""

    def __init__(self, folder, name, wrong):
        self.folder, self.name, self.wrong = os.path.join(folder, name), name, wrong
        self.made = [f"{self.folder}/{name}{end}" for end in (".seed1.json", ".html")]

    def run(self):
        """The figures of a run of the study, or what is wrong and whether the machine may be why."""
        shutil.rmtree(self.folder, ignore_errors=True)
        done = subprocess.run([TESTBED, "papers", self.name, "--quick", "-o", self.folder], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if not_allowed(done):
            raise Skipped(done.stderr.strip().splitlines()[-1])
        if done.returncode not in (0, 1) or not self.complete():
            print(done.stderr[-3000:])
            # 1 without a page: captures of starved runs may have nothing to measure, their points nothing to draw.
            why = [f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"]
            return None, (why, "" if done.returncode == 1 else None)
        return load(self.folder, self.name), None

    def attempt(self, watch):
        """What is wrong with the claims, and by the runs' own measure why they cannot be judged."""
        data, wrong = self.run()
        if wrong:
            return wrong
        check_page(self.folder, self.name, data, self.wrong)
        if os.path.exists(f"{self.folder}/captures"):
            self.wrong.append(f"{self.name}: captures were left behind")
        invalid = [r for r in data["runs"] if not r["valid"]]
        print(f"FIGURE: {self.name}: {len(data['runs'])} runs, {len(data['runs']) - len(invalid)} valid, "
              f"{data['seconds']:.0f} s", flush=True)
        missed, exact = [], False
        claims = {c["id"]: c for c in data["claims"]}
        for c in data["claims"]:
            print(f"  {self.name}: {c['id']}: {c['verdict']}: {c['measured']}", flush=True)
            if not c["why"]:
                self.wrong.append(f"{self.name}: {c['id']}: the verdict has no reason")
        for claim in MUST[self.name]:
            if claim not in claims:
                self.wrong.append(f"{self.name}: {claim}: is not on the page")
            elif claims[claim]["verdict"] not in SHAPE:
                missed.append(f"{claim}: {claims[claim]['verdict']}: {claims[claim]['measured']}")
                exact |= (self.name, claim) in EXACT and not invalid
        if self.name == "latency":
            missed += check_latency(data)
        reasons = [reason for r in invalid for reason in r["reasons"].split("; ")]
        failed = [reason for reason in reasons if not reason.startswith(MACHINE)]
        if exact or failed and not watch.starved():
            return missed + [f"a run is not valid: {reason}" for reason in failed], None
        if missed and reasons and watch.crowded():  # each such run was repeated twice (studies/lab.py)
            live.not_judged(f"papers: {self.name}", f"{reasons[0]}; it said: {missed[0]}")
            return []
        return missed

    def complete(self):
        return all(map(os.path.exists, self.made))

    def judged(self):
        """What a study misses that was not disturbed, and misses again."""
        name = f"papers: {self.name}"
        return live.judge(name, self.attempt) and live.judge(f"{name}, once more", self.attempt)


def main():
    with tempfile.TemporaryDirectory(prefix="iscsiscope-papers-") as temporary:
        folder = os.environ.get("PAPERS_OUT", temporary)
        os.makedirs(folder, exist_ok=True)
        begin, wrong, pages = time.monotonic(), [], []
        try:
            for study in (Study(folder, name, wrong) for name in STUDIES):
                wrong += [f"{study.name}: {what}" for what in study.judged()]
                if study.complete():  # it is not where no run of a starved machine could be drawn
                    shutil.copy(study.made[0], folder)
                    pages.append(study.name)
        except Skipped as reason:
            print("SKIPPED: the studies cannot run here:", reason)
            return 77
        if pages:  # all of them again, from the results alone
            done = subprocess.run([python_of_studies(), "-B", "-m", "studies", "--pages-only",
                                   "-o", folder], text=True, cwd=STUDIES_FOLDER, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            if done.returncode != 0:
                wrong.append(f"pages from the results: exit code {done.returncode}: {done.stderr[-1000:]}")
            else:
                index = open(f"{folder}/index.html", encoding="utf-8").read()
                wrong += [f"index: no link to {s}" for s in pages if f'href="{s}.html"' not in index]
        print(f"FIGURE: papers --quick: all studies in {time.monotonic() - begin:.0f} s")
        for line in wrong:
            print("FAILED:", line)
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
