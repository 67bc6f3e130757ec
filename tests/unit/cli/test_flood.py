#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Processor time and memory of `report` on captures of floods: logins by the hundred thousand, half-open connections, and closed
connections that are not iSCSI. What was forgotten to bound the memory is stated."""
import os
import resource
import struct
import subprocess
import sys
import tempfile
import unittest

from test_memory import PROGRAM, SECOND, Talk, instrumented, opened, web

BUILD = os.environ.get("ISCSISCOPE_BUILD", "unknown")
MAX_SECONDS = 15 if BUILD == "Release" else 60
MAX_BYTES = 500e6


def log_in(talk, number):
    talk.open()
    talk.log_in(number)


def closed_web(talk, number):
    web(talk, number)
    talk.close()


def same_nexus(talk, number):
    """The same nexus again and again, each login by another connection."""
    talk.open()
    talk.log_in(0)


@unittest.skipIf(instrumented(), "a sanitizer's time and memory are not the program's")
class Flood(unittest.TestCase):
    def report(self, what, make, count, apart):
        with tempfile.TemporaryDirectory(prefix="iscsiscope-flood-") as folder:
            path = os.path.join(folder, "flood.pcap")
            with open(path, "wb") as out:
                out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
                for number in range(count):
                    make(Talk(out, number, 1_700_000_000 * SECOND + number * apart), number)
            process = subprocess.Popen([PROGRAM, "report", "--quiet", path], stdout=subprocess.PIPE)
            with process.stdout as out:
                text = out.read().decode()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        self.assertEqual(process.returncode, 0)
        self.assertIn(f"{count:,} TCP connections", text.replace("\n", " "))
        print(f"FIGURE: {what}: processor {seconds:.1f} s, {peak / 1e6:.0f} MB ({BUILD} build; bars {MAX_SECONDS} s, "
              f"{MAX_BYTES / 1e6:.0f} MB)")
        self.assertLess(seconds, MAX_SECONDS)
        self.assertLess(peak, MAX_BYTES)
        return text

    def test_logins(self):
        text = self.report("100,000 logins", log_in, 100_000, 600_000)
        self.assertRegex(text, r"Forgotten +[\d,]+ connections while open")

    def test_logins_of_one_nexus(self):
        self.report("20,000 logins that reinstate one session", same_nexus, 20_000, 600_000)

    def test_half_open_connections(self):
        text = self.report("300,000 half-open connections", opened, 300_000, 10_000)
        self.assertRegex(text, r"Forgotten +[\d,]+ connections while open")

    def test_closed_connections(self):
        text = self.report("100,000 closed connections that are not iSCSI", closed_web, 100_000, 1_000_000)
        self.assertNotIn("Forgotten", text)  # they had ended


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
