# SPDX-License-Identifier: GPL-2.0-or-later
"""Two faults at once, and each of them alone in the same work over the same way, so that what each costs is measured:
a run in a closed loop with neither, with the first, with the second and with both, all drawn alike. The judge is
judge_parts/pairs.py."""

import copy
import itertools

from catalogue import evidence as ev
from catalogue.fault import KERNEL, fault, of
from catalogue.plan import KiB

WAYS = ("to_target", "to_initiator")


def loss(plan, words):
    words.append(f"loss {plan.between('loss_percent', 0.5, 4)}%")


def storage(plan, words):
    ms = int(plan.between("storage_ms", 10, 40))  # from 10 ms on a target is slow (docs/findings.md)
    plan.d["target"]["luns"] = [{"backing": "slow", "read_ms": ms, "write_ms": ms}]


def window(plan, words):
    plan.d["target"]["attributes"] = {"default_cmdsn_depth": plan.pick("command_window", 2, 3)}


def stops(plan, words):
    plan.d["target"]["luns"] = [{**lun, "backing": "held"} for lun in plan.d["target"]["luns"]]
    for i in range(3):
        plan.event(0.2 + i * 0.9, "hold", lun=0)
        plan.event(0.2 + i * 0.9 + plan.between("stop_s", 0.6, 0.9), "let_go", lun=0)


def outages(plan, words):
    length = plan.between("dead_s", 0.5, 1.5)
    plan.event(0.3, "shape", to_target="netem loss 100%", to_initiator="netem loss 100%")
    plan.event(0.3 + length, "shape", to_target="{to_target}", to_initiator="{to_initiator}")


def small_window(plan, words):
    size = plan.pick("receive_buffer", 12000, 16000, 20000)
    for host in ("initiator", "target"):
        plan.sysctl(host, "net.ipv4.tcp_rmem", f"4096 {size} {2 * size}")
    plan.setting("node.conn[0].tcp.window_size", size)


PARTS = {"loss": (loss, ("packet_loss", "retransmission_timeout")), "storage": (storage, ("slow_target",)),
         "window": (window, ("command_window",)), "stops": (stops, ("slow_target",)),
         "outage": (outages, ("outage", "retransmission_timeout")),
         "rwnd": (small_window, ("small_receive_window",))}
NOT_BOTH = {frozenset(("storage", "stops"))}    # one device, and the same kind


def lay_out(plan, first, second):
    """The same draws whichever of the two is done: each is laid out, and what is not to be done is taken back."""
    plan.way(1, 8, plain=True)
    way = plan.pick("direction", 0, 1)
    plan.io(("randwrite", "randread")[way], plan.pick("block", 16 * KiB, 32 * KiB), plan.pick("depth", 4, 8))
    plan.d["work"][0]["ios"] = 600
    words = []
    for name, part in ((first, "first"), (second, "second")):
        before, held = copy.deepcopy(plan.d), list(words)
        PARTS[name][0](plan, words)
        if plan.strength not in (part, "strong"):
            plan.d, words = before, held
    queues = [plan.queue(i, " ".join(words) if i == way else "") for i in (0, 1)]
    plan.during(*queues)
    for event in plan.d["events"]:
        for i, key in enumerate(WAYS):
            if event.get(key) == "{" + key + "}":
                event[key] = queues[i]
    plan.d["pair"] = [first, second]
    wanted = {"first": (first,), "second": (second,), "strong": (first, second)}.get(plan.strength, ())
    plan.want = [kind for name in wanted for kind in PARTS[name][1]]
    plan.d["kinds"] = [list(PARTS[name][1]) for name in (first, second)]


def enter(first, second):
    @fault(f"pair_{first}_{second}", f"two faults at once: {first}, {second}", [*PARTS[first][1], *PARTS[second][1]],
           of(KERNEL, "lio"), strengths=("clean", "first", "second", "strong"), views=False, draws_alike=True,
           allowed_when_clean=["queue_depth", "command_window"],
           severity={s: "problem" for s in ("first", "second", "strong")},
           also={s: ["notice"] for s in ("first", "second", "strong")})
    def entry(plan):
        lay_out(plan, first, second)

    @entry.shows
    def _(e, d):
        return ev.tasks(e) > 100, f"{ev.tasks(e)} reads and writes; {ev.lost(e)} packets lost"


for one, other in itertools.combinations(PARTS, 2):
    if frozenset((one, other)) not in NOT_BOTH:
        enter(one, other)
