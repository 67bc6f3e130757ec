#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A clock that steps by 30 days in the middle of a capture: reports and memory do not grow with the time in which
nothing happened."""
import csv
import json
import os
import struct
import subprocess
import sys
import unittest

from program import PROGRAM, SOURCE, Base, bundled, run

sys.path.insert(0, os.path.join(SOURCE, "tests", "differential"))
import pcap  # noqa: E402

DAYS = 30 * 86400  # seconds
CAPTURES = ("tgt-qemu.pcapng.zst", "plain-read.initiator.pcapng.zst", "mcs-unequal.initiator.pcapng.zst",
            "mirror-unequal.initiator.pcapng.zst")
GROWTH = 2       # times the size of the report of the capture without the step
MEMORY = 8 << 20  # bytes above it


def stepped(content):
    """The capture with its second half DAYS later."""
    content, at, starts = bytearray(content), 24, []
    while at + 16 <= len(content):
        starts.append(at)
        at += 16 + struct.unpack_from("<I", content, at + 8)[0]
    for start in starts[len(starts) // 2:]:
        struct.pack_into("<I", content, start, struct.unpack_from("<I", content, start)[0] + DAYS)
    return bytes(content)


# In a small process of its own: what this one holds would count as the program's, from before its start.
MEASURE = """import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
print(usage.ru_maxrss if process.returncode == 0 else 'failed')"""


def peak(*arguments):
    """Peak resident bytes of a run whose output is not kept."""
    done = subprocess.run([sys.executable, "-c", MEASURE, PROGRAM, *arguments], capture_output=True, check=True)
    return int(done.stdout) << 10


class Step(Base):
    def setUp(self):
        super().setUp()
        self.pairs = []
        for name in CAPTURES:
            content = pcap.classic(subprocess.run(["zstd", "-dcq", bundled(name)], capture_output=True,
                                                  check=True).stdout)
            self.pairs.append((name, self.file("plain.pcap-" + name, content),
                               self.file("step.pcap-" + name, stepped(content))))

    def test_reports_do_not_grow(self):
        largest = 0
        for name, plain, step in self.pairs:
            for form in ("json", "html"):
                sizes = [len(run("report", path, "--format", form)[1]) for path in (plain, step)]
                largest = max(largest, sizes[1] / sizes[0])
                self.assertLessEqual(sizes[1], GROWTH * sizes[0], (name, form))
            folder = os.path.join(self.folder, "tables-" + name)
            self.assertEqual(run("report", step, "--format", "csv", "-o", folder)[0], 0)
            with open(os.path.join(folder, "throughput_intervals.csv"), newline="") as f:
                self.assertLess(len(list(csv.DictReader(f))), 100, name)
        print(f"FIGURE: reports of captures with a step of 30 days: at most {largest:.2f} of the size without it")

    def test_memory_does_not_grow(self):
        most = 0
        for name, plain, step in self.pairs:
            more = peak("report", step, "--format", "json") - peak("report", plain, "--format", "json")
            most = max(most, more)
            self.assertLess(more, MEMORY, name)
        print(f"FIGURE: memory of captures with a step of 30 days: at most {most / 1e6:.1f} MB more than without it")

    def test_intervals_on_both_sides_are_listed(self):
        """The step is found by the timestamps of both ends: with short intervals as many are listed as without it."""
        listed = 0
        for name, plain, step in self.pairs:
            rows = []
            for path in (plain, step):
                code, out, err = run("report", path, "--format", "json", "--interval", "10ms")
                self.assertEqual(code, 0, err)
                rows.append([(t["streams"], row) for t in json.loads(out)["session_analysis"]["throughput"]
                             for row in t["intervals"]])
                for _, row in rows[-1]:
                    self.assertTrue(any(row["stream_bytes"]) or any(row["tasks"]), (name, row["interval"]))
                order = json.loads(out)["capture"]["order"]
            steps = DAYS * 100  # in intervals
            early = [(s, row) for s, row in rows[1] if row["interval"] < steps // 2]
            late = [row["interval"] - steps for _, row in rows[1] if row["interval"] >= steps // 2]
            if order["clock_steps"]:
                self.assertEqual(late, [], name)
                self.assertLessEqual(abs(len(rows[0]) - len(rows[1])), 2, name)
                listed += len(rows[1])
                continue
            self.assertTrue(late, name)
            before = rows[0][:len(early)] if len(self.streams(rows[0])) == 1 else []
            for (_, one), (_, other) in list(zip(before, early))[:-1]:  # the step is in the last one
                self.assertEqual(one["stream_bytes"], other["stream_bytes"], name)
            of_plain = {row["interval"] for _, row in rows[0]}
            self.assertLessEqual(len(set(late) - of_plain), 1, name)  # the last one is complete now
            listed += len(late)
        print(f"FIGURE: {listed} intervals listed with a step of 30 days")

    @staticmethod
    def streams(rows):
        return {tuple(streams) for streams, _ in rows}


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
