#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of one direction only: what the other one would tell is said to be unknown, and that comes first.

Each capture is parted by direction. What is missing then is known from the whole: its bytes; and that every
task was answered, no connection broke, and nobody can know from one half alone who waited for whom."""

import json
import subprocess

import header_walker
from common import Program, Verdict, captures, figure, unpack
from pcap import Pcap

CLEAN = ("a_", "b_", "c_", "k_", "z01", "z06")
BUNDLED = ("delayed-ack", "eight-writes", "plain-", "r2t-ping-pong", "read-16ms", "unsolicited-data")  # clean
# Kinds of waits that say which end was waited for, or that nothing got through.
BLAMING = {"path_down", "target_first_data", "target_r2t", "target_status", "target_data", "initiator_burst",
           "initiator_data", "initiator_idle", "initiator_pause"}


def report(program, path):
    done = subprocess.run([program.path, "report", "--format", "json", path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def check_half(verdict, name, whole, half, to_target):
    seen, missing = ("to_target", "to_initiator") if to_target else ("to_initiator", "to_target")
    expect = lambda truth, text: verdict.expect(truth, f"{name} {seen}: {text}")
    unseen = half["coverage"]["unseen_bytes"]
    passed = sum(t["bytes"] for t in whole["tcp"] if t["direction"] == missing)
    # A FIN that is acknowledged together with data cannot be distinguished from one more byte.
    expect(unseen in (passed, passed + 1), f"{unseen} bytes unseen, {passed} passed")
    expect(unseen == sum(t["unseen_bytes"] for t in half["tcp"]), "the directions' unseen bytes do not add up")
    outcomes = {k: n for k, n in half["tasks"]["by_outcome"].items() if n}
    expect(set(outcomes) == {"unanswered" if to_target else "no_command"}, f"outcomes {outcomes}")
    first = half["findings"][0]
    expect(first["kind"] == "capture_quality" and first["severity"] == "problem", f"first finding {first['kind']}")
    others = [f["kind"] for f in half["findings"][1:] if f["severity"] == "problem"]
    expect(not others, f"problems {others}")
    for f in half["findings"]:
        expect(f["kind"] != "application_idle", "the host is blamed")
    for t in half["tcp"]:
        held = {k for k, n in t.items() if k.startswith("limit_") and n}
        expect(held <= {"limit_unknown_ns"}, f"senders were held by {held}")
    return unseen


def check(program, verdict, name):
    capture = Pcap(unpack(name))
    ports = header_walker.listening_ports(capture)
    frames = {s.frame: s.key[3] in ports for s in capture.segments()}
    whole = report(program, program.file(capture.header + b"".join(f.record for f in capture.frames)))
    unseen = 0
    for to_target in (True, False):
        records = [f.record for n, f in enumerate(capture.frames, 1) if frames.get(n) == to_target]
        path = program.file(capture.header + b"".join(records))
        unseen += check_half(verdict, name, whole, report(program, path), to_target)
        kinds = {g["kind"] for g in program.rows("gaps", path)}
        verdict.expect(not kinds & BLAMING, f"{name}: waits {kinds & BLAMING}")
    return unseen


def main():
    program, verdict = Program(), Verdict()
    unseen = done = 0
    for name in captures(*CLEAN, bundled=BUNDLED):
        verdict.begin()
        unseen += check(program, verdict, name)
        done += 1
    figure(f"one direction only: {2 * done} halves of {done} captures, {unseen} bytes unseen in all, "
           f"{verdict.failures} differences")
    verdict.finish()


main()
