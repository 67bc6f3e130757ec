#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A property of every figure that is a time: it lies within the span of the capture, or is absent. Held against the
bundled captures, and against copies of them without frames behind the SYN, with frames lost anywhere, with damaged
bytes and with damaged time stamps. Only where frames are stamped out of their order (anomaly time_went_back) are points
in time not held against the span; lengths of time always are."""
import json
import os
import random
import struct
import subprocess
import sys
import unittest

from program import SOURCE, Base, run

sys.path.insert(0, os.path.join(SOURCE, "tests", "differential"))
import pcap  # noqa: E402

BUNDLE = os.path.join(SOURCE, "sample-captures", "bundle")
# Sums over tasks, connections or directions, or limits of scales: not a length within the capture.
SUMS = {"sum_ns", "active_ns", "busy_ns", "unasked_ns", "one_sided_ns", "transfer_ns", "time_ns", "total_ns",
        "lost_time_ns", "target_ns", "host_ns", "network_ns", "unknown_ns", "network_trouble_ns", "held_ns",
        "timeout_ns", "zero_window_ns", "window_full_ns", "delayed_acks_costly_ns", "nagle_ns", "closed_waiting_ns"}
# by_ns: of a step of the clock, which is in no time of the capture.
NO_LENGTHS = {"width_ns", "interval_ns", "range_ns", "data_time_uncertain_ns", "predicted_ns", "by_ns"}
INSTANTS = {"start_ns", "time_ns", "complete_ns", "delivered_ns"}  # columns that are points in time; end_ns of connections too
POINTS = {"first_time", "last_time", "first_start", "last_end", "start", "start_ns", "end_ns", "from", "to"}


def bundled():
    for folder, _, files in sorted(os.walk(BUNDLE)):
        for name in sorted(files):
            if name.endswith(".pcapng.zst"):
                content = subprocess.run(["zstd", "-dcq", os.path.join(folder, name)], capture_output=True,
                                         check=True).stdout
                try:
                    yield name, pcap.classic(content)
                except ValueError:
                    yield name, content


def records(content):
    at, all_of = 24, []
    while at + 16 <= len(content):
        length = struct.unpack_from("<I", content, at + 8)[0]
        all_of.append(content[at:at + 16 + length])
        at += 16 + length
    return all_of


def is_syn(record):
    return len(record) > 16 + 14 + 20 + 13 and record[16 + 12:16 + 14] == b"\x08\x00" and record[16 + 14 + 20 + 13] & 2


class Span(Base):
    def check(self, what, path):
        code, out, err = run("report", path, "--format", "json")
        self.assertEqual(code, 0, (what, err))
        report = json.loads(out)
        first, last = report["capture"]["first_time"], report["capture"]["last_time"]
        if first is None:
            return 0
        span = last - first
        stepped = "time_went_back" in set(report["coverage"]["anomalies"])
        figures = 0

        def walk(value, at):
            nonlocal figures
            if isinstance(value, list):
                for i, one in enumerate(value):
                    walk(one, at + (i,))
            elif isinstance(value, dict):
                if {"count", "sum_ns"} <= value.keys() and value["sum_ns"] is not None:
                    self.assertLessEqual(value["sum_ns"], value["count"] * span, (what, at))
                for key, one in value.items():
                    walk(one, at + (key,))
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                key = next((k for k in reversed(at) if isinstance(k, str)), "")
                length = key.endswith("_ns") or (len(at) > 1 and at[-2] == "quantiles_ns")
                if "models" in at or "session_analysis" in at and key in ("start", "first"):
                    return  # what other settings would give; bins of a scale
                if key in POINTS:
                    figures += 1
                    if not stepped:
                        self.assertTrue(first <= value <= last, (what, at, value, first, last))
                elif key == "data_time_ns":  # at the initiator: half a round trip more at either end
                    self.assertTrue(0 <= value <= 2 * span, (what, at, value, span))
                elif length and key not in SUMS and key not in NO_LENGTHS:
                    figures += 1
                    self.assertTrue(0 <= value <= span, (what, at, value, span))
                elif length:
                    self.assertLess(abs(value), 1 << 62, (what, at))

        walk(report, ())
        for command in ("cycles", "bursts", "gaps", "connections", "tcp", "pdus"):
            code, out, err = run(command, path, "--format", "jsonl", "--quiet")
            self.assertEqual(code, 0, (what, command, err))
            for line in out.splitlines():
                for key, value in json.loads(line).items():
                    if value is None or not key.endswith("_ns"):
                        continue
                    figures += 1
                    if key not in INSTANTS and (key, command) != ("end_ns", "connections"):
                        self.assertTrue(0 <= value <= span, (what, command, key, value, span))
                    elif not stepped:
                        self.assertTrue(first <= value <= last, (what, command, key, value))
        return figures

    def test_bundled_captures(self):
        figures = captures = 0
        for name, content in bundled():
            figures += self.check(name, self.file("whole.pcap", content))
            captures += 1
        print(f"FIGURE: times within the span of the capture: {figures:,} figures of {captures} captures")

    def test_frames_lost_behind_the_syn(self):
        figures = copies = 0
        for name, content in bundled():
            if content[:4] != b"\x4d\x3c\xb2\xa1":
                continue
            frames = records(content)
            frames = frames[:1_000]  # of the beginning
            for lost in (1, 2, 3, 5, 9):
                kept, gone = [], 0
                for frame in frames:
                    if is_syn(frame):
                        gone = lost
                        kept.append(frame)
                    elif gone:
                        gone -= 1
                    else:
                        kept.append(frame)
                figures += self.check(f"{name} without {lost} frames behind each SYN",
                                      self.file("lost.pcap", content[:24] + b"".join(kept)))
                copies += 1
        print(f"FIGURE: times within the span, frames lost behind the SYN: {figures:,} figures of {copies} copies")

    def test_mutated_copies(self):
        chance = random.Random(19)
        name, content = next((n, c) for n, c in bundled() if n.startswith("tgt-qemu"))
        header, frames = content[:24], records(content)[:800]
        figures = copies = 0
        for what in ("lost", "bytes", "stamps", "order"):
            for _ in range(12):
                changed = list(frames)
                for _ in range(chance.choice((1, 3, 20))):
                    at = chance.randrange(len(changed))
                    if what == "lost":
                        del changed[at]
                    elif what == "order":
                        changed[at:at + 5] = reversed(changed[at:at + 5])
                    else:
                        frame = bytearray(changed[at])
                        place = chance.randrange(8) if what == "stamps" else chance.randrange(16, len(frame))
                        frame[place] = chance.randrange(256)
                        changed[at] = bytes(frame)
                figures += self.check(f"{name} with other {what}",
                                      self.file("mutated.pcap", header + b"".join(changed)))
                copies += 1
        print(f"FIGURE: times within the span, mutated copies: {figures:,} figures of {copies} copies")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
