#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Floods of requests whose answers nobody reads, and of logins that do not go on, against the target named on
the command line, over loopback. Each figure is printed as a line "FIGURE: ..." and held against its bound: memory,
processor time of the target, and how long it made others wait, without the time for which target or peer stood ready
and no processor was free: that is a matter of who else runs."""
import os
import resource
import signal
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import live

ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT  # what it used can still be read
HANG = 300  # seconds; what takes so long hangs, however busy the machine is
NAME = b"iqn.2026-11.example:disk"
MB = 1000 * 1000
# A build with sanitizers takes several times the memory.
MEMORY_FACTOR = float(os.environ.get("ISCSISCOPE_MEMORY_FACTOR", "1"))
failures = []


def figure(what, value, unit, bound):
    print(f"FIGURE: {what}: {value:.1f} {unit} (below {bound:g})", flush=True)
    if not value < bound:
        failures.append(what)


def memory(what, target, bound):
    figure(what, target.peak_rss() / MB, "MB", bound * MEMORY_FACTOR)


class Held:
    """How long a target held up its peer, in `milliseconds`: the time of the clock without that for which the two
    waited for a processor. `processor`: of that time, milliseconds of the target's own processor time."""

    def __init__(self, target):
        self.target = target

    def now(self):
        process = self.target.process.pid
        peer = live.waited_for_processor(os.getpid(), threading.get_native_id())  # the watch has a thread of its own
        waited = live.waited_for_processor(process) + peer
        return time.monotonic(), waited, live.used_processor(process)

    def __enter__(self):
        self.begin = self.now()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            clock, waited, processor = (now - then for now, then in zip(self.now(), self.begin))
            self.milliseconds, self.processor = max(0.0, clock - max(0.0, waited)) * 1000, processor * 1000


def check(condition, what):
    print(("ok    " if condition else "WRONG ") + what, flush=True)
    if not condition:
        failures.append(what)


