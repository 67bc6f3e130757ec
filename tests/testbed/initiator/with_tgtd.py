#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The initiator against tgtd, a target that nobody here wrote: every workload, digests, CHAP, four
connections in one session, mirrors, task management, faults; data verified, truth rows checked.

usage: with_tgtd.py PROGRAM... [--long]
PROGRAM is the initiator with its leading arguments. --long adds the run of 100,000 commands.
Starts a tgtd of its own on loopback and ends it. Exit status 77 (skipped) where tgtd is missing.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is written into the source tree
from harness import HANG, MIB, Checks, clean_data, free_port, live

LONG = "--long" in sys.argv
PROGRAM = [a for a in sys.argv[1:] if a != "--long"]
CHECKS = Checks(PROGRAM)
check, run, refused, initiator = CHECKS.check, CHECKS.run, CHECKS.refused, CHECKS.initiator


class Tgtd:
    """tgtd on a free port with its own control socket; images in a folder that goes with it."""

    def __init__(self, folder):
        self.folder = folder
        self.control = str(os.getpid() % 30000 + 1000)
        self.port = free_port()
        self.process = None

    def admin(self, *arguments):
        return subprocess.run(["tgtadm", "-C", self.control, "--lld", "iscsi", *arguments],
                              check=True, capture_output=True, text=True)

    def start(self):
        self.process = subprocess.Popen(
            ["tgtd", "-f", "-C", self.control, "--iscsi", f"portal=127.0.0.1:{self.port}"],
            stdout=subprocess.DEVNULL, stderr=open(os.path.join(self.folder, "tgtd.log"), "w"))
        if not live.at_its_time(lambda: self.answers() or self.process.poll() is not None) or not self.answers():
            return False
        for tid, name in ((1, "a"), (2, "b"), (3, "chap")):
            image = os.path.join(self.folder, name + ".img")
            with open(image, "wb") as f:
                f.truncate(64 * MIB)
            t = ("--tid", str(tid))
            self.admin("--mode", "target", "--op", "new", *t, "-T", "iqn.t:" + name)
            self.admin("--mode", "logicalunit", "--op", "new", *t, "--lun", "1", "-b", image)
            self.admin("--mode", "target", "--op", "bind", *t, "-I", "ALL")
        self.admin("--mode", "target", "--op", "update", "--tid", "1", "--name", "MaxConnections", "--value", "4")
        for digest in ("HeaderDigest", "DataDigest"):
            self.admin("--mode", "target", "--op", "update", "--tid", "1", "--name", digest, "--value", "CRC32C")
        self.admin("--mode", "account", "--op", "new", "--user", "joe", "--password", "verysecret12")
        self.admin("--mode", "account", "--op", "bind", "--tid", "3", "--user", "joe")
        self.admin("--mode", "account", "--op", "new", "--user", "tgt", "--password", "othersecret99")
        self.admin("--mode", "account", "--op", "bind", "--tid", "3", "--user", "tgt", "--outgoing")
        return True

    def answers(self):
        try:
            self.admin("--mode", "sys", "--op", "show")
            return True
        except subprocess.CalledProcessError:
            return False

    def url(self, name, account="", lun=1):
        return f"iscsi://{account}127.0.0.1:{self.port}/iqn.t:{name}/{lun}"

    def sessions(self):
        shown = self.admin("--mode", "target", "--op", "show").stdout
        return shown.count("Connection:")

    def stop(self, how=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()


def workloads(t):
    for workload in ("seq-write", "seq-read", "rand-read", "rand-write", "const-read", "const-write", "mixed"):
        report = run(f"{workload}, 16 KiB, depth 8, verified", t.url("a"), "--workload", workload, "--span", "8MiB",
                     "--count", 300, "--block", "16KiB", "--depth", 8, "--verify", "--prefill")
        reads, writes = report.get("read_commands", 0), report.get("write_commands", 0)
        check(reads + writes == 300 and report["bytes"] == 300 * 16384, f"{workload}: 300 commands, all bytes counted")
        check((writes == 0) == workload.endswith("read") and (reads == 0) == workload.endswith("write"),
              f"{workload}: {reads} reads, {writes} writes")
        check(clean_data(report, 300 * 32 if workload.endswith("read") else 8 * MIB // 512), f"{workload}: data intact")
    report = run("500 KiB blocks in reads of 127.5 KiB", t.url("a"), "--workload", "seq-read", "--block", "500KiB",
                 "--split", "127.5KiB", "--count", 10, "--processes", 2)
    check(report.get("commands") == 40 and report.get("requests") == 10, "10 blocks are 40 commands")
    started = time.monotonic()
    run("think time", t.url("a"), "--count", 10, "--block", "4KiB", "--think", "30ms")
    check(time.monotonic() - started >= 0.27, "10 requests with 30 ms thought between take 0.27 s at least")


def keys(t):
    for digests in ("both", "header", "data"):
        report = run(f"digests: {digests}", t.url("a"), "--workload", "mixed", "--span", "8MiB", "--count", 300,
                     "--block", "64KiB", "--depth", 4, f"--digests={digests}", "--verify")
        agreed = report["targets"][0]["keys"]
        check(agreed["HeaderDigest"] == ("CRC32C" if digests != "data" else "None") and
              agreed["DataDigest"] == ("CRC32C" if digests != "header" else "None"), "  in force as asked")
        check(clean_data(report, 1000), "  data intact")
    refused("digests that the target does not do", 2, "digests", t.url("b"), "--digests")
    report = run("16 R2Ts of 16 KiB for a write of 256 KiB", t.url("a"), "--workload", "seq-write", "--block", "256KiB",
                 "--count", 8, "--verify", "--span", "8MiB", "--key", "InitialR2T=Yes", "--key", "ImmediateData=No",
                 "--key", "MaxBurstLength=16384")
    check(report["targets"][0]["r2ts"] == 8 * 16, f"  {report['targets'][0]['r2ts']} R2Ts in 8 writes")
    check(clean_data(report, 8 * 512), "  data intact")
    for policy, initial in (("none", "Yes"), ("immediate", "No"), ("negotiated", "No"), ("none", "No")):
        report = run(f"unsolicited data {policy}, InitialR2T={initial}", t.url("a"), "--workload", "rand-write",
                     "--block", "128KiB", "--count", 50, "--verify", "--span", "8MiB", "--depth", 4,
                     "--unsolicited", policy, "--key", f"InitialR2T={initial}")
        check(clean_data(report, 256), "  data intact")
    run("many knobs at once", t.url("a"), "--workload", "mixed", "--count", 50, "--block", "64KiB", "--span", "8MiB",
        "--legacy-send", "--nagle", "--quickack", "--window", "64KiB", "--congestion", "reno", "--r2t-delay", "1ms",
        "--pace", "1Gbit", "--verify")


def accounts(t):
    os.environ |= {"JOE": "joe:verysecret12", "WRONG_JOE": "joe:wrongsecret9", "TGT": "tgt:othersecret99",
                   "WRONG_TGT": "tgt:notthesecret"}
    run("CHAP", t.url("chap"), "--chap", "env:JOE", "--count", 10)
    run("mutual CHAP", t.url("chap"), "--chap", "env:JOE", "--mutual", "env:TGT", "--count", 10)
    run("CHAP with the account in the URL", t.url("chap", "joe%verysecret12@"), "--count", 10)
    refused("wrong secret", 2, "authentication failed", t.url("chap"), "--chap", "env:WRONG_JOE")
    refused("target with the wrong secret", 2, "mutual CHAP", t.url("chap"), "--chap", "env:JOE",
            "--mutual", "env:WRONG_TGT")
    refused("no account where one is needed", 2, "authentication", t.url("chap"))


def sessions(t, folder):
    truth = os.path.join(folder, "truth.jsonl")
    count = 2000
    report = run("four connections in one session", t.url("a"), "--connections", 4, "--workload", "mixed",
                 "--count", count, "--block", "16KiB", "--depth", 12, "--span", "16MiB", "--verify",
                 "--dispatch", "least-loaded", "--truth", truth)
    shares = [c["commands"] for c in report["targets"][0]["connections"]]
    check(len(shares) == 4 and min(shares) > count / 8, f"  each connection carried commands: {shares}")
    check(clean_data(report, 1000), "  data intact")
    check(t.sessions() == 0, "  the target has no connection left after logout")
    truth_rows(truth, count, report)
    run("round robin and first free", t.url("a"), "--connections", 3, "--depth", 6, "--count", 300)
    run("first free", t.url("a"), "--connections", 3, "--depth", 6, "--count", 300, "--dispatch", "first-free")
    refused("more connections than allowed", 2, "MaxConnections", t.url("a"), "--connections", 5)
    report = run("mirrored writes, unequal connections", t.url("a"), t.url("b"), "--workload", "rand-write",
                 "--block", "64KiB", "--split", "16KiB", "--count", 100, "--depth", 4, "--span", "16MiB", "--verify")
    check(report["bytes_written"] == 100 * 65536 and clean_data(report, 2 * 128),
          "  counted once, read back from both")
    with open(os.path.join(folder, "a.img"), "rb") as a, open(os.path.join(folder, "b.img"), "rb") as b:
        run("the mirrors, written whole", t.url("a"), t.url("b"), "--workload", "seq-write", "--block", "256KiB",
            "--size", "16MiB")
        check(a.read(16 * MIB) == b.read(16 * MIB), "  both images are equal")
    CHECKS.timed("the tuner on four connections", lambda r: (len(r["apt"]["samples"]) > 10 and r["apt"]["settled"],
                                                             f"N = {r['apt']['connections']}"),
                 t.url("a"), "--connections", 4, "--apt", "--apt-tm", "100ms", "--apt-initial", 1, "--duration", "2s",
                 "--apt-change", "1s:rise")


def truth_rows(path, count, report):
    with open(path) as f:
        rows = [json.loads(line) for line in f]
    phase = [r["time_ns"] for r in rows if r["row"] == "phase"]
    commands = [r for r in rows if r["row"] == "command" and r["submitted_ns"] >= phase[0] and
                (len(phase) < 2 or r["submitted_ns"] < phase[1])]
    check(len(commands) == count, f"  truth: {len(commands)} command rows of the workload")
    everything = [r for r in rows if r["row"] == "command"]
    numbers = sorted(r["cmd_sn"] for r in everything)
    check(numbers == list(range(numbers[0], numbers[0] + len(numbers))), "  truth: CmdSN without gap or repetition")
    for cid in range(4):
        of_one = sorted((r for r in everything if r["cid"] == cid), key=lambda r: r["handed_ns"])
        if [r["cmd_sn"] for r in of_one] != sorted(r["cmd_sn"] for r in of_one):
            check(False, f"  truth: CmdSN rises on connection {cid}")
    ordered = all(r["submitted_ns"] <= r["handed_ns"] <= r["status_ns"] and
                  (not r["read"] or not r["edtl"] or r["handed_ns"] <= r["first_data_ns"] <= r["status_ns"]) and
                  (not r["write"] or r["handed_ns"] <= r["last_data_sent_ns"] <= r["status_ns"]) and
                  all(r["handed_ns"] <= x["time_ns"] <= r["last_data_sent_ns"] for x in r["r2ts"])
                  for r in everything)
    check(ordered, "  truth: times of every command in order")
    check(sum(r["edtl"] for r in commands) == report["bytes"], "  truth: bytes equal the report's")
    check(len({r["connection"] for r in rows if r["row"] == "connection"}) == 4, "  truth: four connections")
    check(any(r["row"] == "tcp_info" for r in rows), "  truth: TCP_INFO samples")


def faults(t, folder):
    refused("no such target", 2, "no such target", t.url("none"))
    refused("no such LUN", 2, "no such logical unit", t.url("a", lun=9))
    refused("block that does not fit", 2, "multiples", t.url("a"), "--block", "1000")
    refused("region beyond the end", 2, "beyond", t.url("a"), "--offset", "60MiB", "--span", "60MiB")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        free = s.getsockname()[1]
        refused("nobody listens", 2, "Connection refused", f"iscsi://127.0.0.1:{free}/iqn.t:a/1")
        s.listen(1)
        refused("a peer that says nothing", 2, "login in time", f"iscsi://127.0.0.1:{free}/iqn.t:a/1",
                "--login-timeout", "500ms")
    refused("truth into a folder that is not there", 2, "cannot write", t.url("a"), "--truth", folder + "/no/t.jsonl")
    if os.path.exists("/dev/full"):
        os.symlink("/dev/full", folder + "/full.jsonl.part")
        refused("disk full under the truth", 1, "No space left", t.url("a"), "--count", 1000, "--block", "4KiB",
                "--truth", folder + "/full.jsonl")
        check(not os.path.lexists(folder + "/full.jsonl") and not os.path.lexists(folder + "/full.jsonl.part"),
              "  nothing half is left")

    run("a pattern on the disk", t.url("a"), "--workload", "seq-write", "--size", "1MiB", "--block", "64KiB",
        "--seed", 5)
    run("read by a later run", t.url("a"), "--workload", "seq-read", "--size", "1MiB", "--verify", "--seed", 5)
    with open(folder + "/a.img", "r+b") as image:
        image.seek(300 * 512 + 77)
        image.write(b"!")
    refused("one byte changed behind the target's back", 1, "block 300 differs from byte 77", t.url("a"),
            "--workload", "seq-read", "--size", "1MiB", "--verify", "--seed", 5)
    refused("another seed", 1, "holds data of seed 5", t.url("a"), "--size", "1MiB", "--verify")

    CHECKS.timed("LUN reset in a run of three connections, felt",
                 lambda r: (r["retried"] >= 1 or r["aborted"] >= 1, f"{r['aborted']} aborted, {r['retried']} retried"),
                 t.url("a"), "--workload", "rand-read", "--duration", "1s", "--block", "64KiB", "--depth", 16,
                 "--connections", 3, "--reset-lun-at", "300ms", "--span", "16MiB")
    CHECKS.timed("ABORT TASK for slow commands",
                 lambda r: (r["targets"][0]["aborts"] > 0, f"{r['targets'][0]['aborts']} sent, {r['aborted']} aborted"),
                 t.url("a"), "--workload", "rand-read", "--duration", "1s", "--block", "256KiB", "--depth", 32,
                 "--abort-after", "2ms")

    for name, number in (("SIGINT", signal.SIGINT), ("SIGTERM", signal.SIGTERM)):
        truth = folder + f"/{name}.jsonl"
        # So long that it does not end by itself: it ends by the signal, or what waits for it does.
        process = CHECKS.start(t.url("a"), "--duration", "1h", "--depth", "8", "--truth", truth)
        in_the_run(t, process)
        sent = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=HANG)
        print(f"FIGURE: initiator: {name} to the end: {time.monotonic() - sent:.2f} s")
        check(process.returncode == 1 and "interrupted" in err and "moved" in out,
              f"{name}: exit {process.returncode}, report printed")
        check(live.at_its_time(lambda: t.sessions() == 0) and os.path.exists(truth), "  logged out, truth written")
    process = CHECKS.start(t.url("a"), "--duration", "0", "--json")
    in_the_run(t, process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=HANG)
    check(process.returncode == 0 and json.loads(out)["commands"] > 0, "--duration 0 runs until SIGINT and exits 0")

    process = CHECKS.start(t.url("a"), t.url("b"), "--duration", "1h", "--workload", "seq-write",
                           "--truth", folder + "/killed.jsonl")
    in_the_run(t, process, connections=2)
    t.stop(signal.SIGKILL)
    killed = time.monotonic()
    out, err = process.communicate(timeout=HANG)
    print(f"FIGURE: initiator: death of the target to the end: {time.monotonic() - killed:.2f} s")
    check(process.returncode == 1 and "lost the target" in err,
          f"target killed: exit {process.returncode}, \"{err.strip().splitlines()[0]}\"")
    check(any('"outcome":"lost"' in line for line in open(folder + "/killed.jsonl")), "  truth tells the lost commands")


def in_the_run(t, process, connections=1):
    """Waits until it is logged in and carries commands: its disk, asked for first, is known."""
    there = live.at_its_time(lambda: t.sessions() >= connections and live.handles(process.pid, signal.SIGINT)
                             or process.poll() is not None)
    check(there and process.poll() is None, "  the initiator runs")
    time.sleep(0.5)


def stopped_peer(t):
    process = CHECKS.start(t.url("a"), "--duration", "1h", "--timeout", "1s")
    in_the_run(t, process)
    t.process.send_signal(signal.SIGSTOP)
    out, err = process.communicate(timeout=HANG)
    t.process.send_signal(signal.SIGCONT)
    check(process.returncode == 1 and "no answer" in err, f"target that hangs: \"{err.strip()}\"")
    time.sleep(0.3)


def main():
    if not shutil.which("tgtd") or not shutil.which("tgtadm"):
        print("SKIP: tgtd is not installed (package tgt)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        t = Tgtd(folder)
        try:
            if not t.start():
                print("SKIP: tgtd does not start here")
                return 77
            found = initiator("--discover", f"iscsi://127.0.0.1:{t.port}")
            check(found.returncode == 0 and "iqn.t:chap" in found.stdout, "discovery")
            check(initiator("--discover", t.url("a")).returncode == 0, "discovery with a whole URL")
            workloads(t)
            keys(t)
            accounts(t)
            sessions(t, folder)
            if LONG:
                report = run("100,000 commands, four connections, digests, verified", t.url("a"), "--connections", 4,
                             "--workload", "mixed", "--count", 100000, "--block", "4KiB", "--depth", 16, "--digests",
                             "--span", "48MiB", "--verify", "--dispatch", "least-loaded")
                check(report["commands"] == 100000 and clean_data(report, 100000),
                      f"  {report['io_per_s']:.0f} IO/s, {report['mb_per_s']:.1f} MB/s, "
                      f"{report['verification']['checked_blocks']} blocks checked")
            stopped_peer(t)
            faults(t, folder)
        finally:
            t.stop()
    return CHECKS.done()


if __name__ == "__main__":
    sys.exit(main())
