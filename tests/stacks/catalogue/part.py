# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults in a part of the time, and of one of many: they begin, end or come back while the work goes on, or lie on one
LUN, one path, one type of command. The event that puts a fault in force carries `marks`: "begin" or "end"; the label's
`part` has their times as the guest did them (laboratory.py), `which` the LUN, the portal or the type."""

from catalogue import evidence as ev
from catalogue.fault import KERNEL, fault, of
from catalogue.people import database, steady
from catalogue.plan import KiB

SECONDS = 7
SOMETIMES = {"strengths": ("clean", "mild", "strong"), "views": False,
             "severity": {"mild": "problem", "strong": "problem"}, "also": {"mild": ["notice"], "strong": ["notice"]}}
KNOWN = of(KERNEL, "lio", "tgtd")


def draw_part(plan):
    """Seconds of the work at which the fault begins and ends; None where it is there from the begin on, or stays."""
    when = plan.pick("when", "throughout", "since", "until", "between")
    begin = plan.between("begin_s", 1.2, 4) if when in ("since", "between") else None
    end = (begin or 0) + plan.between("for_s", 1.2, 2.5) if when in ("until", "between") else None
    plan.d["in_part"] = True
    return begin, end


def in_the_part(plan, part, on, off):
    """Events that put a fault in force and take it back; `on` and `off` are what an event does."""
    begin, end = part
    plan.event(begin or 0, **on, **({} if begin is None else {"marks": "begin"}))
    if end is not None:
        plan.event(end, **off, marks="end")


def shape(plan, way, words, path=1):
    """tc's words for the way of the data, as an event."""
    return {"do": "shape", "path": path, ("to_target", "to_initiator")[way]: plan.queue(way, words)}


def loss_shown(e, d):
    count = ev.lost(e)
    needed = 3 if d["strength"] == "mild" else 8
    return count >= needed and ev.repeats(e) >= count / 2, f"{count} packets lost, {ev.repeats(e)} repeats"


@fault("loss_in_part", "netem drops packets at random in the direction of the data, in a part of the time",
       ["packet_loss", "retransmission_timeout"], KNOWN, **SOMETIMES)
def loss_in_part(plan):
    plan.way(1, 10)
    way = plan.pick("direction", 0, 1)
    steady(plan, ("randwrite", "randread")[way], 32 * KiB, 2, 60, SECONDS)
    percent = plan.by_strength("loss_percent", (0.8, 1.5), (2, 4))
    part = draw_part(plan)
    if percent:
        in_the_part(plan, part, shape(plan, way, f"loss {percent}%"), shape(plan, way, ""))


loss_in_part.shows(loss_shown)


def storage(lun, ms, reads=True, writes=True):
    return {"do": "storage", "lun": lun, "read_ms": int(ms * reads), "write_ms": int(ms * writes)}


@fault("storage_in_part", "the LUN's device answers late in a part of the time", ["slow_target"], KNOWN, **SOMETIMES)
def storage_in_part(plan):
    plan.way(0.2, 3)
    ms = plan.by_strength("storage_ms", (10, 14), (25, 50))
    plan.d["target"]["luns"] = [{"backing": "slow", "read_ms": 0, "write_ms": 0}]
    database(plan, SECONDS)
    part = draw_part(plan)
    if ms:
        in_the_part(plan, part, storage(0, ms), storage(0, 0))


def slow_shown(e, d):
    worst = max((group[name].get("max_ms", 0) for group in ev.services(e) for name in ("to_first_answer", "last_data_to_response")
                 if group[name]["n"]), default=0)
    return worst >= 0.9 * d["drawn"]["storage_ms"], f"the slowest service at the target took {worst:.1f} ms"


storage_in_part.shows(slow_shown)


@fault("storage_doubles", "the LUN's device takes a few milliseconds, and in a part of the time two to four times as long",
       ["slow_target"], KNOWN, **SOMETIMES,
       allowed_when_clean=["queue_depth", "slow_target"])
def storage_doubles(plan):
    plan.way(0.1, 0.5)
    usual = plan.pick("usual_ms", 3, 4, 5)
    times = plan.by_strength("times", (2, 2.5), (3, 4))
    plan.drawn["storage_ms"] = usual * (times or 1)
    plan.d["target"]["luns"] = [{"backing": "slow", "read_ms": usual, "write_ms": usual}]
    steady(plan, "randrw", 8 * KiB, 4, 100, SECONDS)
    part = draw_part(plan)
    if times:
        in_the_part(plan, part, storage(0, usual * times), storage(0, usual))


storage_doubles.shows(slow_shown)


@fault("storage_stops", "the LUN's device stops for 0.6 to 1.2 s and comes back, several times", ["slow_target"], KNOWN,
       **SOMETIMES | {"strengths": ("clean", "strong")})
