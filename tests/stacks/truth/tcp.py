#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds what the engine infers of TCP senders against what the kernel itself knew, of runs in virtual time.

In: the programs tcp_accuracy and tcp_evidence (tests/unit/tcp_inference, tests/testbed/tcp_evidence), folders with
NAME.ini.pcap.zst, NAME.tgt.pcap.zst and NAME.truth.jsonl.zst (truth/kernel_rows.py); the label's `control` groups the runs
where there is one. Out: a table of the congestion window, by congestion control and tap: in how many states of the kernel
it was known within its bounds, and the error, in per cent of the kernel's window, where that window held the sender; a
table of retransmissions, the kernel's reason against the engine's class, by tap. Exit code 1 if a bar does not hold, 77
if there is no run.

A retransmission is the same in both if it repeats the same sequence number for the same time; at the receiver's tap those
that did not arrive are left out. The kernel's reasons map to
the classes so: fast, reordering_timer → fast; rto, after_rto → timeout; tail_loss_probe → tail_probe. The engine's class
`spurious` states in addition that the original had arrived; it is right if the taps show that, so it is not judged here.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "judge"), os.path.join(HERE, "..", "..", "differential")]

import common  # noqa: E402
import layout  # noqa: E402  of the judge
from runs import TAPS  # noqa: E402

CLASSES = {"fast": "fast", "reordering_timer": "fast", "rto": "timeout", "after_rto": "timeout",
           "tail_loss_probe": "tail_probe"}
SHOWN = ("fast", "timeout", "tail_probe", "spurious", "unknown", "not found")


class Run:
    """Files of one run; the truth is unpacked into `work`."""

    def __init__(self, folder, name, work):
        self.name = name
        self.captures = {tap: os.path.join(folder, f"{name}.{tap}.pcap.zst") for tap in TAPS}
        self.truth = os.path.join(work, name + ".truth.jsonl")
        subprocess.run(["zstd", "-dqf", os.path.join(folder, f"{name}.truth.jsonl.zst"), "-o", self.truth], check=True)
        with open(self.truth, encoding="utf-8") as file:
            self.rows = [json.loads(line) for line in file]
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            self.control = json.load(file).get("control", "cubic")

    def sender(self):
        """The side that sent most."""
        sent = collections.Counter()
        last = {}
        for row in self.rows:
            if row["row"] == "tcp_info":
                key = row["side"], row["connection"]
                sent[row["side"]] += max(0, row["snd_nxt"] - last.get(key, row["snd_nxt"]))
                last[key] = row["snd_nxt"]
        return max(sent, key=sent.get)


def runs(folders, only, work):
    for folder in folders:
        for file in sorted(os.listdir(folder)):
            name = file.removesuffix(".truth.jsonl.zst")
            if name != file and only in name:
                yield Run(folder, name, work)


# ---- congestion window


