# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 1: sequential Reads over a long path (Yamaguchi, Oguchi, Kitsuregawa 2003)."""

from __future__ import annotations

import numpy

from .captures import both_ends, packets
from .captures import measure as analyzer
from .claim import ADDITION, Claim, Finding, graded
from .points import mean, rows_of, settings_of, spread

NAME = "latency"
TITLE = "Sequential Reads over high latency"
SOURCE = (
    "S. Yamaguchi, M. Oguchi, M. Kitsuregawa: analysis of iSCSI sequential storage access in long-delayed, "
    "high-throughput networks, 2003."
)
METHOD = """\
The paper: one thread reads sequentially from an infinitely fast disk. Each system call asks for 500 KB,
which the SCSI layer splits into Reads of 127.5 KB (three) and 117.5 KB, issued one after the other. A
second initiator issues Reads of 125 KB, 1, 2 or 4 MB whole. The TCP window is 1 MB, the layer below carries
about 40 MB/s, and a delay of 0.14 to 16 ms one way is added. A plain socket over the same path is the
baseline.

Here: `papers/latency-read` and `papers/latency-socket` run with real TCP over the shim. Set once, for all
delays: the link's rate (40 MB/s of payload in full segments), windows and send buffers of 1 MB, TCP time
stamps off (full segments of 1460 bytes), the target's Nagle's algorithm on and its status apart from the
data. Nothing is derived from what the paper measured. T, the rate of the layer below, is read off socket
turns at each delay: a request, then as many bytes as a Read has; T is the answer's bytes behind its first
segment over the time from the first segment to the last. d is read off the commands in the captures of both
ends.

Steady: in one session, without the first Reads, in which the congestion window opens. Cold: the first Read
of a session, whose congestion window is at its initial value; one run a Read. The paper does not say which
of the two its figures are. A point is the mean of 3 runs, of 5 for the default and of 10 for cold Reads at
16 ms; bars go from the lowest to the highest run."""
SYMBOLS = {
    "d": "one-way delay of the path, ms",
    "B": "block: bytes that one Read moves",
    "T": "throughput of the layer below: rate at which TCP delivers a block's bytes once they flow, MB/s",
    "cycle": "time from one command to the next; the model is cycle = 4·d + B/T",
    "idle share": (
        "time of a cycle in which no segment passes the initiator's end, over the cycle; by the model "
        "4·d / (4·d + B/T)"
    ),
    "KB, MB of blocks": "1024 and 1,048,576 bytes; MB/s is 1,000,000 bytes a second",
}

DELAYS = [0.14, 1, 2, 4, 8, 16]  # ms one way
LAYER = 40e6  # bytes of payload a second that the link carries, at every delay
DEFAULT = "default"  # 500 KB in Reads of 127.5, 127.5, 127.5, 117.5 KB
DEFAULT_READ = 130560  # bytes of the first three
BLOCKS = {DEFAULT: DEFAULT_READ, "125 KB": 128000, "1 MB": 1 << 20, "2 MB": 2 << 20, "4 MB": 4 << 20}
WARM_UP = {DEFAULT: 8, "125 KB": 8, "1 MB": 4, "2 MB": 4, "4 MB": 4}  # Reads left out of a steady run
REQUESTS = {DEFAULT: 15, "125 KB": 50, "1 MB": 28, "2 MB": 20, "4 MB": 16}

PUBLISHED_IDLE = {1: 57, 2: 73, 4: 84, 8: 88, 16: 91}  # %
PUBLISHED_ERROR = {1: 9, 2: 8, 4: 4, 8: 1, 16: 4}  # %, model against measurement
PUBLISHED_4MB = 10.4  # MB/s at 16 ms
PUBLISHED_PACKETS = 91


# What is run


def path(delay: float) -> dict[str, str]:
    """Settings of both scenarios."""
    on_the_wire = LAYER * 8 * 1500 / 1460
    time_stamps = {f'host.{host}.sysctl."net.ipv4.tcp_timestamps"': "0" for host in ("initiator", "target")}
    return {
        "link.path.delay": f"{round(delay * 1000)}us",
        "link.path.rate": f"{on_the_wire / 1e3:.0f}kbit/s",
        "host.target.capture": "true",
        **time_stamps,
    }


