#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Unit checks of judge/halves.py on all cells of the catalogue, and on the names in the table of the given captures.

In: nothing. Out: unittest's output and exit code.
"""

import collections
import contextlib
import io
import os
import sys
import tempfile
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "judge"))

import halves  # noqa: E402
import matrix  # noqa: E402
import runs  # noqa: E402
import zoo  # noqa: E402
from catalogue import access, healthy, keys, loss, path, session, target, windows, work  # noqa: E402,F401
from catalogue.fault import cells  # noqa: E402
from made_up import label, made_report  # noqa: E402


def run_of(fault, stack, strength, loop):
    """A run of a cell as its label would state it."""
    made = label(list(fault.want) if strength != "clean" else [])
    return runs.Run(f"{fault.name}-{'-'.join(stack)}-{strength}-{loop}", "+".join(stack), fault.name, strength, loop,
                    made, {}, True, "", None)


class Catalogue(unittest.TestCase):
    def setUp(self):
        self.runs = [run_of(*cell) for cell in cells()]

    def test_a_scenario_lies_in_one_half(self):
        found = collections.defaultdict(set)
        for run in self.runs:
            for view in (*runs.TAPS, "ini-snap96"):
                found[run.stack, run.fault].add(matrix.record(run, view, made_report())["half"])
        self.assertTrue(all(len(of_scenario) == 1 for of_scenario in found.values()))
        self.assertTrue(any({"clean", "mild", "strong"} <= {run.strength for run in self.runs
                                                            if (run.stack, run.fault) == scenario} for scenario in found))

    def check_sizes(self, found):
        sizes = collections.Counter(found)
        for half in halves.HALVES:
            self.assertTrue(0.45 <= sizes[half] / sizes.total() <= 0.55, sizes)

    def test_halves_are_of_similar_size(self):
        scenarios = {(run.stack, run.fault) for run in self.runs}
        self.check_sizes(halves.half_of(*scenario) for scenario in scenarios)
        for faulty in True, False:
            self.check_sizes(halves.half_of(run.stack, run.fault) for run in self.runs
                             if bool(run.label["want"]) == faulty)


class GivenCaptures(unittest.TestCase):
    def test_both_taps_lie_in_one_half(self):
        cases = [zoo.Case("z01", tap, label([]), "") for tap in zoo.TAPS]
        self.assertEqual(len({case.half for case in cases}), 1)

    def test_halves_are_of_similar_size(self):
        sizes = collections.Counter(halves.half_of(name) for name in {name for name, _ in zoo.read_table(zoo.TABLES["zoo"])})
        for half in halves.HALVES:
            self.assertTrue(0.4 <= sizes[half] / sizes.total() <= 0.6, sizes)

    def test_accepting_one_half_keeps_the_other(self):
        names = {half: [n for n in map(str, range(99)) if halves.half_of(n) == half] for half in halves.HALVES}
        table = {(names[half][0], tap): ("none", None) for half in halves.HALVES for tap in zoo.TAPS}
        cases = [zoo.Case(name, tap, label([], "none"), "") for of_half in names.values() for name in of_half[:2]
                 for tap in zoo.TAPS]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "table")
            with unittest.mock.patch.dict(zoo.TABLES, zoo=path), \
                    unittest.mock.patch.object(zoo, "cases", lambda of: cases), \
                    unittest.mock.patch.object(zoo.reports, "reports", lambda _, paths: [made_report()] * len(paths)), \
                    unittest.mock.patch.object(sys, "argv", ["zoo.py", "program", "--accept", "--half", "tuning"]), \
                    contextlib.redirect_stdout(io.StringIO()), self.assertRaises(SystemExit) as stopped:
                zoo.write_table(table, path)
                zoo.main()
            self.assertEqual(stopped.exception.code, 0)
            added = {(names["tuning"][1], tap): ("none", None) for tap in zoo.TAPS}
            self.assertEqual(zoo.read_table(path), table | added)


if __name__ == "__main__":
    unittest.main()
