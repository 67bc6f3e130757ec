#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The calls by which an output file comes about: its content is on the disk before it gets its name, and its name
before that cannot be guessed."""
import re
import sys
import unittest

from analyzer_run import CASES, AnalyzerRun

TEMPORARY = re.compile(r"/\.iscsiscope-[0-9a-f]{16}\.part\b")


class Order(unittest.TestCase):
    def trace(self, case):
        run = AnalyzerRun(case, "trace")
        self.assertEqual(run.code, 0, run.words)
        return run.trace

    def test_flushed_before_the_name(self):
        for case, (_, name) in CASES.items():
            if not name:
                continue
            calls = self.trace(case)
            final = next(i for i, call in enumerate(calls) if call.startswith("rename ") and call.endswith("/" + name))
            made = [i for i, call in enumerate(calls) if TEMPORARY.search(call) and call.startswith(("open", "mkdir"))]
            self.assertTrue(made, case)
            self.assertLess(made[0], final)
            before = [call for call in calls[:final] if call.startswith("fsync")]
            self.assertGreaterEqual(len(before), 22 if case == "csv" else 1, case)
            self.assertTrue(any(call.startswith("fsync") for call in calls[final:]), "the folder's names, of " + case)

    def test_no_two_names_alike(self):
        names = {TEMPORARY.search(" ".join(self.trace("rows"))).group() for _ in range(8)}
        self.assertEqual(len(names), 8)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
