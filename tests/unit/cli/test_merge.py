#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`--merge`: several files as one capture, by the times of their packets."""
import glob
import gzip
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest

from program import HANG, Base, PROGRAM, REAL, SAMPLE, live, report, run, waiting

# What names files, or says what files say of themselves.
OF_FILES = ("file", "files", "merge", "format", "compression", "comment", "link_types", "snap_length",
            "dropped_by_capture", "time_precision")


def need(tool):
    if shutil.which(tool) is None:
        raise unittest.SkipTest(f"no {tool}")


def unpacked(path):
    tool = {".zst": ["zstd", "-dcq"], ".gz": ["gzip", "-dc"]}.get(os.path.splitext(path)[1], ["cat"])
    return subprocess.run([*tool, path], capture_output=True, check=True).stdout


def frames_of(content):
    """Link type and (time in ns, original length, bytes) of each packet of a pcap file."""
    magic, = struct.unpack("<I", content[:4])
    unit = {0xA1B23C4D: 1, 0xA1B2C3D4: 1000}[magic]
    frames, at = [], 24
    while at + 16 <= len(content):
        seconds, fraction, kept, length = struct.unpack("<IIII", content[at:at + 16])
        frames.append((seconds * 10**9 + fraction * unit, length, content[at + 16:at + 16 + kept]))
        at += 16 + kept
    return struct.unpack("<I", content[20:24])[0], frames


def pcap_of(link_type, frames, micro=False):
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4 if micro else 0xA1B23C4D, 2, 4, 0, 0, 262144, link_type)]
    for ns, length, kept in frames:
        out.append(struct.pack("<IIII", ns // 10**9, ns % 10**9 // (1000 if micro else 1), len(kept), length) + kept)
    return b"".join(out)


def pcapng_of(link_type, frames):
    def block(kind, body):
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
    resolution = struct.pack("<HHB3xHH", 9, 1, 9, 0, 0)  # nanoseconds
    out = [block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)),
           block(1, struct.pack("<HHI", link_type, 0, 0) + resolution)]
    for ns, length, kept in frames:
        out.append(block(6, struct.pack("<IIIII", 0, ns >> 32, ns & 0xFFFFFFFF, len(kept), length) + kept))
    return b"".join(out)


def ports(link_type, frame):
    """Source and destination port of a TCP packet; None if it is none."""
    at = {1: 14, 113: 16, 276: 20}[link_type]
    kind = frame[0:2] if link_type == 276 else frame[at - 2:at]
    if kind == b"\x81\x00":
        kind, at = frame[at + 2:at + 4], at + 4
    if kind == b"\x86\xdd" and frame[at + 6] == 6:
        return struct.unpack("!HH", frame[at + 40:at + 44])
    if kind == b"\x08\x00" and frame[at + 9] == 6:
        at += (frame[at] & 15) * 4
        return struct.unpack("!HH", frame[at:at + 4])
    return None


def from_target(link_type, frame):
    pair = ports(link_type, frame)
    return pair is not None and pair[0] < pair[1]


def shifted(frames, ns):
    return [(t + ns, length, kept) for t, length, kept in frames]


def cycles(*arguments):
    code, out, err = run("cycles", *arguments)
    assert code == 0, err
    return out


def without_names(whole):
    return {**whole, "capture": {k: v for k, v in whole["capture"].items() if k not in OF_FILES}}


def without_frames(x):
    """Without frame numbers, which the packets of other files shift."""
    if isinstance(x, dict):
        return {k: without_frames(v) for k, v in x.items() if "frame" not in k and k != "anomalies"}
    return [without_frames(v) for v in x] if isinstance(x, list) else x


