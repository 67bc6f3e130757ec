#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`iscsiscope-testbed run --virtual`: what it does with a kernel that ends well, badly, late or not at all.

In: ISCSISCOPE_TESTBED, the program. The kernel is a script that plays one, so that the test needs none; where
ISCSISCOPE_VIRTUAL_KERNEL names a real one, a scenario is run twice in it as well and must give the same bytes."""

import filecmp
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

TESTBED = os.environ["ISCSISCOPE_TESTBED"]
KERNEL = os.environ.get("ISCSISCOPE_VIRTUAL_KERNEL", "")
GOOD = """#!/bin/sh
printf '%s\\n' "$@" >words
echo capture >made/plain-write.initiator.pcapng
echo truth >made/plain-write.truth.jsonl
echo a remark >errors
mkdir -p uml/guest
echo '1 2500000000' >result
"""


class Virtual(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = os.path.join(self.folder.name, "out")

    def tearDown(self):
        self.folder.cleanup()

    def kernel(self, text):
        path = os.path.join(self.folder.name, "kernel")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def words(self, kernel, *more):
        return [TESTBED, "run", "plain-write", "--virtual", "--kernel", kernel, "-o", self.out, *more]

    def run_it(self, kernel, *more):
        return subprocess.run(self.words(kernel, *more), capture_output=True, text=True, check=False)

    def left(self):
        return sorted(os.listdir(self.out)) if os.path.isdir(self.out) else []

    def test_without_a_kernel(self):
        done = self.run_it(os.path.join(self.folder.name, "none"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("needs a kernel whose clock can be simulated", done.stderr)
        self.assertEqual(self.left(), [])

    def test_what_is_no_program(self):
        done = self.run_it(self.kernel("x"))
        self.assertEqual((done.returncode, self.left()), (2, []))
        self.assertIn("Exec format error", done.stderr)
        self.assertIn("Permission denied", self.run_it(self.folder.name).stderr)

    def test_options_that_do_not_go_together(self):
        self.assertEqual(self.run_it(self.kernel(GOOD), "--clock", "real").returncode, 2)
        words = [word for word in self.words(self.kernel(GOOD)) if word != "--virtual"]
        self.assertEqual(subprocess.run(words, capture_output=True, check=False).returncode, 2)
        self.assertEqual(self.left(), [])

    def test_files_and_exit_code_are_those_of_the_run(self):
        done = self.run_it(self.kernel(GOOD))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.left(), ["plain-write.initiator.pcapng", "plain-write.truth.jsonl"])
        self.assertEqual(done.stdout.split(), [os.path.join(self.out, name) for name in self.left()])
        self.assertIn("a remark\n", done.stderr)
        self.assertIn("2.500 s of virtual time", done.stderr)

    def test_a_run_in_error_leaves_nothing(self):
        done = self.run_it(self.kernel("#!/bin/sh\necho why >errors\necho '2 1' >result\n"))
        self.assertEqual((done.returncode, self.left()), (2, []))
        self.assertIn("why", done.stderr)

    def test_a_guest_that_dies(self):
        done = self.run_it(self.kernel("#!/bin/sh\necho Kernel panic\nkill -9 $$\n"))
        self.assertEqual((done.returncode, self.left()), (2, []))
        self.assertIn("Kernel panic", done.stderr)

    def test_an_interrupted_run_leaves_nothing(self):
        marker = os.path.join(self.folder.name, "started")
        kernel = self.kernel(f"#!/bin/sh\nmkdir -p uml/guest\nsleep 1000 &\necho $! >{marker}.part\n"
                             f"mv {marker}.part {marker}\nwait\n")
        with subprocess.Popen(self.words(kernel), stderr=subprocess.PIPE, text=True) as process:
            while not os.path.exists(marker):
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            self.assertIn("interrupted, nothing is kept", process.stderr.read())
        self.assertEqual((process.returncode, self.left()), (130, []))
        with open(marker, encoding="ascii") as file:
            child = int(file.read())
        with self.assertRaises(ProcessLookupError):
            while True:    # it was killed with its group; what reaps it may take a moment
                os.kill(child, 0)
                with open(f"/proc/{child}/stat", encoding="ascii") as stat:
                    if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                        raise ProcessLookupError
                time.sleep(0.01)

    def test_a_scenario_with_a_mistake_boots_nothing(self):
        done = self.run_it("/bin/false", "--set", "link.wan.delay=soon")
        self.assertEqual(done.returncode, 2)
        self.assertIn("delay", done.stderr)

    def test_the_guests_part_outside_of_a_guest(self):
        done = subprocess.run([TESTBED, "guest"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("first process of a guest", done.stderr)

    def test_the_same_bytes_twice(self):
        if not os.access(KERNEL, os.X_OK):
            print("skipped: the same bytes twice: ISCSISCOPE_VIRTUAL_KERNEL names no kernel", flush=True)
            return
        self.assertEqual(self.run_it(KERNEL).returncode, 0)
        first, self.out = self.out, self.out + "2"
        self.assertEqual(self.run_it(KERNEL).returncode, 0)
        self.assertEqual(len(self.left()), 3)
        self.assertEqual(filecmp.cmpfiles(first, self.out, self.left(), shallow=False)[0], self.left())
        with open(os.path.join(self.out, "plain-write.truth.jsonl"), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        self.assertEqual(rows[0]["clock"], "virtual")
        lateness = next(row for row in rows if row["row"] == "shim")["lateness"]
        self.assertLessEqual(lateness["max_ns"], 10_000)


if __name__ == "__main__":
    unittest.main()
