#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports as HTML and SQLite, joined, anonymous and many at once."""
import base64
import glob
import hashlib
import html.parser
import itertools
import json
import math
import os
import re
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cut"))
import frames
from program import HANG, Base, PROGRAM, REAL, SAMPLE, SOURCE, bundled, pcap, report, run

SHARED = bundled("mcs-unequal.initiator.pcapng.zst")


class Page(html.parser.HTMLParser):
    """Tables, texts and what a browser would fetch."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.fetched, self.open, self.row, self.cell = [], [], [], None, None
        self.data, self.in_data = "", False
        self.text = []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            if name in a and not a[name].startswith("#"):
                self.fetched.append(a[name])
        if tag not in ("meta", "br", "input", "link", "img", "hr", "wbr"):
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.row = []
            self.tables[-1].append(self.row)
        elif tag in ("td", "th"):
            self.cell = []
            self.row.append(self.cell)
        self.in_data = a.get("id") == "chart-data"

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:])
        self.open.pop()
        self.cell = None if tag in ("td", "th") else self.cell
        self.in_data = False

    def handle_data(self, data):
        if self.in_data:
            self.data += data
        if self.cell is not None:
            self.cell.append(data)
        self.text.append(data)

    def rows(self, first_heading):
        """Rows of the first table whose first heading is that, as dictionaries."""
        for t in self.tables:
            cells = [["".join(c) for c in r] for r in t]
            if cells and cells[0] and cells[0][0] == first_heading:
                return [dict(zip(cells[0], r)) for r in cells[1:]]
        return []


class Html(Base):
    def page(self, path, *more):
        code, out, err = run("report", path, "--format", "html", *more)
        self.assertEqual(code, 0, err)
        return out, Page(out)

    def test_one_file_that_needs_nothing_beside_it(self):
        for path in (SAMPLE, SHARED):
            text, page = self.page(path)
            self.assertEqual(page.fetched, [])
            outside = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
            self.assertIsNone(re.search(r"(?i)url\((?!#)|@import|https?://", outside))
            self.assertLess(len(text), 3_000_000)
            charts = json.loads(page.data)
            self.assertIn("throughput", [c["id"] for c in charts])
            for c in charts:
                for s in c["series"]:
                    self.assertEqual(len(s["y"]), len(c["x"]), c["id"])
                self.assertLessEqual(len(c["x"]), 1024)
            print(f"FIGURE: page of {os.path.basename(path)}: {len(text) / 1e3:.0f} kB, {len(charts)} charts")

    def test_figures_of_all_formats_are_the_same(self):
        for path in (SAMPLE, SHARED):
            text, page = self.page(path)
            j = report(path)
            db = os.path.join(self.folder, "same.db")
            self.assertEqual(run("report", path, "--format", "sqlite", "-o", db)[0], 0)
            base = sqlite3.connect(db)
            ask = lambda sql, *a: base.execute(sql, a).fetchall()
            compared = 0
            for type_, c in ((t, j["cycles"][t]) for t in ("read", "write", "control")):
                count, bytes_ = ask("SELECT count(*), coalesce(sum(bytes_moved), 0) FROM cycles WHERE type = ?", type_)[0]
                self.assertEqual((count, bytes_), (c["count"], c["bytes"]), type_)
                for name, d in c["times"].items():
                    row = ask("SELECT count, sum_ns, min_ns, max_ns, p50_ns, p99_ns FROM times WHERE type = ? AND time = ?",
                              type_, name)[0]
                    self.assertEqual(row, (d["count"], d["sum_ns"], d["min_ns"], d["max_ns"], d["quantiles_ns"]["0.5"],
                                           d["quantiles_ns"]["0.99"]), (type_, name))
                    compared += len(row)
                    if d["count"] and name + "_ns" in [x[1] for x in ask("PRAGMA table_info(cycles)")]:
                        # The histogram against the rows: exact sums, quantiles by nearest rank within 0.1 %.
                        values = sorted(v for v, in ask(f"SELECT {name}_ns FROM cycles WHERE type = ? AND {name}_ns "
                                                        "IS NOT NULL", type_))
                        if len(values) == d["count"]:
                            self.assertEqual(sum(values), d["sum_ns"], name)
                            rank = max(1, math.ceil(0.99 * len(values)))
                            self.assertAlmostEqual(values[rank - 1], d["quantiles_ns"]["0.99"],
                                                   delta=0.001 * values[rank - 1] + 1)
            for kind, g in j["time_shares"]["gaps"].items():
                self.assertEqual(ask("SELECT count, time_ns FROM time_shares WHERE kind = ?", kind),
                                 [(g["count"], g["time_ns"])])
                compared += 2
            self.assertEqual([(f["kind"], f["lost_time_ns"]) for f in j["findings"]],
                             ask("SELECT kind, lost_time_ns FROM findings ORDER BY finding"))
            self.assertEqual([(t["stream"], t["direction"], t["bytes"], t["round_trip_median_ns"]) for t in j["tcp"]],
                             ask("SELECT stream, direction, bytes, round_trip_median_ns FROM tcp_directions"))
            # The page's tables against the text report's words of the same figures.
            for row in page.rows("type"):
                if row["type"] in j["cycles"]:
                    self.assertEqual(int(row["count"].replace(",", "")), j["cycles"][row["type"]]["count"])
                    compared += 1
            words = " ".join("".join(page.text).split())
            for f in j["findings"]:
                self.assertIn(" ".join(f["sentence"].split()), words)
                self.assertIn(" ".join(f["remedy"].split()), words)
            for name, view in ask("SELECT name, sql FROM sqlite_master WHERE type = 'view'"):
                ask(f"SELECT * FROM {name}")
            self.assertEqual(ask("PRAGMA integrity_check"), [("ok",)])
            print(f"FIGURE: equal in JSON, SQLite and HTML, {os.path.basename(path)}: {compared} figures")

    def test_row_tables_of_the_data_base_are_the_row_commands(self):
        db = os.path.join(self.folder, "rows.db")
        self.assertEqual(run("report", SAMPLE, "--format", "sqlite", "-o", db)[0], 0)
        base = sqlite3.connect(db)
        base.row_factory = sqlite3.Row
        for command, table in (("cycles", "cycles"), ("bursts", "bursts"), ("gaps", "gaps"),
                               ("connections", "connections"), ("tcp", "tcp_samples")):
            objects = [json.loads(line) for line in run(command, SAMPLE, "--format", "jsonl")[1].splitlines()]
            rows = [dict(r) for r in base.execute(f"SELECT * FROM {table} ORDER BY rowid")]
            self.assertEqual(len(rows), len(objects), table)
            for row, o in zip(rows, objects):
                self.assertEqual(row, {k: int(v) if isinstance(v, bool) else v for k, v in o.items()})

    def test_names_from_the_wire_stay_text(self):
        """A capture's path and comment end up in the page; none may become a tag."""
        path = os.path.join(self.folder, "<script>alert(1)</script>&\".pcapng.zst")
        path = path.replace("/script", "\u2215script")
        shutil.copy(SAMPLE, path)
        text, page = self.page(path)
        self.assertNotIn("<script>alert", text)
        self.assertIn("&lt;script&gt;alert", text)

    def test_security_policy_names_what_may_run(self):
        """Style sheet and scripts by their hashes; nothing inline that those do not cover."""
        out = os.path.join(self.folder, "many")
        self.assertEqual(run("report", SAMPLE, SHARED, "--format", "html", "-o", out)[0], 0)
        for path in sorted(os.listdir(out)):
            with open(os.path.join(out, path), newline="") as f:
                text = f.read()
            policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text).group(1)
            self.assertNotIn("unsafe", policy)
            allowed = dict(part.split(" ", 1) for part in policy.split("; "))
            self.assertEqual(allowed["default-src"], "'none'")
            for kind, tag in (("style-src", "style"), ("script-src", "script")):
                parts = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.S)
                hashes = ["'sha256-%s'" % base64.b64encode(hashlib.sha256(p.encode()).digest()).decode() for p in parts]
                self.assertEqual(allowed.get(kind, "").split(), hashes, (path, kind))
            markup = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.S)
            self.assertIsNone(re.search(r"<[^>]*\s(style|on\w+)=", markup), path)
            if path != "index.html":
                self.assertIn("Permission is hereby granted, free of charge", text)

    def test_without_iscsi(self):
        path = self.file("none.pcap", pcap([]))
        text, page = self.page(path)
        self.assertIn("There is no packet in it", text)


