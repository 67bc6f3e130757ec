#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Lets the n-th allocation, and the n-th call that reads or writes files, fail, for n = 1, 2, 3... until the program
makes no such call any more or n is 5000; of later calls, the first of each call site. Whatever fails, the program ends
by itself: as if nothing had failed, or with a sentence on standard error and an exit code, and nothing half written.

"""
import argparse
import collections
import concurrent.futures
import os
import sys

import analyzer_run
import testbed_run

sys.path.insert(0, os.path.join(os.environ["ISCSISCOPE_SOURCE_DIR"], "tests", "support"))
import live

MOST = 5000  # calls of one kind in one case
RUNS = {"analyzer": (analyzer_run.CASES, analyzer_run.AnalyzerRun),
        "testbed": (testbed_run.CASES, testbed_run.TestbedRun)}
CASES = {case: run for cases, run in RUNS.values() for case in cases}


def spread(calls, few):
    """Some of so many calls: the first, the last, and between them."""
    if calls <= few:
        return list(range(1, calls + 1))
    step = max(1, calls // few)
    return sorted({*range(1, few // 3), *range(1, calls + 1, step), *range(calls - few // 6, calls + 1)})


def sites(run, case, kind):
    """The numbers of the first calls from each call site."""
    return [int(line.split()[1]) for line in run(case, kind + ":sites").trace if line.startswith("site ")]


def without_fault(case, kind):
    """A run with which others are compared; None if the machine lets none count (a run of the testbed, exit code 1)."""
    runs = []

    def attempt(_):
        runs.append(CASES[case](case, kind + ":0"))
        plain = runs[-1]
        assert not plain.wrong(plain) and not plain.leak(plain), (case, plain.code, plain.words)
        wrong = [] if plain.code == 0 else ["exit code %s: %s" % (plain.code, plain.words)]
        return (wrong, "" if plain.code == 1 and case in testbed_run.CASES else None)

    wrong = live.judge("faults: %s without a fault" % case, attempt)
    assert not wrong, (case, wrong)
    return runs[-1] if runs[-1].code == 0 else None


def faults(case, short):
    """Those of one case, with a run without a fault for each kind to be compared with."""
    run = CASES[case]
    for kind, few in (("alloc", 40), ("io", 120)):
        plain = without_fault(case, kind)
        if plain is None:
            continue
        if short:
            numbers = spread(plain.calls, few)
        else:
            numbers = [*range(1, min(plain.calls, MOST) + 1), *(n for n in sites(run, case, kind) if n > MOST)]
        for n in numbers:
            yield "%s:%d" % (kind, n), plain
        if kind == "alloc":  # memory stays short
            for n in spread(min(plain.calls, MOST), 12 if short else 400):
                yield "alloc:%d:on" % n, plain


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a choice of calls")
    parser.add_argument("--of", choices=RUNS, help="the cases of one program")
    parser.add_argument("--only", default="", help="cases that have this in their names")
    given = parser.parse_args()
    cases = [c for c in (RUNS[given.of][0] if given.of else CASES) if given.only in c]
    if not cases:
        parser.error("there is no such case")
    tried, failed, leaked, ends = 0, [], [], collections.Counter()
    for case in cases:
        if case in testbed_run.CASES and (why := testbed_run.impossible()):
            print("SKIPPED: %s: %s" % (case, why))
            continue
        plan, before = list(faults(case, given.short)), tried
        workers = os.cpu_count() * (4 if case in testbed_run.CASES else 1)  # a run there mostly waits
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for (fault, plain), run in zip(plan, pool.map(lambda p, c=case: CASES[c](c, p[0]), plan)):
                if run.failures == 0:
                    continue  # the program made fewer calls
                tried += 1
                ends[run.outcome()] += 1
                for words, list_ in ((run.wrong(plain), failed), (run.leak(plain), leaked)):
                    if words:
                        list_.append("%s %s: %s" % (case, fault, words))
        print("%s: %d calls" % (case, tried - before), flush=True)
    for line in (failed + leaked)[:40]:
        print("WRONG: " + line)
    print("faults end in: " + ", ".join("%s %d" % pair for pair in sorted(ends.items())))
    print("FIGURE: faults: %d calls tried, %d failures, %d leaks" % (tried, len(failed), len(leaked)))
    if tried == 0:
        return 77
    return 1 if failed or leaked else 0


if __name__ == "__main__":
    sys.exit(main())
