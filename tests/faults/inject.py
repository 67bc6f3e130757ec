#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Lets the n-th allocation, and the n-th call that reads or writes files, fail, for n = 1, 2, 3... until the program
makes no such call any more. Whatever fails, the program ends by itself: as if nothing had failed, or with a sentence
on standard error, exit code 2 and nothing written.

    inject.py [--short] [--only CASE]
"""
import collections
import concurrent.futures
import json
import os
import sys

from runs import CASES, Run

MOST = 5000  # calls of one kind in one case


def wrong(case, fault, run, plain):
    """What is wrong with a run, in words; empty if nothing is."""
    if run.code < 0:
        return "it ended by signal %d" % -run.code
    if run.code == 0:
        told = "cut short or damaged" in run.words and fault.startswith("io")  # a capture that could not be read on
        if run.output != plain.output and not told:
            return "exit code 0, but the output differs"
        return "" if run.left == plain.left else "exit code 0, but there is %s" % run.left
    if run.code != 2:
        return "exit code %d" % run.code
    if not run.words.startswith("iscsiscope: "):
        return "no sentence on standard error: %r" % run.words
    return ""


def whole_reports(text):
    """Whether a batch in which a capture failed has the whole reports of the others."""
    return all("findings" in report for report in json.loads(text))


def leak(case, run, plain):
    """What a run left behind, in words: files, or blocks of memory beyond those of a run without a fault."""
    if run.code == 2 and run.left and not (case == "batch" and run.left == plain.left and whole_reports(run.output)):
        return "left behind: %s" % run.left
    if run.ended and run.blocks > plain.blocks:  # not known of a run that ended at once (_exit)
        return "%d blocks of memory more than without a fault" % (run.blocks - plain.blocks)
    return ""


def numbers(calls, short, few):
    """The calls to be tried."""
    calls = min(calls + 1, MOST)
    if not short or calls <= few:
        return list(range(1, calls + 1))
    step = max(1, calls // few)
    return sorted({*range(1, few // 3), *range(1, calls + 1, step), *range(calls - few // 6, calls + 1)})


def faults(case, short):
    """Those of one case, with a run without a fault for each kind to be compared with."""
    for kind, few in (("alloc", 40), ("io", 120)):
        plain = Run(case, kind + ":0")
        assert plain.code == 0 and plain.output, (case, plain.code, plain.words)
        for n in numbers(plain.calls, short, few):
            yield "%s:%d" % (kind, n), plain
        if kind == "alloc":  # memory stays short
            for n in numbers(plain.calls, True, 12 if short else 400):
                yield "alloc:%d:on" % n, plain


def main():
    short = "--short" in sys.argv
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    tried, failed, leaked, ends = 0, [], [], collections.Counter()
    for case in [c for c in CASES if only in c]:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            plan = list(faults(case, short))
            for (fault, plain), run in zip(plan, pool.map(lambda p, c=case: Run(c, p[0]), plan)):
                if run.failures == 0:
                    continue  # the program makes fewer calls
                tried += 1
                ends["a sentence at once" if not run.ended else "a sentence" if run.code == 2 else "unaffected" if run.code == 0 else "wrong"] += 1
                for words, list_ in ((wrong(case, fault, run, plain), failed), (leak(case, run, plain), leaked)):
                    if words:
                        list_.append("%s %s: %s" % (case, fault, words))
    for line in (failed + leaked)[:40]:
        print("WRONG: " + line)
    print("faults end in: " + ", ".join("%s %d" % pair for pair in sorted(ends.items())))
    print("FIGURE: faults: %d calls tried, %d failures, %d leaks" % (tried, len(failed), len(leaked)))
    return 1 if failed or leaked or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