class Outputs(Base):
    def test_nothing_half_done_is_left(self):
        absent = os.path.join(self.folder, "no", "x.db")
        for format_ in ("html", "sqlite", "json", "text"):
            code, out, err = run("report", SAMPLE, "--format", format_, "-o", absent)
            self.assertEqual((code, out), (2, ""), format_)
            self.assertIn("cannot write", err)
            self.assertEqual(os.listdir(self.folder), [])
        code, _, err = run("report", SAMPLE, "--format", "sqlite", "-o", "/dev/full")
        self.assertEqual(code, 2)
        self.assertIn("regular file", err)
        code, _, err = run("report", SAMPLE, "--format", "html", "-o", "/dev/full")
        self.assertEqual(code, 2)
        self.assertIn("No space left", err)

    def test_a_full_disk(self):
        """A limit on the size of files stands for the disk: SQLite and the page must both say so."""
        for format_, name in (("sqlite", "x.db"), ("html", "x.html")):
            path = os.path.join(self.folder, name)

            def limit():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
            done = subprocess.run([PROGRAM, "report", SAMPLE, "--format", format_, "-o", path], capture_output=True,
                                  timeout=HANG, preexec_fn=limit)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(b"cannot write", done.stderr)
            self.assertIn(path.encode(), done.stderr)
            self.assertEqual(os.listdir(self.folder), [])

    def test_interrupt_leaves_nothing_behind(self):
        with open(SAMPLE, "rb") as f:
            begin = f.read(5000)
        for (format_, name), signals in itertools.product(
                (("sqlite", "x.db"), ("html", "x.html")), ((signal.SIGTERM,), (signal.SIGINT, signal.SIGINT))):
            self.ends_by_signal(("report", "-", "--format", format_, "-o", os.path.join(self.folder, name)), begin, signals)

    def test_usage(self):
        for arguments, words in ((("report", SAMPLE, "--format", "sqlite"), "-o"),
                                 (("report", SAMPLE, SAMPLE, "--format", "html"), "-o"),
                                 (("report", SAMPLE, "-", "--join"), "--join"),
                                 (("report", SAMPLE, "--hash", "--anonymize"), "--hash"),
                                 (("report", SAMPLE, "--interval", "0"), "--interval"),
                                 (("predict", SAMPLE, "--set", "MaxBurstLenght=1MiB"), "MaxBurstLength"),
                                 (("predict", SAMPLE, "--set", "depth=many"), "depth"),
                                 (("compare", SAMPLE), "AFTER"),
                                 (("compare", "-", "-"), "once")):
            code, out, err = run(*arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn(words, err, arguments)


class Anonymous(Base):
    def originals(self, path):
        """Whatever names the site, as the program itself reads it from the capture."""
        j = report(path)
        found = {path, os.path.basename(path)}
        for s in j["sessions"]:
            found |= {s["initiator_name"], s["target_name"]}
            if s["isid"]:
                found.add(s["isid"])
            for c in s["connections"]:
                found |= {c["initiator_address"], c["target_address"], c["initiator_name"], c["target_name"]}
            for l in s["luns"]:
                found |= {l.get("serial"), l.get("designator")}
            for k in s["negotiated_keys"]:
                if k["key"] in ("InitiatorName", "TargetName", "InitiatorAlias", "TargetAlias", "TargetAddress"):
                    found |= {k["initiator"], k["target"], k["in_force"]}
        return {x for x in found if x and len(x) > 3}

    def test_no_output_holds_an_original_name(self):
        captures = [SAMPLE, SHARED] + sorted(glob.glob(os.path.join(REAL, "[fg]_*.zst")))
        searched = 0
        for path in captures:
            words = self.originals(path)
            self.assertGreaterEqual(len(words), 6, path)
            contents = {}
            for format_ in ("text", "json", "html"):
                code, out, err = run("report", path, "--format", format_, "--anonymize", "--quiet")
                self.assertEqual(code, 0, err)
                contents[format_] = out
            db, tables = os.path.join(self.folder, "a.db"), os.path.join(self.folder, "tables")
            run("report", path, "--format", "sqlite", "--anonymize", "-o", db)
            with open(db, "rb") as f:
                contents["sqlite"] = f.read().decode("latin-1")
            run("report", path, "--format", "csv", "--anonymize", "-o", tables)
            for name in os.listdir(tables):
                with open(os.path.join(tables, name)) as f:
                    contents["csv " + name] = f.read()
            contents["compare"] = run("compare", path, path, "--anonymize")[1]
            contents["predict"] = run("predict", path, "--anonymize")[1]
            for format_, content in contents.items():
                self.assertTrue(content, format_)
                for word in words:
                    self.assertNotIn(word, content, (path, format_))
                    searched += 1
            # Figures stay, and the same stays the same.
            plain, masked = report(path), json.loads(contents["json"])
            self.assertEqual(plain["cycles"], masked["cycles"])
            names = lambda j: [c["initiator_name"] for s in j["sessions"] for c in s["connections"]]
            pairs = set(zip(names(plain), names(masked)))
            self.assertEqual(len(pairs), len({a for a, _ in pairs}))
        print(f"FIGURE: anonymous outputs searched for original names: {searched} times in {len(captures)} captures, none found")


class Joined(Base):
    def test_a_ring_buffer_is_one_capture(self):
        plain = self.sample_bytes()
        whole = self.file("whole.pcapng", plain)
        parts = os.path.join(self.folder, "part.pcapng")
        if subprocess.run(["editcap", "-c", "400", "-F", "pcapng", whole, parts], capture_output=True).returncode != 0:
            self.skipTest("no editcap")
        files = sorted(glob.glob(os.path.join(self.folder, "part_*.pcapng")))
        self.assertGreater(len(files), 3)
        subprocess.run(["zstd", "-q", "--rm", files[1]], check=True)
        files[1] += ".zst"
        expected = report(whole)
        mixed = files[::-1]  # whatever the order of naming
        joined = json.loads(run("report", *mixed, "--join", "--format", "json")[1])
        self.assertEqual([f["file"] for f in joined["capture"]["files"]], files)
        self.assertEqual(joined["capture"]["files"][1]["first_frame"], 401)
        for key in ("coverage", "sessions", "tasks", "cycles", "time_shares", "phase_shares", "tcp", "findings"):
            self.assertEqual(joined[key], expected[key], key)
        code, out, err = run("report", files[0], os.path.join(self.folder, "absent"), "--join")
        self.assertEqual(code, 2)
        self.assertIn("absent", err)


class Batch(Base):
    def test_many_captures_with_an_index(self):
        bad = self.file("bad.pcap", b"not a capture at all, only words")
        out = os.path.join(self.folder, "reports")
        many = sorted(glob.glob(os.path.join(SOURCE, "sample-captures", "bundle", "*", "*.zst")))
        many = [p for p in many if p.endswith(".pcapng.zst")]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        # 200 captures: the bundled ones over and over, one bad one among them.
        files = [many[i % len(many)] for i in range(199)]
        files.insert(100, bad)
        code, _, err = run("report", *files, "--jobs", "2", "--format", "json", "-o", out + "/")
        seconds = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(code, 2)
        self.assertIn(bad, err)
        self.assertEqual(err.count("\n"), 2, err)
        self.assertTrue(err.endswith(f"\niscsiscope: wrote 199 of 200 reports and index.html to {out}/\n"), err)
        self.assertEqual(len(os.listdir(out)), 200)  # 199 reports and the index
        with open(os.path.join(out, "index.html")) as f:
            page = Page(f.read())
        self.assertEqual(len(page.rows("capture")), 200)
        links = [x for x in page.fetched]
        self.assertEqual(len(links), 199)
        for link in links:
            self.assertTrue(os.path.exists(os.path.join(out, link)), link)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"FIGURE: 200 captures in one batch: {seconds:.1f} s, {cpu / seconds:.2f} processors used, "
              f"peak {after.ru_maxrss / 1024:.0f} MB, one bad file told")
        self.assertLess(after.ru_maxrss, 400 * 1024)

    def test_pages_and_data_bases_of_several(self):
        for format_, extension in (("html", ".html"), ("sqlite", ".db")):
            out = os.path.join(self.folder, format_)
            code, _, err = run("report", SAMPLE, SHARED, "--format", format_, "-o", out, "--fail-on", "read.count > 0")
            self.assertEqual(code, 1, err)
            self.assertEqual(sorted(os.listdir(out)),
                             sorted([os.path.basename(SAMPLE) + extension, os.path.basename(SHARED) + extension,
                                     "index.html"]))
            out += "-anonymous"
            run("report", SAMPLE, SHARED, "--format", format_, "-o", out, "--anonymize")
            self.assertEqual(sorted(os.listdir(out)), ["capture-1" + extension, "capture-2" + extension, "index.html"])


    def test_no_two_reports_share_a_name(self):
        paths = []
        for place in ("1/x", "2/x", "3/x.2", "4/index", "5/index.html"):
            path = os.path.join(self.folder, place)
            os.makedirs(os.path.dirname(path))
            shutil.copy(SHARED if place == "3/x.2" else SAMPLE, path)
            paths.append(path)
        for format_, names in (("html", ["x.html", "x.3.html", "x.2.html", "index.2.html", "index.html.html"]),
                               ("csv", ["x", "x.3", "x.2", "index", "index.html.2"])):
            out = os.path.join(self.folder, format_)
            code, _, err = run("report", *paths, "--format", format_, "-o", out, "--jobs", "2")
            self.assertEqual((code, err), (0, f"iscsiscope: wrote 5 reports and index.html to {out}/\n"))
            self.assertEqual(sorted(os.listdir(out)), sorted([*names, "index.html"]))
            with open(os.path.join(out, "index.html")) as f:
                page = Page(f.read())
            self.assertEqual(len(page.rows("capture")), 5)
            self.assertEqual(page.fetched, ["./" + name for name in names])


