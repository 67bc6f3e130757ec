#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""live.py: which runs it lets pass, makes again, and calls wrong; and its measure, with processors made busy."""
import contextlib
import io
import os
import signal
import subprocess
import sys
import unittest
from unittest import mock

import live


def scenario(**more):
    return {"row": "scenario", "reasons": [], "time_zero_ns": 0, "end_ns": 1_000_000_000, **more}


def shim(stall_ns=0, late_ns=0):
    return {"row": "shim", "longest_stall_ns": stall_ns, "lateness": {"p99_ns": late_ns}}


class Judge(unittest.TestCase):
    def judged(self, attempts, measure):
        """What judge() says of these attempts on a machine of this measure; how many it made; what it printed."""
        left, made, out = list(attempts), [], io.StringIO()

        def attempt(_):
            made.append(left.pop(0))
            return made[-1]

        with mock.patch.object(live.Watch, "starved", lambda _: measure), contextlib.redirect_stdout(out):
            wrong = live.judge("this run", attempt)
        return wrong, len(made), out.getvalue()

    def test_right(self):
        self.assertEqual(self.judged([[]], ""), ([], 1, ""))
        self.assertEqual(self.judged([[]], "others"), ([], 1, ""))

    def test_wrong_and_not_starved_is_wrong_at_once(self):
        self.assertEqual(self.judged([["x"], []], ""), (["x"], 1, ""))

    def test_wrong_and_starved_is_made_again(self):
        wrong, made, out = self.judged([["x"], ["x"], []], "others")
        self.assertEqual((wrong, made), ([], 3))
        self.assertNotIn("NOT JUDGED", out)
        wrong, made, out = self.judged([["x"], ["x"], ["x"]], "others")
        self.assertEqual((wrong, made), ([], 3))
        self.assertEqual(out.splitlines()[-1], "NOT JUDGED: this run: others")

    def test_the_run_says_it_was_starved(self):
        wrong, made, out = self.judged([(["x"], "late"), (["y"], "")], "")
        self.assertEqual((wrong, made), (["y"], 2))
        self.assertIn("starved (late)", out)

    def test_what_is_wrong_on_any_machine(self):
        self.assertEqual(self.judged([(["x"], None)], "others"), (["x"], 1, ""))


class Truth(unittest.TestCase):
    def test_measures(self):
        program = {"row": "program", "waited_for_processor_ns": 60_000_000}
        for rows, words in (([scenario(), shim()], ""), ([], ""),
                            ([scenario(reasons=["the shim stalled for 1 s"])], "the shim stalled"),
                            ([scenario(reasons=["initiator ended with exit code 2"])], ""),
                            ([scenario(), shim(stall_ns=30_000_000)], "the shim stalled for 30 ms"),
                            ([scenario(), shim(late_ns=2_000_000)], "1 packet in 100 was 2.0 ms late"),
                            ([scenario(), shim(), program], "a program waited for a processor for 6% of the run")):
            self.assertEqual(live.starved_by_truth(rows)[:len(words) or None], words)

    def test_a_run_that_was_slow_by_itself_has_no_excuse(self):
        rows, alone, crowded = [scenario(), shim(30_000_000)], mock.Mock(), mock.Mock()
        alone.crowded.return_value, crowded.crowded.return_value = False, True
        self.assertEqual(live.starved_by_truth(rows, alone), "")
        self.assertNotEqual(live.starved_by_truth(rows, crowded), "")


class Measure(unittest.TestCase):
    SPIN = [sys.executable, "-c", "import time\nends = time.process_time() + 0.6\nwhile time.process_time() < ends: pass"]

    def test_own_children_are_not_others(self):
        """What they used is known while they run and when they have ended; else it would be another's, and starve."""
        before, number = live._own(), 2 * os.cpu_count()
        children = [subprocess.Popen(self.SPIN) for _ in range(number)]
        self.assertTrue(live.at_its_time(lambda: live._own() - before > 0.3))
        self.assertIsNone(children[-1].poll())
        for child in children:
            child.wait()
        self.assertGreaterEqual(live._own() - before, 0.58 * number)
        with mock.patch.object(live, "_own", lambda: 0.0), live.Watch() as blind:
            for child in [subprocess.Popen(self.SPIN) for _ in range(number)]:
                child.wait()
        self.assertTrue(blind.starved())

    def test_handled_signals(self):
        child = subprocess.Popen([sys.executable, "-c", "import signal, time\n"
                                  "signal.signal(signal.SIGUSR1, lambda *_: None)\ntime.sleep(600)"])
        try:
            self.assertTrue(live.at_its_time(lambda: live.handles(child.pid, signal.SIGUSR1)))
            self.assertFalse(live.handles(child.pid, signal.SIGUSR2))
        finally:
            child.kill()
            child.wait()


if __name__ == "__main__":
    unittest.main()
