# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 5: a RAID0 target under six loads (iPosRAID; Ryu et al. 2002)."""

from __future__ import annotations

from .claim import ADDITION, Claim, Finding, graded
from .points import has, mean, settings_of
from .runs import raid as runs

NAME = "raid"
TITLE = "iPosRAID: an iSCSI RAID target"
SOURCE = "Ryu et al.: iPosRAID, an iSCSI RAID target with one TCP connection per session, 2002."
METHOD = """\
The paper: a target with a RAID0 back end (stripe unit 32 KB, four disks) and a buffer cache, one TCP
connection a session, 1 Gbit/s Ethernet. Load: constant (cache hits), sequential and random requests, read and
write, of 0.5 to 512 KB, by one or more I/O processes, from one host or two; socket buffers of 16 to 512 KB.

Here: `papers/iposraid` and `papers/iposraid-two-hosts` with real TCP over the shim. Constant reads reach 23
MB/s in the paper, far below the network: the processors hold a connection. One figure is set from one
published point, constant read of 256 KB: a link of 200 Mbit/s at each host stands for what the processors at
the ends of its connection can move. It is the same for reads and writes, all sizes, loads and runs; behind it
is a network of 1 Gbit/s, which both hosts share. The disks turn 7200 times a minute and move 10 MB/s each,
the cache holds 2 MB and writes back: the paper does not give these. All else is predicted. Commands queue on
a connection without a bound.

With a send buffer given, the target takes the data of a Read from its disks in pieces of that size, one after
the other, and no call hands the socket more than one: the buffer's size is all that the runs over the send
buffer set. Two sizes are run without that, with the buffer alone.

Throughput is read in the target's capture, over the second half of a run's commands: the first fills the
cache and opens the congestion window. Each point is repeated with its own seed; bars go from the lowest to
the highest run. Fibre Channel on the same RAID (94.6 and 93.7 MB/s) is in
the study raid-reasons."""
SYMBOLS = {
    "constant, sequential, random": "the same address again and again; one after the other; anywhere",
    "B": "bytes of a request",
    "T": "throughput of a host's link, payload in full segments: 24.1 MB/s",
    "one connection, MC/S": "one TCP connection in the session; as many as processes",
    "by stripe": "the target takes the data from its disks in pieces of the send buffer's size",
    "MB/s": "1,000,000 bytes a second; KB and MB of sizes are 1024 and 1,048,576 bytes",
}

PUBLISHED_READ = 23.0  # MB/s, constant read at 256 KB: what the link's rate is set from
PUBLISHED_WRITE = 19.0  # MB/s, constant write at 512 KB
LINK = 25e6 * 1448 / 1500  # bytes of payload a second
ROUND_TRIP = 0.2e-3  # s


def model(size: float) -> float:
    """MB/s of constant reads, one at a time."""
    return size * 1024 / (ROUND_TRIP + size * 1024 / LINK) / 1e6


def rate(points: dict, load: str, size: float, kind: str = "one host", figure: str = "rate") -> float:
    return mean(points, figure, kind, load=load, size=size)


def process_gain(points: dict, load: str, way: str = "one connection") -> float:
    many = mean(points, "rate", "processes", load=load, processes=runs.PROCESSES[-1], way=way)
    return many / rate(points, load, runs.REQUEST)


def buffer_rate(points: dict, buffer: int, by_stripe: bool = True) -> float:
    return mean(points, "rate", "buffer", buffer=buffer, by_stripe=by_stripe)


def by_load(values: dict) -> str:
    return ", ".join(f"{load} {value:.2f}" for load, value in values.items())


def judge_saturation(points: dict) -> Finding:
    rates = {size: rate(points, "constant read", size) for size in runs.SIZES["constant read"]}
    gain = rates[512] / rates[256]
    share = rates[32] / rates[256]
    return Finding(
        graded(gain <= 1.05 and share < 0.95, gain <= 1.15),
        ", ".join(f"{size} KB {value:.1f}" for size, value in rates.items()) + " MB/s",
        f"512 KB {gain:.3f} times 256 KB; the rate at 256 KB is what the link was set from, and no result",
        ", ".join(f"{size} KB {model(size):.1f}" for size in rates),
    )


