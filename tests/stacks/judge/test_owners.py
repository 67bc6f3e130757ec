#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Unit checks of true_owners.py, tcp_held.py, spans.py, both_ends.py and owners.py on small captures of made-up dialogues.

In: nothing. Out: unittest's output and exit code. Times are in ms, as in made.Talk; one way takes 5 ms.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import both_ends
import owners
import spans
import true_owners  # puts the walker on the module path

import evidence
from made import INI6, TGT6, Talk, answer, cdb10, command, data_in, data_out, login, r2t

FULL = 1460


def opened(**more):
    """A connection after its login, at 50 ms."""
    talk = Talk(**more)
    talk.open()
    login(talk, 20, b"A=b\0")
    return talk


def read(talk, at, itt=1, size=500):
    talk.send(0, at, command(itt, itt, cdb10(0x28, 0, 1), size, 0xc1))


def send_parts(talk, side, at, stream, **more):
    """Sends bytes as full segments."""
    for low in range(0, len(stream), FULL):
        talk.send(side, at, stream[low:low + FULL], **more)


class Truth(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def owners(self, talk):
        paths = [talk.file(os.path.join(self.folder.name, name), side) for side, name in enumerate(("ini", "tgt"))]
        return true_owners.owners(evidence.evidence(*paths, (1000, 1000.2)))

    def check(self, talk, part="all", **wanted):
        """Compares the figures with those wanted; owners that are not named have nothing."""
        found = {name.removesuffix("_ns"): value / 1e6 for name, value in self.owners(talk)[part].items()}
        self.assertEqual(found, {name.removesuffix("_ns"): 0 for name in true_owners.FIGURES} | wanted)
        self.assertAlmostEqual(found["busy"], sum(found[name] for name in ("transfer", "network", "target", "host")))

    def test_one_read_at_a_time(self):
        talk = opened()
        for at in (100, 150):
            read(talk, at, at)
            talk.send(1, at + 25, data_in(at, bytes(500)))
        self.check(talk, busy=60, target=40, network=20, unasked=20)

    def test_clocks_may_differ(self):
        talk = opened()
        read(talk, 100)
        talk.send(1, 125, data_in(1, bytes(500)))
        for by in (-700, 700):
            talk.taps[1][:] = [(at + by, data) for at, data in talk.taps[1]]
            self.check(talk, busy=30, target=20, network=10)

    def test_overlapping_reads_count_once(self):
        talk = opened()
        read(talk, 100, 1)
        read(talk, 104, 2)
        talk.send(1, 125, data_in(1, bytes(500)))
        talk.send(1, 135, data_in(2, bytes(500)))
        self.check(talk, busy=40, target=30, network=10)

    def test_work_window_cuts(self):
        talk = opened()
        read(talk, 190)
        talk.send(1, 215, data_in(1, bytes(500)))
        self.check(talk, "work", busy=10, network=10)
        self.check(talk, busy=30, target=20, network=10)

    def test_write_with_r2t(self):
        talk = opened()
        talk.send(0, 100, command(1, 1, cdb10(0x2a, 0, 1), 512, 0xa1))
        talk.send(1, 112, r2t(1, 7, 0, 512))
        talk.send(0, 125, data_out(1, 7, bytes(512)))
        talk.send(1, 136, answer(1))
        self.check(talk, busy=41, target=13, host=8, network=20)

    def test_write_waits_for_its_unsolicited_data(self):
        talk = opened()
        talk.send(0, 100, command(1, 1, cdb10(0x2a, 0, 1), 512, 0x21))
        talk.send(0, 109, data_out(1, 2**32 - 1, bytes(512)))
        talk.send(1, 117, answer(1))
        self.check(talk, busy=22, host=9, target=3, network=10)

    def test_lost_answer_is_the_networks(self):
        talk = opened()
        read(talk, 100)
        seq = talk.send(1, 110, data_in(1, bytes(500)), arrive=False)
        talk.send(1, 310, data_in(1, bytes(500)), seq=seq)
        self.check(talk, busy=215, target=5, network=210)

    @staticmethod
    def lose_one_of_two(second, **more):
        """Of two answers the first is repaired at 310; its ACK comes at 320, and the other leaves at `second`."""
        talk = opened(**more)
        read(talk, 100, 1)
        read(talk, 101, 2)
        lost = data_in(1, bytes(500))
        seq = talk.send(1, 110, lost, arrive=False)
        talk.send(1, 310, lost, seq=seq)
        talk.send(0, 315)
        talk.send(1, second, data_in(2, bytes(500)))
        return talk

    def test_answer_that_a_repair_held_back(self):
        for ends in {}, {"ends": (INI6, TGT6)}:
            self.check(self.lose_one_of_two(320.2, **ends), busy=225.2, target=5.2, network=220)

    def test_answer_that_came_long_after_a_repair(self):
        self.check(self.lose_one_of_two(330), busy=235, target=225, network=10)

    def test_transfer_behind_a_slow_link(self):
        for bunch in 70, 60:        # The packets from there on come all at once.
            talk, stream = opened(), data_in(1, bytes(70000 - 48))
            read(talk, 100, 1, 70000 - 48)
            for at in range(70):
                talk.send(1, 110, stream[1000 * at:1000 * (at + 1)], delay=5 + (at if at < bunch else 69))
            self.check(talk, busy=84, transfer=70, target=4, network=10)

    def test_window_that_the_host_closed(self):
        talk, stream = opened(), data_in(1, bytes(8000))
        read(talk, 100, 1, 8000)
        send_parts(talk, 1, 110, stream[:4000])
        talk.send(0, 115, window=0)
        talk.send(0, 200, window=2000)
        send_parts(talk, 1, 205.1, stream[4000:])
        self.check(talk, busy=110.1, host=85, target=5.1, network=20)

    def test_window_that_the_target_closed(self):
        talk, stream = opened(), command(1, 1, cdb10(0x2a, 0, 1), 6000, 0xa1, data=bytes(6000))
        send_parts(talk, 0, 100, stream[:4000])
        talk.send(1, 105, window=0)
        talk.send(1, 205, window=2000)
        send_parts(talk, 0, 210.1, stream[4000:])
        talk.send(1, 217.1, answer(1))
        self.check(talk, busy=122.1, target=102, host=0.1, network=20)

    def test_send_buffer(self):
        talk, stream = opened(), data_in(1, bytes(6 * FULL - 48))
        read(talk, 100, 1, len(stream) - 48)
        talk.send(0, 100.001, window=65535)
        send_parts(talk, 1, 106, stream[:3 * FULL])
        talk.send(0, 111, window=65535)
        send_parts(talk, 1, 116, stream[3 * FULL:])
        self.check(talk, busy=21, target=1, network=20, target_settings=10)

    def test_ack_that_came_with_the_command_answered(self):
        talk, stream = opened(), data_in(1, bytes(12 * FULL - 48))
        for itt in 1, 2:
            read(talk, 100, itt, len(stream) - 48)
        talk.send(0, 100.001, window=65535)
        send_parts(talk, 1, 106, stream)
        read(talk, 111, 3)
        talk.send(1, 116.1, data_in(3, bytes(500)))
        talk.send(1, 130, data_in(2, bytes(500)))
        self.check(talk, busy=35, target=25, network=10)

    def test_congestion_window(self):
        talk, stream = opened(), data_in(1, bytes(20 * FULL - 48))
        read(talk, 100, 1, len(stream) - 48)
        talk.send(0, 100.001, window=65535)
        send_parts(talk, 1, 106, stream[:10 * FULL])
        talk.send(0, 111, window=65535)
        send_parts(talk, 1, 116, stream[10 * FULL:])
        self.check(talk, busy=21, target=1, network=20)

    def test_nagle(self):
        talk = opened()
        read(talk, 100)
        talk.send(1, 110, data_in(1, bytes(500), False))
        talk.send(0, 115)
        talk.send(1, 120, answer(1))
        self.check(talk, busy=25, target=5, network=20, target_settings=10)

    def test_without_nagle_an_answer_is_the_targets(self):
        talk = opened()
        for itt, at in ((1, 100), (2, 103)):
            read(talk, at, itt)
        for itt in (1, 2):
            talk.send(1, 110, data_in(itt, bytes(500), False))
        talk.send(0, 115)
        for itt in (1, 2):
            talk.send(1, 120, answer(itt))
        self.check(talk, busy=25, target=15, network=10)

    def test_ack_that_the_host_held(self):
        talk = opened()
        read(talk, 100)
        talk.send(1, 110, data_in(1, bytes(500), False))
        talk.send(0, 155)
        talk.send(1, 160, answer(1))
        self.check(talk, busy=65, target=5, host=40, network=20, target_settings=10)

    def test_task_without_status_ends_with_the_connection(self):
        talk = opened()
        read(talk, 100)
        talk.send(0, 180, flags=20)
        self.check(talk, busy=80, target=70, network=10)

    def test_connection_in_one_capture_only_is_left_out(self):
        talk = opened()
        talk.taps[1].clear()
        read(talk, 100)
        talk.taps[1].clear()
        found = self.owners(talk)
        self.assertEqual((found["left_out"], found["connections"]), (1, []))


class Spans(unittest.TestCase):
    def test_sets(self):
        one, other = spans.merged([(5, 9), (0, 3), (2, 4), (7, 7)]), [(1, 2), (3, 6), (8, 20)]
        self.assertEqual(one, [(0, 4), (5, 9)])
        self.assertEqual(spans.common(one, other), [(1, 2), (3, 4), (5, 6), (8, 9)])
        self.assertEqual(spans.without(one, other), [(0, 1), (2, 3), (6, 8)])
        self.assertEqual(spans.without(other, one), [(4, 5), (9, 20)])
        self.assertEqual((spans.moved([(1, 2)], 3), spans.length(one)), ([(4, 5)], 8))


class Listing(unittest.TestCase):
    """Runs of both_ends.py."""

    def setUp(self):
        self.top = tempfile.TemporaryDirectory()
        self.addCleanup(self.top.cleanup)
        self.folder = self.path("zoo")
        os.mkdir(self.folder)
        for name in ("both.ini.pcap.zst", "both.tgt.pcap.zst", "one.ini.pcap.zst", "zoo/one.tgt.pcap.zst",
                     "zoo/bare.ini.pcap.zst", "zoo/bare.tgt.pcap.zst", "zoo/both.tgt.pcap.zst"):
            self.write(name, "")
        for name in ("zoo/both.json", "zoo/one.json", "zoo/one.walk.json", "both.json"):
            self.write(name, json.dumps({"place": name}))

    def path(self, name):
        return os.path.join(self.top.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_captures_of_one_folder(self):
        self.assertEqual([(run.name, run.label) for run in both_ends.runs(self.folder)], [("bare", None)])

    def test_captures_in_the_folder_above(self):
        found = {run.name: run for run in both_ends.runs(self.folder, above=True)}
        self.assertEqual(sorted(found), ["bare", "both", "one"])
        self.assertEqual(found["both"].paths["tgt"], self.path("zoo/both.tgt.pcap.zst"))
        self.assertEqual(os.path.normpath(found["both"].paths["ini"]), self.path("both.ini.pcap.zst"))

    def test_the_label_of_the_first_folder_is_taken(self):
        places = self.folder, self.path("absent"), self.top.name
        found = {run.name: run.label["place"] for run in both_ends.labelled(places, above=True)}
        self.assertEqual(found, {"both": "zoo/both.json", "one": "zoo/one.json"})
        self.assertEqual([run.name for run in both_ends.labelled(places, "ot", above=True)], ["both"])


class Judging(unittest.TestCase):
    """owners.py as a whole, on two made-up runs. A script that prints a JSON file stands for the program."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        talk = opened()
        read(talk, 100)
        talk.send(1, 125, data_in(1, bytes(500)))       # One third network, two thirds target.
        silent = opened()
        for name, made in (("run", talk), ("silent", silent)):
            self.write(name + ".json", "{}")
            for side, tap in enumerate(owners.TAPS):
                subprocess.run(["zstd", "-q", "--rm", made.file(self.path(f"{name}.{tap}.pcap"), side)], check=True)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def judge(self, ini, tgt):
        """Exit code and output, with what the program states at each tap."""
        script = 'import json, sys\nprint(json.dumps({".ini.": INI, ".tgt.": TGT}[".ini." if ".ini." in sys.argv[-1] ' \
                 'else ".tgt."]))\n'
        program = self.write("program", f"#!{sys.executable}\nINI, TGT = {ini!r}, {tgt!r}\n{script}")
        os.chmod(program, 0o755)
        out = io.StringIO()
        arguments = ["owners.py", program, self.folder.name, "--cache", self.path("cache")]
        with unittest.mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(out), self.assertRaises(SystemExit) as stopped:
            owners.main()
        return stopped.exception.code, out.getvalue()

    @staticmethod
    def report(target, host, network):
        return {"owners": {"all": {"busy_ns": 1000, "transfer_ns": 30, "network_ns": network - 30, "target_ns": target,
                                   "host_ns": host, "unknown_ns": 0, "unasked_ns": 7}}}

    def test_right(self):
        code, shown = self.judge(self.report(660, 0, 340), self.report(640, 20, 340))
        self.assertEqual(code, 0, shown)
        self.assertIn("right at both taps, which agree: 1 of 1 pairs, 100.0 %", shown)
        self.assertIn("left out: silent: no answered task", shown)

    def test_one_tap_wrong(self):
        code, shown = self.judge(self.report(660, 0, 340), self.report(600, 60, 340))
        self.assertEqual(code, 1)
        self.assertIn("right at ini: 1 of 1", shown)
        self.assertIn("right at tgt: 0 of 1", shown)
        self.assertIn("the taps agree: 0 of 1", shown)

    def test_taps_that_do_not_agree(self):
        code, shown = self.judge(self.report(630, 0, 370), self.report(700, 0, 300))
        self.assertEqual(code, 1)
        for tap in owners.TAPS:
            self.assertIn(f"right at {tap}: 1 of 1", shown)
        self.assertIn("the taps agree: 0 of 1", shown)

    def test_program_without_owners(self):
        code, shown = self.judge({}, {})
        self.assertEqual(code, 2)
        self.assertIn("no key `owners`", shown)

    def test_truth_is_kept(self):
        self.judge(self.report(660, 0, 340), self.report(660, 0, 340))
        kept = [name for name in os.listdir(self.path("cache")) if name.startswith("run.")]
        with open(os.path.join(self.path("cache"), kept[0]), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["all"]["target_ns"], 20_000_000)


if __name__ == "__main__":
    unittest.main()
