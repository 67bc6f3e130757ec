#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`iscsiscope-testbed papers --quick`: all studies run, every page is written and complete, and what
a study showed once it shows again. A claim is held against this machine only where all runs of its study
were valid; else it is told as skipped. One that fails has its study run a second time, alone: real TCP on
a machine with other work misses a bound now and then, a fault in the code misses it twice.

Environment: ISCSISCOPE_TESTBED (the program). PAPERS_OUT keeps the pages there."""
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

TESTBED = os.environ["ISCSISCOPE_TESTBED"]
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
EXACT = {("mirror", "r2t-example"), ("latency", "packets")}  # no time in it: it holds on any machine


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


def check_latency(data, wrong):
    """What a quick run shows of the claims that it cannot judge: the cycle at 16 ms is 4·d + B/T, with
    four waits."""
    rows = {(row["kind"], row.get("block"), row.get("sending")): row for row in data["points"]
            if row["delay"] == 16 and row["valid"]}
    read, turns = rows.get(("read", "default", "held")), rows.get(("turns", None, None))
    if not read or not turns:
        print("SKIPPED: latency: no valid run at 16 ms")
        return
    model = 4 * read["d_ms"] + 130.560 / turns["layer"]
    waits = read["quiet"]
    print(f"FIGURE: latency: cycle at 16 ms {read['cycle_ms']:.1f} ms, model {model:.1f}, {waits:g} waits")
    if abs(model / read["cycle_ms"] - 1) > 0.09 or read["quiet"] != 4:
        wrong.append("latency: the cycle at 16 ms is not 4·d + B/T with four waits")


@functools.cache
def second_run(study):
    """The claims of a second run of the study, by their ids."""
    with tempfile.TemporaryDirectory(prefix="iscsiscope-papers-") as folder:
        subprocess.run([TESTBED, "papers", study, "--quick", "-o", folder], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        data = load(folder, study)
    return {c["id"]: c for c in data["claims"]}


def fails_again(study, claim):
    """Whether the claim fails in a second run of its study, and what that run says."""
    found = second_run(study)[claim]
    print(f"  {study}, second run: {claim}: {found['verdict']}: {found['measured']}")
    return found["verdict"] not in SHAPE


def main():
    with tempfile.TemporaryDirectory(prefix="iscsiscope-papers-") as temporary:
        folder = os.environ.get("PAPERS_OUT", temporary)
        begin = time.monotonic()
        done = subprocess.run([TESTBED, "papers", "--quick", "-o", folder], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        took = time.monotonic() - begin
        if done.returncode == 2 and ("private network" in done.stderr or "matplotlib" in done.stderr):
            print("SKIPPED: the studies cannot run here:", done.stderr.strip().splitlines()[-1])
            return 77
        if done.returncode not in (0, 1):
            print(done.stderr[-3000:])
            print(f"FAILED: exit code {done.returncode}")
            return 1
        wrong = []
        for study in STUDIES:
            data = load(folder, study)
            check_page(folder, study, data, wrong)
            runs = data["runs"]
            invalid = [r for r in runs if not r["valid"]]
            print(f"FIGURE: {study}: {len(runs)} runs, {len(runs) - len(invalid)} valid, {data['seconds']:.0f} s")
            claims = {c["id"]: c for c in data["claims"]}
            for claim in MUST[study]:
                if claim not in claims:
                    wrong.append(f"{study}: {claim}: is not on the page")
                elif claims[claim]["verdict"] not in SHAPE:
                    told = f"{study}: {claim}: {claims[claim]['verdict']}: {claims[claim]['measured']}"
                    if invalid and (study, claim) not in EXACT:
                        print(f"SKIPPED: {told} (a run is not valid: {invalid[0]['reasons']})")
                    elif (study, claim) in EXACT or fails_again(study, claim):
                        wrong.append(told)
            for c in data["claims"]:
                print(f"  {study}: {c['id']}: {c['verdict']}: {c['measured']}")
                if not c["why"]:
                    wrong.append(f"{study}: {c['id']}: the verdict has no reason")
        check_latency(load(folder, "latency"), wrong)
        index = open(f"{folder}/index.html", encoding="utf-8").read()
        wrong += [f"index: no link to {s}" for s in STUDIES if f'href="{s}.html"' not in index]
        if not os.environ.get("PAPERS_OUT") and os.path.exists(f"{folder}/captures"):
            wrong.append("captures were left behind")
        print(f"FIGURE: papers --quick: all studies in {took:.0f} s (bar 300 s)")
        if took > 300:
            print("SKIPPED: the bar of 300 s was missed; how busy the machine was is not known")
        for line in wrong:
            print("FAILED:", line)
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