class Merging(Base):
    def real(self, name):
        path = os.path.join(REAL, name)
        if not os.path.exists(path):
            self.skipTest(f"no {name}")
        return frames_of(unpacked(path))

    def halves(self, link_type, frames, write=pcap_of):
        """The packets of either direction as two lists."""
        there = [f for f in frames if not from_target(link_type, f[2])]
        back = [f for f in frames if from_target(link_type, f[2])]
        self.assertTrue(there and back)
        return there, back

    def two_files(self, link_type, there, back):
        return self.file("tx.pcap", pcap_of(link_type, there)), self.file("rx.pcap", pcap_of(link_type, back))

    def merged(self, *files):
        code, out, err = run("report", "--merge", *files, "--format", "json")
        self.assertEqual(code, 0, err)
        return json.loads(out)


class OneCapture(Merging):
    def check_equal(self, name, whole, files):
        self.assertEqual(without_names(self.merged(*files)), without_names(report(whole)), name)
        self.assertEqual(cycles("--merge", *files), cycles(whole), name)

    def test_two_directions_equal_the_whole(self):
        checked = 0
        names = ["a_read_4MiB_512K_1ms.ini", "b_write_4MiB_256K_5ms_r2t64k.tgt", "d_read_4MiB_loss0.5_reno.ini",
                 "e_read_2MiB_digests.ini", "g_4sessions_write_20mbit_drops.ini", "h_read_4MiB_snap128.ini",
                 "k_vlan100_read_write.ini", "l_blackout_noop_relogin.ini", "zoo/k_ipv6_port13260_read.ini",
                 "zoo/z02_qd1_randread_4k.tgt", "zoo/z07_rto_blackout.ini"]
        for name in names:
            path = os.path.join(REAL, name + ".pcap.zst")
            if not os.path.exists(path):
                continue
            link_type, frames = frames_of(unpacked(path))
            there, back = self.halves(link_type, frames)
            self.check_equal(name, path, self.two_files(link_type, there, back))
            self.check_equal(name, path, self.two_files(link_type, there, back)[::-1])
            checked += 1
        if checked == 0:
            self.skipTest("no captures")
        print(f"FIGURE: captures split by direction and merged again, equal to the whole: {checked}")

    def test_the_sample_split_by_direction(self):
        need("editcap")
        whole = os.path.join(self.folder, "whole.pcap")
        subprocess.run(["editcap", "-F", "nsecpcap", self.file("sample.pcapng", self.sample_bytes()), whole],
                       check=True, capture_output=True)
        with open(whole, "rb") as f:
            link_type, frames = frames_of(f.read())
        # A file of each direction has one clock that does not go back; this is the order of time.
        frames.sort(key=lambda f: f[0])
        self.check_equal("sample", self.file("sorted.pcap", pcap_of(link_type, frames)),
                         self.two_files(link_type, *self.halves(link_type, frames)))

    def test_one_file_a_path_and_formats_mixed(self):
        link_type, frames = self.real("g_4sessions_write_20mbit_drops.ini.pcap.zst")
        clients = sorted({max(pair) for f in frames if (pair := ports(link_type, f[2]))})
        paths = {}
        for f in frames:
            pair = ports(link_type, f[2])
            paths.setdefault(clients.index(max(pair)) % 3 if pair else 0, []).append(f)
        self.assertEqual(len(paths), 3)
        one = self.file("one.pcap", pcap_of(link_type, paths[0]))
        two = self.file("two.pcapng", pcapng_of(link_type, paths[1]))
        three = self.file("three.pcap", pcap_of(link_type, paths[2]))
        subprocess.run(["zstd", "-q", "--rm", three], check=True)
        two_gz = self.file("two.pcapng.gz", gzip.compress(pcapng_of(link_type, paths[1])))
        whole = self.file("whole.pcap", pcap_of(link_type, frames))
        for files in ((one, two, three + ".zst"), (three + ".zst", one, two_gz)):
            self.check_equal(files, whole, files)
        capture = self.merged(one, two_gz, three + ".zst")["capture"]
        self.assertEqual((capture["format"], capture["compression"]), ("several formats", "mixed"))
        self.assertEqual([f["file"] for f in capture["files"]], [one, two_gz, three + ".zst"])

    def test_standard_input_is_one_of_the_files(self):
        link_type, frames = self.real("a_read_4MiB_512K_1ms.ini.pcap.zst")
        there, back = self.halves(link_type, frames)
        tx, rx = self.two_files(link_type, there, back)
        with open(tx, "rb") as f:
            code, out, err = run("cycles", "--merge", "-", rx, stdin=f.read())
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, cycles(self.file("whole.pcap", pcap_of(link_type, frames))))

    def test_row_commands_take_several_files_as_one_capture_only(self):
        code, out, err = run("cycles", SAMPLE, SAMPLE)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--merge", err)
        self.assertEqual(cycles("--join", SAMPLE), cycles(SAMPLE))