class Target:
    def __init__(self, command, files=None):
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
        self.process = subprocess.Popen(command + ["--portal", "127.0.0.1:0", "--lun", "ram:64MiB"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        preexec_fn=limit)
        address, port = self.process.stdout.readline().split()[1].rsplit(":", 1)
        self.portal = (address, int(port))
        self.sockets = []

    def peak_rss(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

    def processor_seconds(self):
        return live.used_processor(self.process.pid)

    def connect(self, source="127.0.0.1"):
        s = socket.create_connection(self.portal, timeout=HANG, source_address=(source, 0))
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sockets.append(s)
        return s

    def log_in(self, number, source="127.0.0.1"):
        """A socket in full feature phase."""
        s = self.connect(source)
        text = (b"InitiatorName=iqn.flood:%d\0TargetName=%s\0SessionType=Normal\0"
                b"MaxRecvDataSegmentLength=262144\0" % (number, NAME))
        s.sendall(struct.pack(">BB2xI6sHIH2xII16x", 0x43, 0x87, len(text), b"\x80%05d" % number, 0, 1, 0, 1, 0)
                  + text + bytes(-len(text) % 4))
        header = receive(s, 48)
        if header[0] != 0x23 or header[36] != 0 or not header[1] & 0x80:
            raise RuntimeError(f"login refused: {header.hex()}")
        receive(s, (struct.unpack(">I", header[4:8])[0] & 0xffffff) + 3 & ~3)
        return s

    def other_logins(self, what, source="127.0.0.1"):
        """Others are served meanwhile: at all, at little expense, and soon."""
        held = [Held(self) for _ in range(9)]
        for number, one in enumerate(held):
            with one:
                self.log_in(60000 + number, source)
        figure(f"{what}: another login, slowest of 9", max(one.milliseconds for one in held), "ms", 1000)
        figure(f"{what}: another login, median of 9", statistics.median(one.milliseconds for one in held), "ms", 100)
        figure(f"{what}: nine logins, processor time of the target", sum(one.processor for one in held), "ms", 900)

    def end(self, what):
        """Soon and with exit code 0, whatever waits for peers that do not read."""
        with Held(self) as one:
            self.process.send_signal(signal.SIGTERM)
            ended = live.at_its_time(lambda: os.waitid(os.P_PID, self.process.pid, ENDED), HANG)
        check(ended, f"{what}: it ends")
        figure(f"{what}: SIGTERM to the end", one.milliseconds, "ms", 1000)
        check(self.process.poll() == 0, f"{what}: exit code 0")
        self.close()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        for s in self.sockets:
            s.close()


def receive(s, size):
    data = b""
    while len(data) < size:
        part = s.recv(size - len(data))
        if not part:
            raise RuntimeError("the target closed the connection")
        data += part
    return data


def read_16(number, cmd_sn, immediate=False):
    cdb = struct.pack(">BBQIBB", 0x88, 0, 0, 65536, 0, 0)
    return struct.pack(">BB2xI8xIIII16s", 0x41 if immediate else 0x01, 0xc1, 0, number, 32 << 20, cmd_sn, 0, cdb)


def nop_out(number, data):
    return struct.pack(">BB2xI8xIIII16x", 0x40, 0x80, len(data), number, 0xffffffff, 1, 0) + data


def pour(s, pieces, seconds=3.0):
    """Sends until the target takes no more for a moment, or all is sent. Bytes sent."""
    s.settimeout(0.3)
    end, sent = time.monotonic() + seconds, 0
    try:
        for piece in pieces:
            s.sendall(piece)
            sent += len(piece)
            if time.monotonic() > end:
                break
    except OSError:
        pass
    return sent


def settle(target):
    """Until the target has done what it does: its peak no longer grows."""
    before = -1
    for _ in range(40):
        time.sleep(0.15)
        now = target.peak_rss()
        if now == before:
            return
        before = now


def flood(command, what, connections, bound, pieces):
    target = Target(command)
    try:
        sent = 0
        for number in range(connections):
            sent += pour(target.log_in(number), pieces())
        settle(target)
        memory(f"{what} ({sent} bytes sent): peak memory of the target", target, bound)
        target.other_logins(what)
        memory(f"{what}: peak memory behind the logins", target, bound)
        target.end(what)
    finally:
        target.close()


def half_open(command):
    target = Target(command)
    try:
        for number in range(1000):
            target.connect(f"127.0.0.{2 + number % 2}").sendall(b"\x43\x87" + bytes(40))
        settle(target)
        memory("1000 logins that do not go on: peak memory of the target", target, 64)
        target.other_logins("1000 logins that do not go on", "127.0.0.9")
        target.end("1000 logins that do not go on")
    finally:
        target.close()


def few_descriptors(command):
    what = "200 connections, 64 descriptors"
    target = Target(command, files=64)
    try:
        for number in range(200):
            try:
                target.connect()
            except OSError:
                break
        time.sleep(0.3)
        before = target.processor_seconds()
        time.sleep(1)
        figure(f"{what}: processor time of the idle target", (target.processor_seconds() - before) * 1000, "ms", 200)
        target.other_logins(what, "127.0.0.9")
        logged_in = []
        try:
            for number in range(100):
                logged_in.append(target.log_in(100 + number))
        except (OSError, RuntimeError):
            pass
        check(len(logged_in) > 16, f"{what}: {len(logged_in)} more log in, then no more")
        before = target.processor_seconds()
        time.sleep(1)
        figure(f"{what}: processor time when all are logged in", (target.processor_seconds() - before) * 1000, "ms",
               200)
        for s in logged_in:
            s.close()
        time.sleep(0.3)
        target.other_logins(f"{what}, after they left")
        target.end(what)
    finally:
        target.close()


def main():
    command = sys.argv[1].split()
    only = sys.argv[2:]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    block = bytes(65536)
    parts = {
        "few": lambda: flood(command, "8 unread READ(16) of 32 MiB", 1, 64,
                             lambda: [read_16(n, n) for n in range(1, 9)]),
        "reads": lambda: flood(command, "60 unread READ(16) of 32 MiB", 1, 64,
                               lambda: [read_16(n, n) for n in range(1, 61)]),
        "more": lambda: flood(command, "400 unread READ(16) of 32 MiB", 1, 64,
                              lambda: [read_16(n, n) for n in range(1, 401)]),
        "immediate": lambda: flood(command, "100000 unread immediate READ(16)", 1, 64,
                                   lambda: (read_16(n, 1, True) for n in range(1, 100001))),
        "nops": lambda: flood(command, "unread NOP echoes of 64 KiB", 1, 64,
                              lambda: (nop_out(n, block) for n in range(1, 20000))),
        "small": lambda: flood(command, "unread NOP echoes without data", 1, 64,
                               lambda: (nop_out(n, b"") * 100 for n in range(1, 20000))),
        "all": lambda: flood(command, "200 connections, 400 unread READ(16) each", 200, 256,
                             lambda: [b"".join(read_16(n, n) for n in range(1, 401))]),
        "all_nops": lambda: flood(command, "40 connections, unread NOP echoes", 40, 256,
                                  lambda: [b"".join(nop_out(n, block[:8192]) for n in range(1, 200))] * 4),
        "half_open": lambda: half_open(command),
        "descriptors": lambda: few_descriptors(command),
    }
    for name, part in parts.items():
        if name in only or not only:
            part()
    for failure in failures:
        print("FAILED: " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
