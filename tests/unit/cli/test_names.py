#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names are bytes until they are shown to be UTF-8: whatever bytes names of the wire and of files hold, each format is
valid UTF-8 and shows the others as \\xHH; and a capture whose report fails does not stop those beside it."""
import csv
import io
import json
import os
import resource
import sqlite3
import subprocess
import sys
import unittest

from program import Base, PROGRAM, SAMPLE, run
from test_formats import Page
from test_memory import Talk, instrumented, session
import struct

# A surrogate, an overlong slash, a value above U+10FFFF, a cut sequence, a continuation byte alone, and "µ".
NAME = b"iqn.\xed\xa0\x80.\xc0\xaf.\xf4\x90\x80\x80.\xe2\x82.\x80.\xc2\xb5"
SHOWN = r"iqn.\xED\xA0\x80.\xC0\xAF.\xF4\x90\x80\x80.\xE2\x82.\x80.µ"


class Named(Talk):
    def log_in(self, number, name=NAME):
        keys = [b"InitiatorName=" + name, b"TargetName=" + name, b"SessionType=Normal", b"InitiatorAlias=" + name]
        text = b"".join(k + b"\0" for k in keys)
        isid, data = struct.pack("!HI", 0x4000, number), text + bytes(-len(text) % 4)
        self.send(0, 0x18, b"\x43\x87\0\0\0" + len(text).to_bytes(3, "big") + isid +
                  struct.pack("!HIHHII", 0, 0, 0, 0, 1, 0) + bytes(16) + data)
        text = b"TargetAlias=" + name + b"\0TargetPortalGroupTag=1\0"
        data = text + bytes(-len(text) % 4)
        self.send(1, 0x18, b"\x23\x87\0\0\0" + len(text).to_bytes(3, "big") + isid +
                  struct.pack("!HIIIII", 1 + number % 65535, 0, 0, 100, 1, 64) + bytes(12) + data)


def capture(make=session, talk=Named, count=1):
    out = io.BytesIO()
    out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
    for number in range(count):
        make(talk(out, number, 1_700_000_000_000_000_000 + number * 10_000_000), number)
    return out.getvalue()


class Names(Base):
    def setUp(self):
        super().setUp()
        self.path = self.file("names.pcap", capture())

    def test_json(self):
        code, out, err = run("report", self.path, "--format", "json")
        self.assertEqual((code, err), (0, ""))
        session, = json.loads(out)["sessions"]
        self.assertEqual((session["initiator_name"], session["target_name"]), (SHOWN, SHOWN))
        self.assertEqual(session["connections"][0]["initiator_name"], SHOWN)
        keys = {k["key"]: k for k in session["negotiated_keys"]}
        self.assertEqual((keys["TargetAlias"]["target"], keys["InitiatorAlias"]["initiator"]), (SHOWN, SHOWN))

    def test_text_and_html(self):
        code, out, _ = run("report", self.path)
        self.assertEqual(code, 0)
        self.assertIn(SHOWN, "".join(line.strip() for line in out.splitlines()))
        code, out, _ = run("report", self.path, "--format", "html")
        self.assertEqual(code, 0)
        self.assertIn(SHOWN, "".join(Page(out).text))

    def test_tables(self):
        folder = os.path.join(self.folder, "tables")
        self.assertEqual(run("report", self.path, "--format", "csv", "-o", folder)[0], 0)
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8", newline="") as table:
                rows = list(csv.DictReader(table))  # decodes all of it
            if name == "connections.csv":
                self.assertEqual(rows[0]["initiator_name"], SHOWN)
        base = os.path.join(self.folder, "names.db")
        self.assertEqual(run("report", self.path, "--format", "sqlite", "-o", base)[0], 0)
        with sqlite3.connect(base) as db:  # a text that is not UTF-8 raises
            self.assertEqual(db.execute("SELECT initiator_name FROM connections").fetchall(), [(SHOWN,)])
            for table, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                db.execute(f'SELECT * FROM "{table}"').fetchall()
        code, out, _ = run("connections", self.path, "--format", "jsonl")
        self.assertEqual((code, json.loads(out)["target_name"]), (0, SHOWN))
        code, out, _ = run("connections", self.path)
        self.assertEqual((code, next(csv.DictReader(out.splitlines()))["target_name"]), (0, SHOWN))

    def test_other_commands(self):
        for command in (("compare", self.path, self.path), ("predict", self.path)):
            for form in ("text", "json"):
                code, out, err = run(*command, "--format", form)
                self.assertEqual(code, 0, err)
        code, out, _ = run("report", self.path, "--format", "json", "--anonymize")
        self.assertEqual((code, "xED" in out), (0, False))

    def test_a_file_name_is_bytes_too(self):
        path = os.path.join(os.fsencode(self.folder), b"a\xff\xed\xa0\x80.pcap")
        with open(path, "wb") as f:
            f.write(capture())
        for form in ("json", "text", "html"):
            done = subprocess.run([PROGRAM, "report", path, "--format", form], capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 0)
            self.assertIn(r"a\xFF\xED\xA0\x80.pcap", done.stdout.decode().replace("\\\\", "\\").replace("\n", ""))
        done = subprocess.run([PROGRAM, "report", path + b"x"], capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn(r"a\xFF\xED\xA0\x80.pcapx", done.stderr.decode())

    def test_a_batch_goes_on(self):
        code, out, err = run("report", self.path, SAMPLE, self.path, "--format", "json", "--jobs", "2")
        self.assertEqual((code, err, len(json.loads(out))), (0, "", 3))


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (96 << 20, 96 << 20))


@unittest.skipIf(instrumented(), "a sanitizer takes more address space than the limit")
class NoMemory(Base):
    """Without enough memory a run ends with a sentence and without a file, and the other captures are reported."""

    def setUp(self):
        super().setUp()
        self.large = self.file("large.pcap", capture(talk=Talk, count=9_000))
        self.small = self.file("small.pcap", capture())

    def starved(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120, preexec_fn=limited)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_a_report(self):
        for form in ("json", "html", "text", "sqlite", "csv"):
            target = os.path.join(self.folder, "out." + form)
            code, _, err = self.starved("report", self.large, "--format", form, "-o", target)
            self.assertEqual(code, 2, form)
            self.assertRegex(err, r"^iscsiscope: .*large\.pcap.* memory\n$")
            self.assertEqual(sorted(os.listdir(self.folder)), ["large.pcap", "small.pcap"], form)

    def test_rows(self):
        target = os.path.join(self.folder, "rows.csv")
        code, _, err = self.starved("connections", self.large, "-o", target)
        self.assertEqual(code, 2)
        self.assertRegex(err, r"^iscsiscope: .* memory\n$")
        self.assertEqual(sorted(os.listdir(self.folder)), ["large.pcap", "small.pcap"])

    def test_the_rest_of_a_batch(self):
        code, out, err = self.starved("report", self.small, self.large, self.small, "--format", "json")
        self.assertEqual(code, 2)
        self.assertRegex(err, r"^iscsiscope: the report of .*large\.pcap failed: .* memory\n$")
        self.assertEqual([os.path.basename(r["capture"]["file"]) for r in json.loads(out)], ["small.pcap"] * 2)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
