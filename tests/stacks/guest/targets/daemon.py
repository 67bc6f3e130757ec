# SPDX-License-Identifier: GPL-2.0-or-later
"""What the targets in user space share: a process in the namespace "target" that listens after a while and is killed,
with its children, in the end."""

import os
import signal
import subprocess
import time

from shell import read, run, start


class Daemon:
    def __init__(self, arguments, port, log, environment=None, folder=None, answer=None, patience=15):
        """Starts the process and waits until something listens on `port`. RuntimeError with its output if it dies.
        answer: a function from what the process has printed to the line it waits for, or None as long as it has not
        asked."""
        self.log = log
        with open(log, "w", encoding="utf-8") as output:
            self.process = start(arguments, "target", environment, output, folder, bool(answer))
        end = time.time() + patience
        while time.time() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"{arguments[0]} ended: {read(log)[-600:]}")
            line = answer(read(log)) if answer else None
            if line:
                self.process.stdin.write(line.encode() + b"\n")
                self.process.stdin.flush()
                answer = None
            if f":{port} " in run(["ss", "-ltn"], "target", check=False):
                return
            time.sleep(0.05)
        self.end()
        raise RuntimeError(f"{arguments[0]} does not listen on {port}: {read(log)[-600:]}")

    def end(self):
        children = run(f"pgrep -P {self.process.pid}", check=False).split()
        for pid in [str(self.process.pid), *children]:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            pass
