# SPDX-License-Identifier: GPL-2.0-or-later
"""Text keys negotiated so that round trips are spent: bursts, R2Ts, segments."""

from catalogue import evidence as ev
from catalogue.fault import KERNEL, LIBISCSI, QEMU, fault, of
from catalogue.plan import KiB, MiB

SETTABLE = of(KERNEL, "lio", "tgtd", "istgt")


@fault("small_bursts", "MaxBurstLength is small, so a write needs one R2T after another", ["r2t_ping_pong"], SETTABLE)
def small_bursts(plan):
    plan.way(1.5, 8, plain=True)
    if plan.faulty:
        burst = plan.pick("burst", 24 * KiB, 32 * KiB) if plan.strength == "mild" else plan.pick("burst", 8 * KiB, 16 * KiB)
        plan.keys(InitialR2T="Yes", ImmediateData="No", FirstBurstLength=burst, MaxBurstLength=burst,
                  MaxRecvDataSegmentLength=burst)
    plan.io("write", 256 * KiB if plan.faulty else 16 * KiB, 1, seconds=1.5, most=2 * MiB)


@small_bursts.shows
def _(e, d):
    group = next((g for g in ev.services(e, reads=False) if g["expected"] > 100000), None)
    count = group["r2ts"] / max(1, group["n"]) if group else 0
    return count >= 3, f"{count:.1f} R2Ts per write"


@fault("no_first_data", "InitialR2T=Yes and ImmediateData=No: small writes wait for an R2T", ["no_unsolicited_data"],
       SETTABLE)
def no_first_data(plan):
    plan.way(*((1, 2) if plan.strength == "mild" else (4, 10)), plain=True)
    if plan.faulty:
        plan.keys(InitialR2T="Yes", ImmediateData="No")
    plan.io("randwrite", plan.pick("block", 4 * KiB, 8 * KiB, 16 * KiB), plan.pick("depth", 1, 1, 2), seconds=1.5)


@no_first_data.shows
def _(e, d):
    group = next(ev.services(e, reads=False), None)
    count = group["r2ts"] / max(1, group["n"]) if group else 0
    return count >= 0.95, f"{count:.2f} R2Ts per write"


@fault("small_segments", "MaxRecvDataSegmentLength of the initiator is small, so a read comes in many Data-In PDUs",
       ["small_data_segments"], SETTABLE)
def small_segments(plan):
    plan.way(0.1, 0.4, plain=True)
    if plan.faulty:
        plan.keys(MaxRecvDataSegmentLength=2048 if plan.strength == "mild" else plan.pick("segment", 512, 1024))
    plan.io("read", 64 * KiB, 2, seconds=1, most=MiB)


@small_segments.shows
def _(e, d):
    count = e["ini"]["pdus"].get("Data-In", 0) / max(1, ev.tasks(e))
    return count >= 20, f"{count:.0f} Data-In PDUs per read"
