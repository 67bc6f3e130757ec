#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The generator held against itself, hand-made truths, tshark and a program: test_dialogues.py [PROGRAM].

Scripts whose truth is worked out by hand; random dialogues: every checksum is right, the streams have no hole and no
ACK is of what was not sent, the truth's parts add up; and the program's busy time of the scripts is the truth's.
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import faults
import judge
import random_dialogues
import wire
from dialogue import Dialogue, Path, ms, us

PROGRAM = None
COUNT, SHOWN_TO_TSHARK = 25, 4


def one_path(**session):
    d = Dialogue(Path(rate=1e9, to_tap=us(20), to_target=us(80)))
    return d, d.session(**session)


def scripts():
    """(name, dialogue, owners that are true: target, host, network; what is left is transfer)."""
    d, s = one_path()
    s.read(size=512, service=ms(2))
    s.think(ms(3))
    s.control(service=us(500))
    yield "one at a time", d, {"target": us(2500), "host": 0, "network": us(160 + 40 + 160)}

    d, s = one_path()
    s.write(size=131072, burst=65536, service=ms(1), r2t_service=us(300), late=[us(700), us(100)])
    # Five ways to the target and back: command and R2T, then data and R2T, data and status; two to the initiator.
    yield "late with the data", d, {"target": us(1600), "host": us(800), "network": 3 * us(160) + 2 * us(40)}

    d, s = one_path()
    s.read(size=65536, service=ms(1), pauses=[(16384, ms(4))])
    s.write(size=8192, immediate=4096, unsolicited=4096, pauses=[(4096, ms(2))], service=us(400))
    # While the bytes before a pause pass, the time is theirs: 11 and 2 segments behind the first, 12.4 µs each.
    yield "pauses in data", d, {"target": us(5400 - 11 * 12.4), "host": us(2000 - 2 * 12.4),
                                "network": us(160) + us(40) + us(160)}

    d, s = one_path(depth=4)
    for service in (ms(2), ms(3), ms(1), ms(4)):
        s.read(size=512, service=service)
    # The last command passes 6 µs after the first one; its data is the last to come.
    yield "four at once", d, {"target": us(4006), "host": 0, "network": us(160)}

    d, s = one_path()
    s.read(size=512, service=ms(1), lose=[("data", 0, "behind")], status_after=us(500))
    s.control(service=ms(1))
    # One duplicate ACK is no signal, so the timer repairs it: 200 ms and a round trip after the data, 500 µs of which
    # the target had the status to do. Then the way to the initiator and back, and to the target and back.
    yield "lost behind the tap", d, {"target": us(2500), "host": 0, "network": us(160 + 200_200 - 500 + 40 + 160)}


class Scripts(unittest.TestCase):
    def test_truths_worked_out_by_hand(self):
        for name, d, right in scripts():
            with self.subTest(name):
                d.run()
                truth = d.truth()
                for owner, time in right.items():
                    self.assertEqual(truth["owners"][owner], time, owner)
                self.assertEqual(sum(truth["owners"].values()), truth["busy_ns"])

    def test_the_same_at_each_tap_with_one_task_at_a_time(self):
        seen = []
        for to_tap in (0, us(30), us(100)):
            d = Dialogue(Path(10e9, to_tap, us(100) - to_tap))
            s = d.session()
            for _ in range(3):
                s.write(size=32768, immediate=8192, service=us(200), r2t_service=us(50), late=[us(70)])
                s.read(size=8192, service=us(300))
            s.control(service=0)
            d.run()
            owners = d.truth()["owners"]
            seen.append((owners["target"], owners["host"], owners["transfer"]))
        self.assertEqual(len(set(seen)), 1, seen)

    def test_busy_time_is_the_programs(self):
        if not PROGRAM:
            self.skipTest("no program was given")
        with tempfile.TemporaryDirectory() as folder:
            for name, d, _ in scripts():
                with self.subTest(name):
                    d.run()
                    capture = os.path.join(folder, "script.pcap")
                    d.write(capture)
                    report, truth = judge.reported(PROGRAM, capture), d.truth()
                    self.assertEqual(report["owners"]["all"]["busy_ns"], truth["busy_ns"])
                    self.assertEqual(report["time_shares"]["unasked_ns"], truth["unasked_ns"])


