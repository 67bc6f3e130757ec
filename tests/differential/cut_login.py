#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Values lost to truncation are reported as unknown, never as another value. Captures cut to several snap lengths, and
without their logins, beside the whole ones: negotiated keys, rules of RFC 7143 put to the test, verdicts on settings
and sense data are those of the whole capture, or not known."""

import json
import subprocess

from common import Program, Verdict, are_given, captures, figure, packed_path, unpack
from pcap import Pcap

SNAPS = (128, 160, 200, 256)
NAMES = ("a_read_4MiB_512K_1ms.ini", "b_write", "c_write", "c2_write", "z13", "tgt_iscsi_test_cu_family")
BUNDLED = ("digests", "mcs-unequal", "plain-", "r2t-ping-pong", "tgt-qemu", "unsolicited-data")
TAKEN_CUT = ("h_", "n_")  # nothing in them breaks a rule
NEGOTIATED = ("MaxBurstLength", "FirstBurstLength", "InitialR2T", "ImmediateData", "MaxOutstandingR2T",
              "MaxRecvDataSegmentLength", "MaxConnections")


def report(program, path):
    done = subprocess.run([program.path, "report", "--format", "json", path], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"report {path}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def in_force(r):
    """(session, key, which) -> value, of all that is known."""
    values = {}
    for s in r["sessions"]:
        for k in s["negotiated_keys"]:
            for which in ("in_force", "in_force_initiator", "in_force_target"):
                if k.get(which) is not None:
                    values[s["session"], k["key"], which] = k[which]
    return values


def broken(r):
    return {x["rule"]: x["broken"] for x in r["session_analysis"]["rules"] if x["broken"]}


def verdicts(r):
    return {(m["type"], m["block_bytes"], k["key"]): k for m in r["models"] for k in m["keys"] if k["key"] in NEGOTIATED}


def senses(program, path):
    return {r["command_frame"]: r["sense"] for r in program.rows("cycles", path, "--columns", "command_frame,sense")
            if r["sense"] is not None}


def check(program, verdict, where, whole, path, removed=0):
    full, cut = whole["report"], report(program, path)
    told = in_force(cut)
    if not removed:
        for key, value in told.items():
            verdict.expect(whole["keys"].get(key) == value, f"{where}: {key} {value}, {whole['keys'].get(key)}")
    for rule, count in broken(cut).items():
        verdict.expect(count <= broken(full).get(rule, 0), f"{where}: {rule} broken {count} times")
    true, judged = verdicts(full), 0
    for key, v in verdicts(cut).items():
        of = true.get(key)
        if of is None:
            continue  # other tasks were seen
        verdict.expect(v["value"] in (None, of["value"]) or v["value"].endswith(", seen"),
                       f"{where}: {key} is {v['value']}, {of['value']} in the full capture")
        if v["binds"] is not None:
            judged += 1
            verdict.expect(v["binds"] == of["binds"], f"{where}: {key} binds {v['binds']}: {v['reason']}")
    for frame, sense in senses(program, path).items():
        of = whole["senses"].get(frame + removed)
        verdict.expect(of is not None and of.startswith(sense),
                       f"{where}: command in frame {frame}: sense {sense}, {of} in the full capture")
    return len(told), judged


def main():
    program, verdict = Program(), Verdict()
    runs = 0
    for name in captures(*NAMES, bundled=BUNDLED):
        verdict.begin()
        capture = Pcap(unpack(name))
        full = report(program, packed_path(name))
        whole = {"report": full, "keys": in_force(full), "senses": senses(program, packed_path(name))}
        ends = [c["login"]["last_frame"] for s in full["sessions"] for c in s["connections"] if c["login"]]
        told = []
        for snap in SNAPS:
            told.append(check(program, verdict, f"{name} cut to {snap}", whole, program.file(capture.cut_to(snap))))
        if ends:
            last = max(ends)
            check(program, verdict, f"{name} without its logins", whole, program.file(capture.without_first(last)), last)
        runs += len(SNAPS) + bool(ends)
        figure(f"{name}: of {len(whole['keys'])} values in force told at {SNAPS} bytes a packet: "
               f"{[t[0] for t in told]}, verdicts on keys: {[t[1] for t in told]} of {len(verdicts(full))}")
    for name in captures(*TAKEN_CUT) if are_given() else ():
        found = broken(report(program, packed_path(name)))
        verdict.expect(not found, f"{name}: rules broken: {found}")
        runs += 1
    figure(f"cut logins: {runs} cut captures beside the whole ones, {verdict.failures} differences")
    verdict.finish()


main()
