# SPDX-License-Identifier: GPL-2.0-or-later
"""A run of the testbed: the process apart, two hosts, a target and an initiator; one call of one of them fails."""
import json
import os
import struct
import subprocess
import tempfile
import time

from faulted import Faulted

PROGRAM = os.environ["ISCSISCOPE_TESTBED"]
MADE = tempfile.TemporaryDirectory(prefix="iscsiscope-faults-")
SCENARIO = os.path.join(MADE.name, "small.toml")
with open(SCENARIO, "w", encoding="utf-8") as file:
    file.write("""
description = "four Writes, as little as a run can be"
stall_bound = "10min"  # how long the links stalled is no matter here
host = [{ name = "initiator" }, { name = "target" }]
path = [{ between = ["initiator", "target"], links = ["wan"] }]
link = [{ name = "wan", rate = "1Gbit/s" }]
[[program]]
host = "target"
run = "target"
options = { portal = "{target}:3260", name = "iqn.2026-11.example:disk", lun = "ram:1MiB" }
[[program]]
host = "initiator"
run = "initiator"
arguments = ["iscsi://{target}/iqn.2026-11.example:disk/0"]
options = { workload = "seq-write", block = "8KiB", count = 4 }
""")
CASES = {"testbed": SCENARIO}


def impossible():
    """Why no run can be made here; None if one can."""
    with tempfile.TemporaryDirectory(prefix="iscsiscope-faults-") as folder:
        done = subprocess.run([PROGRAM, "run", SCENARIO, "--progress", "none", "-o", folder], capture_output=True,
                              text=True)
    return done.stderr.strip() if done.returncode == 2 and "private network" in done.stderr else None


def whole(path):
    """Whether a capture ends with a whole block, or a list of rows with a whole row."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as f:
        content = f.read()
    if path.endswith(".jsonl"):
        for line in content.splitlines():
            json.loads(line)
        return content.endswith(b"\n")
    at = 0
    while at + 12 <= len(content):
        length = struct.unpack_from("<I", content, at + 4)[0]
        if length < 12 or content[at + length - 4:at + length] != struct.pack("<I", length):
            return False
        at += length
    return at == len(content) > 0


def processes_of(folder):
    """Numbers of the processes that have the folder in their environment."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % number, "rb") as f:
                if os.fsencode(folder) in f.read():
                    found.append(int(number))
        except OSError:
            pass  # it has ended meanwhile
    return found


class TestbedRun(Faulted):
    """cut: files that are not whole. alive: processes that went on for a minute."""

    def command(self, out):
        return [PROGRAM, "run", CASES[self.case], "--progress", "none", "-o", out]

    def look(self, out):
        self.cut = [name for name in self.left if not whole(os.path.join(out, name))]
        ends = time.monotonic() + 60
        while (alive := processes_of(self.folder)) and time.monotonic() < ends:
            time.sleep(0.01)
        self.alive = alive

    def wrong(self, plain):
        if self.code is None or self.code < 0:
            return "it did not end" if self.code is None else "it ended by signal %d" % -self.code
        if self.code not in (0, 1, 2):
            return "exit code %d" % self.code
        if self.code != 0 and "iscsiscope-testbed: " not in self.words:
            return "no sentence on standard error: %r" % self.words
        if self.code == 0 and self.left != plain.left:
            return "exit code 0, but there is %s" % self.left
        return ""

    def leak(self, plain):
        """Processes and files; a run that is not valid (exit code 1) keeps its files."""
        if self.alive:
            return "left behind: %d processes" % len(self.alive)
        if self.cut or set(self.left) - set(plain.left):
            return "half files: %s" % (self.cut or self.left)
        return "left behind: %s" % self.left if self.code == 2 and self.left else ""
