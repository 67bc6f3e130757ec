#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Wireshark plugin, through tshark as an ordinary user: what it shows must equal the rows of the
command line, to the nanosecond, in one pass and in two.

Environment: ISCSISCOPE (the command line program), ISCSISCOPE_PLUGIN (iscsiscope.so as it was built),
ISCSISCOPE_SOURCE_DIR, ISCSISCOPE_CAPTURES (default: ../shared/captures beside the source folder)."""

import concurrent.futures
import csv
import glob
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE = os.environ.get("ISCSISCOPE_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", ".."))
CAPTURES = os.environ.get("ISCSISCOPE_CAPTURES", os.path.join(SOURCE, "..", "shared", "captures"))
PROGRAM = os.environ.get("ISCSISCOPE", "iscsiscope")
PLUGIN = os.environ.get("ISCSISCOPE_PLUGIN", "")
NOBODY = "65534"
PREFIX = "iscsiscope."


def skip(why):
    print("SKIPPED: " + why, flush=True)
    sys.exit(77)


class Tshark:
    """Runs tshark with the plugin and an empty home. Root would silently get no plugin at all."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "home"))
        epan = os.path.join(folder, "plugins", os.path.basename(os.path.dirname(os.path.dirname(PLUGIN))), "epan")
        os.makedirs(epan)
        shutil.copy(PLUGIN, epan)
        self.open_up()
        self.command = ["env", "HOME=" + os.path.join(folder, "home"),
                        "WIRESHARK_PLUGIN_DIR=" + os.path.join(folder, "plugins"), "tshark"]
        if os.geteuid() == 0:
            os.chown(os.path.join(folder, "home"), int(NOBODY), int(NOBODY))
            self.command = ["setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY,
                            "--clear-groups"] + self.command

    def open_up(self):
        os.chmod(self.folder, 0o755)
        for root, folders, files in os.walk(self.folder):
            for name in folders + files:
                os.chmod(os.path.join(root, name), 0o755)

    def run(self, *arguments):
        done = subprocess.run(self.command + list(arguments), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            raise AssertionError("tshark %s: %d\n%s" % (arguments, done.returncode, done.stderr.decode()))
        return done.stdout.decode()


def rows(command, capture):
    text = subprocess.run([PROGRAM, command, "--quiet", capture], stdout=subprocess.PIPE, check=True).stdout
    return list(csv.DictReader(io.StringIO(text.decode())))


def nanoseconds(text):
    """Seconds as Wireshark writes relative times, "0.001234567" -> "1234567"."""
    seconds, _, fraction = text.partition(".")
    return str(int(seconds) * 10**9 + int(fraction.ljust(9, "0")))


# Field of the plugin -> column of the command line, and how to read the field.
CYCLE_FACTS = {"cycle.type": ("type", str), "cycle.itt": ("itt", lambda s: str(int(s, 0))),
               "cycle.lun": ("lun", str), "cycle.lba": ("lba", str), "cycle.blocks": ("blocks", str),
               "cycle.bytes": ("bytes_expected", str), "cycle.outstanding": ("queue_depth", str),
               "cycle.opcode": ("opcode", lambda s: str(int(s, 0))),
               "cycle.command_frame": ("command_frame", str),
               "cycle.first_data_frame": ("first_data_frame", str),
               "cycle.last_data_frame": ("last_data_frame", str), "cycle.status_frame": ("status_frame", str),
               "cycle.end_frame": ("end_frame", str), "cycle.outcome": ("outcome", str),
               "cycle.bytes_moved": ("bytes_moved", str), "cycle.r2t_count": ("r2t_count", str),
               "session.id": ("session", str), "session.cid": ("cid", str), "stream": ("stream", str)}
CYCLE_TIMES = {"cycle." + n: (n + "_ns", nanoseconds)
               for n in ("response_time", "command", "first_data_wait", "data", "unsolicited", "r2t_wait",
                         "burst_response", "burst_data", "status_wait")}
CYCLE_LATE = {"cycle.time": ("cycle_time_ns", nanoseconds),
              "cycle.next_command_wait": ("next_command_wait_ns", nanoseconds),
              "cycle.target_service": ("target_service_ns", nanoseconds),
              "cycle.idle": ("idle_ns", nanoseconds),
              "cycle.retransmitted_segments": ("retransmitted_segments", str)}
BURST = {"burst.r2tsn": ("r2t_sn", str), "burst.ttt": ("ttt", lambda s: str(int(s, 0))),
         "burst.offset": ("offset", str), "burst.length": ("desired_bytes", str),
         "burst.sent": ("sent_bytes", str), "burst.r2t_frame": ("r2t_frame", str),
         "burst.first_frame": ("first_frame", str), "burst.last_frame": ("last_frame", str),
         "burst.wait": ("r2t_wait_ns", nanoseconds), "burst.response": ("burst_response_ns", nanoseconds),
         "burst.time": ("burst_data_ns", nanoseconds)}
GAP = {"gap.time": ("length_ns", nanoseconds), "gap.kind": ("kind", str), "gap.cycle": ("cycle", str),
       "gap.stream": ("stream", str), "gap.before_frame": ("before_frame", str),
       "gap.after_frame": ("after_frame", str)}


def values(element):
    """Direct children of a subtree by field name, the prefix taken off: all values of each."""
    found = {}
    for child in element.findall("field"):
        name = child.get("name", "")
        if name.startswith(PREFIX):
            show = child.get("show") or ""
            found.setdefault(name[len(PREFIX):], []).append(show)
    return found


class Shown:
    """What the plugin showed of one capture."""

    def __init__(self, pdml):
        self.cycles, self.bursts, self.gaps = {}, {}, []
        self.frames = {}  # by cycle: frames that carry bytes of it
        for packet in ElementTree.fromstring(pdml).iter("packet"):
            for proto in packet.iter("proto"):
                if proto.get("name") == "iscsiscope":
                    self.read_frame(proto)

    def read_frame(self, proto):
        for field in proto.findall("field"):
            if field.get("name") == PREFIX + "cycle":
                found = values(field)
                number = found["cycle.id"][0]
                if "cycle.outcome" in found:  # the result stands here; told again: the last one holds
                    self.cycles[number] = found
                for burst in field.findall("field"):
                    if burst.get("name") == PREFIX + "burst":
                        shown = values(burst)
                        self.bursts[number, shown["burst.number"][0]] = shown
            elif field.get("name") == PREFIX + "gap":
                self.gaps.append(values(field))


def picked(shown, names):
    return {column: read(shown[field][0]) if field in shown else "" for field, (column, read) in names.items()}


def expected(row, names):
    return {column: row[column] for column, _ in names.values()}


class PluginTest(unittest.TestCase):
    longMessage = True

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="iscsiscope-plugin-")
        cls.tshark = Tshark(cls.folder)
        cls.captures = {}
        found = glob.glob(os.path.join(CAPTURES, "*.pcap*.zst")) + glob.glob(
            os.path.join(SOURCE, "sample-captures", "*.pcap*.zst"))
        for path in sorted(found):
            name = os.path.basename(path)[:-len(".zst")]
            plain = os.path.join(cls.folder, name)
            subprocess.run(["zstd", "-qdf", path, "-o", plain], check=True)
            cls.captures[name] = plain
        cls.tshark.open_up()
        if not any("z01_clean_read" in name for name in cls.captures):
            print("SKIPPED: the shared captures are not at " + CAPTURES, flush=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def capture(self, part):
        for name, path in self.captures.items():
            if part in name:
                return path
        return self.skipTest("no capture " + part)

    def pdml(self, path, *more):
        return self.tshark.run("-r", path, "-Y", "iscsiscope", "-T", "pdml", "-J", "iscsiscope", *more)

    def frames(self, path, dfilter, *more):
        text = self.tshark.run("-r", path, *more, "-Y", dfilter, "-T", "fields", "-e", "frame.number")
        return [int(line) for line in text.split()]

    def test_listed(self):
        plugins = [line.split("\t") for line in self.tshark.run("-G", "plugins").splitlines()]
        self.assertTrue(any(line[0].startswith("iscsiscope.so") for line in plugins), plugins)

    def test_fields(self):
        described, others = {}, set()
        for line in self.tshark.run("-G", "fields").splitlines():
            cells = line.split("\t")
            if cells[0] == "F" and cells[4] == "iscsiscope" and ".expert." not in cells[2]:
                self.assertNotIn(cells[2], described, "registered twice")
                described[cells[2]] = cells
            elif cells[0] == "F" and cells[4] != "iscsiscope":
                others.add(cells[2])
        self.assertGreater(len(described), 50)
        for name, cells in described.items():
            self.assertTrue(name.startswith(PREFIX), name)
            self.assertNotIn(name, others)
            self.assertTrue(cells[7], name + " has no description")
            if cells[3] == "FT_RELATIVE_TIME":
                self.assertIn("(seconds)", cells[7])

    def compare(self, name, path, pdml, two_passes):
        shown = Shown(pdml)
        counted = [0, 0, 0]
        names = {**CYCLE_FACTS, **CYCLE_TIMES, **(CYCLE_LATE if two_passes else {})}
        cycles = {row["cycle"]: row for row in rows("cycles", path)}
        for number, row in cycles.items():
            if not two_passes and row["status_frame"] == "" and number not in shown.cycles:
                continue  # that no status will come is perhaps known only at the capture's end
            self.assertIn(number, shown.cycles, name)
            self.assertEqual(picked(shown.cycles[number], names), expected(row, names), (name, number))
            counted[0] += 1
        self.assertLessEqual(shown.cycles.keys(), cycles.keys(), name)
        for row in rows("bursts", path):
            key = row["cycle"], row["burst"]
            self.assertIn(key, shown.bursts, name)
            self.assertEqual(picked(shown.bursts[key], BURST), expected(row, BURST), (name, key))
            counted[1] += 1
        wanted = [expected(row, GAP) for row in rows("gaps", path)]
        got = [picked(gap, GAP) for gap in shown.gaps]
        order = lambda gap: (int(gap["stream"]), int(gap["before_frame"] or 0), int(gap["length_ns"]))
        if two_passes:
            self.assertEqual(sorted(got, key=order), sorted(wanted, key=order), name)
        else:  # a gap whose kind only the end of the capture decides is not known in time
            for gap in got:
                self.assertIn(gap, wanted, name)
            missing = len(wanted) - len(got)
            streams = {gap["stream"] for gap in wanted}
            self.assertLessEqual(missing, max(2 * len(streams), len(wanted) // 20), name)
        counted[2] = len(got)
        return counted

    def equality(self, two_passes):
        sums = [0, 0, 0]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            told = {name: pool.submit(self.pdml, path, *(["-2"] if two_passes else []))
                    for name, path in self.captures.items()}
        for name, path in self.captures.items():
            with self.subTest(capture=name):
                counted = self.compare(name, path, told.pop(name).result(), two_passes)
                sums = [a + b for a, b in zip(sums, counted)]
                print("%s %s: %d cycles, %d bursts, %d gaps equal" %
                      ("-2" if two_passes else "  ", name, *counted), flush=True)
        print("%s: %d cycles, %d bursts, %d gaps equal in %d captures" %
              ("two passes" if two_passes else "one pass", *sums, len(self.captures)), flush=True)
        if not self.captures:
            self.skipTest("no captures")

    def test_one_pass_equals_command_line(self):
        self.equality(False)

    def test_two_passes_equal_command_line(self):
        self.equality(True)

    def test_display_filters(self):
        path = self.capture("b_write_4MiB_256K_5ms_r2t64k.ini")
        wanted = sorted({int(r["end_frame"]) for r in rows("cycles", path)
                         if r["type"] == "write" and r["response_time_ns"] and int(r["response_time_ns"]) > 10**7})
        self.assertTrue(wanted)
        self.assertEqual(self.frames(path, 'iscsiscope.cycle.response_time > 0.01 && iscsiscope.cycle.type == "write"'),
                         wanted)
        self.assertEqual(
            self.frames(path, 'iscsiscope.cycle.response_time > 0.01 && iscsiscope.cycle.type == "write"', "-2",
                        "-o", "iscsiscope.result_frame:Status"), wanted)
        wanted = sorted({int(r["after_frame"]) for r in rows("gaps", path) if r["kind"] == "target_r2t"})
        self.assertTrue(wanted)
        self.assertEqual(self.frames(path, 'iscsiscope.gap.kind == "target_r2t"', "-2"), wanted)

    def test_clip_filter(self):
        """With one task at a time, a cycle's frames are those with payload from its command to its end."""
        for part in ("b_write_4MiB_256K_5ms_r2t64k.ini", "a_read_4MiB_512K_1ms.ini", "h_read_4MiB_snap128"):
            with self.subTest(capture=part):
                path = self.capture(part)
                payload = self.frames(path, "tcp.len > 0")
                shown = Shown(self.pdml(path, "-2"))
                pairs = self.tshark.run("-r", path, "-2", "-Y", "iscsiscope.cycle.id", "-T", "fields", "-e",
                                        "frame.number", "-e", "iscsiscope.cycle.id")
                selected = {}
                for line in pairs.splitlines():
                    frame, numbers = line.split("\t")
                    for number in numbers.split(","):
                        selected.setdefault(number, []).append(int(frame))
                checked = 0
                others = {int(r["frame"]) for r in rows("pdus", path)
                          if r["opcode_name"] not in ("SCSI Command", "Data-In", "Data-Out", "R2T", "SCSI Response")}
                spans = {r["cycle"]: (int(r["command_frame"]), int(r["end_frame"]))
                         for r in rows("cycles", path) if r["end_frame"] and r["command_frame"]}
                for number, (first, last) in spans.items():
                    if any(other != number and begin <= last and end >= first
                           for other, (begin, end) in spans.items()):
                        continue
                    self.assertEqual(selected[number],
                                     [f for f in payload if first <= f <= last and f not in others], number)
                    self.assertEqual(shown.cycles[number]["cycle.clip_filter"],
                                     ["iscsiscope.cycle.id == " + number])
                    checked += 1
                self.assertGreater(checked, 5)
                number = max(selected, key=lambda n: len(selected[n]))
                dfilter = shown.cycles[number]["cycle.clip_filter"][0]
                self.assertEqual(self.frames(path, dfilter, "-2"), selected[number])

    def test_statistics(self):
        path = self.capture("b_write_4MiB_256K_5ms_r2t64k.ini")
        cycles = rows("cycles", path)
        writes = [r for r in cycles if r["type"] == "write" and r["response_time_ns"]]
        tree = self.tshark.run("-r", path, "-q", "-z", "iscsiscope,tree")
        line = next(l for l in tree.splitlines() if l.strip().startswith("write, good"))
        self.assertEqual(int(line.split()[2]), sum(r["outcome"] == "good" for r in writes))
        self.assertIn("target_r2t", tree)
        for passes in ([], ["-2"]):
            srt = self.tshark.run("-r", path, "-q", *passes, "-z", "iscsiscope,srt")
            line = next(l for l in srt.splitlines() if "WRITE(10)" in l)
            longest = max(int(r["response_time_ns"]) for r in writes) / 1e9
            cells = line.split()
            self.assertEqual(int(cells[2]), len(writes))
            self.assertAlmostEqual(float(cells[4]), longest, delta=2e-6)
            summary = self.tshark.run("-r", path, "-q", *passes, "-z", "iscsiscope,summary")
            self.assertIn("target_r2t", summary)
            filtered = self.tshark.run("-r", path, "-q", *passes, "-z",
                                       'iscsiscope,summary,iscsiscope.cycle.type == "read"')
            self.assertNotEqual(summary, filtered)

    def test_preferences(self):
        path = self.capture("b_write_4MiB_256K_5ms_r2t64k.ini")
        shown = Shown(self.pdml(path, "-2", "-o", "iscsiscope.gap_threshold:8000"))
        text = subprocess.run([PROGRAM, "gaps", "--quiet", "--gap-threshold", "8ms", path],
                              stdout=subprocess.PIPE, check=True).stdout.decode()
        wanted = list(csv.DictReader(io.StringIO(text)))
        self.assertTrue(wanted)
        self.assertEqual(len(shown.gaps), len(wanted))

    def test_expert_infos(self):
        path = self.capture("b_write_4MiB_256K_5ms_r2t64k.ini")
        self.assertIn("R2T", self.tshark.run("-r", path, "-q", "-z", "expert"))
        wanted = sorted({int(r["after_frame"]) for r in rows("gaps", path)
                         if r["kind"] == "target_r2t" and 10**7 <= int(r["length_ns"]) < 10**8})
        self.assertTrue(wanted)
        self.assertEqual(self.frames(path, "iscsiscope.expert.gap.target_r2t_note", "-2"), wanted)

    def test_profile(self):
        profile = os.path.join(SOURCE, "plugin", "profile")
        there = os.path.join(self.folder, "home", ".config", "wireshark", "profiles", "iSCSI cycles")
        shutil.copytree(profile, there)
        self.tshark.open_up()
        path = self.capture("b_write_4MiB_256K_5ms_r2t64k.ini")
        lines = self.tshark.run("-r", path, "-C", "iSCSI cycles", "-2", "-Y", "iscsiscope.cycle.response_time",
                                "-o", "iscsiscope.result_frame:Status").splitlines()
        row = next(r for r in rows("cycles", path) if r["response_time_ns"])
        seconds = "%d.%09d" % divmod(int(row["response_time_ns"]), 10**9)
        self.assertTrue(any(seconds in line and row["type"] in line for line in lines), lines[:3])
        # Every display filter in it must be one that Wireshark understands.
        filters = []
        for name, cell in (("colorfilters", 1), ("dfilter_buttons", 2)):
            with open(os.path.join(profile, name), encoding="utf-8") as file:
                for line in file:
                    if name == "colorfilters" and line.startswith("@"):
                        filters.append(line.split("@")[2])
                    elif name == "dfilter_buttons" and line.startswith('"'):
                        filters.append(line.split('","')[cell].replace("\\x22", '"'))
        self.assertGreater(len(filters), 8)
        for dfilter in filters:
            self.tshark.run("-r", path, "-c", "1", "-Y", dfilter)


if __name__ == "__main__":
    if not PLUGIN or not os.path.exists(PLUGIN):
        skip("the plugin is not built")
    for tool in ("tshark", "zstd") + (("setpriv",) if os.geteuid() == 0 else ()):
        if shutil.which(tool) is None:
            skip(tool + " is not installed")
    unittest.main(verbosity=2)