def storage_stops(plan):
    plan.way(0.2, 3)
    plan.d["target"]["luns"] = [{"backing": "held"}]
    steady(plan, "randread", 8 * KiB, 2, 60, SECONDS + 2)
    if plan.faulty:
        plan.d["in_part"] = True
        first, pause = plan.between("begin_s", 0.8, 2), plan.between("again_s", 2.2, 3)
        stop = plan.between("stop_s", 0.6, 1.2)
        for i in range(3):
            plan.event(first + i * pause, "hold", lun=0, **({"marks": "begin"} if i == 0 else {}))
            plan.event(first + i * pause + stop, "let_go", lun=0, **({"marks": "end"} if i == 2 else {}))
        plan.drawn["storage_ms"] = 1000 * stop * 0.9


storage_stops.shows(slow_shown)


@fault("queue_in_part", "a slow link with a large queue in a part of the time: large reads stand in it, nothing is lost",
       ["bufferbloat", "full_link"], KNOWN, **SOMETIMES | {"strengths": ("clean", "strong")})
def queue_in_part(plan):
    plan.way(1, 5, plain=True)
    steady(plan, "read", 128 * KiB, 2, 20, SECONDS)
    rate = plan.pick("rate_mbit", 15, 20, 25) if plan.faulty else None
    part = draw_part(plan)
    if rate:
        narrow = {"do": "shape", "to_initiator": f"tbf rate {rate}mbit burst 6kb limit {rate * 250 * 1000}"}
        in_the_part(plan, part, narrow, shape(plan, 1, ""))


@queue_in_part.shows
def _(e, d):
    way = ev.way(e, "to_initiator")["one_way"]
    return way.get("max_ms", 0) > 30 + 4 * ev.base_ms(e), f"packets wait up to {way.get('max_ms', 0):.1f} ms; {ev.lost(e)} lost"


@fault("loss_on_one_path", "two sessions over two paths; the router of one drops packets at random, always or in a part of "
       "the time", ["packet_loss", "retransmission_timeout"], of(KERNEL, "lio"), **SOMETIMES)
def loss_on_one_path(plan):
    plan.way(1, 8, plain=True)
    plan.d["network"] |= {"to_target2": plan.queue(0), "to_initiator2": plan.queue(1)}
    plan.d["target"]["paths"] = plan.d["paths"] = 2
    plan.d["initiator"]["sessions"] = [{"path": 1}, {"path": 2}]
    way, hit = plan.pick("direction", 0, 1), plan.pick("path", 1, 2)
    for session in (0, 1):
        steady(plan, ("randwrite", "randread")[way], 32 * KiB, 2, 40, SECONDS, session=session)
    percent = plan.by_strength("loss_percent", (1.5, 2.5), (3, 5))
    part = draw_part(plan)
    if percent:
        in_the_part(plan, part, shape(plan, way, f"loss {percent}%", hit), shape(plan, way, "", hit))
        plan.d["which"] = {"portal": f"10.20.{hit}.2"}


loss_on_one_path.shows(loss_shown)


@fault("one_slow_of_luns", "one of three LUNs answers late, always or in a part of the time", ["slow_target"], of(KERNEL, "lio"),
       **SOMETIMES)
def one_slow_of_luns(plan):
    plan.way(0.2, 3)
    ms, hit = plan.by_strength("storage_ms", (10, 14), (25, 50)), plan.pick("slow_lun", 0, 1, 2)
    plan.d["target"]["luns"] = [{"backing": "slow", "read_ms": 0, "write_ms": 0} for _ in range(3)]
    for lun in range(3):
        steady(plan, plan.pick(f"work_{lun}", "randread", "randwrite", "randrw"), 8 * KiB, 2, 40, SECONDS, lun=lun)
    part = draw_part(plan)
    if ms:
        in_the_part(plan, part, storage(hit, ms), storage(hit, 0))
        plan.d["which"] = {"lun": hit}


one_slow_of_luns.shows(slow_shown)


@fault("one_slow_type", "the LUN's device takes long for reads alone, or for writes alone, always or in a part of the time",
       ["slow_target"], of(KERNEL, "lio"), **SOMETIMES)
def one_slow_type(plan):
    plan.way(0.2, 3)
    ms, kind = plan.by_strength("storage_ms", (10, 14), (25, 50)), plan.pick("slow_type", "read", "write")
    plan.d["target"]["luns"] = [{"backing": "slow", "read_ms": 0, "write_ms": 0}]
    for rw in ("randread", "randwrite"):
        steady(plan, rw, 8 * KiB, 2, 50, SECONDS)
    part = draw_part(plan)
    if ms:
        in_the_part(plan, part, storage(0, ms, kind == "read", kind == "write"), storage(0, 0))
        plan.d["which"] = {"type": kind}


one_slow_type.shows(slow_shown)
