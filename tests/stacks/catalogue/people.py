# SPDX-License-Identifier: GPL-2.0-or-later
"""Work like people's: several programs at once, of several sizes, at random moments, in bursts. Healthy by itself; the
faults of part.py and pair.py happen to it."""

from catalogue.fault import KERNEL, fault, of
from catalogue.plan import KiB

CLEAN = {"strengths": ("clean",), "views": False, "allowed_when_clean": ["queue_depth", "application_idle", "misaligned_io",
                                                                        "no_unsolicited_data"]}
KNOWN = of(KERNEL, "lio", "tgtd")


def steady(plan, rw, block, depth, rate, seconds, **more):
    """Commands at random moments, `rate` a second, as long as fewer than `depth` are open."""
    plan.d["work"].append({"rw": rw, "block": block, "depth": depth, "rate": rate, "seconds": seconds, **more})
    plan.drawn.setdefault("work", []).append(f"{rw} {block} depth {depth}, {rate} a second")


def database(plan, seconds, lun=0):
    """Pages at random, two reads to a write, and a log that is written in order."""
    steady(plan, "randrw", 8 * KiB, plan.pick("page_depth", 2, 4, 8), plan.pick("pages", 40, 80), seconds, lun=lun)
    steady(plan, "write", 4 * KiB, 1, plan.pick("log_writes", 15, 30), seconds, lun=lun, offset=32 << 20)


@fault("database", "pages of 8 KiB at random and a log in order", [], KNOWN, **CLEAN)
def database_work(plan):
    plan.way(0.1, 10)
    database(plan, 6)


@fault("mail", "many sizes at once, reads and writes, in bursts", [], KNOWN, **CLEAN)
def mail(plan):
    plan.way(0.1, 10)
    for rw in ("randread", "randwrite"):
        plan.d["work"].append({"rw": rw, "block": 4 * KiB, "depth": plan.pick(f"depth_{rw}", 1, 4, 16), "seconds": 5,
                               "blocks_of": "512/10:4k/50:16k/25:64k/15", "rate": plan.pick(f"rate_{rw}", 20, 60)})


@fault("backup", "a large sequential read beside a database", [], KNOWN, **CLEAN)
def backup(plan):
    plan.way(0.1, 6)
    database(plan, 5)
    steady(plan, "read", 128 * KiB, 2, plan.pick("backup", 10, 20), 5)


@fault("bursts", "a program that reads some pages, thinks, and reads again", [], KNOWN, **CLEAN)
def bursts(plan):
    plan.way(0.1, 6)
    plan.d["work"].append({"rw": "randread", "block": 8 * KiB, "depth": 4, "ios": 150, "think_ms": plan.between("think_ms", 5, 60)})
    plan.drawn["work"] = ["bursts of reads"]
