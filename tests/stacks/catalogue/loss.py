# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets that are lost, late, doubled or damaged on the way."""

from catalogue import evidence as ev
from catalogue.fault import ALWAYS, KERNEL, LIBISCSI, QEMU, fault, of
from catalogue.plan import KiB, MiB

ALL = KERNEL + QEMU + LIBISCSI


def bulk(plan):
    """Reads or writes large enough that what happens to single packets shows."""
    rw = "read" if plan.stack[0] == "libiscsi" else plan.pick("direction", "read", "write")
    block = plan.pick("block", 32 * KiB, 64 * KiB, 128 * KiB, 256 * KiB)
    # more at once would meet the receive window, which is another cause
    plan.io(rw, block, plan.pick("depth", *(d for d in (1, 2, 4) if d * block <= 512 * KiB)), seconds=3, most=4 * MiB,
            least=1.5 * MiB)
    return rw


def hurt(plan, rw, words):
    """Puts tc's words into the direction in which the data goes."""
    if rw == "read":
        plan.during(None, plan.queue(1, words))
    else:
        plan.during(plan.queue(0, words), None)


@fault("loss", "netem drops packets at random in the direction of the data", ["packet_loss"], ALL,
       allowed=["retransmission_timeout"], loops=("closed", "paced"))
def loss(plan):
    plan.way(1, 15)
    rw = bulk(plan)
    percent = plan.by_strength("loss_percent", (0.6, 1.2), (2, 4))
    if percent:
        hurt(plan, rw, f"loss {percent}%")


@loss.shows
def _(e, d):
    count = ev.lost(e)
    needed = 2 if d["strength"] == "mild" else 6
    return count >= needed and ev.repeats(e) >= count / 2, f"{count} packets lost, {ev.repeats(e)} repeats"


def tail(plan):
    plan.way(2, 12, plain=True)
    plan.sysctl("target", "net.ipv4.tcp_no_metrics_save", 1)
    plan.io("randread", 4 * KiB, 1, seconds=2, most=MiB)
    plan.d["work"][0]["ios"] = 90
    if plan.faulty:
        nth = plan.drawn["every"] = plan.random.choice((18, 22, 26) if plan.strength == "mild" else (7, 8, 9))
        # The last segment of a Data-In of 4 KiB is the only one between 200 and 1499 bytes long.
        plan.d["rules"] = [f"-A FORWARD -s 10.20.1.2 -p tcp --sport 3260 -m length --length 200:1499 -m statistic "
                           f"--mode nth --every {nth} --packet {nth - 3} -j DROP"]


@fault("tail_loss_timeout", "the router drops every n-th last segment of a Read; no tail loss probe at the target",
       ["retransmission_timeout"], of(KERNEL, "lio", "tgtd", "istgt"), allowed=["packet_loss"], **ALWAYS)
def tail_loss_timeout(plan):
    plan.no_tail_loss_probe()
    tail(plan)


@tail_loss_timeout.shows
def _(e, d):
    return ev.late_repeats(e) >= 2, f"{ev.late_repeats(e)} repeats after more than 150 ms of silence"


@fault("tail_loss_probe", "the router drops every n-th last segment of a Read; Linux defaults, so that a probe repairs it, "
       "or the timeout if one segment is open", ["packet_loss", "retransmission_timeout"], of(KERNEL, "lio", "tgtd"))
def tail_loss_probe(plan):
    tail(plan)


@tail_loss_probe.shows
def _(e, d):
    return ev.lost(e) >= 2 and ev.repeats(e) >= 2, \
        f"{ev.lost(e)} lost, {ev.repeats(e)} repeats, {ev.late_repeats(e)} of them after more than 150 ms"


@fault("reordering", "netem lets some packets overtake others; none is dropped", ["reordering"], ALL,
       loops=("closed", "paced"))
def reordering(plan):
    plan.way(4, 12)
    rw = bulk(plan)
    percent = plan.by_strength("overtaking_percent", (0.5, 1), (3, 6))
    if percent:
        hurt(plan, rw, f"reorder {percent}%")


@reordering.shows
def _(e, d):
    count = sum(ev.way(e, w)["overtaken"] for w in ("to_target", "to_initiator"))
    return count >= (3 if d["strength"] == "mild" else 15) and not ev.lost(e), \
        f"{count} packets overtaken, {ev.lost(e)} lost"


# Copies cost next to nothing, so the share of the packets decides (docs/findings.md): a notice from 1 %.
@fault("duplication", "netem delivers some packets twice", ["duplication"], ALL,
       severity={"mild": "notice", "strong": "notice"}, also={"mild": ["problem", "info"], "strong": ["problem"]})
def duplication(plan):
    plan.way(1, 10)
    rw = bulk(plan)
    percent = plan.by_strength("twice_percent", (0.5, 1), (3, 6))
    if percent:
        hurt(plan, rw, f"duplicate {percent}%")


@duplication.shows
def _(e, d):
    count = sum(ev.way(e, w)["delivered_twice"] for w in ("to_target", "to_initiator"))
    return count >= (2 if d["strength"] == "mild" else 8) and not ev.lost(e), \
        f"{count} packets delivered twice, {ev.lost(e)} lost"


@fault("damage", "netem flips one bit of some packets", ["data_corruption", "packet_loss"], ALL,
       allowed=["retransmission_timeout"], **ALWAYS)
def damage(plan):
    plan.way(1, 10, plain=True)
    rw = bulk(plan)
    percent = plan.by_strength("damaged_percent", (0.3, 0.8), (2, 4))
    if percent:
        hurt(plan, rw, f"corrupt {percent}%")


@damage.shows
def _(e, d):
    count = ev.damaged(e)
    return count >= (2 if d["strength"] == "mild" else 5), f"{count} frames with wrong sums at the receiver's tap"
