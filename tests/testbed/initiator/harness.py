# SPDX-License-Identifier: GPL-2.0-or-later
"""What the scripts here share: running the initiator and saying what was found."""
import json
import os
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import live

MIB = 1 << 20
HANG = 300  # seconds; a program that takes so long hangs, however busy the machine is


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Checks:
    """Counts what is wrong; `program` is the initiator with its leading arguments."""

    def __init__(self, program):
        self.program = program
        self.failures = []

    def check(self, condition, what):
        print(("ok    " if condition else "WRONG ") + what, flush=True)
        if not condition:
            self.failures.append(what)

    def initiator(self, *arguments):
        return subprocess.run(self.program + [str(a) for a in arguments], capture_output=True, text=True,
                              timeout=HANG)

    def start(self, *arguments):
        return subprocess.Popen(self.program + [str(a) for a in arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def attempt(self, *arguments):
        """A run: its JSON report, and what is wrong with it (empty: nothing)."""
        result = self.initiator(*arguments, "--json", "--progress", "none")
        report = json.loads(result.stdout) if result.stdout else {}
        good = result.returncode == 0 and not report.get("errors")
        return report, "" if good else f"exit {result.returncode} {result.stderr}"

    def run(self, what, *arguments):
        """A run that must succeed; its JSON report."""
        report, wrong = self.attempt(*arguments)
        self.check(not wrong, what + (wrong and f": {wrong}"))
        return report

    def timed(self, what, holds, *arguments):
        """A run that must succeed and of whose report something must hold, where both need that the machine lets the
        programs run: made again if it was starved. `holds(report)`: whether, and a sentence."""
        said = [""]

        def attempt(_):
            report, wrong = self.attempt(*arguments)
            good, said[0] = (False, wrong) if wrong else holds(report)
            return [] if good else [said[0]]

        wrong = live.judge(what, attempt)
        self.check(not wrong, f"{what}: {said[0]}")

    def refused(self, what, code, message, *arguments):
        result = self.initiator(*arguments, "--progress", "none")
        self.check(result.returncode == code and message in result.stderr,
                   f"{what}: exit {result.returncode}, \"{result.stderr.strip()}\"")

    def done(self):
        print(f"{len(self.failures)} wrong")
        return 1 if self.failures else 0


def clean_data(report, min_blocks):
    v = report.get("verification") or {}
    return v.get("wrong_blocks") == 0 and v.get("checked_blocks", 0) >= min_blocks