def judge_write(points: dict) -> Finding:
    write, read = (rate(points, f"constant {way}", 512) for way in ("write", "read"))
    off = write / PUBLISHED_WRITE - 1
    return Finding(
        graded(abs(off) <= 0.1, write <= 0.95 * read),
        f"{write:.1f} MB/s, {100 * off:+.0f} %; read of 512 KB {read:.1f}",
        "predicted from the cost of a read: a write costs little more here, its R2Ts less than half of that. "
        "The difference to the "
        "paper's 19 MB/s is then what the paper's processors spent on writes beside them, such as one "
        "copy more, "
        "which its figures do not tell apart. The study raid-reasons has writes without R2Ts",
        "",
    )


def judge_six(points: dict) -> Finding:
    rates = {load: rate(points, load, runs.REQUEST) for load in runs.LOADS}
    grown = {load: rate(points, load, 512) / rate(points, load, 8) for load in runs.LOADS}
    ordered = all(
        rates[f"constant {way}"] > 1.03 * rates[f"sequential {way}"] > 1.03**2 * rates[f"random {way}"]
        for way in ("read", "write")
    )
    reads = rates["constant read"] > rates["sequential read"] > rates["random read"]
    return Finding(
        graded(ordered and min(grown.values()) > 1.2, reads and min(grown.values()) > 1),
        "at 128 KB, MB/s: " + by_load(rates),
        "512 KB over 8 KB: " + by_load(grown),
        "",
    )


def judge_processes(points: dict) -> Finding:
    gains = {load: process_gain(points, load) for load in runs.READS}
    return Finding(
        graded(max(gains.values()) <= 1.15, gains["constant read"] <= 1.15),
        f"{runs.PROCESSES[-1]} over 1: " + by_load(gains),
        "commands queue on the connection without a bound, and the target carries out all that it has. "
        "Constant "
        "reads are held by the connection's own cost; where the disks have to turn, more commands out "
        "at once "
        "keep all four busy, unless a target takes one at a time, which the paper does not say of its own",
        "",
    )


def two(points: dict, load: str) -> tuple[float, float, float]:
    """One host alone, the slower of two, both together, MB/s."""
    return (
        rate(points, load, runs.REQUEST),
        rate(points, load, runs.REQUEST, "two hosts", "slower_host"),
        rate(points, load, runs.REQUEST, "two hosts"),
    )


def judge_two_constant(points: dict) -> Finding:
    alone, slower, both = two(points, "constant read")
    return Finding(
        # Not more: where the scenario puts the cost decides it.
        graded(False, slower >= 0.9 * alone),
        f"{alone:.1f} → {both:.1f} MB/s; the slower host {slower:.1f}",
        "no more than the same direction whatever it measures: the scenario gives each host's connection a cost "
        "of its own, on a link of its own, from which this follows while the network of 1 Gbit/s has room",
        f"{2 * model(runs.REQUEST):.1f}",
    )


def less_each_more_in_total(points: dict, load: str, why: str) -> Finding:
    alone, slower, both = two(points, load)
    return Finding(
        graded(both >= 1.15 * alone and both / 2 <= 0.95 * alone, both > alone),
        f"{alone:.1f} → {both:.1f} MB/s, {both / alone:.2f} times; the slower host {slower:.1f}",
        why,
        "",
    )


def judge_two_random(points: dict) -> Finding:
    return less_each_more_in_total(
        points, "random read", "while one host's data is under way the disks serve the other"
    )


def judge_two_sequential(points: dict) -> Finding:
    turns = rate(points, "random read", runs.REQUEST, "two hosts")
    return less_each_more_in_total(
        points,
        "sequential read",
        "without read-ahead each disk's arm has to go from one host's place to the other's for each "
        "request: two "
        f"sequential hosts have {two(points, 'sequential read')[2] / turns:.2f} of two random hosts. "
        "The paper's "
        "target would have to read ahead, which it does not say",
    )


