#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture wrapped in each encapsulation that the decoder knows has the same cycles, to the nanosecond, as without."""
import os
import subprocess
import sys
import unittest

from program import Base, REAL, SOURCE, run

sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
from wrappings import WRAPPINGS, frames, wrapped, wrapped_frames, written  # noqa: E402

COMPARED = "cycles", "bursts", "gaps", "connections"


class Tunnels(Base):
    def captures(self):
        yield "k_ipv6", os.path.join(REAL, "zoo", "k_ipv6_port13260_read.ini.pcap.zst")
        yield "write", os.path.join(REAL, "zoo", "z01_clean_write.ini.pcap.zst")
        yield "loss", os.path.join(REAL, "zoo", "z07_rto_tail_loss.tgt.pcap.zst")

    def contents(self):
        """Name and content of each capture; ends the test where there are none."""
        there = [(name, path) for name, path in self.captures() if os.path.exists(path)]
        if not there:
            self.skipTest(f"no captures in {REAL}")
        for name, path in there:
            yield name, subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout

    def rows(self, name, content):
        path = self.file(name, content)
        return {command: run(command, path, "--quiet")[1] for command in COMPARED}

    def test_cycles_are_the_same_in_every_wrapping(self):
        compared = 0
        for name, content in self.contents():
            wanted = self.rows(f"{name}.pcap", content)
            self.assertGreater(len(wanted["cycles"].splitlines()), 40)
            for wrapping, wrap in WRAPPINGS.items():
                with self.subTest(capture=name, wrapping=wrapping):
                    self.assertEqual(self.rows("wrapped.pcap", wrapped(content, wrap)), wanted)
                    compared += 1
        print(f"FIGURE: {compared} captures in tunnels have the cycles, bursts, gaps and connections of those without")

    def test_cut_captures_are_the_same_in_every_wrapping(self):
        """Cut so that the same bytes of each inner frame are left: behind 128 bytes, and inside the TCP header."""
        compared = 0
        for name, content in self.contents():
            head, found = frames(content)
            for snap in (128, 40):
                cut = [(s, f, frame[:snap], len(frame)) for s, f, frame in found]
                wanted = self.rows(f"{name}.pcap", written(head, cut))
                if snap == 128:
                    self.assertGreater(len(wanted["cycles"].splitlines()), 20)
                for wrapping, wrap in WRAPPINGS.items():
                    records = []
                    for (s, f, frame), (_, _, other) in zip(found, wrapped_frames(found, wrap)):
                        records.append((s, f, other[:len(other) - max(0, len(frame) - snap)], len(other)))
                    with self.subTest(capture=name, wrapping=wrapping, snap=snap):
                        self.assertEqual(self.rows("wrapped.pcap", written(head, records)), wanted)
                        compared += 1
        print(f"FIGURE: {compared} cut captures in tunnels have the rows of those without")


if __name__ == "__main__":
    unittest.main()
