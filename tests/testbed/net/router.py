#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The reference initiator and target with a router of the kernel between them, in namespaces of their own: the report
states what the router says by ICMP. usage: router.py ANALYZER TESTBED. Exit code 77: no namespaces here."""
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

ANALYZER, TESTBED = map(os.path.abspath, sys.argv[1:3])
HOST, TARGET = ("10.7.1.2", "10.7.2.2")
ETHERNET_ALL = 0x0003


class Namespace:
    """A process that holds a network namespace, and whatever is run in it."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        here = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == here:
            time.sleep(0.01)
        self.run("ip", "link", "set", "lo", "up")

    def command(self, *arguments):
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", "--", *arguments]

    def run(self, *arguments):
        subprocess.run(self.command(*arguments), check=True)

    def end(self):
        self.holder.kill()
        self.holder.wait()


class Recorder:
    """Writes the frames of an interface of this process's namespace to a file. Runs in a child process."""

    @staticmethod
    def main(interface, path):
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERNET_ALL)) as s, open(path, "wb") as f:
            s.bind((interface, ETHERNET_ALL))
            f.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
            ended = threading.Event()
            signal.signal(signal.SIGTERM, lambda *_: ended.set())
            s.settimeout(0.1)
            print("ready", flush=True)
            while not ended.is_set():
                try:
                    frame = s.recv(262144)
                except TimeoutError:
                    continue
                now = time.time_ns()
                f.write(struct.pack("<IIII", now // 10**9, now % 10**9, len(frame), len(frame)) + frame)


class Net:
    """host h0 - r0 router r1 - t0 target; the router's link to the host carries packets of `mtu` bytes."""

    def __init__(self, mtu):
        self.host, self.router, self.target = self.all = [Namespace() for _ in range(3)]
        for near, far, there in (("h0", "r0", self.host), ("t0", "r1", self.target)):
            self.router.run("ip", "link", "add", far, "mtu", "9000", "type", "veth", "peer", "name", near, "mtu", "9000",
                            "netns", str(there.holder.pid))
        for space, interface, address in ((self.host, "h0", HOST), (self.router, "r0", "10.7.1.1"),
                                          (self.router, "r1", "10.7.2.1"), (self.target, "t0", TARGET)):
            space.run("ip", "address", "add", f"{address}/24", "dev", interface)
            space.run("ip", "link", "set", interface, "up")
        self.router.run("ip", "link", "set", "r0", "mtu", str(mtu))
        self.host.run("ip", "route", "add", "default", "via", "10.7.1.1")
        self.target.run("ip", "route", "add", "default", "via", "10.7.2.1")
        self.router.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward; echo 0 > /proc/sys/net/ipv4/icmp_ratelimit")

    def end(self):
        for space in self.all:
            space.end()


def made(folder, net, at, interface):
    """The report on a short run, captured at this end."""
    path = os.path.join(folder, "run.pcap")
    target = subprocess.Popen(net.target.command(TESTBED, "target", "--portal", f"{TARGET}:3260", "--lun", "ram:8MiB"),
                              stdout=subprocess.DEVNULL)
    recorder = subprocess.Popen(at.command(sys.executable, __file__, "--record", interface, path), stdout=subprocess.PIPE)
    recorder.stdout.readline()
    time.sleep(0.3)  # the target's socket
    subprocess.run(net.host.command(TESTBED, "initiator", f"iscsi://{TARGET}/iqn.2026-11.example:disk/0", "--workload",
                                    "seq-read", "--block", "64KiB", "--think", "10ms", "--duration", "1s"),
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False)
    recorder.terminate()
    recorder.wait()
    target.terminate()
    target.wait()
    out = subprocess.run([ANALYZER, "report", "--format", "json", path], check=True, capture_output=True).stdout
    return json.loads(out)


def finding(report, kind):
    return next((f for f in report["findings"] if f["kind"] == kind), None)


def check(name, holds):
    print(f"{'ok' if holds else 'WRONG'}: {name}")
    return holds


def path_mtu(folder):
    """Packets of 9,000 bytes do not pass the router; the target hears it and sends smaller ones."""
    net = Net(1500)
    try:
        report = made(folder, net, net.target, "t0")
    finally:
        net.end()
    errors = report["capture"]["icmp_errors"]
    return (check("the router's limit is stated", len(errors) == 1 and errors[0]["reason"] == "too_big" and
                  errors[0]["mtu"] == 1500 and errors[0]["sender"] == "10.7.2.1" and
                  errors[0]["source"] == f"{TARGET}:3260") and
            check("reads went on", report["cycles"]["read"]["count"] > 20) and
            check("what is answered in time is no black hole", finding(report, "mtu_black_hole") is None))


def prohibited(folder):
    """The router lets nothing to the target pass."""
    net = Net(9000)
    try:
        net.router.run("ip", "route", "add", "prohibit", TARGET)
        report = made(folder, net, net.host, "h0")
    finally:
        net.end()
    found = finding(report, "portal_unreachable")
    return check("the report says who prohibits the connection", found is not None and
                 "10.7.1.1 says by ICMP that a filter prohibits these packets" in found["sentence"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        good = [test(folder) for test in (path_mtu, prohibited)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    if sys.argv[1] == "--record":
        Recorder.main(*sys.argv[2:4])
    elif os.environ.get("ISCSISCOPE_IN_NAMESPACE"):
        main()
    else:
        inside = ["unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if subprocess.run([*inside, "true"], check=False, capture_output=True).returncode:
            print("SKIPPED: no private network")
            sys.exit(77)
        os.execvpe("unshare", [*inside, sys.executable, *sys.argv], {**os.environ, "ISCSISCOPE_IN_NAMESPACE": "1"})
