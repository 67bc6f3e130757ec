#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Wireshark plugin, through tshark as an ordinary user: what it shows must equal the rows of the
command line, to the nanosecond, in one pass and in two. Environment: plugin_tools.py."""

import concurrent.futures
import csv
import io
import os
import re
import shutil
import subprocess
import unittest

import odd_captures
import wrappings
from plugin_tools import (BURST, CAPTURES, CYCLE_FACTS, CYCLE_LATE, CYCLE_TIMES, GAP, LEDGER, PREFIX, PROGRAM, SOURCE, TCP,
                          PluginTestCase, Shown, expected, findings, json_findings, need_tools, pdml, picked, rows)


# Nothing in an MPLS label says that Ethernet without a control word follows, and Wireshark 4.0 does not find out.
OPTIONS_OF_TUNNELS = {"mpls pseudowire without control word": ("-d", "mpls.label==18,pwethnocw")}
FRAMES_IN_TUNNELS = 1000


def by_frame(found):
    return sorted(found, key=lambda f: f["frame"])  # stable: of one frame in the findings' order


class Comparison:
    """One capture: what is shown against the command line's rows. In a process of its own, so that all processors
    read."""

    def __init__(self, name, path):
        self.name, self.check = name, unittest.TestCase()
        self.cycles = {row["cycle"]: row for row in rows("cycles", path)}
        self.bursts, gaps = rows("bursts", path), rows("gaps", path)
        self.gaps = [expected(row, GAP) for row in gaps]
        self.entries = [{**expected(row, LEDGER), "trouble": row["trouble"] == "true"}
                        for row in rows("ledger", path) if row["gap"]]
        self.streams = len({row["stream"] for row in gaps})
        ends = {row["stream"]: int(row["end_ns"]) for row in rows("connections", path)}
        # Whether a repeat was a loss is settled two round trips and half a second behind it; gaps wait for that.
        self.settled = [int(row["start_ns"]) + int(row["length_ns"]) < ends[row["stream"]] - 10**9 for row in gaps]
        self.senders = {row["frame"]: expected(row, TCP) for row in rows("tcp", path)}
        self.findings = findings(path)

    def compare(self, shown, two_passes):
        names = {**CYCLE_FACTS, **CYCLE_TIMES, **(CYCLE_LATE if two_passes else {})}
        cycles = 0
        for number, row in self.cycles.items():
            if not two_passes and row["status_frame"] == "" and number not in shown.cycles:
                continue  # that no status will come is perhaps known only at the capture's end
            self.check.assertIn(number, shown.cycles, self.name)
            self.check.assertEqual(picked(shown.cycles[number], names), expected(row, names),
                                   (self.name, number))
            cycles += 1
        self.check.assertLessEqual(shown.cycles.keys(), self.cycles.keys(), self.name)
        for row in self.bursts:
            key = row["cycle"], row["burst"]
            if not two_passes and key not in shown.bursts and row["cycle"] not in shown.cycles:
                continue  # neither the burst nor its cycle ended before the capture
            self.check.assertIn(key, shown.bursts, self.name)
            self.check.assertEqual(picked(shown.bursts[key], BURST), expected(row, BURST),
                                   (self.name, key))
        got = [picked(gap, GAP) for gap in shown.gaps]
        order = lambda gap: (int(gap["before_frame"] or 0), int(gap["length_ns"]), gap["kind"])
        if two_passes:
            self.check.assertEqual(sorted(got, key=order), sorted(self.gaps, key=order), self.name)
        else:  # a gap whose kind only the end of the capture decides is not known in time
            for gap in got:
                self.check.assertIn(gap, self.gaps, self.name)
            printed = {tuple(gap.values()) for gap in got}
            missing = [gap for gap, settled in zip(self.gaps, self.settled)
                       if settled and tuple(gap.values()) not in printed]
            if self.cycles:  # without any, only the end of the capture shows what the connection carried
                self.check.assertLessEqual(len(missing), max(2 * self.streams, sum(self.settled) // 20),
                                           self.name)
        if two_passes:  # no figure stands twice
            self.check.assertEqual(shown.results, len(shown.cycles), self.name)
            self.check.assertEqual(shown.burst_results, len(shown.bursts), self.name)
        entry_order = lambda e: [str(value) for value in e.values()]
        self.check.assertEqual(sorted(shown.entries, key=entry_order),
                               sorted(self.entries, key=entry_order) if two_passes else [], self.name)
        self.check.assertEqual(shown.findings, by_frame(self.findings) if two_passes else [], self.name)
        senders = {frame: picked(s, TCP) for frame, s in shown.senders.items()}
        if senders != self.senders:  # unittest's own comparison of so many takes minutes
            wrong = [f for f in senders.keys() | self.senders.keys() if senders.get(f) != self.senders.get(f)]
            first = min(wrong, key=int)
            self.check.fail("%s: %d TCP estimates differ, first frame %s: %s != %s" % (
                self.name, len(wrong), first, senders.get(first), self.senders.get(first)))
        return [cycles, len(self.bursts), len(got), len(shown.entries), len(senders), len(shown.findings)]


def compared(tshark, name, path, same=None, options=()):
    """Cycles, bursts, gaps, entries of the ledger, TCP estimates and findings that are equal, in one pass and in two; or what
    is not. same: the file that the command line reads. options: of tshark."""
    comparison = Comparison(name, same or path)
    try:
        return [comparison.compare(Shown(pdml(tshark, path, *options, *passes)), bool(passes))
                for passes in ([], ["-2"])]
    except AssertionError as wrong:
        return str(wrong)


class PluginTest(PluginTestCase):
    def capture(self, part):
        for name, path in self.captures.items():
            if part in name:
                return path
        return self.skipTest("no capture " + part)

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

    def test_equals_command_line(self):
        if not self.captures:
            self.skipTest("no captures")
        sums = [[0] * 6, [0] * 6]
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
            largest_first = sorted(self.captures, key=lambda name: -os.path.getsize(self.captures[name]))
            printed = {name: pool.submit(compared, self.tshark, name, self.captures[name]) for name in largest_first}
        for name in self.captures:
            with self.subTest(capture=name):
                result = printed[name].result()
                if isinstance(result, str):
                    self.fail(result)
                for i, counted in enumerate(result):
                    sums[i] = [a + b for a, b in zip(sums[i], counted)]
                    print("%s %s: %d cycles, %d bursts, %d gaps, %d entries, %d TCP estimates, %d findings' frames equal" %
                          (("  ", "-2")[i], name, *counted), flush=True)
        for i, passes in enumerate(("one pass", "two passes")):
            print("FIGURE: plugin, %s: %d cycles, %d bursts, %d gaps, %d entries of the ledger, %d TCP estimates, "
                  "%d frames of findings equal in %d captures" %
                  (passes, *sums[i], len(self.captures)), flush=True)

    def test_tunnels(self):
        """Frame by frame the same segments, compared with the command line's rows of the capture without tunnels, which
        for it are those of the capture in them (tests/unit/cli/test_tunnels.py)."""
        made = {}
        for source in self.tunnelled():
            with open(source, "rb") as file:
                head, found = wrappings.frames(file.read())
            found = found[:FRAMES_IN_TUNNELS]
            plain = os.path.join(self.folder, "plain." + os.path.basename(source))
            with open(plain, "wb") as file:
                file.write(wrappings.written(head, found))
            for wrapping, wrap in wrappings.WRAPPINGS.items():
                path = os.path.join(self.folder, wrapping.replace(" ", "-") + "." + os.path.basename(source))
                with open(path, "wb") as file:
                    file.write(wrappings.written(head, wrappings.wrapped_frames(found, wrap)))
                made[wrapping, os.path.basename(source)] = path, plain
        if not made:
            self.skipTest("no captures")
        self.tshark.open_up()
        cycles, wrapped_in = 0, set()
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
            running = {key: pool.submit(compared, self.tshark, " ".join(key), path, plain,
                                        OPTIONS_OF_TUNNELS.get(key[0], ())) for key, (path, plain) in made.items()}
        for key, future in running.items():
            with self.subTest(capture=key):
                result = future.result()
                self.assertIsInstance(result, list, result)
                self.assertGreater(result[1][0], 5)
                cycles += result[1][0]
                wrapped_in.add(key[0])
        print("FIGURE: plugin: %d cycles equal in %d tunnels" % (cycles, len(wrapped_in)), flush=True)

    def tunnelled(self):
        """Captures of Ethernet frames, of IPv4 and of IPv6."""
        yield from (path for name, path in self.captures.items() if name.startswith("b_write_4MiB_256K_5ms_r2t64k.ini"))
        packed = os.path.join(CAPTURES, "zoo", "k_ipv6_port13260_read.ini.pcap.zst")
        if os.path.exists(packed):
            path = os.path.join(self.folder, "k_ipv6_port13260_read.ini.pcap")
            subprocess.run(["zstd", "-qdf", packed, "-o", path], check=True)
            yield path

    def test_mistyped_filters(self):
        """A name that an enumeration does not have is an error, not an empty list."""
        path = self.capture("b_write_4MiB_256K_5ms_r2t64k.ini")
        wrong = ('iscsiscope.gap.kind == "target_rt2"', 'iscsiscope.gap.kind in {"target_r2t", "delayed_akc"}',
                 'iscsiscope.cycle.type == "reed"', 'iscsiscope.cycle.role == "statsu"',
                 'iscsiscope.cycle.outcome != "god"', 'iscsiscope.finding.kind == "r2t_pingpong"',
                 'iscsiscope.tcp.limit == "congestion"', 'iscsiscope.tcp.state == "slowstart"',
                 'iscsiscope.anomaly == "stream_holes"', 'iscsiscope.cycle.opcode == "READ 10"',
                 'iscsiscope.cycle.responsetime > 0.01')
        for dfilter in wrong:
            with self.subTest(filter=dfilter):
                done = subprocess.run(self.tshark.command + ["-r", path, "-Y", dfilter], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, check=False)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertEqual(done.stdout, b"")
        for dfilter in ('iscsiscope.gap.kind == "target_r2t"', 'iscsiscope.cycle.opcode == "WRITE(10)"',
                        'iscsiscope.cycle.role in {"r2t", "status"}'):
            self.assertTrue(self.frames(path, dfilter, "-2"), dfilter)
        print("FIGURE: plugin: %d of %d mistyped filters are refused" % (len(wrong), len(wrong)), flush=True)

    def test_sums(self):
        """What Wireshark sums up over frames is what the command line's rows add up to: no figure stands twice."""
        seconds = lambda table, column: sum(int(r[column] or 0) for r in table) / 1e9
        checked = 0
        for name in sorted(self.captures)[::max(1, len(self.captures) // 12)]:
            path = self.captures[name]
            cycles, gaps, bursts = (rows(command, path) for command in ("cycles", "gaps", "bursts"))
            wanted = {"SUM(iscsiscope.cycle.response_time)iscsiscope.cycle.response_time":
                          seconds(cycles, "response_time_ns"),
                      "SUM(iscsiscope.cycle.status_wait)iscsiscope.cycle.status_wait":
                          seconds(cycles, "status_wait_ns"),
                      "SUM(iscsiscope.cycle.bytes_moved)iscsiscope.cycle.bytes_moved":
                          sum(int(r["bytes_moved"]) for r in cycles),
                      "COUNT(iscsiscope.cycle.outcome)iscsiscope.cycle.outcome": len(cycles),
                      "SUM(iscsiscope.gap.time)iscsiscope.gap.time": seconds(gaps, "length_ns"),
                      "SUM(iscsiscope.burst.wait)iscsiscope.burst.wait": seconds(bursts, "r2t_wait_ns")}
            printed = self.tshark.run("-r", path, "-q", "-2", "-z", "io,stat,0," + ",".join(wanted))
            # The line of figures: the interval, then one cell for each sum.
            line = next(l for l in printed.splitlines() if re.match(r"\|\s*[\d.]+ <> ", l))
            cells = [cell.strip() for cell in line.strip("|").split("|")][1:]
            self.assertEqual(len(cells), len(wanted), printed)
            for cell, (what, value) in zip(cells, wanted.items()):
                self.assertAlmostEqual(float(cell), value, delta=2e-6 * max(1, len(cycles)), msg=(name, what, printed))
            checked += 1
        if not checked:
            self.skipTest("no captures")
        print("FIGURE: plugin: six sums of io,stat equal the command line's on %d captures" % checked, flush=True)

    def test_counts_of_expert_infos(self):
        """One for each gap above 1 ms that a finding may claim, each cycle that did not end well, each finding."""
        with open(os.path.join(SOURCE, "docs", "ledger.md"), encoding="utf-8") as file:
            table = re.findall(r"(?m)^\| (?:`(\w+)`)? *\| \w+ \| (.*) \|$", file.read())
        claimed, cause = set(), None
        for named, kinds in table:
            cause = named or cause
            claimed |= {cause} if "`" in kinds else set()
        self.assertIn("target_r2t", claimed)
        self.assertNotIn("initiator_idle", claimed)
        for part in ("b_write_4MiB_256K_5ms_r2t64k.ini", "l_blackout_noop_relogin", "d_read_4MiB_loss0.5_reno"):
            with self.subTest(capture=part):
                path = self.capture(part)
                printed = self.tshark.run("-r", path, "-q", "-2", "-z", "expert,chat")
                count = lambda words: sum(int(n) for n in re.findall(r"(?m)^ *(\d+) +\w+ +iSCSI Cycles +" + words, printed))
                gaps = [r for r in rows("gaps", path)
                        if int(r["length_ns"]) > 10**6 and r["kind"] in claimed]
                self.assertEqual(count("Idle gap: "), len(gaps), printed)
                self.assertEqual(count("Command ended with "),
                                 sum(r["outcome"] != "good" for r in rows("cycles", path)), printed)
                self.assertEqual(count("Finding: "),
                                 sum(1 for f in json_findings(path) if f["evidence_words"]), printed)

    def test_where_and_when_of_findings(self):
        """Behind the title of a finding stands where and when it held, as the report has it."""
        found = 0
        for path in self.captures.values():
            named = [f for f in json_findings(path) if f["evidence"] and (f["where"] or f["when"])]
            if not named or found > 5:
                continue
            text = self.tshark.run("-r", path, "-2", "-Y", "iscsiscope.finding", "-V", "-O", "iscsiscope")
            for f in named:
                words = "Finding: " + ". ".join((f["title"], " ".join(w for w in (f["where"], f["when"]) if w)))
                self.assertIn(words[:200], text, path)  # Wireshark cuts lines off at 240 bytes
                found += 1
        self.assertGreater(found, 0)

    def test_names_are_few(self):
        """Names that complete while one types a filter."""
        names = {line.split("\t")[2] for line in self.tshark.run("-G", "fields").splitlines()
                 if line.startswith("F\t") and line.split("\t")[2].startswith(PREFIX)}
        print("FIGURE: plugin: %d registered names" % len(names), flush=True)
        self.assertLessEqual(len(names), 100)

    def test_nothing_to_read(self):
        """Where no iSCSI was found, or it could not be read, that is stated; an empty list would be an answer."""
        path = os.path.join(self.folder, "web.pcap")
        with open(path, "wb") as file:
            file.write(odd_captures.other_traffic(3260))
        self.tshark.open_up()
        for passes in ([], ["-2"]):
            summary = self.tshark.run("-r", path, "-q", *passes, "-z", "iscsiscope,summary")
            self.assertIn("NO iSCSI IN THIS CAPTURE", summary)
            self.assertNotIn("No performance problem", summary)
        self.assertEqual(len(self.frames(path, "iscsiscope.expert.unread", "-2")), 1)

    def test_wrong_filter_of_the_summary(self):
        path = self.capture("b_write_4MiB_256K_5ms_r2t64k.ini")
        done = subprocess.run(self.tshark.command + ["-r", path, "-q", "-z", "iscsiscope,summary,no such filter ("],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertTrue(done.stderr)

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
                shown = Shown(pdml(self.tshark, path, "-2"))
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
        shown = Shown(pdml(self.tshark, path, "-2", "-o", "iscsiscope.gap_threshold:8000"))
        text = subprocess.run([PROGRAM, "gaps", "--quiet", "--gap-threshold", "8ms", path],
                              stdout=subprocess.PIPE, check=True).stdout.decode()
        wanted = list(csv.DictReader(io.StringIO(text)))
        self.assertTrue(wanted)
        self.assertEqual(len(shown.gaps), len(wanted))

    def test_expert_infos(self):
        """A gap has the severity of the finding that may claim its time; in one pass, where there is none, the lowest."""
        path = self.capture("b_write_4MiB_256K_5ms_r2t64k.ini")
        gaps = [r for r in rows("gaps", path) if r["kind"] == "target_r2t" and int(r["length_ns"]) > 10**6]
        self.assertTrue(gaps)
        for passes, heading in ([], "Chats"), (["-2"], "Warns"):  # counted without a tree
            printed = self.tshark.run("-r", path, "-q", *passes, "-z", "expert,chat")
            section = printed.partition(heading + " (")[2].partition("\n\n")[0]
            counted = [int(line.split()[0]) for line in section.splitlines()
                       if "iSCSI Cycles  Idle gap: waiting for an R2T" in line]
            self.assertEqual(counted, [len(gaps)], printed)
        self.assertEqual(self.frames(path, 'iscsiscope.expert.lost_time_warn && iscsiscope.gap.kind == "target_r2t"', "-2"),
                         sorted({int(r["after_frame"]) for r in gaps}))

    def test_severities(self):
        """A finding has the severity of the report, on its first frame."""
        levels = {"info": ("",), "notice": ("_note",), "problem": ("_warn", "_error")}
        seen = set()
        for name in sorted(self.captures)[::max(1, len(self.captures) // 12)]:
            with self.subTest(capture=name):
                wanted = {severity: set() for severity in levels}
                for f in json_findings(self.captures[name]):
                    wanted[f["severity"]] |= {e["frame"] for e in f["evidence_words"][:1]}
                for severity, frames in wanted.items():
                    has = " || ".join("iscsiscope.expert.lost_time" + level for level in levels[severity])
                    self.assertLessEqual(frames, set(self.frames(self.captures[name], has, "-2")), severity)
                    seen |= {severity} if frames else set()
        self.assertTrue(not self.captures or {"notice", "problem"} <= seen)

    def test_findings(self):
        """Filtered, counted once each, stated in the summary, and turned off."""
        path = self.capture("b_write_4MiB_256K_5ms_r2t64k.ini")
        kind = "r2t_ping_pong"
        wanted = sorted({f["frame"] for f in findings(path) if f["kind"] == kind})
        self.assertTrue(wanted)
        self.assertEqual(self.frames(path, 'iscsiscope.finding.kind == "%s"' % kind, "-2"), wanted)
        severe = 'iscsiscope.expert.lost_time_%s && iscsiscope.finding.kind == "%s"'
        self.assertIn(wanted[0], self.frames(path, severe % ("warn", kind), "-2"))
        self.assertTrue(self.frames(path, severe % ("note", "application_idle"), "-2"))
        listed = self.tshark.run("-r", path, "-q", "-2", "-z", "expert,chat")
        title, sentence = next((f["title"], f["sentence"]) for f in json_findings(path) if f["kind"] == kind)
        words = re.findall(rf"(\d+) +Sequence +iSCSI Cycles +Finding: {re.escape(title)}", listed)
        self.assertEqual([int(n) for n in words], [1], listed)
        off = ["-o", "iscsiscope.findings:FALSE"]
        self.assertEqual(self.frames(path, "iscsiscope.finding", "-2", *off), [])
        for passes in ([], ["-2"]):
            summary = " ".join(self.tshark.run("-r", path, "-q", *passes, "-z", "iscsiscope,summary").split())
            self.assertIn("[%s]" % kind, summary)
            self.assertIn(sentence, summary)
            self.assertNotIn(kind, self.tshark.run("-r", path, "-q", *passes, *off, "-z", "iscsiscope,summary"))

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
    need_tools()
    unittest.main(verbosity=2)
