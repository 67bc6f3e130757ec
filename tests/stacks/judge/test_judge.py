#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Unit checks of verdict.py, zoo.py, layout.py and matrix.py with made-up labels and reports.

In: nothing. Out: unittest's output and exit code. A script that prints the file it is given stands for the program, so
that a made-up report stands for a capture.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
import unittest.mock

import halves
import layout
import matrix
import verdict
import zoo
from made_up import label, made_report


class VerdictRules(unittest.TestCase):
    def judge(self, wanted, *findings):
        return verdict.judge(wanted, made_report(findings))

    def test_first_finding_of_a_wanted_kind_is_right(self):
        v = self.judge(label(["outage", "packet_loss"]), ("packet_loss", "problem"), ("nagle", "problem"))
        self.assertTrue(v.right and v.severity_right)
        self.assertEqual((v.found, v.found_severity, v.word), ("packet_loss", "problem", "packet_loss"))

    def test_second_finding_is_too_late(self):
        v = self.judge(label(["nagle"]), ("packet_loss", "notice"), ("nagle", "problem"))
        self.assertFalse(v.right or v.severity_right)
        self.assertIn("nagle is wanted", v.sentence)

    def test_nothing_found_is_wrong(self):
        v = self.judge(label(["nagle"]))
        self.assertFalse(v.right)
        self.assertEqual((v.found, v.word), (None, "none"))

    def test_allowed_and_info_do_not_count(self):
        shown = ("queue_depth", "problem"), ("outage", "info"), ("nagle", "problem")
        self.assertTrue(self.judge(label(["nagle"], allowed=["queue_depth"]), *shown).right)
        self.assertFalse(self.judge(label(["nagle"]), *shown).right)
        self.assertEqual(self.judge(label(["outage"], allowed=["queue_depth"]), *shown).found, "nagle")

    def test_info_counts_where_it_is_wanted(self):
        self.assertTrue(self.judge(label(["target_moved"], "info"), ("target_moved", "info")).severity_right)
        self.assertFalse(self.judge(label(["target_moved"]), ("target_moved", "info")).right)

    def test_severity_is_apart_from_the_kind(self):
        v = self.judge(label(["nagle"]), ("nagle", "notice"))
        self.assertTrue(v.right)
        self.assertFalse(v.severity_right)
        self.assertTrue(self.judge(label(["nagle"], also=["notice"]), ("nagle", "notice")).severity_right)

    def test_kind_that_names_the_cause(self):
        self.assertTrue(self.judge(label(["connection_reset"]), ("target_closed", "problem")).right)
        self.assertTrue(self.judge(label(["outage", "nop_timeout"]), ("failover", "problem")).right)
        self.assertFalse(self.judge(label(["connection_reset"]), ("failover", "problem")).right)
        self.assertEqual(zoo.rank(label(["outage", "nop_timeout"]), "failover"), 1)

    def test_healthy_is_accused_by_problems_only(self):
        clean = label([], "none", allowed=["queue_depth"])
        self.assertTrue(self.judge(clean, ("queue_depth", "problem"), ("nagle", "notice")).right)
        v = self.judge(clean, ("nagle", "notice"), ("slow_target", "problem"))
        self.assertEqual((v.right, v.severity_right, v.accused, v.word),
                         (False, False, ("slow_target",), "slow_target"))

    def test_no_report_is_wrong_for_every_label(self):
        self.assertFalse(verdict.no_report(label(["nagle"]), "exit code 2").right)
        self.assertTrue(verdict.no_report(label([], "none"), "exit code 2").accused)


class Table(unittest.TestCase):
    """Lines of the table of the zoo."""

    def holds(self, line, wanted, *findings):
        return zoo.holds(line, wanted, verdict.judge(wanted, made_report(findings)))

    def test_line_holds_for_its_kind_or_one_listed_earlier(self):
        wanted = label(["outage", "packet_loss"])
        self.assertTrue(self.holds(("packet_loss", None), wanted, ("outage", "problem")))
        self.assertFalse(self.holds(("outage", None), wanted, ("packet_loss", "problem")))
        self.assertFalse(self.holds(("nagle", None), wanted, ("outage", "problem")))

    def test_line_with_severity(self):
        wanted = label(["nagle"])
        self.assertFalse(self.holds(("nagle", "problem"), wanted, ("nagle", "notice")))
        self.assertTrue(self.holds(("nagle", None), wanted, ("nagle", "notice")))

    def test_healthy_line(self):
        self.assertTrue(self.holds(("none", None), label([], "none"), ("nagle", "notice")))
        self.assertFalse(self.holds(("none", None), label([], "none"), ("nagle", "problem")))
        self.assertFalse(self.holds(("nagle", None), label([], "none")))

    def test_better_only_where_nothing_is_lost(self):
        wanted = label(["outage", "packet_loss"])
        found = verdict.judge(wanted, made_report([("outage", "notice")]))
        self.assertTrue(zoo.is_better(None, wanted, found))
        self.assertTrue(zoo.is_better(("packet_loss", None), wanted, found))
        self.assertFalse(zoo.is_better(("packet_loss", "problem"), wanted, found))
        self.assertFalse(zoo.is_better(("outage", None), wanted, found))