def new_payload(path):
    """Yields (ports, time in ns, bytes) for each segment of a capture that carries payload not seen before."""
    link, all_frames = frames.read(path)
    first, seen = {}, {}  # by flow: a sequence number, and the ranges behind it that were seen
    for frame in all_frames:
        s = frames.segment_of(link, frame.data)
        if s is None or s.length == 0:
            continue
        begin = (s.sequence - first.setdefault(s.flow, s.sequence) + 2**31) % 2**32 - 2**31
        ranges = seen.setdefault(s.flow, [])
        fresh = s.length - sum(max(0, min(b, begin + s.length) - max(a, begin)) for a, b in ranges)
        if fresh == 0:
            continue
        touching = [r for r in ranges if r[0] <= begin + s.length and r[1] >= begin]
        ranges[:] = [r for r in ranges if r not in touching]
        ranges.append((min([begin, *(a for a, _ in touching)]), max([begin + s.length, *(b for _, b in touching)])))
        yield struct.unpack("!HH", s.flow[-4:]), frame.time_ns, fresh


class Sharing(Base):
    def test_deviation_is_equation_8(self):
        """Against the definition, from the segments and the rows of `cycles`, for every complete interval."""
        if shutil.which("editcap") is None:
            self.skipTest("no editcap")
        worst, intervals = 0.0, 0
        streams = {}
        for line in run("connections", SHARED, "--format", "jsonl")[1].splitlines():
            c = json.loads(line)
            ports = (c["initiator_port"], c["target_port"])
            streams[ports] = streams[ports[::-1]] = c["stream"]
        payload = [(streams[ports], time_ns, fresh) for ports, time_ns, fresh in new_payload(SHARED)]
        for tm in (10_000_000, 50_000_000):
            j = report(SHARED, "--interval", f"{tm}ns")
            cycles = [json.loads(line) for line in run("cycles", SHARED, "--format", "jsonl")[1].splitlines()]
            for t in j["session_analysis"]["throughput"]:
                if len(t["streams"]) < 2:
                    continue
                first = t["first"]
                for row in t["intervals"]:
                    begin = first + row["interval"] * tm
                    bytes_, moved, active = {}, {}, set()
                    for stream, time_ns, fresh in payload:
                        if begin <= time_ns < begin + tm:
                            bytes_[stream] = bytes_.get(stream, 0) + fresh
                    for c in cycles:
                        if c["stream"] not in t["streams"] or c["response_time_ns"] is None:
                            continue
                        end = c["start_ns"] + c["response_time_ns"]
                        if c["start_ns"] < begin + tm and end >= begin:
                            active.add(c["stream"])
                        if begin <= end < begin + tm:
                            moved[c["stream"]] = moved.get(c["stream"], 0) + c["bytes_moved"]
                    self.assertEqual(row["stream_bytes"], [bytes_.get(s, 0) for s in t["streams"]])
                    self.assertEqual(row["bytes"], [moved.get(s, 0) for s in t["streams"]])
                    rates = [bytes_.get(s, 0) / (tm / 1e9) for s in sorted(active)]
                    if not rates:
                        continue
                    mean = sum(rates) / len(rates)
                    deviation = math.sqrt(sum((g - mean) ** 2 for g in rates) / len(rates))
                    got = row["rate"]
                    self.assertEqual(got["members"], len(rates), row["interval"])
                    error = abs(got["deviation"] - deviation) / max(deviation, 1)
                    worst, intervals = max(worst, error), intervals + 1
        self.assertGreater(intervals, 10)
        self.assertLessEqual(worst, 1e-9)
        print(f"FIGURE: throughput deviation against its definition: {intervals} intervals, worst error {worst:.1e}")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
