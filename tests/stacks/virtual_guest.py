# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's side of a guest in virtual time: a kernel whose clock is stopped while anything runs in it, so that
nothing that happens on the host reaches its captures. One boot a run: the same description and the same seed give the
same bytes.

In: the laboratory's folder with `linux-virtual` (virtual/kernel.sh), descriptions of runs. Out: as guests.py; the result
has "wall_s" beside the outcome: what boot, run and halt took on the host. The kernel's parameters, its environment and
its memory map are those of every other run: paths are relative to the guest's folder, which is its current one. A guest
whose run takes longer than `patience` seconds of the host is ended: a program that waits in a loop without system
calls stops the clock."""

import json
import os
import shutil
import signal
import subprocess
import time

from guests import SOURCE, GuestFailed

MEMORY = "1800M"
EPOCH_NS = 1767225600 * 10**9    # 2026-01-01: the guest's clock starts here
HERE = "/proc/self/cwd"    # of the kernel's process: the guest's folder


class VirtualGuest:
    def __init__(self, laboratory, number):
        self.laboratory, self.number = laboratory, number
        self.folder = f"{laboratory}/guest{number}-{os.getpid()}"
        self.share = self.folder + "/share"
        self.process = None

    def words(self, seed):
        return ["setarch", "-R", f"{self.laboratory}/linux-virtual", f"mem={MEMORY}", "root=/dev/root",
                "rootfstype=hostfs", f"rootflags={HERE}/root", "ro", "init=/sbin/stacks-init", "umid=guest",
                f"uml_dir={HERE}/uml/", "con=null", "con0=null,fd:1", "norandmaps", "time-travel=inf-cpu",
                f"time-travel-start={EPOCH_NS}", f"random-seed={seed}", f"stacks_share={HERE}/share",
                f"stacks_source={HERE}/stacks", "stacks_once=1"]

    def run(self, description, patience=600):
        """Boots, carries out the run, halts. Returns the description with its outcome; captures lie in self.share/out."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.share + "/jobs")
        os.makedirs(self.share + "/out")
        os.symlink(self.laboratory + "/root", self.folder + "/root")
        os.symlink(SOURCE, self.folder + "/stacks")
        environment = {"PATH": "/usr/bin:/bin", "TMPDIR": "/dev/shm"}
        if os.path.exists(self.laboratory + "/wide_registers.so"):
            os.symlink(self.laboratory + "/wide_registers.so", self.folder + "/wide_registers.so")
            environment["LD_PRELOAD"] = HERE + "/wide_registers.so"
        with open(self.share + "/jobs/run.json", "w", encoding="utf-8") as file:
            json.dump(description, file)
        begin = time.time()
        with open(self.folder + "/console.log", "w", encoding="utf-8") as console:
            process = self.process = subprocess.Popen(
                self.words(description["boot_seed"]), stdin=subprocess.DEVNULL, stdout=console, stderr=console,
                cwd=self.folder, env=environment, start_new_session=True)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired as error:
            raise GuestFailed(f"the guest did not end in {patience} s: {self.last_words()}") from error
        finally:
            self.kill(process)    # what is left of its processes
        out = f"{self.share}/out/{description['name']}.json"
        if not os.path.exists(out):
            raise GuestFailed(f"the guest left no outcome: {self.last_words()}")
        with open(out, encoding="utf-8") as file:
            result = json.load(file)
        result["wall_s"] = round(time.time() - begin, 1)
        return result

    def last_words(self):
        with open(self.folder + "/console.log", encoding="utf-8", errors="replace") as console:
            return " | ".join(console.read()[-1500:].split("\n")[-12:])

    @staticmethod
    def kill(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)  # its processes on the host form one group
        except ProcessLookupError:
            pass
        process.wait()

    def stop(self, patience=0):
        """Ends the guest, if it runs, and removes its folder. May be called while another thread is in `run`."""
        if self.process is not None:
            self.kill(self.process)
        shutil.rmtree(self.folder, ignore_errors=True)
