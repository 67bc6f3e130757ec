#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--threads changes no result: whole reports and rows of all bundled captures, of real ones, cut, joined and damaged
ones, and of pipes."""
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from program import HANG, Base, PROGRAM, REAL, SAMPLE, SOURCE, run

GROW = os.environ.get("ISCSISCOPE_GROW", "")
BUNDLED = sorted(glob.glob(os.path.join(SOURCE, "sample-captures", "bundle", "*", "*.pcapng.zst")))


def processors():
    return len(os.sched_getaffinity(0))


class Threads(Base):
    def check_same(self, *arguments):
        one, two, more = (run(*arguments, "--threads", n) for n in "128")
        self.assertEqual(one, two, arguments)
        self.assertEqual(one, more, arguments)
        self.assertIn(one[0], (0, 1), one[2])

    def test_reports_of_bundled_captures(self):
        self.assertGreater(len(BUNDLED), 5)
        for path in BUNDLED:
            self.check_same("report", path, "--format", "json")

    def test_reports_of_real_captures(self):
        real = sorted(glob.glob(os.path.join(REAL, "**", "*.pcap*"), recursive=True))
        if not real:
            self.skipTest("no captures in " + REAL)
        small = [p for p in real if not p.endswith(".json") and os.path.getsize(p) < 4_000_000]
        for path in random.Random(28).sample(small, min(20, len(small))):
            self.check_same("report", path, "--format", "json")

    def test_rows_and_ranges(self):
        for command in ("pdus", "cycles", "bursts", "gaps", "ledger", "connections", "tcp"):
            self.check_same(command, SAMPLE, "--format", "jsonl")
        self.check_same("report", SAMPLE, "--range", "0.01..0.05", "--all")

    def test_damaged_and_cut(self):
        whole, chance = self.sample_bytes(), random.Random(7)
        for n in range(12):
            content = bytearray(whole[:chance.randrange(100, len(whole))] if n % 2 else whole)
            for _ in range(n):
                content[chance.randrange(200, len(content))] = chance.randrange(256)
            path = self.file(f"{n}.pcapng", bytes(content))
            self.check_same("report", path, "--format", "json")
            self.check_same("pdus", path)

    def test_joined(self):
        self.check_same("report", *BUNDLED[:2], "--join", "--format", "json")

    def test_sessions_at_a_time(self):
        """Copies of a capture that run at the same time: several threads follow their sessions."""
        if not os.path.exists(GROW):
            self.skipTest("no program that grows captures")
        small = []
        for path in BUNDLED:
            if ".initiator." in path and os.path.getsize(path) < 100_000:
                small.append(os.path.join(self.folder, os.path.basename(path)))
                subprocess.run(["zstd", "-dqf", path, "-o", small[-1]], check=True)
        self.assertGreater(len(small), 5)
        large = os.path.join(self.folder, "large.pcap")
        for abreast in (3, 16):
            subprocess.run([GROW, "--abreast", str(abreast), "--copies", str(abreast + 1), large, *small], check=True,
                           capture_output=True)
            self.check_same("report", large, "--format", "json")
            self.check_same("ledger", large)

    def test_a_pipe_gives_rows_while_it_is_open(self):
        """--threads 2 does not wait for more frames of a pipe."""
        content = self.sample_bytes()
        with subprocess.Popen([PROGRAM, "pdus", "-", "--threads", "2"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            writer = threading.Thread(target=process.stdin.write, args=(content,))
            writer.start()
            self.assertTrue(process.stdout.readline().startswith(b"frame,"))
            self.assertTrue(process.stdout.readline()[:1].isdigit())
            rest = process.stdout.read
            reader = threading.Thread(target=rest)
            reader.start()
            writer.join(HANG)
            process.stdin.close()
            reader.join(HANG)
            self.assertEqual(process.wait(), 0)

    def test_no_more_threads(self):
        """Where the system allows no thread but the one that waits for signals, one does all."""
        limit, program = ["prlimit", "--nproc=2"], PROGRAM
        if os.geteuid() == 0:  # root may have as many threads as it likes; another user may not enter root's folders
            limit = ["setpriv", "--reuid=64123", "--regid=64123", "--clear-groups", *limit]
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            os.chmod(folder.name, 0o755)
            program = shutil.copy(PROGRAM, folder.name)
        start = ("import threading, time\n"
                 "for _ in range(2): threading.Thread(target=time.sleep, args=(1,)).start()")
        refused = subprocess.run([*limit, "/usr/bin/python3", "-c", start], capture_output=True, check=False)
        self.assertIn(b"start new thread", refused.stderr)
        with open(SAMPLE, "rb") as sample:  # a regular file, which is read ahead
            limited = subprocess.run([*limit, program, "report", "-", "--threads", "2"], stdin=sample,
                                     capture_output=True, check=False)
            sample.seek(0)
            self.assertEqual((limited.returncode, limited.stdout.decode()),
                             run("report", "-", stdin=sample.read())[:2], limited.stderr)

    def test_wrong_numbers(self):
        for n in ("0", "1025", "two", "-1"):
            code, _, err = run("report", SAMPLE, "--threads", n)
            self.assertEqual(code, 2)
            self.assertIn("--threads", err)


if __name__ == "__main__":
    if processors() < 2:
        print("only one processor: the threads take turns", file=sys.stderr)
    unittest.main()
