# SPDX-License-Identifier: GPL-2.0-or-later
"""The way itself: dead for a while, narrow, too small for large packets, or another way that is longer."""

from catalogue import evidence as ev
from catalogue.fault import ALWAYS, KERNEL, LIBISCSI, QEMU, TRAIT, fault, of
from catalogue.loss import ALL
from catalogue.plan import NAME, KiB, MiB

DEAD = "netem loss 100%"


def steady(plan, seconds):
    """Small reads for a number of seconds, at most some 60 a second."""
    item = plan.io("randread", plan.pick("block", 4 * KiB, 8 * KiB, 16 * KiB), plan.pick("depth", 1, 2, 4), seconds)
    item.pop("ios", None)
    item["seconds"] = seconds
    item.setdefault("rate", 60)


@fault("outage", "the router drops everything in both directions for a while; the connection lives through it",
       ["outage", "retransmission_timeout"], KERNEL, loops=("closed", "paced"), **ALWAYS)
def outage(plan):
    plan.way(1, 15, plain=True)
    seconds = plan.by_strength("dead_s", (0.8, 1.5), (3, 5))
    steady(plan, 3 + int((seconds or 0) * 2.2 + 0.5))
    if seconds:
        plan.event(1.8, "shape", to_target=DEAD, to_initiator=DEAD)
        plan.event(1.8 + seconds, "shape", to_target=plan.queue(0), to_initiator=plan.queue(1))


@outage.shows
def _(e, d):
    return ev.late_repeats(e) >= 1 and ev.lost(e) >= 1, \
        f"{ev.lost(e)} packets lost, {ev.late_repeats(e)} repeats after more than 150 ms"


@fault("ping_timeout", "the router drops everything for 9 s; the initiator's NOP-Out goes unanswered for 3 s, it drops "
       "the connection and logs in again", ["nop_timeout", "outage"], of(KERNEL, "lio", "tgtd"),
       allowed=["connection_reset"], strengths=("clean", "strong"), **ALWAYS)
def ping_timeout(plan):
    plan.way(1, 10, plain=True)
    plan.setting("node.conn[0].timeo.noop_out_interval", 2)
    plan.setting("node.conn[0].timeo.noop_out_timeout", 3)
    steady(plan, 14 if plan.faulty else 5)
    if plan.faulty:
        plan.event(1.5, "shape", to_target=DEAD, to_initiator=DEAD)
        plan.event(10.5, "shape", to_target=plan.queue(0), to_initiator=plan.queue(1))


@ping_timeout.shows
def _(e, d):
    logins = sum(1 for c in ev.connections(e) if c["login_final"] == "0000")
    return logins >= 2, f"{logins} logins accepted"


def slow_link(plan, queue_ms, rate):
    """A link of `rate` Mbit/s toward the initiator whose queue holds `queue_ms` of it."""
    limit = max(3000, int(rate * 1000 / 8 * queue_ms))
    plan.during(None, f"tbf rate {rate}mbit burst 6kb limit {limit}")


@fault("standing_queue", "a slow link with a large queue, in which a large read stands: nothing is lost",
       ["bufferbloat"], KERNEL + QEMU)
def standing_queue(plan):
    plan.way(1, 5, plain=True)
    for host in ("initiator", "target"):
        plan.sysctl(host, "net.ipv4.tcp_congestion_control", "reno")  # cubic leaves slow start early
    plan.io("read", 256 * KiB, 4 if plan.strength == "strong" else 2 if plan.faulty else 1, seconds=4, most=3 * MiB)
    if plan.faulty:
        rate = plan.pick("rate_mbit", 60, 80) if plan.strength == "mild" else plan.pick("rate_mbit", 15, 20, 30)
        slow_link(plan, 2000, rate)


@standing_queue.shows
def _(e, d):
    way = ev.way(e, "to_initiator")["one_way"]
    factor = way.get("p90_ms", 0) / max(0.05, way.get("min_ms", 0) + ev.way(e, "to_target")["one_way"]["min_ms"])
    needed = 3 if d["strength"] == "mild" else 8
    return factor >= needed and ev.lost(e) == 0, \
        f"90 % of the packets wait up to {way.get('p90_ms', 0):.1f} ms, {factor:.1f} round trips; {ev.lost(e)} lost"


@fault("small_queue", "one session overflows the short queue of a slow link", ["packet_loss"], KERNEL + QEMU,
       allowed=["retransmission_timeout", "incast"], strengths=("clean", "strong"))
def small_queue(plan):
    plan.way(1, 5, plain=True)
    plan.io("read", 256 * KiB, 4 if plan.faulty else 1, seconds=4, most=3 * MiB)
    if plan.faulty:
        rate = plan.pick("rate_mbit", 20, 40, 60)
        plan.during(None, f"tbf rate {rate}mbit burst 6kb limit {plan.pick('queue_bytes', 12000, 18000, 24000)}")


@small_queue.shows
def _(e, d):
    return ev.lost(e) >= 8 and ev.repeats(e) >= 8, f"{ev.lost(e)} packets lost, {ev.repeats(e)} repeats"


@fault("incast", "several sessions read at once through a slow link with a short queue", ["incast"],
       of(KERNEL, "lio"), allowed=["packet_loss", "retransmission_timeout"], severity={"mild": "problem",
       "strong": "problem"})
