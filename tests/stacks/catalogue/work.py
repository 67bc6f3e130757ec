# SPDX-License-Identifier: GPL-2.0-or-later
"""The work itself: traits, not faults of a network or a target."""

from catalogue import evidence as ev
from catalogue.fault import KERNEL, LIBISCSI, QEMU, TRAIT, fault, of
from catalogue.loss import ALL
from catalogue.plan import KiB, MiB


@fault("one_at_a_time", "one command at a time over a way that takes long", ["queue_depth"], ALL,
       strengths=("mild", "strong"), **TRAIT)
def one_at_a_time(plan):
    plan.way(*((1.5, 3) if plan.strength == "mild" else (6, 15)))
    plan.io("randread", plan.pick("block", 4 * KiB, 8 * KiB), 1, seconds=1.5)


@one_at_a_time.shows
def _(e, d):
    most = max((c["max_outstanding"] for c in ev.connections(e)), default=0)
    return most == 1 and ev.slowest_service_ms(e) < ev.base_ms(e), \
        f"{most} command open, median service {ev.slowest_service_ms(e):.2f} ms, round trip {ev.base_ms(e):.1f} ms"


@fault("think_time", "the application pauses between its I/Os", ["application_idle"],
       of(KERNEL, "lio", "tgtd", "istgt"), strengths=("mild", "strong"), allowed=["queue_depth"], **TRAIT)
def think_time(plan):
    plan.way(0.2, 1.5)
    ms = plan.by_strength("think_ms", (8, 12), (30, 60))
    plan.io("randread", 8 * KiB, 1, seconds=1)
    plan.d["work"][0] |= {"think_ms": ms, "ios": 60}


@think_time.shows
def _(e, d):
    data_s, work = e["throughput"]["both"]["data_s"], d["drawn"]["think_ms"] * 60 / 1000
    return work > 0.5 * (work + data_s), f"{work:.1f} s of pauses beside {data_s:.2f} s with commands open"


@fault("split", "the initiator's max_sectors_kb cuts large requests into small commands", ["io_split"],
       of(KERNEL, "lio", "tgtd", "istgt"), strengths=("clean", "mild", "strong"), **TRAIT)
def split(plan):
    plan.way(0.5, 3)
    if plan.faulty:
        plan.d["initiator"]["queue"] = {"max_sectors_kb": 64 if plan.strength == "mild" else 32}
    plan.io("read", MiB if plan.faulty else 64 * KiB, 1, seconds=2, most=3 * MiB)


@split.shows
def _(e, d):
    size = d["initiator"]["queue"]["max_sectors_kb"] * KiB
    count = sum(g["n"] for g in ev.services(e, reads=True) if g["expected"] == size)
    return count >= 16, f"{count} reads of {size} bytes"


@fault("misaligned", "writes begin 512 bytes past a 4 KiB boundary", ["misaligned_io"], of(KERNEL, "lio", "tgtd", "istgt"),
       strengths=("clean", "strong"), **TRAIT)
def misaligned(plan):
    plan.way(0.5, 3)
    plan.io("write", plan.pick("block", 4 * KiB, 8 * KiB), 4, seconds=1, offset=512 if plan.faulty else 0)


@misaligned.shows
def _(e, d):
    return ev.tasks(e) >= 12, f"{ev.tasks(e)} writes at offset 512"