def windows(accuracy, found):
    """(control, place of the tap) → pooled figures. The place: at the sender of most of the data, or at its receiver."""
    lines = []
    for run in found:
        own = {"initiator": "ini", "target": "tgt"}[run.sender()]
        for tap in TAPS:
            place = "sender" if tap == own else "receiver"
            lines.append(f"{run.control}/{place} {run.truth} {run.captures[own]} {run.captures[tap]}")
    done = subprocess.run([accuracy, "--list"], input="\n".join(lines), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{accuracy}: exit code {done.returncode}: {done.stderr.strip()}")
    pooled = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        sums = pooled.setdefault(tuple(row["label"].split("/")), collections.Counter())
        for key in ("rows", "inside", "limited", "estimated"):
            sums[key] += row[key]
        sums.errors = getattr(sums, "errors", []) + row["errors"]
    return pooled


def quantile(values, share):
    return sorted(values)[int(share * (len(values) - 1))] if values else None


def percent(part, whole=1.0):
    return f"{100 * part / whole:.1f}" if part is not None and whole else "-"


def below_bars(pooled, inside, error):
    """Sentences of the bars that do not hold. inside: control → per cent of the states."""
    wrong = []
    for control, bar in inside.items():
        for place in ("sender", "receiver"):
            sums = pooled.get((control, place), collections.Counter())
            share = 100 * sums["inside"] / sums["rows"] if sums["rows"] else 0
            if share < float(bar):
                wrong.append(f"{control}, tap at the {place}: {share:.1f} % of the states inside the bounds, {bar} are wanted")
    for (control, place), sums in pooled.items():
        most = quantile(sums.errors, .95)
        if error is not None and place == "sender" and most is not None and 100 * most > error:
            wrong.append(f"{control}, tap at the sender: 95 % of the errors are up to {100 * most:.1f} %, {error} at most are wanted")
    return wrong


def window_table(pooled):
    table = layout.Table("Congestion window (per cent)",
                         ["control", "tap at", "states", "inside", "limited", "estimated", "error: median", "95 %"],
                         right=("states", "inside", "limited", "estimated", "error: median", "95 %"), grouped=("control",))
    for (control, place), sums in sorted(pooled.items()):
        table.rows.append([control, place, str(sums["rows"]), percent(sums["inside"], sums["rows"]), str(sums["limited"]),
                           percent(sums["estimated"], sums["limited"]), percent(quantile(sums.errors, .5)),
                           percent(quantile(sums.errors, .95))])
    return table


# ---- retransmissions


def port(end):
    return int(end.rsplit(":", 1)[1])


def key_of(row):
    """(sender's port, receiver's port, sequence number) of a retransmission of the truth."""
    initiator, target = map(port, row["connection"].split(">"))
    return (target, initiator, row["seq"]) if row["side"] == "target" else (initiator, target, row["seq"])


def engine_classes(evidence, capture):
    """key → classes in order of time; key → when segments with data passed"""
    done = subprocess.run([evidence, capture], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{evidence}: exit code {done.returncode}: {done.stderr.strip()}")
    classes, passed = collections.defaultdict(list), collections.defaultdict(list)
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if row["row"] == "retransmission":
            classes[row["sender_port"], row["receiver_port"], row["sequence"]].append(row["class"])
        elif row["row"] == "segment":
            passed[row["sender_port"], row["receiver_port"], row["seq"]].append(row["time_ns"])
    return classes, passed


def arrived(again, passed):
    """Those of `again` (rows in order of time) that passed the tap: before the same bytes were sent the next time."""
    found = []
    for place, row in enumerate(again):
        key = key_of(row)
        until = next((later["time_ns"] for later in again[place + 1:] if key_of(later) == key), float("inf"))
        if any(row["time_ns"] <= time < until for time in passed[key]):
            found.append(row)
    return found


def confusion(evidence, found):
    """tap's place → Counter of (class by the kernel, class by the engine)"""
    counts = {"sender": collections.Counter(), "receiver": collections.Counter()}
    for run in found:
        again = [row for row in run.rows if row["row"] == "retransmission" and row["reason"] in CLASSES
                 and (row["end_seq"] - row["seq"]) % 2**32 > 1]    # a lone SYN or FIN is no data
        for tap in TAPS:
            classes, passed = engine_classes(evidence, run.captures[tap])
            for side, place in (("initiator", "ini"), ("target", "tgt")):
                own = [row for row in again if row["side"] == side]
                for row in own if place == tap else arrived(own, passed):
                    said = classes.get(key_of(row))
                    counts["sender" if place == tap else "receiver"][CLASSES[row["reason"]],
                                                                     said.pop(0) if said else "not found"] += 1
    return counts


def confusion_table(place, counts):
    table = layout.Table(f"Retransmissions at the tap of the {place}: the kernel's reason (lines), the engine's class",
                         ["reason", *SHOWN], right=SHOWN)
    for reason in ("fast", "timeout", "tail_probe"):
        table.rows.append([reason, *(str(counts[reason, said]) for said in SHOWN)])
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("accuracy", help="path of tcp_accuracy")
    parser.add_argument("evidence", help="path of tcp_evidence")
    parser.add_argument("folders", nargs="+", help="folders of runs")
    parser.add_argument("--only", default="", help="runs whose name contains this")
    parser.add_argument("--inside", action="append", default=[], metavar="CONTROL=SHARE", help="bar: per cent of the states "
                        "inside the bounds, at either tap, of runs with that control")
    parser.add_argument("--error", type=float, help="bar: 95 %% of the errors at the sender's tap, in per cent")
    parser.add_argument("--classes", type=float, default=0, help="bar: per cent of the retransmissions at the sender's tap "
                        "in the class that the kernel's reason means")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        found = list(runs([f for f in options.folders if os.path.isdir(f)], options.only, work))
        if not found:
            common.skip(f"no run with the kernel's truth in {', '.join(options.folders)}")
        pooled, counts = windows(options.accuracy, found), confusion(options.evidence, found)
    print(layout.text(window_table(pooled)))
    for place, table in counts.items():
        print()
        print(layout.text(confusion_table(place, table)))
    missed = below_bars(pooled, dict(bar.split("=") for bar in options.inside), options.error)
    judged = {pair: n for pair, n in counts["sender"].items() if pair[1] != "spurious"}
    right = sum(n for (reason, said), n in judged.items() if reason == said)
    share = 100 * right / max(1, sum(judged.values()))
    states, inside = (sum(sums[key] for sums in pooled.values()) for key in ("rows", "inside"))
    common.figure(f"congestion window: {inside} of {states} of the kernel's states inside the bounds, {percent(inside, states)} %, "
                  f"at both taps of {len(found)} runs")
    common.figure(f"retransmissions at the sender's tap: {right} of {sum(judged.values())} in the kernel's class, {share:.1f} %")
    for sentence in missed:
        print("WRONG: " + sentence)
    sys.exit(1 if missed or share < options.classes else 0)


if __name__ == "__main__":
    main()
