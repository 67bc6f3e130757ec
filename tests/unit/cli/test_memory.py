#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `report` keeps of each connection and session, as the slope of its peak resident set between two made-up
captures: of connections that only open, of open sessions that have logged in and read, and of sessions one after
another."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["ISCSISCOPE"]
SECOND = 1_000_000_000
TARGET = bytes([10, 255, 0, 1])
SYN, FIN, PUSH, ACK = 0x02, 0x01, 0x08, 0x10


def instrumented():
    """Read in parts: what this script itself holds counts as the program's, from before its start."""
    names, tail = (b"__asan_init", b"__tsan_init", b"__msan_init"), b""
    with open(PROGRAM, "rb") as f:
        while part := f.read(1 << 16):
            if any(name in tail + part for name in names):
                return True
            tail = part[-16:]
    return False


class Talk:
    """One connection, frame by frame."""

    def __init__(self, out, number, start):
        self.out, self.now = out, start
        self.ends = [(struct.pack("!I", 0x0A000001 + number // 50_000), 10_000 + number % 50_000), (TARGET, 3260)]
        self.next = [1000, 5000]

    def send(self, side, flags, payload=b"", options=b""):
        (source, source_port), (destination, port) = self.ends[side], self.ends[1 - side]
        header = 20 + len(options)
        tcp = struct.pack("!HHIIBBHHH", source_port, port, self.next[side],
                          self.next[1 - side] if flags & ACK else 0, header << 2, flags, 65535, 0, 0) + options
        ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + header + len(payload), 0, 0, 64, 6, 0, source, destination)
        frame = bytes(12) + b"\x08\x00" + ip + tcp + payload
        self.out.write(struct.pack("<IIII", self.now // SECOND, self.now % SECOND, len(frame), len(frame)) + frame)
        self.next[side] += len(payload) + (1 if flags & (SYN | FIN) else 0)
        self.now += 100_000

    def open(self):
        mss = b"\x02\x04\x05\xb4"
        self.send(0, SYN, options=mss)
        self.send(1, SYN | ACK, options=mss)
        self.send(0, ACK)

    def log_in(self, number):
        text = f"InitiatorName=iqn.2026-01.example:host-{number}\0TargetName=iqn.2026-01.example:disk-{number}\0"
        isid, data = struct.pack("!HI", 0x4000, number), text.encode()
        data += bytes(-len(data) % 4)
        length = len(text).to_bytes(3, "big")
        self.send(0, ACK | PUSH, b"\x43\x87\0\0\0" + length + isid + struct.pack("!HIHHII", 0, 0, 0, 0, 1, 0) +
                  bytes(16) + data)
        self.send(1, ACK | PUSH, b"\x23\x87\0\0\0\0\0\0" + isid +
                  struct.pack("!HIIIII", 1 + number % 65535, 0, 0, 100, 1, 64) + bytes(12))

    def read(self, n):
        """The n-th command of the session, n from 1: 512 bytes, which take a millisecond."""
        self.send(0, ACK | PUSH, b"\x01\xc1\0\0\0\0\0\0" + bytes(8) + struct.pack("!IIII", n, 512, n, 100 + n) +
                  struct.pack("!BBIBHB6x", 0x28, 0, 8 * n, 0, 1, 0))
        self.now += 900_000
        self.send(1, ACK | PUSH, b"\x25\x81\0\0\0\0\x02\0" + bytes(8) +
                  struct.pack("!IIIIIIII", n, 0xFFFFFFFF, 100 + n, n + 1, n + 64, 0, 0, 0) + bytes(512))

    def close(self):
        self.send(0, FIN | ACK)
        self.send(1, FIN | ACK)
        self.send(0, ACK)


def opened(talk, _):
    talk.send(0, SYN, options=b"\x02\x04\x05\xb4")


def web(talk, _):
    talk.ends[1] = (TARGET, 80)
    talk.open()
    talk.send(0, ACK | PUSH, b"GET /index.html HTTP/1.1\r\nHost: www.example.org\r\nAccept: */*\r\n\r\n")
    talk.send(1, ACK | PUSH, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nOK")


def logged_in(talk, number):
    talk.open()
    talk.log_in(number)


def session(talk, number):
    logged_in(talk, number)
    for n in range(1, 9):
        talk.read(n)


def session_over(talk, number):
    session(talk, number)
    talk.close()


@unittest.skipIf(instrumented(), "a sanitizer's memory is not the program's")
class Memory(unittest.TestCase):
    def peak(self, make, count, apart, form="text", threads=1):
        """Peak resident bytes of a report of so many connections, which begin so far (ns) apart."""
        with tempfile.TemporaryDirectory(prefix="iscsiscope-memory-") as folder:
            path = os.path.join(folder, "made.pcap")
            with open(path, "wb") as out:
                out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
                for number in range(count):
                    make(Talk(out, number, 1_700_000_000 * SECOND + number * apart), number)
            process = subprocess.Popen([PROGRAM, "report", "--quiet", "--threads", str(threads), "--format", form, path],
                                       stdout=subprocess.PIPE)
            with process.stdout as out:
                text = out.read(1_000_000).decode()  # a part: it is large as JSON
                while out.read(1_000_000):
                    pass
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
        if form == "json":
            self.assertIn(f'"tcp_connections": {count}', text)
        else:
            self.assertIn(f"{count:,} TCP connections", text)
            if make not in (opened, web, logged_in):
                self.assertRegex(text, f"Commands +{8 * count:,}, seen whole")
        return usage.ru_maxrss * 1024

    def each(self, what, make, few, many, apart, most):
        small, large = self.peak(make, few, apart), self.peak(make, many, apart)
        each = (large - small) / (many - few)
        print(f"FIGURE: memory of report, {what}: {each:,.0f} bytes each ({few:,} to {many:,}), "
              f"peak {large / 1e6:.1f} MB (bar of the test: {most:,} bytes each)")
        self.assertLess(each, most)
        return large

    def test_connections_that_only_open(self):
        # Fewer than the engine follows at once (131,072): beyond that each new one ends an idle one.
        self.each("connections that only open", opened, 20_000, 120_000, 10_000, 1_100)

    def test_connections_that_are_not_iscsi(self):
        self.each("open connections that are not iSCSI", web, 10_000, 30_000, 1_000_000, 1_400)

    def test_open_logins(self):
        self.each("open connections, logged in, no command", logged_in, 3_000, 9_000, 10_000_000, 13_000)

    def test_open_sessions(self):
        many = 9_000
        peak = self.each("open sessions, logged in, 8 reads", session, 5_000, many, 10_000_000, 17_000)
        wanted = 100e6 + 1e3 * many
        print(f"FIGURE: {many:,} open sessions against 100 MB + 1 KB each: {peak / wanted:.2f} of it")

    def test_further_threads(self):
        one = self.peak(session, 5_000, 10_000_000)
        for threads in (2, 8):
            further = (self.peak(session, 5_000, 10_000_000, threads=threads) - one) / (threads - 1)
            print(f"FIGURE: memory of report, 5,000 open sessions: {further / 1e6:.1f} MB for each further thread "
                  f"of {threads}")
            self.assertLess(further, 8e6)

    def test_sessions_one_after_another(self):
        self.each("sessions that are over", session_over, 1_000, 4_000, SECOND, 8_000)
        # Figures are kept of a few thousand; of the others a nexus, so that a later login is known for another.
        peak = self.each("sessions that are over, beyond 4,096", session_over, 5_000, 8_000, SECOND, 1_000)
        self.assertLess(peak, 100e6)
        peak = self.peak(session_over, 4_000, SECOND, "json")
        print(f"FIGURE: memory of report, 4,000 sessions that are over, as JSON: peak {peak / 1e6:.1f} MB")
        self.assertLess(peak, 100e6)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