class Captures(unittest.TestCase):
    def test_a_seed_gives_the_same_again(self):
        first, again = (random_dialogues.make("same", 3) for _ in range(2))
        self.assertEqual([wire_of(first)], [wire_of(again)])
        self.assertEqual(first.truth(), again.truth())

    def test_a_seed_gives_the_same_faults_again(self):
        first, again = (faults.make("same", 5) for _ in range(2))
        self.assertEqual(first.packets(), again.packets())
        self.assertEqual((first.what, first.first), (again.what, again.first))

    def test_each_fault_makes_a_capture_and_a_truth(self):
        for _, act in faults.FAULTS:
            with self.subTest(act.__name__):
                scene = faults.Scene(random.Random("test"))
                scene.work(5)
                act(scene)
                scene.dialogue.run()
                truth = scene.dialogue.truth()
                self.assertEqual(sum(truth["owners"].values()), truth["busy_ns"])
                times = [time for time, _ in scene.packets()]
                self.assertEqual(times, sorted(times))

    def test_a_window_begins_anew_after_idleness(self):
        """A Read of 40 segments: 10, 20, and the rest, a round trip each, again after a pause, where it is not kept."""
        for after_idle, in_flights in (("kept", (3, 1)), ("anew", (3, 3)), ("halved", (3, 2)), (None, (1, 1))):
            d = Dialogue(Path(100e9, us(10), ms(5)))
            s = d.session(cwnd=after_idle, stamps=False)
            for _ in range(2):
                s.read(size=40 * 1460 - 1460 // 2, service=us(100))
                s.think(ms(300))
            d.run()
            frames = [f.tap for f in s.frames if f.from_target and len(f.data) > 500]
            for n, flights in enumerate(in_flights):
                mine = frames[40 * n:40 * n + 40]
                self.assertEqual(1 + sum(b - a > ms(5) for a, b in zip(mine, mine[1:])), flights, (after_idle, n))

    def test_parts_add_up(self):
        for number in range(COUNT):
            truth = random_dialogues.make("test", number).truth()
            for c in truth["connections"]:
                self.assertEqual(sum(c["owners"].values()), c["busy_ns"])
                self.assertEqual(sum(sum(r.values()) for r in c["rows"].values()), c["busy_ns"])

    def test_checksums_and_sequence_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(COUNT):
                d = random_dialogues.make("test", number)
                capture = os.path.join(folder, "random.pcap")
                d.write(capture)
                self.check(d, capture)

    def check(self, dialogue, capture):
        lost = {(s.number, f.from_target, f.seq) for s in dialogue.sessions for f in s.frames if f.lose == "before"}
        sent, begun, last = {}, {}, 0
        for time, data in wire.read_pcap(capture):
            self.assertGreaterEqual(time, last)
            last = time
            ip, tcp = data[14:34], data[34:]
            self.assertEqual(wire.checksum(ip), 0)
            self.assertEqual(wire.checksum(ip[12:20] + struct.pack("!HH", 6, len(tcp)) + tcp), 0)
            source, target, seq, ack, offset, flags = struct.unpack("!HHIIBB", tcp[:14])
            key, peer = (ip[12:16], source, target), (ip[16:20], target, source)
            payload = len(tcp) - (offset >> 4) * 4
            if flags & wire.SYN:
                begun[key], sent[key] = seq, 0
                continue
            if flags & wire.ACK:
                self.assertLessEqual(ack - begun[peer] - 1, sent[peer], "an ACK of what has not passed")
            at = seq - begun[key] - 1
            number, from_target = max(source, target) - 40000, source == 3260
            while at > sent[key] and (number, from_target, sent[key]) in lost:
                sent[key] += next(len(f.data) for f in dialogue.sessions[number].frames
                                  if f.data and f.from_target == from_target and f.seq == sent[key])
            self.assertLessEqual(at, sent[key], "a hole that no loss explains")
            sent[key] = max(sent[key], at + payload)

    def test_tshark_finds_no_mistake(self):
        if not shutil.which("tshark"):
            self.skipTest("tshark is not installed")
        with tempfile.TemporaryDirectory() as folder:
            for number in range(SHOWN_TO_TSHARK):
                capture = os.path.join(folder, "random.pcap")
                random_dialogues.make("test", number).write(capture)
                bad = ("_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0 || "
                       "tcp.analysis.ack_lost_segment")
                for display, wanted in ((bad, False), ("iscsi.opcode == 0x01", True)):
                    shown = subprocess.run(["tshark", "-r", capture, "-o", "tcp.check_checksum:TRUE", "-o",
                                            "ip.check_checksum:TRUE", "-Y", display], capture_output=True, text=True,
                                           check=True).stdout
                    self.assertEqual(bool(shown), wanted, shown[:500])


def wire_of(dialogue):
    return [wire.packet(f, *dialogue._addresses(s, f)) for s, f in dialogue.seen()]


class Judge(unittest.TestCase):
    TRUTH = {"busy_ns": 1000, "owners": {"transfer": 100, "network": 200, "target": 600, "host": 100}}

    def found(self, **owners):
        said = {"busy_ns": 1000, "transfer_ns": 100, "network_ns": 200, "target_ns": 600, "host_ns": 100,
                "unknown_ns": 0}
        return judge.wrong(judge.differences({**said, **owners}, self.TRUTH))

    def test_right_within_three_per_cent(self):
        self.assertFalse(self.found())
        self.assertFalse(self.found(network_ns=230, target_ns=570))

    def test_wrong(self):
        self.assertEqual(set(self.found(network_ns=240, target_ns=560)), {"network", "target", "way"})
        self.assertEqual(set(self.found(unknown_ns=40, target_ns=560)), {"unknown", "target"})
        self.assertEqual(set(self.found(transfer_ns=120, network_ns=220, target_ns=560)), {"way", "target"})


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = sys.argv.pop(1)
    result = unittest.main(exit=False).result
    for test, why in result.skipped:
        print("SKIPPED: %s: %s" % (test.id().split(".")[-1], why))
    sys.exit(not result.wasSuccessful())
