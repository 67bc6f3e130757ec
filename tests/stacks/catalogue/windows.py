# SPDX-License-Identifier: GPL-2.0-or-later
"""Windows and buffers of TCP that are too small for the way, and a target that stops reading."""

from catalogue import evidence as ev
from catalogue.fault import ALWAYS, KERNEL, LIBISCSI, QEMU, fault, of
from catalogue.plan import KiB, MiB


def long_reads(plan, depth=2):
    plan.io("read", plan.pick("block", 256 * KiB, 512 * KiB), depth, seconds=2, most=3 * MiB)


@fault("receive_window", "the initiator's receive buffer is small", ["small_receive_window"],
       of(KERNEL + QEMU, "lio", "tgtd", "istgt"), loops=("closed",))
def receive_window(plan):
    plan.way(6, 15, plain=True)
    if plan.faulty:
        size = plan.drawn["buffer"] = plan.random.choice((60000, 80000) if plan.strength == "mild" else (20000, 32768))
        plan.sysctl("initiator", "net.ipv4.tcp_rmem", f"4096 {size} {size * 2}")
        plan.setting("node.conn[0].tcp.window_size", size)
        long_reads(plan)
    else:
        plan.io("randread", 16 * KiB, 2, seconds=1.5)


def pinned(e, most):
    """The target's flight stands at the window that the initiator announces."""
    windows = [c["from_initiator"]["window"]["max"] for c in ev.connections(e, "tgt") if c["commands_in_work"]]
    flights = [c["from_target"]["max_in_flight"] for c in ev.connections(e, "tgt") if c["commands_in_work"]]
    shown = bool(windows) and max(windows) <= most and max(flights) >= 0.6 * max(windows)
    return shown and not ev.lost(e), f"window at most {windows}, in flight at most {flights}, {ev.lost(e)} lost"


@receive_window.shows
def _(e, d):
    return pinned(e, 170000)


@fault("no_scaling", "the initiator does not offer window scaling", ["no_window_scaling"],
       of(KERNEL + QEMU, "lio", "tgtd", "istgt"))
def no_scaling(plan):
    plan.way(*((12, 20) if plan.strength == "strong" else (4, 7)), plain=True)
    if plan.faulty:
        plan.sysctl("initiator", "net.ipv4.tcp_window_scaling", 0)
        long_reads(plan)
    else:
        plan.io("randread", 16 * KiB, 2, seconds=1.5)


@no_scaling.shows
def _(e, d):
    return pinned(e, 65535)


@fault("send_buffer", "the target's send buffer is small", ["small_send_buffer"], of(KERNEL, "lio", "tgtd", "istgt"),
       also={"mild": ["problem"], "strong": ["notice"]})
def send_buffer(plan):
    plan.way(6, 15, plain=True)
    if plan.faulty:
        size = plan.drawn["buffer"] = plan.random.choice((65536, 98304) if plan.strength == "mild" else (16384, 24576))
        plan.sysctl("target", "net.ipv4.tcp_wmem", f"4096 {size // 2} {size}")
        long_reads(plan)
    else:
        plan.io("randread", 16 * KiB, 2, seconds=1.5)


@send_buffer.shows
def _(e, d):
    pairs = [(c["from_initiator"]["window"]["p50"], c["from_target"]["max_in_flight"])
             for c in ev.connections(e, "tgt") if c["commands_in_work"]]
    return bool(pairs) and all(flight < 0.7 * window for window, flight in pairs) and not ev.lost(e), \
        f"window and most in flight: {pairs}; {ev.lost(e)} lost"


@fault("target_stops_reading", "the storage behind the target holds all I/O for a while; its receive buffer fills",
       ["zero_window"], of(KERNEL, "lio"), allowed=["slow_target"], also={"mild": ["problem"], "strong": ["notice"]})
def target_stops_reading(plan):
    plan.way(0.5, 3, plain=True)
    plan.d["target"]["luns"] = [{"backing": "held", "store": "fileio"}]
    plan.sysctl("target", "net.ipv4.tcp_rmem", "4096 65536 131072")
    plan.d["work"] = [{"rw": "write", "block": 32 * KiB, "depth": 16 if plan.faulty else 2, "ios": 64}]
    seconds = plan.by_strength("held_s", (0.6, 1), (1.5, 2.5))
    if seconds:  # held before fio has started, which takes about a second
        plan.event(0, "hold", lun=0)
        plan.event(1.2 + seconds, "let_go", lun=0)


@target_stops_reading.shows
def _(e, d):
    seconds = sum(c["from_target"]["zero_window_s_in_work"] for c in ev.connections(e, "tgt"))
    return seconds > 0.2, f"the target's window was zero for {seconds:.2f} s"


@fault("reads_slow", "the initiator's receive buffer is small: reads are slow, writes are not", ["small_receive_window",
       "one_direction_slow"], of(KERNEL, "lio"), strengths=("clean", "strong"), views=False,
       allowed=["one_direction_slow", "io_split"])
def reads_slow(plan):
    plan.way(8, 12, plain=True)
    plan.d["work"] = [{"rw": "read", "block": 64 * KiB, "depth": 4, "ios": 60},
                      {"rw": "write", "block": 64 * KiB, "depth": 4, "ios": 60, "after": True}]
    if plan.faulty:
        plan.sysctl("initiator", "net.ipv4.tcp_rmem", "4096 20000 40000")
        plan.setting("node.conn[0].tcp.window_size", 20000)


@reads_slow.shows
def _(e, d):
    return pinned(e, 65535)