def lateness_bound(delay: float) -> float:
    """µs: a quarter of the delay, where the times of small Reads count."""
    return min(max(delay * 250, 150), 1000)


def lateness_bound_of(delay: float, block: str) -> float:
    """µs: of a whole block 3 % of the least time that it takes, 2·d + B/T, as its throughput is all that
    counts."""
    if block == DEFAULT:
        return lateness_bound(delay)
    return max(lateness_bound(delay), 0.03 * (2000 * delay + BLOCKS[block] / LAYER * 1e6))


def measure(lab) -> dict:
    rows: list[dict] = []
    points = {"rows": rows}
    delays = [1, 16] if lab.quick else DELAYS
    for delay in delays:
        for repeat in range(1 if lab.quick else 3):
            rows.append(socket_turns(lab, delay, repeat))
            rows.append(socket_stream(lab, delay, repeat))
        for block in BLOCKS:
            if lab.quick and block in ("125 KB", "2 MB"):
                continue
            for repeat in range(1 if lab.quick else 5 if block == DEFAULT else 3):
                rows.append(steady_reads(lab, delay, block, repeat))
        for repeat in range(1 if lab.quick else 10 if delay == 16 else 3):
            rows.append(cold_read(lab, delay, repeat))
        for repeat in range(1 if lab.quick else 3):
            rows.append(steady_reads(lab, delay, DEFAULT, repeat, sending="no delay"))
    if not lab.quick:
        points["ladder"] = ladder(lab, 8)
    return points


def socket_turns(lab, delay: float, repeat: int) -> dict:
    turns = 40
    run = lab.run(
        f"socket turns of 127.5 KB, {delay} ms",
        "papers/latency-socket",
        {
            **path(delay),
            "program.socket.options.bytes": f'"{DEFAULT_READ}B"',
            "program.socket.options.count": turns,
        },
        lateness_bound(delay),
        repeat=repeat,
    )
    found = packets.answers(packets.segments(run.capture("initiator")), 5001)
    lab.forget(run)
    rates = (found["bytes_behind"] / (found["last_ns"] - found["first_ns"]) * 1e9).iloc[8:]
    return {"kind": "turns", "delay": delay, "valid": run.valid, "layer": float(rates.median() / 1e6)}


def socket_stream(lab, delay: float, repeat: int) -> dict:
    megabytes = 40 if lab.quick else 100
    run = lab.run(
        f"socket, one stream of {megabytes} MB, {delay} ms",
        "papers/latency-socket",
        {
            **path(delay),
            "host.target.capture": "false",
            "program.socket.options.bytes": f'"{megabytes}MB"',
            "program.socket.options.count": 1,
        },
        repeat=repeat,
    )
    found = packets.segments(run.capture("initiator"))
    lab.forget(run)
    return {
        "kind": "socket",
        "delay": delay,
        "valid": run.valid,
        "rate": packets.stream_rate(found, 0.6) / 1e6,
        "whole": packets.stream_rate(found) / 1e6,
    }


