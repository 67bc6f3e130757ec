#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare --ends: contents that differ between two captures of one run, and one clock for both."""
import glob
import json
import os
import struct
import subprocess
import sys
import unittest

from program import Base, REAL, SOURCE, bundled, run

MIN_PAYLOAD = 1000
ENHANCED_PACKET = 6


def unpacked(path):
    return bytearray(subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout)


def packets(pcapng):
    """Where each enhanced packet block begins (little endian), and the length of its packet."""
    at = 0
    while at < len(pcapng):
        kind, length = struct.unpack_from("<II", pcapng, at)
        if kind == ENHANCED_PACKET:
            yield at, struct.unpack_from("<I", pcapng, at + 20)[0]
        at += length


def ends(first, second, *more):
    code, out, err = run("compare", "--ends", "--format", "json", *more, first, second)
    assert code == 0, err
    return json.loads(out), err


def contents(j, direction):
    return [c[direction]["contents"] for c in j["connections"]]


def total(j, key):
    return sum(c[key] for direction in ("to_target", "to_initiator") for c in contents(j, direction))


class Contents(Base):
    def pair(self):
        return bundled("plain-read.initiator.pcapng.zst"), bundled("plain-read.target.pcapng.zst")

    def test_bundled_pairs_are_equal(self):
        pairs = segments = 0
        for first in sorted(glob.glob(os.path.join(SOURCE, "sample-captures", "bundle", "*", "*.initiator.pcapng.zst"))):
            second = first.replace(".initiator.", ".target.")
            if not os.path.exists(second):
                continue
            j, _ = ends(first, second)
            self.assertEqual(total(j, "damaged"), 0, first)
            segments += total(j, "segments")
            pairs += 1
        self.assertGreater(pairs, 5)
        print(f"FIGURE: contents of {pairs} bundled pairs: {segments} segments equal")
        self.assertRegex(run("compare", "--ends", *self.pair())[1], r"CONTENTS.*\n +[\d,]+ segments, .*: equal in both")

    def test_a_flipped_bit_is_found_with_its_place(self):
        first, second = self.pair()
        altered = unpacked(first)
        frame, (at, length) = next((n, p) for n, p in enumerate(packets(altered), 1)
                                   if p[1] > MIN_PAYLOAD and n > 200)
        altered[at + 28 + length - 1] ^= 0x20
        altered_path = self.file("altered.pcapng", altered)
        j, _ = ends(altered_path, second)
        self.assertEqual((total(j, "damaged"), total(j, "payload_differs")), (1, 1))
        [damaged] = contents(j, "to_initiator")[0]["damaged_segments"]
        self.assertEqual(damaged["frame_first"], frame)
        self.assertEqual((damaged["differs_at"], damaged["differs_within"]), (damaged["length"] - 1, 1))
        self.assertEqual(sum(c["to_initiator"]["lost"] for c in j["connections"]), 0)
        text = " ".join(run("compare", "--ends", altered_path, second)[1].split())
        self.assertIn(f"frame {frame} at the initiator: byte {damaged['differs_at']} of", text)
        # The other way round the frames change places.
        [turned] = contents(ends(second, altered_path)[0], "to_initiator")[0]["damaged_segments"]
        self.assertEqual((turned["frame_second"], turned["frame_first"]), (frame, damaged["frame_second"]))

    def labelled(self):
        """Captures at both ends with a label, and the number of frames that the label calls damaged there."""
        found = []
        for label in sorted(glob.glob(os.path.join(REAL, "zoo", "z*.json"))):
            pair = [label[:-len("json")] + end + ".pcap.zst" for end in ("ini", "tgt")]
            if all(map(os.path.exists, pair)):
                with open(label, encoding="utf-8") as text:
                    summary = json.load(text)["evidence"]["summary"]
                words = summary.split("bad IP/TCP checksum: ")
                found.append((pair, int(words[1].split()[0]) if len(words) > 1 else 0))
        if not found:
            print(f"SKIP: no captures in {REAL}")
            self.skipTest("no captures")
        return found

    def test_labelled_captures(self):
        damaged = segments = 0
        for pair, expected in self.labelled():
            j, err = ends(*pair, "--same-clock")
            self.assertEqual(err, "", pair)
            self.assertTrue(j["same_clock"]["holds"], pair)
            self.assertEqual(total(j, "damaged"), expected, pair)
            self.assertEqual(total(j, "undetected"), 0, pair)
            damaged += expected
            segments += total(j, "segments")
        self.assertGreater(damaged, 0)
        print(f"FIGURE: contents of labelled pairs: {segments} segments, {damaged} damaged as the labels say")


class OneClock(Base):
    def test_needs_ends(self):
        code, out, err = run("compare", "--same-clock", bundled("plain-read.initiator.pcapng.zst"),
                             bundled("plain-read.target.pcapng.zst"))
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--ends", err)

    def test_delays_are_absolute(self):
        pair = bundled("plain-read.initiator.pcapng.zst"), bundled("plain-read.target.pcapng.zst")
        j, err = ends(*pair, "--same-clock")
        self.assertEqual(err, "")
        clock = j["clock"]
        self.assertEqual((clock["offset_ns"], clock["uncertainty_ns"], clock["drift_ppm"]), (0, 0, 0))
        self.assertTrue(clock["same_clock"])
        self.assertTrue(j["same_clock"]["holds"])
        self.assertIsNone(j["same_clock"]["warning"])
        least = min(c[w]["delay"]["min_ns"] for c in j["connections"] for w in ("to_target", "to_initiator"))
        self.assertEqual(least, j["same_clock"]["least_delay_ns"])
        text = " ".join(run("compare", "--ends", "--same-clock", *pair)[1].split())
        self.assertIn("one-way delays are absolute", text)
        self.assertNotIn("half the least round trip", text)
        plain, _ = ends(*pair)
        self.assertFalse(plain["clock"]["same_clock"])
        self.assertIsNone(plain["same_clock"])

    def test_contradicted(self):
        first, second = bundled("plain-read.initiator.pcapng.zst"), unpacked(bundled("plain-read.target.pcapng.zst"))
        for at, _ in packets(second):  # 20 ms earlier: more than any delay of this run
            high, low = struct.unpack_from("<II", second, at + 12)
            time = (high << 32 | low) - 20_000_000
            struct.pack_into("<II", second, at + 12, time >> 32, time & 0xFFFFFFFF)
        late = self.file("early.pcapng", second)
        j, err = ends(first, late, "--same-clock")
        self.assertIn("contradict --same-clock", err)
        check = j["same_clock"]
        self.assertFalse(check["holds"])
        self.assertGreater(check["negative_delays"], 100)
        self.assertLess(check["least_delay_ns"], -19_000_000)
        self.assertAlmostEqual(check["measured_offset_ns"], -20_000_000, delta=check["measured_uncertainty_ns"])
        self.assertFalse(j["clock"]["same_clock"])
        self.assertEqual(j["clock"], ends(first, late)[0]["clock"])
        self.assertIn("contradict --same-clock", check["warning"])
        text = " ".join(run("compare", "--ends", "--same-clock", first, late)[1].split())
        self.assertRegex(text, r"Warning: the captures contradict --same-clock: [\d,]+ of [\d,]+ segments would arrive "
                               r"before they were sent, by up to 19\.\d ms; the second clock is off by -20\.\d ms")
        self.assertEqual(run("compare", "--ends", "--same-clock", "--quiet", first, late)[2], "")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
