# SPDX-License-Identifier: GPL-2.0-or-later
"""What the differential tests share: where captures are, running the program, its rows, the verdict."""

import csv
import glob
import io
import json
import os
import subprocess
import sys
import tempfile

import pcap

SKIP_CODE = 77  # tests/CMakeLists.txt tells CTest

# RFC 7143 section 11.1.2.1 and 11.1.2.2: opcode without the immediate bit -> name in the .walk.json files.
OPCODE_NAMES = {
    0x00: "NOP-Out", 0x01: "SCSI Command", 0x02: "Task Management Request", 0x03: "Login Request",
    0x04: "Text Request", 0x05: "Data-Out", 0x06: "Logout Request", 0x10: "SNACK Request",
    0x20: "NOP-In", 0x21: "SCSI Response", 0x22: "Task Management Response", 0x23: "Login Response",
    0x24: "Text Response", 0x25: "Data-In", 0x26: "Logout Response", 0x31: "R2T",
    0x32: "Asynchronous Message", 0x3F: "Reject",
}
COMMAND, DATA_OUT, RESPONSE, DATA_IN, R2T = 0x01, 0x05, 0x21, 0x25, 0x31
NO_TAG = 0xFFFFFFFF

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
BUNDLE = os.path.join(SOURCE, "sample-captures", "bundle")


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(SKIP_CODE)


def figure(text):
    print(f"FIGURE: {text}", flush=True)


class Verdict:
    """Collects differences; the test fails if there is one."""

    LIMIT = 8  # lines printed of one capture

    def __init__(self):
        self.failures = 0
        self.of_capture = 0

    def begin(self):
        self.of_capture = 0

    def expect(self, truth, text):
        if not truth:
            self.failures += 1
            self.of_capture += 1
            if self.of_capture <= self.LIMIT:
                print(f"  DIFFERENT: {text}", flush=True)
        return truth

    def finish(self):
        if self.failures:
            print(f"{self.failures} differences")
        sys.exit(1 if self.failures else 0)


def given_folder():
    """The folder of the given captures, whether it is there or not."""
    return os.environ.get("ISCSISCOPE_CAPTURES") or os.path.join(SOURCE, "..", "shared", "captures")


def are_given():
    return os.path.isdir(given_folder())


def capture_folder():
    """The folder of the given captures; ends the test where it is not there."""
    if not are_given():
        skip(f"no captures in {given_folder()} (set ISCSISCOPE_CAPTURES)")
    return given_folder()


def captures(*prefixes, bundled=()):
    """Names of the given captures that begin with one of the prefixes, ending in .pcap; where none are given, of the
    bundled ones that begin with one of `bundled`, ending in .pcapng."""
    if are_given():
        names = sorted(n[:-4] for n in os.listdir(given_folder()) if n.endswith(".pcap.zst"))
        wanted, place = prefixes, given_folder()
    else:
        names = sorted(os.path.basename(path)[:-4] for path in glob.glob(f"{BUNDLE}/*/*.pcapng.zst"))
        wanted, place = tuple(bundled), BUNDLE
    found = [n for n in names if not wanted or n.startswith(wanted)]
    if not found:
        skip(f"no capture {' '.join(wanted)} in {place}")
    return found


def packed_path(name):
    folder = os.path.join(BUNDLE, name.split(".")[0]) if name.endswith(".pcapng") else given_folder()
    return os.path.join(folder, name + ".zst")


def unpack(name):
    """The content as a pcap file."""
    return pcap.classic(subprocess.run(["zstd", "-dcq", packed_path(name)], check=True, capture_output=True).stdout)


class Program:
    """The program under test and a temporary folder for captures made of others."""

    def __init__(self):
        if len(sys.argv) != 2:
            print(f"usage: {sys.argv[0]} PATH_OF_ISCSISCOPE", file=sys.stderr)
            sys.exit(2)
        self.path = os.path.abspath(sys.argv[1])
        self.folder = tempfile.TemporaryDirectory(prefix="iscsiscope-differential-")

    def file(self, content, name="cut.pcap"):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as out:
            out.write(content)
        return path

    def report(self, capture):
        """The report as JSON holds it."""
        done = subprocess.run([self.path, "report", "--format", "json", capture], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"report {capture}: exit {done.returncode}\n{done.stderr[-2000:]}")
            sys.exit(1)
        return json.loads(done.stdout)

    def rows(self, command, capture, *options):
        """Rows of a row command as dictionaries; a number where the cell is one (truth as 1 or 0), None where empty."""
        done = subprocess.run([self.path, command, *options, capture], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{command} {capture}: exit {done.returncode}\n{done.stderr[-2000:]}")
            sys.exit(1)
        reader = csv.reader(io.StringIO(done.stdout))
        names = next(reader)
        return [dict(zip(names, map(cell, row), strict=True)) for row in reader]


def cell(text):
    if text in ("", "true", "false"):
        return {"": None, "true": 1, "false": 0}[text]
    try:
        return int(text, 16) if text.startswith("0x") else int(text)
    except ValueError:
        return text
