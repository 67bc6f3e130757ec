# SPDX-License-Identifier: GPL-2.0-or-later
"""The target: slow storage, one slow LUN, few commands at once, a command that stops others, errors, reservations,
Nagle's algorithm."""

from catalogue import evidence as ev
from catalogue.fault import ALWAYS, KERNEL, LIBISCSI, QEMU, fault, of
from catalogue.plan import KiB, MiB

# istgt reads ahead through the page cache, so only the random reads of open-iscsi meet its device.
DISKS = of(KERNEL, "lio", "tgtd", "istgt") + of(QEMU + LIBISCSI, "lio", "tgtd")


@fault("slow_storage", "the LUN's device answers late (device mapper)", ["slow_target"], DISKS,
       loops=("closed", "paced"))
def slow_storage(plan):
    plan.way(0.2, 3)
    ms = plan.by_strength("storage_ms", (10, 12), (25, 50))
    if ms:
        plan.d["target"]["luns"] = [{"backing": "slow", "read_ms": int(ms), "write_ms": int(ms)}]
    # istgt and jSCSI write through the page cache, so only reads meet the device
    rw = "randread" if plan.stack[1] == "istgt" or plan.stack[0] == "libiscsi" else \
        plan.pick("direction", "randread", "randwrite", "randrw")
    if plan.stack[0] == "qemu":
        rw = rw.replace("randrw", "randread")
    plan.io(rw, plan.pick("block", 4 * KiB, 8 * KiB, 16 * KiB), plan.pick("depth", 1, 2, 4), seconds=2)
    plan.d["work"][0]["ios"] = min(plan.d["work"][0]["ios"], 120)


@slow_storage.shows
def _(e, d):
    median = ev.slowest_service_ms(e)
    return median >= 9 and median > 1.5 * ev.base_ms(e), \
        f"median service at the target {median:.1f} ms, shortest round trip {ev.base_ms(e):.1f} ms"


# tgtd and istgt let the fast LUN wait for the slow one, so only LIO shows it.
@fault("one_slow_lun", "one of two LUNs of a session is slow", ["slow_target"], of(KERNEL, "lio"),
       loops=("closed", "paced"))
def one_slow_lun(plan):
    plan.way(0.2, 3)
    ms = plan.by_strength("storage_ms", (10, 12), (25, 50))
    slow = {"backing": "slow", "read_ms": int(ms), "write_ms": int(ms)} if ms else {"backing": "memory"}
    at = plan.pick("slow_lun", 0, 1)
    plan.d["target"]["luns"] = [slow if i == at else {"backing": "memory"} for i in (0, 1)]
    for lun in (0, 1):
        plan.io("randread", 8 * KiB, 2, seconds=1.5, lun=lun)
        plan.d["work"][-1]["ios"] = min(plan.d["work"][-1]["ios"], 100)


@one_slow_lun.shows
def _(e, d):
    medians = sorted(ev.service_ms(g) for g in ev.services(e, reads=True) if g["expected"] == 8192)
    return len(medians) == 2 and medians[1] > 9 and medians[0] < medians[1] / 3, \
        f"median service of the LUNs: {', '.join(f'{m:.2f} ms' for m in medians)}"


@fault("command_window", "the target takes few commands at once although the initiator has more", ["command_window"],
       of(KERNEL, "lio"), also={"mild": ["problem"], "strong": ["notice"]})
def command_window(plan):
    plan.way(2, 8, plain=True)
    if plan.faulty:
        depth = plan.pick("window", 6, 8) if plan.strength == "mild" else plan.pick("window", 2, 3)
        plan.d["target"]["attributes"] = {"default_cmdsn_depth": depth}
    plan.io(plan.pick("direction", "randread", "randwrite"), 4 * KiB, 32 if plan.faulty else 4, seconds=1)
    plan.d["work"][0]["ios"] = 250


@command_window.shows
def _(e, d):
    window = d["target"]["attributes"]["default_cmdsn_depth"]
    most = max(c["max_outstanding"] for c in ev.connections(e))
    return most <= window + 1, f"at most {most} commands open, the window is {window}"


@fault("blocking_command", "UNMAP takes long and LIO does nothing else meanwhile", ["blocking_command"],
       of(KERNEL, "lio"))