def incast(plan):
    plan.way(1, 3, plain=True)
    count = {"clean": 4, "mild": 4, "strong": 8}[plan.strength]
    names = [f"{NAME}{i}" for i in range(count)]
    plan.d["target"]["names"] = names
    plan.d["initiator"]["sessions"] = [{"name": name} for name in names]
    for session in range(count):
        plan.io("read", 64 * KiB, 2 if plan.faulty else 1, seconds=1, most=512 * KiB, session=session)
    if plan.faulty:
        rate = plan.pick("rate_mbit", 20, 40)
        plan.during(None, f"tbf rate {rate}mbit burst 6kb limit {plan.pick('queue_bytes', 30000, 45000)}")


@incast.shows
def _(e, d):
    hit = sum(1 for c in ev.connections(e, "tgt") if c["from_target"]["repeats_in_work"])
    return hit >= 3, f"{ev.lost(e)} packets lost, on {hit} connections"


@fault("large_packets_vanish", "a link's MTU falls to 1400 and the ICMP messages that say so are dropped",
       ["mtu_black_hole"], of(KERNEL + QEMU, "lio", "tgtd", "istgt"), **ALWAYS)
def large_packets_vanish(plan):
    plan.way(1, 8, plain=True)
    # mild: the sender probes for a smaller size and heals itself; strong: it does not, and the MTU comes back
    plan.sysctl("target", "net.ipv4.tcp_mtu_probing", 1 if plan.strength == "mild" else 0)
    item = plan.io("read", 16 * KiB, 2, seconds=1, most=MiB)
    item["ios"] = 40
    if plan.faulty:
        plan.d["rules"] = ["-A OUTPUT -p icmp --icmp-type destination-unreachable -j DROP"]
        plan.event(0, "router_mtu", mtu=1400)
        if plan.strength == "strong":
            plan.event(plan.between("until_s", 4, 7), "router_mtu", mtu=1500)


@large_packets_vanish.shows
def _(e, d):
    sizes = ev.way(e, "to_initiator")["lost_sizes"]
    full = sum(count for size, count in sizes.items() if int(size) > 1300)
    return full >= 3 and ev.late_repeats(e) >= 2, f"lost, by payload size: {sizes}; {ev.late_repeats(e)} late repeats"


@fault("small_behind_large", "small reads share a slow link and a connection with large ones", ["head_of_line"],
       of(KERNEL, "lio", "tgtd", "istgt"), allowed=["bufferbloat"])
def small_behind_large(plan):
    plan.way(1, 4, plain=True)
    if plan.faulty:
        rate = plan.pick("rate_mbit", 60, 80) if plan.strength == "mild" else plan.pick("rate_mbit", 25, 40)
        plan.during(None, f"netem delay {plan.delay}ms rate {rate}mbit limit 100000")
        plan.io("read", 512 * KiB if plan.strength == "strong" else 256 * KiB, 2, seconds=3, most=3 * MiB)
    else:
        plan.io("randread", 8 * KiB, 2, seconds=1)
    plan.io("randread", 4 * KiB, 1, seconds=1.2)


@small_behind_large.shows
def _(e, d):
    large = [g for g in ev.services(e, reads=True) if g["expected"] > 65536]
    small = [g for g in ev.services(e, reads=True) if g["expected"] == 4096]
    worst = max((g["response"].get("max_ms", 0) for g in small), default=0)
    return bool(large and small) and worst > 5 * ev.base_ms(e) + 5 and not ev.lost(e), \
        f"a small read took {worst:.1f} ms, the round trip is {ev.base_ms(e):.1f} ms"


@fault("unequal_paths", "two paths to one LUN, in turns, one with a longer delay", ["path_imbalance"],
       of(KERNEL, "lio", "tgtd"), **TRAIT | {"severity": {"mild": "notice", "strong": "problem"}})
def unequal_paths(plan):
    plan.way(0.5, 2, plain=True)
    extra = plan.by_strength("longer_ms", (4, 8), (15, 30)) or 0
    plan.d["network"] |= {"to_target2": f"netem delay {plan.delay + extra}ms limit 100000",
                          "to_initiator2": f"netem delay {plan.delay + extra}ms limit 100000"}
    plan.d["target"]["paths"] = plan.d["paths"] = 2
    plan.d["initiator"]["sessions"] = [{"path": 1}, {"path": 2}]
    plan.d["multipath"] = {"run_length": plan.pick("run_length", 1, 1, 16)}
    plan.io("randread", 8 * KiB, 4, seconds=1)
    plan.d["work"][0]["ios"] = 160


@unequal_paths.shows
def _(e, d):
    paths = [w.get("p50_ms", 0) for w in ev.way(e, "to_initiator")["one_way_by_path"].values()]
    used = [c["commands_in_work"] for c in ev.connections(e) if c["commands_in_work"] > 20]
    return len(used) >= 2 and max(paths) - min(paths) >= 3, \
        f"one way {', '.join(f'{p:.1f} ms' for p in paths)}; {used} commands"


@fault("one_way_longer", "the way back is much longer than the way there; nothing is wrong", [], of(KERNEL, "lio",
       "tgtd"), strengths=("clean",))
def one_way_longer(plan):
    plan.way(0.5, 2, plain=True)
    plan.delays[1] = plan.between("back_ms", 10, 40)
    plan.d["network"]["to_initiator"] = plan.queue(1)
    plan.io("randread", 8 * KiB, plan.pick("depth", 1, 2, 4), seconds=1.5)


one_way_longer.check = None
