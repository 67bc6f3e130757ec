#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plain TCP streams: iscsiscope-testbed stream listen, send, receive, ping and turns on loopback.

usage: streams.py PROGRAM
"""
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import live

HANG = 300  # seconds; what takes so long hangs, however busy the machine is
PROGRAM = [sys.argv[1], "stream"]
FAILURES = []


def check(condition, what):
    print(("ok    " if condition else "WRONG ") + what, flush=True)
    if not condition:
        FAILURES.append(what)


@contextlib.contextmanager
def listener(*options):
    process = subprocess.Popen(PROGRAM + ["listen", "--port", "0", "--address", "127.0.0.1", *options],
                               stdout=subprocess.PIPE, text=True)
    words = process.stdout.readline().split()
    check(words[:2] == ["ready", "port"], f"listen {' '.join(options)}: ready line")
    result = {}
    yield words[2], result
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=HANG)
    check(process.returncode == 0, "  it ends on SIGTERM with 0")
    result.update(json.loads(out))


def run(*arguments):
    done = subprocess.run(PROGRAM + list(arguments), capture_output=True, text=True, timeout=HANG)
    check(done.returncode == 0, f"{' '.join(arguments)}: exit {done.returncode} {done.stderr}")
    return json.loads(done.stdout) if done.stdout else {}


def refused(message, *arguments):
    done = subprocess.run(PROGRAM + list(arguments), capture_output=True, text=True, timeout=HANG)
    check(done.returncode == 2 and message in done.stderr,
          f"{' '.join(arguments)}: exit {done.returncode} \"{done.stderr.splitlines()[0]}\"")


def streams(what, port):
    for bound in (("--bytes", "20000001"), ("--time", "300ms"), ("--bytes", "1GB", "--time", "200ms")):
        def three(_):
            result = run(what, "--to", f"localhost:{port}", "--connections", "3", "--block", "64KiB", *bound)
            check(sum(result["stream_bytes"]) == result["bytes"] and len(result["stream_bytes"]) == 3,
                  f"  {result['mbytes_per_second']:.0f} MB/s on three connections")
            # Of a starved run nothing may have passed in its time.
            good = result["bytes"] == 20000001 if bound[1] == "20000001" else result["bytes"] > 0
            return [] if good else [f"{result['bytes']} bytes"]

        name = f"{what} {' '.join(bound)}"
        check(not live.judge(f"stream: {name}", three), f"  {name}: bytes passed")
    process = subprocess.Popen(PROGRAM + [what, "--to", f"127.0.0.1:{port}", "--time", "1h"],
                               stdout=subprocess.PIPE, text=True)
    check(live.at_its_time(lambda: live.handles(process.pid, signal.SIGINT)), f"  {what} runs")
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=HANG)
    check(process.returncode == 0 and json.loads(out)["bytes"] > 0, f"  {what} ends on SIGINT with its result")


with listener("--window", "64KiB", "--quickack") as (port, result):
    streams("send", port)
    sent = run("send", "--to", f"127.0.0.1:{port}", "--bytes", "1MB", "--pace", "1Gbit/s", "--congestion", "reno",
               "--sndbuf", "128KiB", "--nodelay")
    check(sent["bytes"] == 1000000, "  socket options are accepted")
    refused("listening", "listen", "--port", port, "--address", "127.0.0.1")
check(result["bytes"] > 21000001, "the listener counted what was sent")
with listener("--send", "--block", "32KiB") as (port, _):
    streams("receive", port)
with listener("--echo") as (port, _):
    check(run("ping", "--to", f"127.0.0.1:{port}", "--count", "5", "--interval", "1ms")["count"] == 5, "  ping")
with listener("--turns") as (port, _):
    check(run("turns", "--to", f"127.0.0.1:{port}", "--bytes", "100kB", "--count", "5")["bytes"] == 100000, "  turns")
refused("Connection refused", "send", "--to", f"127.0.0.1:{port}", "--bytes", "1MB")
refused("not a HOST:PORT", "send", "--to", "nobody.invalid:1", "--bytes", "1MB")
refused("cannot be used here", "send", "--to", f"127.0.0.1:{port}", "--bytes", "1MB", "--congestion", "nosuch")
refused("--block is not understood", "send", "--to", f"127.0.0.1:{port}", "--bytes", "1MB", "--block", "x")
print(f"{len(FAILURES)} wrong")
sys.exit(1 if FAILURES else 0)