def blocking_command(plan):
    plan.way(0.5, 3, plain=True)
    ms = plan.by_strength("unmap_ms", (80, 150), (300, 500))
    plan.d["target"]["luns"] = [{"backing": "file", "unmap": True, "read_ms": 0, "write_ms": int(ms or 0)}]
    plan.d["work"] = [{"rw": "randread", "block": 4 * KiB, "depth": 2, "rate": 45, "seconds": 4}]
    for at in (1.6, 2.4, 3.2):
        if plan.faulty:
            plan.event(at, "command", words=f"sg_unmap --force --lba={int(at * 10) * 512} --num=4096 {{disk0}}")


@blocking_command.shows
def _(e, d):
    unmaps = [g for g in e["services"] if g["cdb"] == "UNMAP"]
    reads = next(ev.services(e, reads=True), None)
    worst = reads["to_first_answer"].get("max_ms", 0) if reads else 0
    return bool(unmaps) and worst > 50, \
        f"{sum(g['n'] for g in unmaps)} UNMAPs; a read of 4 KiB waited {worst:.0f} ms at the target"


@fault("errors", "some reads lie beyond the end of the disk, or meet a bad region", ["command_errors"],
       of(KERNEL, "lio", "tgtd", "istgt"), **ALWAYS)
def errors(plan):
    plan.way(0.5, 5)
    plan.io("randread", 4 * KiB, 1, seconds=1.5)
    if plan.faulty:
        for i in range(3 if plan.strength == "mild" else 12):
            plan.event(1.3 + 0.1 * i, "command",
                       words=f"sg_raw -r 4096 {{disk0}} 28 00 0f ff ff {i:02x} 00 00 08 00")


@errors.shows
def _(e, d):
    count = ev.not_good(e)
    return count >= (2 if d["strength"] == "mild" else 8), f"status in the work: {ev.statuses(e)}"


@fault("reservation", "another initiator holds a persistent reservation, and writes are refused", ["access_trouble"],
       of(KERNEL, "lio", "tgtd"), strengths=("clean", "strong"), allowed=["command_errors"], **ALWAYS)
def reservation(plan):
    plan.way(0.5, 5, plain=True)
    plan.d["initiator"]["sessions"] = [{}, {"initiator_name": "iqn.2026-11.lab.stacks:other"}]
    if plan.faulty:
        plan.d["before_work"] = ["sg_persist --out --register --param-sark=0xa1 {disk0-0}",
                                 "sg_persist --out --reserve --param-rk=0xa1 --prout-type=5 {disk0-0}"]
    plan.io("randread", 4 * KiB, 1, seconds=0.7, session=1)
    for i in range(20 if plan.faulty else 0):
        plan.event(0.9 + i * 0.05, "command", words="sg_raw -s 4096 -i /dev/zero {disk1-0} 2a 00 00 00 00 00 00 00 08 00")


@reservation.shows
def _(e, d):
    count = ev.statuses(e).get("RESERVATION CONFLICT", 0)
    return count >= 5, f"status in the work: {ev.statuses(e)}"


@fault("nagle", "Nagle's algorithm is left on at the target", ["nagle"], of(KERNEL + QEMU, "tgtd"),
       allowed=["delayed_ack"], strengths=("clean", "strong"), severity={"strong": "problem"}, also={"strong": ["notice"]})
def nagle(plan):
    plan.way(1, 6, plain=True)
    plan.d["target"]["nagle"] = plan.faulty
    direction = plan.pick("direction", "randread", "randwrite")
    plan.io(direction, 512 if direction == "randread" else 8 * KiB, 4, seconds=1.5)


@nagle.shows
def _(e, d):
    median = ev.slowest_service_ms(e)
    return median > 0.6 * ev.base_ms(e), \
        f"median wait at the target {median:.1f} ms, shortest round trip {ev.base_ms(e):.1f} ms"


@fault("lun_reset", "a LUN is reset while commands are open", ["abort_storm", "slow_target"], of(KERNEL, "lio"), **ALWAYS)
def lun_reset(plan):
    plan.way(0.5, 4, plain=True)
    plan.d["target"]["luns"] = [{"backing": "slow", "read_ms": 60, "write_ms": 60}] if plan.faulty else \
        [{"backing": "memory"}]
    plan.d["work"] = [{"rw": "randread", "block": 4 * KiB, "depth": 8, "seconds": 3 if plan.faulty else 1}]
    if not plan.faulty:
        plan.d["work"][0] |= {"rate": 60}
    for i in range({"clean": 0, "mild": 1, "strong": 3}[plan.strength]):
        plan.event(1.6 + 0.5 * i, "command", words="sg_reset -d {disk0}")


@lun_reset.shows
def _(e, d):
    count = sum(len(c["task_management"]) for c in ev.connections(e))
    return count >= 1, f"{count} task management requests"