def judge_buffer(points: dict) -> Finding:
    buffers = settings_of(points, "buffer", "buffer", by_stripe=True)
    rates = {buffer: buffer_rate(points, buffer) for buffer in buffers}
    step = buffer_rate(points, 128) / buffer_rate(points, 64)
    beyond = buffer_rate(points, 512) / buffer_rate(points, 128)
    alone = ""
    if has(points, "buffer", buffer=64, by_stripe=False):
        times = buffer_rate(points, 128, False) / buffer_rate(points, 64, False)
        alone = f". The buffer alone, with a target that reads whole requests: {times:.2f} times"
    return Finding(
        graded(step >= 1.3 and 0.9 <= beyond <= 1.1, step > beyond),
        ", ".join(f"{buffer} KB {value:.1f}" for buffer, value in rates.items())
        + f" MB/s; 64 to 128 KB {step:.2f} times, 128 to 512 KB {beyond:.2f} times",
        "sequential reads of 512 KB. A send buffer of 64 KB holds two stripe units, one of 128 KB four, so "
        "that all four disks work on it; where the step ends is predicted, how high it is depends on the "
        "disks' rate" + alone,
        "",
    )


def show_connections(points: dict) -> Finding:
    gains = {load: process_gain(points, load, "MC/S") for load in runs.READS}
    return Finding(
        ADDITION,
        f"{runs.PROCESSES[-1]} connections and processes over one: " + by_load(gains),
        "the cost of moving data is a host's here, whatever the number of its connections: from two "
        "hosts alone "
        "it cannot be told whether it is a connection's or a host's. With one connection for all processes: "
        + by_load({load: process_gain(points, load) for load in runs.READS}),
        "",
    )


CLAIMS = [
    Claim(
        "constant-read",
        "Constant read rises with the request size and is at its best from 256 KB on.",
        "23 MB/s at 256 KB",
        "512 KB has at most 1.05 times the throughput of 256 KB, and 32 KB less than 0.95 of it; same "
        "direction: at most 1.15 times",
        judge_saturation,
    ),
    Claim(
        "constant-write",
        "Constant write is slower than constant read.",
        "19 MB/s at 512 KB",
        "within 10 % of 19 MB/s, by the cost that was set from the read; same "
        "direction: at most 0.95 of a read",
        judge_write,
    ),
    Claim(
        "six-loads",
        "All six loads rise with the request size; constant is fastest, then sequential, then random.",
        "as curves",
        "at 128 KB in that order for reads and for writes, each step more than 3 %; 512 KB more than "
        "1.2 times 8 "
        "KB everywhere; same direction: the order holds for reads, all rise",
        judge_six,
    ),
    Claim(
        "processes",
        "More processes on the one connection do not help (requests of 128 KB).",
        "no gain",
        "8 processes have at most 1.15 times the throughput of one, for constant, sequential and random "
        "reads; "
        "same direction: for constant reads",
        judge_processes,
    ),
    Claim(
        "two-constant",
        "Two hosts at once: for constant requests each gets almost what one alone gets.",
        "almost the same each",
        "reads of 128 KB, same direction at most: the slower host has at least 0.9 of one alone",
        judge_two_constant,
    ),
    Claim(
        "two-random",
        "Two hosts at once: for random requests less each, but more in total.",
        "less each, more in total",
        "reads of 128 KB: both together at least 1.15 times one alone, each at most 0.95 of it; same "
        "direction: "
        "more in total",
        judge_two_random,
    ),
    Claim(
        "two-sequential",
        "Two hosts at once: for sequential requests less each, but more in total.",
        "less each, more in total",
        "reads of 128 KB: both together at least 1.15 times one alone, each at most 0.95 of it; same "
        "direction: "
        "more in total",
        judge_two_sequential,
    ),
    Claim(
        "buffer-step",
        "The send buffer's step from 64 to 128 KB (32 KB for each of 4 disks) is large, beyond it all is "
        "flat.",
        "large, then flat",
        "sequential read: 128 KB at least 1.3 times 64 KB, 512 KB 0.9 to 1.1 of 128 KB; same direction: "
        "the step "
        "is larger than what follows",
        judge_buffer,
    ),
    Claim(
        "connections",
        "The paper proposes several connections in a session and did not build them.",
        "",
        "none",
        show_connections,
    ),
]


def measure(lab) -> dict:
    return runs.measure(lab)
