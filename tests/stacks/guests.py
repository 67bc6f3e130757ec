# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's side of a guest: a Debian kernel under user-mode Linux, whose root is a folder (build.sh).

In: the laboratory's folder, descriptions of runs. Out: their outcomes and captures in the guest's shared folder. A guest
is a process group of its own; it ends by the file `stop`, or, if it does not answer, by a signal, and its folder and
memory file go with it. A run that takes longer than `patience` seconds ends its guest, and the next one starts anew."""

import json
import os
import shutil
import signal
import subprocess
import time

SOURCE = os.path.dirname(os.path.abspath(__file__))
MEMORY = "3G"      # of address space; the guest touches some 500 MB of it


class GuestFailed(RuntimeError):
    """The guest did not start, or did not finish a run."""


class Guest:
    def __init__(self, laboratory, number):
        self.laboratory, self.number = laboratory, number
        self.name = f"guest{number}-{os.getpid()}"
        self.share = f"{laboratory}/{self.name}"
        self.process = None

    def start(self, patience=60):
        shutil.rmtree(self.share, ignore_errors=True)
        os.makedirs(self.share + "/jobs")
        os.makedirs(self.share + "/out")
        words = ["linux.uml", f"mem={MEMORY}", "root=/dev/root", "rootfstype=hostfs",
                 f"rootflags={self.laboratory}/root", "ro", "init=/sbin/stacks-init", f"umid={self.name}",
                 f"uml_dir={self.share}/uml", "con=null", "con0=null,fd:1", f"stacks_share={self.share}",
                 f"stacks_source={SOURCE}"]
        environment = {**os.environ, "TMPDIR": "/dev/shm"}
        if os.path.exists(self.laboratory + "/wide_registers.so"):
            environment["LD_PRELOAD"] = self.laboratory + "/wide_registers.so"
        with open(self.share + "/console.log", "w", encoding="utf-8") as console:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=console, stderr=console,
                                            env=environment, start_new_session=True)
        self.wait(self.share + "/ready", patience)

    def wait(self, path, patience):
        end = time.time() + patience
        while not os.path.exists(path):
            if self.process.poll() is not None or time.time() > end:
                why = f"ended ({self.process.returncode})" if self.process.poll() is not None else f"gave no answer in {patience} s"
                raise GuestFailed(f"guest {self.number} {why}: {self.last_words()}")
            time.sleep(0.05)

    def last_words(self):
        with open(self.share + "/console.log", encoding="utf-8", errors="replace") as console:
            return " | ".join(console.read()[-1500:].split("\n")[-12:])

    def run(self, description, patience=150):
        """Carries out a run. Returns the description with its outcome; captures lie in self.share/out."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        path = f"{self.share}/jobs/{description['name']}"
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(description, file)
        os.rename(path + ".part", path + ".json")
        out = f"{self.share}/out/{description['name']}.json"
        try:
            self.wait(out, patience)
        except GuestFailed:
            self.stop(0)
            raise
        with open(out, encoding="utf-8") as file:
            return json.load(file)

    def stop(self, patience=8):
        """Ends the guest and removes its folder."""
        if self.process is None:
            return
        open(self.share + "/stop", "w", encoding="utf-8").close()
        end = time.time() + patience
        while self.process.poll() is None and time.time() < end:
            time.sleep(0.1)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # its processes on the host form one group
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process = None
        shutil.rmtree(self.share, ignore_errors=True)