def steady_reads(lab, delay: float, block: str, repeat: int, sending: str = "held") -> dict:
    """`sending`: "held" as the scenario has it, Nagle's algorithm on; "no delay": off."""
    settings = {**path(delay), "program.reader.options.count": REQUESTS[block] // (2 if lab.quick else 1)}
    if block != DEFAULT:
        settings |= {
            "program.reader.options.block": f'"{BLOCKS[block]}"',
            "program.reader.options.split": "false",
            "host.target.capture": "false",
        }
    if sending == "no delay":
        settings["program.target.options.nagle"] = '"off"'
    run = lab.run(
        f"{block}, {delay} ms" + (", TCP_NODELAY" if sending == "no delay" else ""),
        "papers/latency-read",
        settings,
        lateness_bound_of(delay, block),
        repeat=repeat,
    )
    reads = analyzer.cycles(run.capture("initiator"), "read", 100000)
    steady = reads.iloc[min(WARM_UP[block], len(reads) // 3) :]
    row = {
        "kind": "read",
        "delay": delay,
        "block": block,
        "sending": sending,
        "valid": run.valid,
        "rate": analyzer.rate_of(steady) / 1e6,
    }
    whole = steady[(steady["bytes_moved"] == BLOCKS[block]) & steady["cycle_time_ns"].notna()]
    row |= {
        "cycle_ms": float(whole["cycle_time_ns"].median() / 1e6),
        "reads": len(whole),
        "idle_share": float((whole["idle_ns"] / whole["cycle_time_ns"]).median()),
        "idle_ms": float(whole["idle_ns"].median() / 1e6),
    }
    if block == DEFAULT:
        row |= both_ends.waits(run, whole)
    lab.forget(run)
    return row


def cold_read(lab, delay: float, repeat: int) -> dict:
    run = lab.run(
        f"first Read of 4 MB in a session, {delay} ms",
        "papers/latency-read",
        {
            **path(delay),
            "host.target.capture": "false",
            "program.reader.options.count": 1,
            "program.reader.options.block": '"4MiB"',
            "program.reader.options.split": "false",
        },
        lateness_bound_of(delay, "4 MB"),
        repeat=repeat,
    )
    reads = analyzer.cycles(run.capture("initiator"), "read", 100000)
    lab.forget(run)
    first = reads.iloc[0]
    return {
        "kind": "cold",
        "delay": delay,
        "valid": run.valid,
        "ms": float(first["response_time_ns"] / 1e6),
        "rate": float(first["bytes_moved"] / first["response_time_ns"] * 1e3),
    }


def ladder(lab, delay: float) -> dict:
    run = lab.run(
        f"packet ladder, {delay} ms",
        "papers/latency-read",
        {**path(delay), "program.reader.options.count": 6},
        lateness_bound(delay),
    )
    read = analyzer.cycles(run.capture("initiator"), "read", 100000).iloc[13]
    segments = both_ends.ladder(run, read)
    lab.forget(run)
    return {"delay": delay, "valid": run.valid, "segments": segments}


# What is judged


def model_ms(points: dict, delay: float, intervals: int = 4, sending: str = "held") -> float:
    d = mean(points, "d_ms", "read", delay=delay, block=DEFAULT, sending=sending)
    return intervals * d + DEFAULT_READ / mean(points, "layer", "turns", delay=delay) / 1e3


def default_cycle(points: dict, delay: float, figure: str, sending: str = "held") -> float:
    return mean(points, figure, "read", delay=delay, block=DEFAULT, sending=sending)


def by_delay(values: dict, unit: str = "", signed: bool = False) -> str:
    return ", ".join(
        f"{delay:g} ms {value:+.1f}{unit}" if signed else f"{delay:g} ms {value:.1f}{unit}"
        for delay, value in values.items()
    )


def judge_idle(points: dict) -> Finding:
    shares = {d: 100 * default_cycle(points, d, "idle_share") for d in PUBLISHED_IDLE}
    model = {d: 400 * default_cycle(points, d, "d_ms") / model_ms(points, d) for d in PUBLISHED_IDLE}
    worst = max(abs(shares[d] - PUBLISHED_IDLE[d]) for d in shares)
    rising = all(a < b for a, b in zip(shares.values(), list(shares.values())[1:]))
    return Finding(
        graded(worst <= 5 and rising, rising),
        by_delay(shares, " %"),
        f"largest difference {worst:.1f} points; the share {'rises' if rising else 'does not rise'} with "
        "every delay. The link's rate is the same at all delays",
        by_delay(model, " %"),
    )


def judge_model(points: dict) -> Finding:
    errors = {
        d: 100 * (model_ms(points, d) / default_cycle(points, d, "cycle_ms") - 1) for d in PUBLISHED_ERROR
    }
    worst = max(abs(error) for error in errors.values())
    return Finding(
        graded(worst <= 9, worst <= 18),
        "model off by " + by_delay(errors, " %", signed=True),
        f"largest error {worst:.1f} %; d by the captures of both ends, T by the socket's turns, the median "
        "cycle",
        by_delay({d: model_ms(points, d) for d in errors}, " ms"),
    )


def judge_intervals(points: dict) -> Finding:
    texts, good, four = [], True, True
    for delay in (8, 16):
        rows = rows_of(points, "read", delay=delay, block=DEFAULT, sending="held")
        lengths = numpy.mean([row["quiet_lengths"] for row in rows if row["quiet_lengths"]], axis=0).tolist()
        share = mean(points, "quiet_four_share", "read", delay=delay, block=DEFAULT, sending="held")
        idle = default_cycle(points, delay, "idle_ms") / default_cycle(points, delay, "d_ms")
        four = four and default_cycle(points, delay, "quiet") == 4
        good = good and four and share >= 0.9 and 3.8 <= idle <= 4.2 and max(lengths) <= 1.1
        texts.append(
            f"{delay} ms: four in {100 * share:.0f} % of the Reads, of "
            f"{', '.join(f'{length:.2f}' for length in lengths)} d; idle {idle:.2f} d"
        )
    without = default_cycle(points, 16, "quiet", "no delay")
    return Finding(
        graded(good, four),
        "; ".join(texts),
        "1 the command under way, 2 the first data under way, 3 the ACK of the data under way while Nagle's "
        "algorithm holds the small status, 4 the status under way. The paper does not say why there are "
        f"four; with TCP_NODELAY, all else alike, {without:.0f} are left at 16 ms",
        "4",
    )


def judge_packets(points: dict) -> Finding:
    delays = settings_of(points, "delay", "read", block=DEFAULT, sending="held")
    counts = {d: default_cycle(points, d, "segments") for d in delays}
    share = min(default_cycle(points, d, "segments_as_median") for d in delays)
    exact = all(count == PUBLISHED_PACKETS for count in counts.values())
    return Finding(
        graded(exact and share >= 0.9, all(abs(count - 91) <= 2 for count in counts.values())),
        f"{', '.join(f'{d:g} ms {count:g}' for d, count in counts.items())}; that number in at least "
        f"{100 * share:.0f} % of the Reads",
        "segments with payload from the target in a Read of 127.5 KB, counted in the initiator's capture",
        "⌈(130,560 + 48) / 1460⌉ = 90 of data, and the status",
    )


def judge_4mb_rate(points: dict) -> Finding:
    cold = spread(points, "rate", "cold", delay=16)
    steady = mean(points, "rate", "read", delay=16, block="4 MB", sending="held")
    off = cold.mean / PUBLISHED_4MB - 1
    return Finding(
        graded(abs(off) <= 0.15, abs(off) <= 0.4),
        f"cold {cold.mean:.2f} MB/s ({cold.low:.2f} to {cold.high:.2f} in {cold.runs} runs), "
        f"{100 * off:+.0f} %; steady {steady:.1f} MB/s",
        "judged cold; the paper does not say whether its congestion window was open. Steady Reads of "
        f"today's TCP are {steady / PUBLISHED_4MB:.1f} times as fast as published, so that the figure is "
        "met by Reads that begin with the initial window only",
        "",
    )


def judge_4mb_share(points: dict) -> Finding:
    layer = mean(points, "rate", "socket", delay=16)
    cold = mean(points, "rate", "cold", delay=16) / layer
    steady = mean(points, "rate", "read", delay=16, block="4 MB", sending="held") / layer
    return Finding(
        graded(0.45 <= cold <= 0.6, cold < 0.8),
        f"cold {cold:.2f} of {layer:.1f} MB/s; steady {steady:.2f}",
        "the layer below is the socket's steady stream at 16 ms. It is slower there than at 8 ms because "
        "the send buffer of 1 MB, which the kernel counts with its own overhead, holds less than the path",
        "",
    )


def judge_up_to_4ms(points: dict) -> Finding:
    def share(delay, kind, **where):
        return mean(points, "rate", kind, delay=delay, **where) / mean(points, "rate", "socket", delay=delay)

    steady = {d: share(d, "read", block="4 MB", sending="held") for d in (1, 2, 4, 8, 16)}
    cold = {d: share(d, "cold") for d in (1, 2, 4)}
    near = min(steady[d] for d in (1, 2, 4))
    return Finding(
        graded(near >= 0.85 and steady[16] < near, near >= 0.7),
        "steady "
        + ", ".join(f"{d} ms {value:.2f}" for d, value in steady.items())
        + "; cold "
        + ", ".join(f"{d} ms {value:.2f}" for d, value in cold.items()),
        "Reads of 4 MB over the socket's steady stream at the same delay; judged steady: a cold Read is "
        "short of the socket at 4 ms already",
        "",
    )


def judge_blocks(points: dict) -> Finding:
    rates = {block: mean(points, "rate", "read", delay=16, block=block, sending="held") for block in BLOCKS}
    grown = [rates[block] for block in BLOCKS if block != DEFAULT]
    ordered = all(b > a for a, b in zip(grown, grown[1:]))
    times = rates["4 MB"] / rates[DEFAULT]
    return Finding(
        graded(ordered and times >= 5, rates["4 MB"] > 2 * rates[DEFAULT]),
        ", ".join(f"{block} {rate:.2f} MB/s" for block, rate in rates.items()),
        f"steady; 4 MB is {times:.1f} times the default",
        "",
    )


def show_no_delay(points: dict) -> Finding:
    errors = {
        d: 100 * (model_ms(points, d, 2, "no delay") / default_cycle(points, d, "cycle_ms", "no delay") - 1)
        for d in settings_of(points, "delay", "read", block=DEFAULT, sending="no delay")
        if d >= 1
    }
    return Finding(
        ADDITION,
        f"cycle at 16 ms {default_cycle(points, 16, 'cycle_ms', 'no delay'):.1f} ms; 2·d + B/T off by "
        + by_delay(errors, " %", signed=True),
        "the held status is what costs two of the four intervals",
        "2·d + B/T",
    )


def show_cold(points: dict) -> Finding:
    rates = {d: mean(points, "rate", "cold", delay=d) for d in settings_of(points, "delay", "cold")}
    return Finding(
        ADDITION,
        by_delay(rates, " MB/s"),
        "the congestion window doubles each round trip from ten segments until the send buffer is full",
        "",
    )


CLAIMS = [
    Claim(
        "idle-share",
        "Most of the cycle is idle, and more of it with every millisecond of delay.",
        "57, 73, 84, 88, 91 % at 1, 2, 4, 8, 16 ms",
        "at each of the five delays within 5 points of the published share, and rising",
        judge_idle,
    ),
    Claim(
        "model",
        "The cycle is 4·d + B/T.",
        "model off by 9, 8, 4, 1, 4 % at 1, 2, 4, 8, 16 ms",
        "model within 9 % of the measured cycle (the largest published error) at each of the five delays",
        judge_model,
    ),
    Claim(
        "four-intervals",
        "A cycle has four idle intervals of one one-way delay each.",
        "4",
        "at 8 and at 16 ms: exactly four stretches longer than d/2 without a segment at either end, in at"
        " least 90 % of the Reads, none longer than 1.1 d, and an idle time of 3.8 to 4.2 d",
        judge_intervals,
    ),
    Claim(
        "packets",
        "One cycle is 91 packets.",
        "91",
        "exactly 91 in the median Read of 127.5 KB at every delay, and in at least 90 % of the Reads",
        judge_packets,
    ),
    Claim(
        "4mb-rate",
        "Reads of 4 MB at 16 ms run at 10.4 MB/s.",
        "10.4 MB/s",
        "cold Reads within 15 %",
        judge_4mb_rate,
    ),
    Claim(
        "4mb-share",
        "That is a little over half of the layer below.",
        "a little over 0.5",
        "cold Reads at 0.45 to 0.60 of the socket's steady stream at 16 ms",
        judge_4mb_share,
    ),
    Claim(
        "up-to-4ms",
        "Up to 4 ms large blocks are about as fast as a socket.",
        "about 1",
        "steady Reads of 4 MB at 0.85 or more of the socket at 1, 2 and 4 ms, and at less than each of these"
        " at 16 ms",
        judge_up_to_4ms,
    ),
    Claim(
        "block-size",
        "The larger the block, the better the delay is hidden.",
        "4 MB at 16 ms several times the default",
        "at 16 ms each larger block is faster, and 4 MB at least five times the default",
        judge_blocks,
    ),
    Claim(
        "two-intervals",
        "Not in the paper: with TCP_NODELAY two intervals are left.",
        "",
        "none",
        show_no_delay,
    ),
    Claim("cold", "Not in the paper: the first Read of 4 MB in a session, by delay.", "", "none", show_cold),
]
