#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kinds of idle gaps and shares of what limited the sender, on captures whose scenario provokes one of them.

kinds.py: the bundled captures. kinds.py FOLDER: runs of the scenarios in kinds/ beside this file, made with
`iscsiscope-testbed run kinds/NAME.toml -o FOLDER`.

Of every capture: both partitions of time add up exactly, and every gap of a TCP kind names frames that prove it, in
order and none behind the frame that ended it.

Environment: ISCSISCOPE_EVIDENCE (the program tcp_evidence), ISCSISCOPE_SOURCE_DIR."""
import glob
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from losses import evidence, rows_of

# capture: {tap: {kind: least share of the gap time, in per cent}}. What else the scenario does is left out:
# at the target a Read's own round trips are the initiator's idleness, at the initiator the target's first data.
OTHER = {"target_first_data", "target_status", "initiator_idle", "initiator_pause"}
# loss-timeout and speed-step provoke several kinds at once: less for each.
BUNDLED = {
    "delayed-ack": {"initiator": {"delayed_ack": 95}, "target": {"delayed_ack": 95}},
    "loss-timeout": {"initiator": {"retransmission_timeout": 80}, "target": {"retransmission_timeout": 80}},
    "read-16ms-four-gaps": {"initiator": {"ack_held_data": 95}, "target": {"ack_held_data": 95}},
    "command-window": {"target": {"command_window": 70}},
    "speed-step": {"target": {"cwnd_limited": 80}},
    "mcs-unequal": {},  # tail probes as late as timeouts, which only what follows them tells
}
FRESH = {
    "window-closed": {"initiator": {"window_closed": 95}, "target": {"window_closed": 95}},
    "cwnd-limited": {"initiator": {"cwnd_limited": 95}, "target": {"cwnd_limited": 95}},
    "send-buffer": {"initiator": {"send_buffer": 95}, "target": {"send_buffer": 95}},
    "path-down": {"initiator": {"path_down": 95}, "target": {"path_down": 95}},
}
# Without those that begin in slow start with large transfers: there the congestion window does limit.
CLEAN = ["plain-write", "r2t-ping-pong", "slow-target", "command-window", "clean"]
TCP_KINDS = {"path_down", "retransmission_timeout", "fast_retransmit", "window_closed", "delayed_ack", "send_buffer",
             "cwnd_limited", "ack_held_data", "ack_held_status"}


def captures(stem):
    for path in sorted(glob.glob(stem + ".*.pcapng*")):
        yield os.path.basename(path)[len(os.path.basename(stem)) + 1:].split(".pcapng")[0], evidence(path)


def shares(rows):
    kinds = {}
    for c in rows["connection"]:
        for kind, ns in c["kinds"].items():
            kinds[kind] = kinds.get(kind, 0) + ns
    return kinds, sum(c["active_ns"] for c in rows["connection"])


def sound(rows):
    """Mistakes in what must hold for every capture."""
    for c in rows["connection"]:
        if c["active_ns"] != c["sum_ns"]:
            yield f"the active life is {c['active_ns']} ns, its parts {c['sum_ns']} ns"
    for d in rows["direction"]:
        parts = sum(v for k, v in d.items() if k.endswith("_limit_ns"))
        if parts != d["life_ns"]:
            yield f"{d['direction']}: limits add up to {parts} ns of {d['life_ns']} ns"
    repeats = {(r["stream"], r["frame"]): r["class"] for r in rows["retransmission"]}
    classes = {"retransmission_timeout": ["timeout"], "fast_retransmit": ["fast", "tail_probe"]}
    for g in rows["gap"]:
        told = repeats.get((g["stream"], g["after"]))
        if g["kind"] in classes and told not in classes[g["kind"]]:
            yield f"gap behind frame {g['before']}: {g['kind']}, ended by a repeat that is told as {told}"
        frames = list(g["proof"].values())
        if g["kind"] in TCP_KINDS and not frames:
            yield f"gap behind frame {g['before']}: {g['kind']} without a proof"
        if frames != sorted(frames) or (g["after"] and frames and frames[-1] > g["after"]):
            yield f"gap behind frame {g['before']}: {g['kind']} with frames {g['proof']}"


def check(stem, wanted):
    bad = 0
    for tap, rows in captures(stem):
        mistakes = list(sound(rows))
        for m in mistakes[:5]:
            print(f"FAILED: {stem} {tap}: {m}")
        kinds, life = shares(rows)
        lost = sum(ns for kind, ns in kinds.items() if kind not in OTHER)
        for kind, least in wanted.get(tap, {}).items():
            share = 100 * kinds.get(kind, 0) / lost if lost else 0
            good = share >= least
            print(f"{'ok' if good else 'FAILED'}: {os.path.basename(stem)}, {tap}: {kind} holds {share:.1f} % of the "
                  f"lost time, at least {least} %")
            bad += not good
        bad += len(mistakes)
    return bad


def check_clean(stem):
    bad = 0
    for tap, rows in captures(stem):
        bad += len(list(sound(rows)))
        kinds, life = shares(rows)
        for kind in TCP_KINDS:
            share = 100 * kinds.get(kind, 0) / life
            if share >= 1:
                print(f"FAILED: {os.path.basename(stem)}, {tap}: {kind} has {share:.2f} % of the active life")
                bad += 1
    print(f"{'FAILED' if bad else 'ok'}: {os.path.basename(stem)}: no TCP kind has 1 % of the active life")
    return bad


def clocks(stem):
    """The shares of the receive window, the send buffer and the busy time against TCP_INFO's clocks, in points of
    the direction's life."""
    truth = {}
    for row in rows_of(glob.glob(stem + ".truth.jsonl*")[0]):
        if row["row"] == "tcp_info":
            port = int(row["connection"].split(">")[0].rsplit(":", 1)[1])
            truth[(port, row["side"])] = row
    bad = 0
    for tap, rows in captures(stem):
        for d in rows["direction"]:
            to_target = d["direction"] == "to_target"
            port = d["sender_port"] if to_target else d["receiver_port"]
            row = truth.get((port, "initiator" if to_target else "target"))
            if row is None or d["life_ns"] < 2e9 or row["busy_us"] < 0.5 * d["life_ns"] / 1000:
                continue
            life = d["life_ns"] / 1000
            apart = [100 * (d["receive_window_limit_ns"] / 1000 - row["rwnd_limited_us"]) / life,
                     100 * (d["send_buffer_limit_ns"] / 1000 - row["sndbuf_limited_us"]) / life,
                     100 * (d["busy_ns"] / 1000 - row["busy_us"]) / life]
            print(f"FIGURE: {os.path.basename(stem)}, {tap}, {d['direction']}: receive window {apart[0]:+.1f}, send "
                  f"buffer {apart[1]:+.1f} and busy {apart[2]:+.1f} points from TCP_INFO")
            bad += max(map(abs, apart)) > 5
    return bad


def main():
    failures = 0
    if len(sys.argv) > 1:
        stems = [p.split(".truth.jsonl")[0] for f in sys.argv[1:] for p in
                 glob.glob(f + "/*.truth.jsonl") + glob.glob(f + "/*/*.truth.jsonl")]
        for stem in sorted(stems):
            name = os.path.basename(stem)
            failures += check_clean(stem) if name in CLEAN else check(stem, FRESH.get(name, {}))
            if name != "path-down":  # what a host sends into an outage does not pass the other end
                failures += clocks(stem)
    else:
        if shutil.which("zstd") is None:
            print("SKIPPED: the zstd program is needed to read the compressed captures")
            return 77
        folder = os.environ["ISCSISCOPE_SOURCE_DIR"] + "/sample-captures/bundle/"
        for name, wanted in BUNDLED.items():
            failures += check(f"{folder}{name}/{name}", wanted)
        for name in CLEAN[:-1]:
            failures += check_clean(f"{folder}{name}/{name}")
        failures += sum(check(f"{folder}{n}/{n}", {}) for n in ["mcs-unequal", "digests", "mirror-unequal"])
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
