# SPDX-License-Identifier: GPL-2.0-or-later
"""A program that runs with the library of faults (preload.c), and what the library counted."""
import os
import re
import shutil
import struct
import subprocess
import tempfile

LIBRARY = os.environ["ISCSISCOPE_FAULTS"]
SOURCE = os.environ["ISCSISCOPE_SOURCE_DIR"]
LONGEST = 300  # seconds; a run that takes longer hangs


class Faulted:
    """One run with a fault, in a folder of its own that is empty before it and removed after it.

    case: its name. fault: the value of ISCSISCOPE_FAULT. code: the exit code, negative for a signal, None for a run
    that did not end. words: standard error. left: names in the output's folder. trace: the library's lines. ended:
    whether the first process ran to the end of main(). calls, failures: of all its processes. blocks: of memory, in
    use at the end of the first process."""

    def __init__(self, case, fault):
        self.case, self.fault = case, fault
        self.folder = tempfile.mkdtemp(prefix="iscsiscope-faults-")
        try:
            out, log, shared = (os.path.join(self.folder, name) for name in ("out", "log", "shared"))
            os.mkdir(out)
            with open(shared, "wb") as f:
                f.write(bytes(16))
            environment = {**os.environ, "LD_PRELOAD": LIBRARY, "ISCSISCOPE_FAULT": fault,
                           "ISCSISCOPE_FAULT_LOG": log, "ISCSISCOPE_FAULT_SHARED": shared}
            try:
                done = subprocess.run(self.command(out), capture_output=True, timeout=LONGEST, env=environment,
                                      stdin=subprocess.DEVNULL)
                self.code, self.printed, self.words = done.returncode, done.stdout, done.stderr.decode(errors="replace")
            except subprocess.TimeoutExpired as hung:
                self.code, self.printed, self.words = None, b"", (hung.stderr or b"").decode(errors="replace")
            self.left = sorted(os.listdir(out))
            self.trace = []
            if os.path.exists(log):
                with open(log, encoding="utf-8") as f:
                    self.trace = f.read().splitlines()
            last = re.match(r"calls \d+ blocks (-?\d+) failures \d+$", self.trace[-1] if self.trace else "")
            self.ended = last is not None
            self.blocks = int(last[1]) if last else 0
            with open(shared, "rb") as f:
                self.calls, self.failures = struct.unpack("qq", f.read(16))
            self.look(out)
        finally:
            shutil.rmtree(self.folder)

    def command(self, out):
        """The program with its arguments; it writes into the folder `out`."""
        raise NotImplementedError

    def look(self, out):
        """Keeps what is to be known of the output before it is removed."""

    def wrong(self, plain):
        """What is wrong with the run, in words; empty if nothing is. plain: a run without a fault."""
        raise NotImplementedError

    def leak(self, plain):
        """What it left behind, in words."""
        raise NotImplementedError

    def outcome(self):
        if self.code in (0, None):
            return "unaffected" if self.code == 0 else "wrong"
        return "a sentence" if self.ended else "a sentence at once"