class Numbers(Merging):
    """Frame numbers are those of the file that mergecap writes."""

    def setUp(self):
        super().setUp()
        need("mergecap")
        need("tshark")

    def mergecap(self, *files):
        path = os.path.join(self.folder, "mergecap.pcapng")
        subprocess.run(["mergecap", "-w", path, *files], capture_output=True)
        return path

    def times(self, path):
        out = subprocess.run(["tshark", "-n", "-r", path, "-T", "fields", "-e", "frame.time_epoch"],
                             capture_output=True, text=True).stdout.split()
        return [int(t.split(".")[0]) * 10**9 + int(t.split(".")[1].ljust(9, "0")) for t in out]

    def check_rows(self, files):
        code, out, err = run("pdus", "--merge", *files, "--columns", "frame,time_ns")
        self.assertEqual(code, 0, err)
        rows = [tuple(map(int, line.split(","))) for line in out.split()[1:] if not line.startswith(",")]
        self.assertGreater(len(rows), 50)
        times = self.times(self.mergecap(*files))
        for frame, ns in rows:
            self.assertEqual(times[frame - 1], ns, frame)

    def test_directions_taps_and_equal_times(self):
        link_type, frames = self.real("a_read_4MiB_512K_1ms.ini.pcap.zst")
        other = self.real("a_read_4MiB_512K_1ms.tgt.pcap.zst")[1]
        tx, rx = self.two_files(link_type, *self.halves(link_type, frames))
        tgt = self.file("tgt.pcap", pcap_of(link_type, other))
        self.check_rows((tx, rx))
        self.check_rows((rx, tx))
        self.check_rows((tx, tgt, rx))
        # Equal times everywhere: the order of ties decides each number.
        coarse = [(t // 10**6 * 10**6, n, b) for t, n, b in frames]
        tx, rx = self.two_files(link_type, *self.halves(link_type, coarse))
        for files in ((tx, rx), (rx, tx)):
            one = run("pdus", self.mergecap(*files))[1]
            self.assertEqual(run("pdus", "--merge", *files)[1], one)
        # A file that is out of order by less than a second keeps its order.
        mixed = list(frames)
        random.Random(1).shuffle(mixed[100:200])
        mixed[300:340] = reversed(mixed[300:340])
        there, back = self.halves(link_type, mixed)
        files = self.two_files(link_type, there, back)
        self.assertEqual(run("pdus", "--merge", *files)[1], run("pdus", self.mergecap(*files))[1])

    def test_the_report_states_it_and_where_mergecap_ends(self):
        link_type, frames = self.real("a_read_4MiB_512K_1ms.ini.pcap.zst")
        tx, rx = self.two_files(link_type, *self.halves(link_type, frames))
        with open(rx, "rb") as f:
            cut = self.file("it is cut.pcap", f.read()[:50000])
        text = " ".join(run("report", "--merge", tx, rx)[1].split())
        self.assertIn(f"`mergecap -w merged.pcapng {tx} {rx}`", text)
        code, text, err = run("report", "--merge", tx, cut)
        self.assertEqual(code, 0)
        self.assertIn("cut short", err)
        last = len(self.times(self.mergecap(tx, cut)))
        self.assertIn(f"`mergecap -w merged.pcapng {tx} '{cut}'`, which ends after frame {last}",
                      " ".join(text.split()))
        self.assertEqual(run("report", "--merge", tx, cut, "--strict")[0], 1)


class Copies(Merging):
    def kinds(self, whole):
        return [(f["kind"], f["severity"]) for f in whole["findings"]]

    def check_as_one(self, one, merged, left_out):
        for key in ("tasks", "cycles", "time_shares", "phase_shares", "tcp", "coverage"):
            self.assertEqual(without_frames(merged[key]), without_frames(one[key]), key)
        self.assertEqual(self.kinds(merged), self.kinds(one))
        merge = merged["capture"]["merge"]
        self.assertEqual(sum(f["left_out_segments"] for f in merge["merged_files"]), left_out)
        self.assertEqual(merge["clocks"], [])
        return merge

    def test_a_capture_with_itself(self):
        for path in (SAMPLE, os.path.join(REAL, "d_read_4MiB_loss0.5_reno.ini.pcap.zst"),
                     os.path.join(REAL, "g_4sessions_write_20mbit_drops.ini.pcap.zst")):
            if os.path.exists(path):
                one, merged = report(path), self.merged(path, path)
                merge = self.check_as_one(one, merged, one["capture"]["protocols"]["tcp"])
                self.assertEqual(merged["capture"]["packets"], 2 * one["capture"]["packets"])
                self.assertEqual([s["apart_ns"] for s in merge["same_packets"]], [0])

    def test_two_taps_are_analysed_from_one(self):
        pairs = [p for p in sorted(glob.glob(os.path.join(REAL, "*.ini.pcap.zst")))
                 if os.path.exists(p.replace(".ini.", ".tgt."))]
        pairs = [p for p in pairs if any(w in p for w in ("a_read_4MiB_512K_1ms", "b_write", "d_write"))]
        pairs += glob.glob(os.path.join(REAL, "zoo", "z02_qd1_randread_4k.ini.pcap.zst"))
        if not pairs:
            self.skipTest("no captures of two taps")
        for ini in pairs:
            tgt, one = ini.replace(".ini.", ".tgt."), report(ini)
            other = report(tgt)["capture"]["protocols"]["tcp"]
            for files in ((ini, tgt), (tgt, ini)):
                merge = self.check_as_one(one, self.merged(*files), other)
                same, = merge["same_packets"]
                self.assertGreater(same["apart_ns"], 500_000, files)
                self.assertLess(abs(same["later_ns"]), same["apart_ns"] / 2)
            text = " ".join(run("report", "--merge", ini, tgt)[1].split())
            self.assertIn("captured at two places", text)
            self.assertIn("--ends", text)

    def test_the_other_tap_goes_on_where_one_ends(self):
        link_type, frames = self.real("b_write_4MiB_256K_5ms_r2t64k.ini.pcap.zst")
        half = len(frames) // 2
        first, second = self.file("a.pcap", pcap_of(link_type, frames[:half])), self.file(
            "b.pcap", pcap_of(link_type, frames[half - 500:]))
        whole = report(self.file("whole.pcap", pcap_of(link_type, frames)))
        self.check_as_one(whole, self.merged(first, second), 500)


class Clocks(Merging):
    def test_jitter_of_capture_points_changes_nothing(self):
        link_type, frames = self.real("a_read_4MiB_512K_1ms.ini.pcap.zst")
        there, back = self.halves(link_type, frames)
        whole = report(self.file("whole.pcap", pcap_of(link_type, frames)))
        for early in (-20_000, -60_000):  # answers up to 60 µs before their questions
            merged = self.merged(*self.two_files(link_type, shifted(there, early), back))
            self.check_little_changed(whole, merged)
        draw = random.Random(7)
        last, jittered = 0, []
        for t, n, b in there:
            last = max(last, t + draw.randrange(-40_000, 40_000))
            jittered.append((last, n, b))
        self.check_little_changed(whole, self.merged(*self.two_files(link_type, jittered, back)))

    def test_jitter_where_a_hole_is_filled(self):
        link_type, frames = self.real("zoo/z10_mtu_black_hole.ini.pcap.zst")
        there, back = self.halves(link_type, frames)
        whole = report(self.file("whole.pcap", pcap_of(link_type, frames)))
        self.check_little_changed(whole, self.merged(*self.two_files(link_type, shifted(there, -30_000), back)))

    def check_little_changed(self, whole, merged):
        self.assertEqual(merged["capture"]["merge"]["clocks"], [])
        for key in ("count", "outcomes"):
            self.assertEqual(merged["tasks"].get(key), whole["tasks"].get(key))
        self.assertEqual(merged["coverage"]["unseen_bytes"], 0)
        self.assertEqual([f["kind"] for f in merged["findings"]], [f["kind"] for f in whole["findings"]])
        count = lambda r: sum(d["retransmitted_segments"] for d in r["tcp"])
        self.assertEqual(count(merged), count(whole))

    def test_a_clock_that_is_behind_is_noticed(self):
        link_type, frames = self.real("a_read_4MiB_512K_1ms.ini.pcap.zst")
        there, back = self.halves(link_type, frames)
        for behind in (300_000, 8_000_000, 700_000_000, 5_000_000_000, 3_600_000_000_000):
            for side in (0, 1):
                parts = [shifted(there, -behind if side == 0 else 0), shifted(back, -behind if side == 1 else 0)]
                files = self.two_files(link_type, *parts)
                merged = self.merged(*files)
                found = [c for c in merged["capture"]["merge"]["clocks"] if c["file"] == files[side]]
                if not found:  # less than the answers take
                    self.assertLessEqual(behind, 8_000_000, (behind, side))
                    continue
                self.assertEqual(found[0]["behind"], files[1 - side])
                self.assertLessEqual(found[0]["at_least_ns"], behind)
                self.assertGreater(found[0]["at_least_ns"], behind - 10_000_000)
                self.assertEqual(merged["findings"][0]["kind"], "capture_quality")
                self.assertEqual(merged["verdict"]["certainty"], "cannot_be_told")
                self.assertEqual(merged["findings"][0]["title"], "The clocks of the merged files differ")
                text = " ".join(run("report", "--merge", *files)[1].split())
                self.assertIn("The clocks of the merged files differ", text)
                self.assertRegex(text, r"The clock of \S+ is at least [\d.]+ [^:]*s behind that of")
                self.assertRegex(" ".join(run("cycles", "--merge", *files)[2].split()), "The clock of .* is at least")

    def test_a_step_back_in_one_file_holds_up_no_other(self):
        link_type, frames = self.real("b_write_4MiB_256K_5ms_r2t64k.ini.pcap.zst")
        there, back = self.halves(link_type, frames)
        at = len(there) // 2
        files = self.two_files(link_type, there[:at] + shifted(there[at:], -3_600_000_000_000), back)
        whole = report(self.file("whole.pcap", pcap_of(link_type, frames)))
        merged = self.merged(*files)
        merge = merged["capture"]["merge"]
        self.assertEqual([f["clock_steps"] for f in merge["merged_files"]], [1, 0])
        self.assertAlmostEqual(merge["merged_files"][0]["longest_step_ns"], 3.6e12, delta=1e9)
        self.assertFalse(merge["frame_numbers_as_mergecap"])
        self.assertEqual(merged["tasks"]["count"], whole["tasks"]["count"])
        text = " ".join(run("report", "--merge", *files)[1].split())
        self.assertIn("steps back 1 time", text)
        self.assertIn("not those that mergecap gives", text)

    def test_files_that_do_not_overlap(self):
        link_type, frames = self.real("b_write_4MiB_256K_5ms_r2t64k.ini.pcap.zst")
        half = len(frames) // 2
        a, b = (self.file(n, pcap_of(link_type, f)) for n, f in (("a.pcap", frames[:half]), ("b.pcap", frames[half:])))
        self.assertIn("overlaps no other file in time", " ".join(run("report", "--merge", a, b)[1].split()))
        self.assertEqual(cycles("--merge", a, b), cycles("--join", a, b))


class Manners(Merging):
    def test_mistakes(self):
        absent = os.path.join(self.folder, "absent.pcap")
        for command in ("report", "cycles"):
            for arguments, words in (((SAMPLE, absent, "--merge"), "absent.pcap: there is no such file"),
                                     ((SAMPLE, SAMPLE, "--merge", "--join"), "--join"),
                                     (("-", "-", "--merge"), "standard input (-) can be read once only"),
                                     ((*[SAMPLE] * 65, "--merge"), "at most 64 files")):
                code, out, err = run(command, *arguments)
                self.assertEqual((code, out), (2, ""), arguments)
                self.assertIn(words, err)
        code, _, err = run("report", SAMPLE, SAMPLE, "--merge", "--hash")
        self.assertEqual(code, 2)
        self.assertIn("not with --merge", err)

    def test_an_empty_and_an_unreadable_file(self):
        empty = self.file("empty.pcap", pcap_of(1, []))
        merged = self.merged(SAMPLE, empty)
        self.assertEqual(without_names(merged), without_names(report(SAMPLE)))
        self.assertIsNone(merged["capture"]["files"][1]["first_frame"])
        nothing = self.file("nothing.pcap", b"")
        joined, both = (run("report", SAMPLE, nothing, how) for how in ("--join", "--merge"))
        self.assertEqual(joined[0], both[0])
        self.assertEqual(joined[2], both[2])

    def test_ctrl_c_ends_standard_input_and_the_report_follows(self):
        link_type, frames = self.real("a_read_4MiB_512K_1ms.ini.pcap.zst")
        tx, rx = self.two_files(link_type, *self.halves(link_type, frames))
        with open(tx, "rb") as f:
            content = f.read()
        p = subprocess.Popen([PROGRAM, "report", "--merge", "-", rx, "--format", "json"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        p.stdin.write(content)
        p.stdin.flush()
        self.assertTrue(live.at_its_time(lambda: waiting(p.stdin) == 0), "all of it is taken")
        p.send_signal(signal.SIGINT)
        out, err = p.stdout.read(), p.stderr.read()
        for stream in (p.stdin, p.stdout, p.stderr):
            stream.close()
        self.assertEqual(p.wait(timeout=HANG), 0, err)
        self.assertEqual(json.loads(out)["capture"]["packets"], len(frames))
        self.assertIn(b"ended by an interrupt", err)

    def test_names_are_replaced(self):
        code, out, err = run("report", SAMPLE, SAMPLE, "--merge", "--anonymize")
        self.assertEqual(code, 0, err)
        self.assertNotIn(os.path.basename(SAMPLE), out)

    def test_memory_does_not_grow_with_the_files(self):
        link_type, frames = self.real("a_read_4MiB_512K_1ms.ini.pcap.zst")
        there, back = self.halves(link_type, frames)

        def most(times):
            files = [os.path.join(self.folder, f"{n}-{times}.pcap") for n in ("tx", "rx")]
            for path, part in zip(files, (there, back)):
                with open(path, "wb") as f:
                    f.write(pcap_of(link_type, []))
                    for i in range(times):
                        f.write(pcap_of(link_type, shifted(part, i * 10**10))[24:])
            pid = os.posix_spawn(PROGRAM, [PROGRAM, "report", "--merge", *files, "-o", os.devnull, "--quiet"], os.environ)
            _, status, usage = os.wait4(pid, 0)
            self.assertEqual(status, 0)
            return usage.ru_maxrss / 1024
        small, large = most(2), most(20)
        print(f"FIGURE: memory of merged files of 9 MB and 90 MB: {small:.0f} and {large:.0f} MiB")
        self.assertLess(large, small + 40)


if __name__ == "__main__":
    unittest.main(verbosity=2)
