# SPDX-License-Identifier: GPL-2.0-or-later
"""What the scripts here share: running the initiator and saying what was found."""
import json
import socket
import subprocess

MIB = 1 << 20


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

    def initiator(self, *arguments, timeout=120):
        return subprocess.run(self.program + [str(a) for a in arguments], capture_output=True, text=True,
                              timeout=timeout)

    def start(self, *arguments):
        return subprocess.Popen(self.program + [str(a) for a in arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, what, *arguments):
        """A run that must succeed; its JSON report."""
        result = self.initiator(*arguments, "--json", "--progress", "none")
        report = json.loads(result.stdout) if result.stdout else {}
        good = result.returncode == 0 and not report.get("errors")
        self.check(good, what + ("" if good else f": exit {result.returncode} {result.stderr}"))
        return report

    def refused(self, what, code, message, *arguments):
        result = self.initiator(*arguments, "--progress", "none")
        self.check(result.returncode == code and message in result.stderr,
                   f"{what}: exit {result.returncode}, \"{result.stderr.strip()}\"")

    def done(self):
        print(f"{len(self.failures)} wrong")
        return 1 if self.failures else 0


def clean_data(report, least_blocks):
    v = report.get("verification") or {}
    return v.get("wrong_blocks") == 0 and v.get("checked_blocks", 0) >= least_blocks
