#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two ports of a tap with clocks of their own: the report is that of one clock, and says how far they are apart."""
import os
import struct
import sys
import unittest

from program import Base, SAMPLE, SOURCE, report, run

sys.path.insert(0, os.path.join(SOURCE, "tests", "cut"))
import frames  # noqa: E402


def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def pcapng(link, all_frames, interface_of, ahead_ns):
    """The frames as interfaces eth0 and eth1 have them, whose clock is ahead by so much."""
    out = [block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))]
    for name in (b"eth0", b"eth1"):
        out.append(block(1, struct.pack("<HHI", link, 0, 0) + struct.pack("<HH4s", 2, 4, name) +
                         struct.pack("<HHB3x", 9, 1, 9) + struct.pack("<HH", 0, 0)))
    for f in all_frames:
        k = interface_of(f)
        time = f.time_ns + (ahead_ns if k else 0)
        out.append(block(6, struct.pack("<IIIII", k, time >> 32, time & 0xffffffff, len(f.data), f.length) + f.data))
    return b"".join(out)


class Interfaces(Base):
    def test_clocks_that_are_apart(self):
        link, all_frames = frames.read(SAMPLE)
        first = frames.segment_of(link, all_frames[0].data).flow

        def by_direction(f):
            return 0 if frames.segment_of(link, f.data).flow == first else 1

        def judged(ahead_ns):
            return report(self.file("tap.pcapng", pcapng(link, all_frames, by_direction, ahead_ns)))

        one = judged(0)
        self.assertEqual(one["capture"]["order"]["interfaces"], [])
        for ahead in (500, -500, 37_000):
            with self.subTest(ahead_ms=ahead):
                apart = judged(ahead * 10**6)
                order = apart["capture"]["order"]
                clock, = order["interfaces"]
                self.assertEqual(clock["interface"], 2)
                self.assertLessEqual(abs(clock["ahead_ns"] - ahead * 10**6), clock["uncertainty_ns"] + 1)
                self.assertEqual(order["clock_steps"], 0)
                self.assertEqual([f["kind"] for f in apart["findings"]], [f["kind"] for f in one["findings"]])
                for kind in ("read", "write"):
                    before, after = (r["cycles"][kind]["times"]["response_time"] for r in (one, apart))
                    self.assertEqual(before["count"], after["count"])
                    if before["count"]:
                        self.assertLessEqual(abs(before["mean_ns"] - after["mean_ns"]), clock["uncertainty_ns"] + 1000)
                path = os.path.join(self.folder, "tap.pcapng")
                with open(path, "rb") as f:
                    code, _, err = run("report", "/dev/stdin", stdin=f.read())  # a pipe is not read twice
                self.assertEqual((code, err), (0, ""))
                _, out, _ = run("report", path)
                self.assertIn("The clock of interface eth1 is", " ".join(out.split()))


if __name__ == "__main__":
    unittest.main()