class Layout(unittest.TestCase):
    def test_wide_cells_are_wrapped_and_nothing_is_lost(self):
        words = [f"kind_{i}×{i}" for i in range(40)]
        table = layout.Table("T", ["a", "found"], [["x", ", ".join(words)], ["x", "none"]], ("found",), ("a",))
        lines = layout.text(table).split("\n")
        self.assertLessEqual(max(map(len, lines)), layout.WIDTH)
        self.assertTrue(all(word in " ".join(lines) for word in words))
        self.assertTrue(lines[-1].startswith("   "))  # the repeated cell is blank
        self.assertEqual(layout.markdown(table).count("\n| x | "), 2)

    def test_empty_table_is_stated(self):
        self.assertIn("none", layout.text(layout.Table("T", ["a"])))


class Matrix(unittest.TestCase):
    """matrix.py as a whole, on a folder of made-up runs."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.program = self.path("program")
        with open(self.program, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nfor last; do :; done\nexec cat "$last"\n')
        os.chmod(self.program, 0o755)
        os.mkdir(self.path("runs"))

    def path(self, *parts):
        return os.path.join(self.folder.name, *parts)

    def write(self, name, content):
        with open(self.path("runs", name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))

    def add(self, name, wanted, ini, tgt, shown=True, **more):
        for tap, answer in (("ini", ini), ("tgt", tgt)):
            self.write(f"{name}.{tap}", answer)
        self.write(name + ".json", wanted | {
            "name": name, "stack": "tgtd", "fault": "nagle", "strength": "mild", "loop": "paced", "seed": 1,
            "drawn": {}, "captures": {"ini": name + ".ini", "tgt": name + ".tgt"},
            "shown": {"ok": shown, "sentence": "No answer was held."},
            "evidence": {"ini": {"pdus": {"SCSI Response": 2, "Data-In": 4}, "connections": []}}} | more)

    def run_matrix(self, *options):
        out = io.StringIO()
        arguments = ["matrix.py", self.program, self.path("runs"), *options]
        with unittest.mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(out), self.assertRaises(SystemExit) as stopped:
            matrix.main()
        return stopped.exception.code, out.getvalue()

    def test_lines_totals_and_files(self):
        held, other = made_report([("nagle", "problem")]), made_report([("slow_target", "problem")])
        self.add("n1", label(["nagle"]), held, held)
        self.add("n2", label(["nagle"]), held, other)
        self.add("c1", label([], "none"), made_report(), other, strength="clean")
        self.add("d1", label(["nagle"]), held, held, shown=False)
        code, shown = self.run_matrix("--markdown", self.path("m.markdown"), "--jsonl", self.path("m.jsonl"))
        self.assertEqual(code, 1, "PDU counts differ")
        rows = [line.split() for line in shown.split("\n")]
        self.assertIn("mild ini 2 nagle nagle 2 of 2 – – –".split(), rows)
        self.assertIn("tgt 2 nagle nagle×1, slow_target×1 1 of 2 ✗ – – –".split(), rows)
        self.assertIn("all 3 of 4 75 % 3 of 3 1 of 2".split(), rows)
        self.assertIn("slow_target 1 c1 tgt".split(), rows)
        self.assertIn("1 of 4 runs (25 %) were not judged", shown)
        self.assertIn("No answer was held.", shown)
        self.assertIn("3 captures were compared with an independent walk; 0 are equal, 3 differ.", shown)
        self.assertIn("Data-In: the report counts 3, the walk 4.", shown)
        with open(self.path("m.markdown"), encoding="utf-8") as file:
            self.assertIn("| nagle | mild | tgt | 2 | nagle | nagle×1, slow_target×1 | 1 of 2 ✗ |", file.read())
        with open(self.path("m.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual([line["name"] for line in lines], ["c1", "c1", "n1", "n1", "n2", "n2", "d1"])
        self.assertEqual([line.get("right") for line in lines], [True, False, True, True, True, False, None])

    def test_halves(self):
        held, other = made_report([("nagle", "problem")]), made_report([("slow_target", "problem")])
        faults = {half: [f for f in map(str, range(99)) if halves.half_of("tgtd", f) == half] for half in halves.HALVES}
        self.add("t1", label(["nagle"]), held, other, fault=faults["tuning"][0])
        self.add("t2", label([], "none"), held, held, fault=faults["tuning"][0], strength="clean")
        self.add("j1", label(["nagle"]), held, held, fault=faults["judging"][0])
        tuning, judging = "half tuning 1 of 2 50 % 1 of 1 2 of 2".split(), "judging 2 of 2 100 % 2 of 2 –".split()
        rows = [line.split() for line in self.run_matrix()[1].split("\n")]
        self.assertIn(tuning, rows)
        self.assertEqual(rows[rows.index(tuning) + 1], judging)
        rows = [line.split() for line in self.run_matrix("--half", "judging")[1].split("\n")]
        self.assertIn(["half", *judging], rows)
        self.assertIn("all 2 of 2 100 % 2 of 2 –".split(), rows)
        self.assertNotIn(tuning, rows)

    def test_wrong_findings_are_no_error(self):
        self.add("n1", label(["nagle"]), made_report([("slow_target", "problem")]), made_report(), evidence=None)
        self.assertEqual(self.run_matrix()[0], 0)

    def test_capture_without_a_report_is_an_error(self):
        self.add("n1", label(["nagle"]), made_report([("nagle", "problem")]), "not JSON")
        code, shown = self.run_matrix()
        self.assertEqual(code, 1)
        self.assertIn("no_report", shown)

    def test_unusable_label_is_stated(self):
        self.write("bad.json", {"captures": {}})
        code, shown = self.run_matrix()
        self.assertEqual(code, 2)
        self.assertIn("without name", shown)


if __name__ == "__main__":
    unittest.main()
