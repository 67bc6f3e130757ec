#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Small stacks, small files and every signal end in a sentence or by the signal, and leave nothing behind."""
import os
import resource
import signal
import subprocess
import sys
import time
import unittest

from program import HANG, Base, PROGRAM, SAMPLE, live, run

KIB = 1024
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF,
          signal.SIGUSR1, signal.SIGXCPU, signal.SIGPOLL, signal.SIGPWR)


def limited(which, size, *arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=HANG, check=False,
                          preexec_fn=lambda: resource.setrlimit(which, (size, size)))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Limits(Base):
    def test_a_small_stack(self):
        for size in (128 * KIB, 256 * KIB, 511 * KIB):
            for arguments in (("--version",), ("report", SAMPLE)):
                code, out, err = limited(resource.RLIMIT_STACK, size, *arguments)
                self.assertEqual((code, out), (2, ""), (size, err))
                self.assertIn("the stack may not grow to the 512 KiB that are needed", err)
        code, out, _ = limited(resource.RLIMIT_STACK, 512 * KIB, "report", SAMPLE)
        self.assertEqual((code, out), (0, run("report", SAMPLE)[1]))

    def test_a_file_that_may_not_grow(self):
        for format_ in ("json", "html", "sqlite"):
            path = os.path.join(self.folder, "report")
            code, _, err = limited(resource.RLIMIT_FSIZE, KIB, "report", SAMPLE, "--format", format_, "-o", path)
            self.assertEqual((code, os.listdir(self.folder)), (2, []), format_)
            self.assertIn("cannot write", err)

    def test_an_empty_name_of_the_output(self):
        for arguments in (("report", SAMPLE), ("cycles", SAMPLE), ("columns",), ("explain",), ("predict", SAMPLE)):
            code, out, err = run(*arguments, "-o", "")
            self.assertEqual((code, out), (2, ""), arguments)
            self.assertIn("the name is empty", err)


class Signals(Base):
    def test_each_signal_that_ends_a_program(self):
        with open(SAMPLE, "rb") as sample:
            packed = sample.read()
        begin = subprocess.run(["zstd", "-dcq"], input=packed, capture_output=True, check=True).stdout[:20000]
        for number in ENDING:
            signals = (number, number) if number == signal.SIGINT else (number,)
            path = os.path.join(self.folder, "report.html")
            self.ends_by_signal(("report", "-", "--format", "html", "-o", path), begin, signals)

    def test_an_interrupted_batch_leaves_no_folder(self):
        pipes = [os.path.join(self.folder, name) for name in ("a", "b")]
        for pipe in pipes:
            os.mkfifo(pipe)
        made = os.path.join(self.folder, "reports")
        with subprocess.Popen([PROGRAM, "report", *pipes, "-o", made + "/"], stderr=subprocess.DEVNULL) as child:
            self.assertTrue(live.at_its_time(lambda: os.path.isdir(made)))
            time.sleep(0.2)
            child.send_signal(signal.SIGTERM)
            self.assertEqual(child.wait(HANG), -signal.SIGTERM)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a", "b"])


if __name__ == "__main__":
    sys.exit(unittest.main())
