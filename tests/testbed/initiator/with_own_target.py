#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The initiator against the test bed's own target and its fault knobs; what both programs knew, compared.

usage: with_own_target.py INITIATOR TARGET [--long]
Each is a program with its leading arguments in one word ("iscsiscope-testbed initiator").
"""
import json
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is written into the source tree
from harness import HANG, Checks, clean_data, free_port

LONG = "--long" in sys.argv
INITIATOR, TARGET = [a.split() for a in sys.argv[1:] if a != "--long"]
CHECKS = Checks(INITIATOR)
check, run, refused = CHECKS.check, CHECKS.run, CHECKS.refused
NAME = "iqn.2026-11.example:test"


class Target:
    def __init__(self, *arguments):
        self.port = free_port()
        self.process = subprocess.Popen(
            TARGET + ["--portal", f"127.0.0.1:{self.port}", "--name", NAME, "--lun", "ram:64MiB",
                      "--key", "MaxConnections=4", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout.readline().startswith("ready")

    def __enter__(self):
        return f"iscsi://127.0.0.1:{self.port}/{NAME}/0"

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout=HANG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = None
        check(code == 0, "  the target ended well")


def plain():
    with Target() as url:
        report = run("four connections, digests, verified", url, "--connections", 4, "--workload", "mixed", "--count",
                     100000 if LONG else 5000, "--block", "4KiB", "--depth", 16, "--digests", "--span", "16MiB",
                     "--verify", "--dispatch", "least-loaded")
        check(clean_data(report, 5000), f"  {report['io_per_s']:.0f} IO/s, data intact")
        run("large writes without a split", url, "--workload", "seq-write", "--block", "4MiB", "--size", "32MiB",
            "--verify", "--depth", 2)


def faults():
    common = ("--span", "16MiB", "--depth", 8, "--workload", "mixed", "--count", 500, "--verify")
    with Target("--busy", "10", "--task-set-full", "7") as url:
        report = run("BUSY and TASK SET FULL are tried again", url, *common)
        check(report["retried"] > 50 and clean_data(report, 1000), f"  {report['retried']} retries, data intact")
    with Target("--drop-response", "100") as url:
        report = run("responses left out: ABORT TASK, then again", url, *common, "--abort-after", "200ms")
        check(report["aborted"] >= 4 and clean_data(report, 1000), f"  {report['aborted']} aborted, data intact")
        refused("responses left out, no abort", 1, "no answer", url, *common, "--timeout", "1s")
    for which in ("header", "data"):
        with Target(f"--spoil-{which}-digest", "50") as url:
            refused(f"wrong {which} digest", 1, f"{which} digest error", url, "--count", 200, "--digests")
    with Target("--close-after", "100") as url:
        refused("one of two connections cut", 1, "lost the target", url, "--count", 500, "--connections", 2)
    with Target("--async-logout", "300ms") as url:
        refused("the target asks to log out", 1, "asks to log out", url, "--duration", "5s")
    with Target("--nop-interval", "100ms", "--nop-timeout", "400ms") as url:
        CHECKS.timed("NOP-In is answered", lambda r: (r["requests"] == 5, f"{r['requests']} requests"), url, "--count", 5,
                     "--think", "300ms")
    for window in ("1", "2"):
        with Target("--command-window", window) as url:
            report = run(f"a window of {window} command(s), four connections", url, *common, "--connections", 4)
            check(clean_data(report, 1000), "  data intact")
    with Target("--phase-collapse", "off", "--r2t-cap", "8KiB", "--legacy-send") as url:
        report = run("status apart, R2Ts of 8 KiB, several out", url, *common, "--r2t-delay", "500us",
                     "--key", "MaxOutstandingR2T=4", "--key", "InitialR2T=Yes", "--key", "ImmediateData=No")
        check(clean_data(report, 1000) and report["targets"][0]["r2ts"] > 500, "  data intact")
    with Target("--key", "MaxBurstLength=512", "--key", "FirstBurstLength=512", "--key",
                "MaxRecvDataSegmentLength=512") as url:
        check(clean_data(run("everything 512 bytes", url, *common), 1000), "  data intact")


def truths():
    with tempfile.TemporaryDirectory() as folder:
        with Target("--truth", folder + "/t.jsonl") as url:
            run("truth at both ends", url, "--workload", "mixed", "--count", 300, "--depth", 4, "--connections", 2,
                "--block", "256KiB", "--key", "MaxBurstLength=65536", "--key", "InitialR2T=Yes", "--truth",
                folder + "/i.jsonl")
        ours, theirs = ({(r["connection"], r["itt"], r["cmd_sn"]): r for r in map(json.loads, open(folder + name))
                         if r["row"] == "command"} for name in ("/i.jsonl", "/t.jsonl"))
    check(set(ours) == set(theirs) and len(ours) >= 300, f"  the same {len(ours)} commands at both ends")
    same = ("cid", "opcode", "lun", "edtl", "read", "write", "status", "outcome")
    check(all(ours[k][m] == theirs[k][m] for k in ours for m in same), "  " + ", ".join(same) + " agree")
    check(all(ours[k]["handed_ns"] <= theirs[k]["received_ns"] and
              theirs[k]["status_ns"] <= ours[k]["status_ns"] for k in ours), "  nothing arrives before it was sent")
    check(sum(len(r["r2ts"]) for r in ours.values()) > 300, "  with R2Ts")
    check(all([(x["ttt"], x["offset"], x["length"]) for x in ours[k]["r2ts"]] ==
              [(x["ttt"], x["offset"], x["length"]) for x in theirs[k]["r2ts"]] for k in ours), "  R2Ts agree")


plain()
faults()
truths()
sys.exit(CHECKS.done())
