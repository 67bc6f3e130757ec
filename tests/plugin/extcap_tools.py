# SPDX-License-Identifier: GPL-2.0-or-later
"""What the test of iscsiscope-extcap needs: the program and the testbed in a folder where an ordinary user can run
them, a reader of a capture that grows, and what a run has left behind.

Environment: ISCSISCOPE_EXTCAP, ISCSISCOPE_TESTBED_PROGRAM (the programs as they were built), and that of
plugin_tools."""

import glob
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import time

import plugin_tools

sys.path.insert(0, os.path.join(plugin_tools.SOURCE, "tests", "support"))
import live

HANG = 300  # seconds; what takes so long hangs, however busy the machine is
EXTCAP = os.environ.get("ISCSISCOPE_EXTCAP", "")
TESTBED = os.environ.get("ISCSISCOPE_TESTBED_PROGRAM", "")
INTERFACE = "iscsi-testbed"


class Laboratory:
    """A folder with all that is needed; commands run in it as an ordinary user, with a TMPDIR of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.started = []
        self.temporary = os.path.join(folder, "tmp")
        self.extcap_folder = os.path.join(folder, "extcap")
        self.testbed = os.path.join(folder, "iscsiscope-testbed")
        scenarios = os.path.join(folder, "scenarios")
        os.makedirs(self.temporary)
        os.makedirs(self.extcap_folder)
        self.extcap = shutil.copy(EXTCAP, self.extcap_folder)
        shutil.copy(TESTBED, self.testbed)
        shutil.copytree(os.path.join(plugin_tools.SOURCE, "sample-captures", "scenarios"), scenarios)
        tshark = plugin_tools.Tshark(folder)
        if os.geteuid() == 0:
            os.chown(self.temporary, int(plugin_tools.NOBODY), int(plugin_tools.NOBODY))
        # LD_PRELOAD and the like are for tshark alone.
        more = ["TMPDIR=" + self.temporary, "WIRESHARK_EXTCAP_DIR=" + self.extcap_folder,
                "ISCSISCOPE_TESTBED=" + self.testbed, "ISCSISCOPE_SCENARIOS=" + scenarios]
        self.tshark = tshark.command[:-1] + more + tshark.command[-1:]
        self.plain = [word for word in tshark.command[:-1] if "PRELOAD" not in word and "SAN_OPTIONS" not in word
                      ] + more

    def run(self, *arguments, **environment):
        """iscsiscope-extcap to its end: exit code, standard output, standard error."""
        command = self.plain + ["%s=%s" % pair for pair in environment.items()] + [self.extcap, *arguments]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, timeout=HANG)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def start(self, command):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        self.started.append(process)
        return process

    def end_what_runs(self):
        """Of what was started, after a test that failed."""
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        self.started.clear()

    def capture(self, fifo, *arguments):
        return self.start(self.plain + [self.extcap, "--capture", "--extcap-interface", INTERFACE, "--fifo", fifo,
                                        *arguments])

    def fifo(self):
        path = os.path.join(self.folder, "fifo%d" % time.monotonic_ns())
        os.mkfifo(path)
        os.chmod(path, 0o666)
        return path

    def processes(self):
        """Of the testbed: the run, and the programs on its hosts."""
        found = []
        for link in glob.glob("/proc/[0-9]*/exe"):
            try:
                if os.readlink(link).startswith(self.testbed):
                    found.append(int(link.split("/")[2]))
            except OSError:
                pass
        return found

    def namespaces(self):
        """Network namespaces other than this one, with processes that were started here: TMPDIR says so."""
        found, mark = set(), os.fsencode("TMPDIR=" + self.temporary)
        for folder in glob.glob("/proc/[0-9]*"):
            try:
                with open(folder + "/environ", "rb") as environment:
                    if mark in environment.read().split(b"\0"):
                        found.add(os.readlink(folder + "/ns/net"))
            except OSError:
                pass
        return found - {os.readlink("/proc/self/ns/net")}

    def left_behind(self):
        """What there is of a run that has ended, after a moment for the kernel: processes, files, namespaces."""
        def left():
            files = [name for name in os.listdir(self.temporary) if not name.startswith("wireshark_")]
            return self.processes() + files + sorted(self.namespaces())

        return [] if live.at_its_time(lambda: not left()) else left()


def sentences(text):
    """Of extcap's output: (word, {key: value}) for each line."""
    return [(line.split(" ")[0], dict(re.findall(r"\{([a-z]+)=([^}]*)\}", line))) for line in text.splitlines()]


class GrowingCapture:
    """Reads a pcapng stream as it comes and notes, for each packet, how late it came: nanoseconds."""

    def __init__(self, path):
        self.file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.rest = b""
        self.lateness, self.packets, self.links, self.ended = [], [], [], False
        self.statistics = []  # bodies of interface statistics blocks

    def close(self):
        os.close(self.file)

    def read(self, seconds=HANG, packets=None):
        """For that time, or until so many packets are there, or to the end."""
        until = time.monotonic() + seconds
        poll = select.poll()
        poll.register(self.file, select.POLLIN)
        while not self.ended and time.monotonic() < until and (packets is None or len(self.packets) < packets):
            if not poll.poll(50):
                continue
            data = os.read(self.file, 1 << 20)
            if not data and self.rest + b"".join(self.packets):
                self.ended = True
            elif not data:
                time.sleep(0.01)  # nobody has opened the FIFO yet
            self.take(data)
        return len(self.packets)

    def take(self, data):
        now = time.time_ns()
        self.rest += data
        while len(self.rest) >= 12:
            kind, length = struct.unpack_from("<II", self.rest)
            if len(self.rest) < length:
                break
            block, self.rest = self.rest[:length], self.rest[length:]
            if kind == 1:
                self.links.append(struct.unpack_from("<H", block, 8)[0])
            elif kind == 5:
                self.statistics.append(block)
            elif kind == 6:
                high, low, kept = struct.unpack_from("<III", block, 12)
                self.lateness.append(now - (high << 32 | low))
                self.packets.append(block[28:28 + kept])


def end(process, number=signal.SIGTERM, seconds=HANG):
    """Sends the signal; exit code and standard error."""
    process.send_signal(number)
    _, errors = process.communicate(timeout=seconds)
    return process.returncode, errors.decode()
