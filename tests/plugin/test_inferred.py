#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin marks as inferred in captures that a snap length cut: the PDUs and cycles that the command line
marks, in one pass and in two, on the frame that confirms them; and nothing in whole captures. Environment:
plugin_tools.py."""

import os
import re
import shutil
import subprocess
import unittest
from collections import Counter

from plugin_tools import PluginTestCase, Shown, need_tools, pdml, rows, skip

SNAP_LENGTHS = (128, 96)
# The first two are part of the source.
READS, WRITES = "read-16ms-four-gaps.initiator", "eight-writes.initiator"
SOURCES = (READS, WRITES, "a_read_4MiB_512K_1ms.ini", "b_write_4MiB_256K_5ms_r2t64k.ini", "i_randread_4K_qd8.ini",
           "n_cwnd_write_reno_20mbit.ini", "o_offloads_on_read_write.ini", "z01_clean_read.ini", "z08_reordering.tgt",
           "z13_lun_reset.ini")
LISTED = 8  # of one frame
MORE = (("z08_reordering.tgt", 96), ("z08_reordering.tgt", 128), ("n_cwnd_write_reno_20mbit.ini", 128))  # confirm more
MADE_CUT = ("n_cwnd_write_reno_20mbit.ini",)  # with a snap length of 160
PASSES = ([], ["-2"])


def inferred(rows_of_a_table):
    return [row for row in rows_of_a_table if row["inferred"] == "true"]


def known_in_time(cycle):
    """Whether its end is known before that of the capture."""
    return cycle["status_frame"] != ""


class InferredTest(PluginTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        sources = {part: path for part in SOURCES for name, path in cls.captures.items() if name.startswith(part)}
        cls.whole = {part: path for part, path in sources.items() if part not in MADE_CUT}
        cls.cut = {}
        for part, path in sources.items():
            for length in SNAP_LENGTHS:
                cls.cut[part, length] = os.path.join(cls.folder, "cut-%d.%s" % (length, part))
                subprocess.run(["editcap", "-F", "nsecpcap", "-s", str(length), path, cls.cut[part, length]], check=True)
        cls.tshark.open_up()

    def shown(self, path, *passes):
        return Shown(pdml(self.tshark, path, *passes, dfilter="iscsiscope.cycle.outcome || iscsiscope.inferred"))

    def test_equals_command_line(self):
        """The same PDUs, by opcode and the frame of their end, and the same cycles."""
        pdus = cycles = 0
        for (part, length), path in self.cut.items():
            wanted = Counter((row["opcode_name"], row["last_frame"]) for row in inferred(rows("pdus", path)))
            wanted_cycles = inferred(rows("cycles", path))
            pdus, cycles = pdus + wanted.total(), cycles + len(wanted_cycles)
            for passes in PASSES:
                with self.subTest(capture=part, cut_to=length, passes=passes):
                    shown = self.shown(path, *passes)
                    found, not_listed = Counter(), 0
                    for frame, fields in shown.inferred.items():
                        listed = list(zip(fields["inferred.opcode"], fields["inferred.frame"]))
                        self.assertEqual(len(fields["inferred.opcode"]), len(fields["inferred.frame"]))
                        self.assertLessEqual(len(listed), LISTED)
                        more = int(fields["inferred.pdus"][0]) - len(listed)
                        self.assertTrue(more == 0 or len(listed) == LISTED)
                        not_listed += more
                        self.assertLessEqual(max(int(end) for _, end in listed), int(frame))
                        found.update(listed)
                    self.assertEqual(found.total() + not_listed, wanted.total())
                    self.assertEqual(found - wanted, Counter())
                    self.assertEqual(not_listed > 0, (part, length) in MORE)
                    marked = {number for number, fields in shown.cycles.items() if "cycle.inferred" in fields}
                    self.assertEqual(marked, {row["cycle"] for row in wanted_cycles
                                              if passes or known_in_time(row) or row["cycle"] in shown.cycles})
        print("FIGURE: plugin, inferred: %d PDUs and %d cycles equal in %d cut captures" % (pdus, cycles, len(self.cut)))
        self.assertGreater(pdus, 90)
        self.assertGreater(cycles, 50)

    def test_where_they_are_confirmed(self):
        """The command line has them in a capture that ends with that frame, not in one that ends before it."""
        for part in (READS, WRITES):
            path, confirmed = self.cut[part, 128], 0
            shown = self.shown(path)
            self.assertEqual(shown.inferred, self.shown(path, "-2").inferred, part)
            self.assertGreater(len(shown.inferred), 3)
            for frame, fields in shown.inferred.items():
                counts = []
                for last in (int(frame) - 1, int(frame)):
                    beginning = os.path.join(self.folder, "beginning.pcap")
                    subprocess.run(["editcap", "-F", "nsecpcap", "-r", path, beginning, "1-%d" % last], check=True)
                    counts.append(len(inferred(rows("pdus", beginning))))
                self.assertEqual(counts, [confirmed, confirmed + int(fields["inferred.pdus"][0])], (part, frame))
                confirmed = counts[1]

    def test_filters_labels_and_expert_infos(self):
        path = self.cut[WRITES, 128]
        wanted = Counter(row["opcode_name"] for row in inferred(rows("pdus", path)))
        for passes in PASSES:
            shown = self.shown(path, *passes)
            frames = [int(frame) for frame in shown.inferred]
            for dfilter in ("iscsiscope.inferred", "iscsiscope.inferred.pdus > 0", "iscsiscope.expert.inferred"):
                self.assertEqual(self.frames(path, dfilter, *passes), frames, dfilter)
            marked = [c for c in shown.cycles.values() if "cycle.inferred" in c]
            self.assertGreater(len(marked), 10)
            if passes:  # in one pass where their ends are known
                self.assertEqual(set(self.frames(path, "iscsiscope.cycle.inferred == 1", *passes, "-o",
                                                 "iscsiscope.result_frame:Status")),
                                 {int(c["cycle.end_frame"][0]) for c in marked})
            text = self.tshark.run("-r", path, *passes, "-Y", "iscsiscope.inferred", "-O", "iscsiscope")
            labels = re.findall(r"\[(\d+) PDUs? inferred: (.*)\]", text)
            self.assertEqual(len(labels), len(frames))
            counted = Counter()
            for count, words in labels:
                opcodes = Counter({name: int(n) for n, name in (part.split(" ", 1) for part in words.split(", "))})
                self.assertEqual(opcodes.total(), int(count))
                counted += opcodes
            self.assertEqual(counted, wanted)
            experts = self.tshark.run("-r", path, "-q", *passes, "-z", "expert,chat")
            line = re.findall(r"(\d+) +Assumption +iSCSI Cycles +(.*)", experts)
            self.assertEqual([int(n) for n, _ in line], [len(frames)], experts)
            self.assertIn("is not in the file", line[0][1])

    def test_commands_cut_short(self):
        """At 96 bytes the CDB is not in the file: that is what the label says."""
        text = self.tshark.run("-r", self.cut[READS, 96], "-2", "-Y", "iscsiscope.cycle", "-O", "iscsiscope")
        reads = [row for row in rows("cycles", self.cut[READS, 96]) if row["type"] == "read"]
        self.assertTrue(reads)
        self.assertEqual({row["opcode"] for row in reads}, {""})
        for row in reads:
            self.assertRegex(text, r"\[Cycle %s: read, CDB not in the file, .*, inferred\]" % row["cycle"])
        self.assertNotIn("command not in the capture", text)

    def test_summary(self):
        path = self.cut[READS, 128]
        count = len(inferred(rows("pdus", path)))
        for passes in PASSES:
            self.assertRegex(self.tshark.run("-r", path, "-q", *passes, "-z", "iscsiscope,summary"),
                             r"Inferred +%d PDUs of the capture's %d" % (count, len(rows("pdus", path))))
            self.assertNotIn("Inferred", self.tshark.run("-r", self.whole[READS], "-q", *passes,
                                                         "-z", "iscsiscope,summary"))

    def test_whole_captures_show_none(self):
        for part, path in self.whole.items():
            for passes in PASSES:
                with self.subTest(capture=part, passes=passes):
                    self.assertEqual(self.frames(path, "iscsiscope.inferred || iscsiscope.cycle.inferred || "
                                                 "iscsiscope.expert.inferred", *passes), [])
                    self.assertEqual(inferred(rows("pdus", path)) + inferred(rows("cycles", path)), [])


if __name__ == "__main__":
    need_tools()
    if shutil.which("editcap") is None:
        skip("editcap is not installed")
    unittest.main(verbosity=2)
