# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 4: iSCSI-APT, which tunes the number of connections of a session (Nomoto et al. 2011)."""

from __future__ import annotations

import statistics

from . import apt_changes as changes
from .claim import ADDITION, SIMULATED_TCP, Claim, Finding, MissingPoint, graded
from .points import has, mean, rows_of
from .runs import apt as runs

NAME = "apt"
TITLE = "iSCSI-APT: parallel connections tuned"
SOURCE = "Y. Nomoto, H. Ohsaki, F. Inoue, M. Imase: iSCSI-APT, automatic parallelism tuning for iSCSI, 2011."
METHOD = """\
The paper simulates one session of N connections (MC/S) over 1 Gbit/s with a round trip of 10 ms, a drop-tail
queue of 500 packets, socket buffers of 64 KB, and Reads of one PDU of 1 MB each, first round robin, then on
the connection that has finished. G(N) is what completes in a fixed measuring time T_m. APT, stage 1: from N =
4, double N (add 2 where the bandwidth rose, subtract 2 where it fell) until G falls; the last three N are a
bracket. Stage 2: a golden section search in the bracket, until it holds three consecutive numbers; the middle
one stays. One T_m after a change of the bandwidth APT is told of it and begins anew.

Here: `papers/apt` with real TCP over the shim and the rule unaltered: one T_m a point, no margin. Rates 1 to
10 (100 Mbit/s, queue of 50 packets), windows 1 to 4 (16 KB), PDUs 1 to 16 (64 KB), T_m 1 to 5 (1 s), at most
32 connections; round trip as published, with 0.2 ms of jitter, so that seeds differ. The changing bandwidth
has seven steps of 15 Mbit/s and 10 s (150 Mbit/s and 50 s), a round trip of 34 ms and windows of 32 KB (128
KB); the paper's last 300 of 700 s are the last three steps. The order of its steps is not known here; 70, 85,
100, 85, 70, 55, 70 Mbit/s was chosen. N fixed, beside it, is the N at which that APT run ended; three such
pairs of runs.

APT is judged by its own throughput: that of its own run, from when it had settled to the end. The paper's
simulated TCP has coarse timers and no selective acknowledgements. The nearest that the kernel has is Reno
without SACK, without losses found by time and without tail probes, but with today's timers and initial window
of ten: "Reno, no SACK", by which claims are judged. CUBIC with SACK, today's TCP, is run beside it.

Throughputs are bytes of the Reads that ended in a time, in the initiator's capture. What the tuner chose is
told by the initiator's log."""
SYMBOLS = {
    "N": "connections that carry Reads; the session has 32 open",
    "G(N)": "throughput of the session with N connections, MB/s",
    "T_m": "measuring time, s",
    "settled": "the search has ended: its bracket holds three consecutive numbers",
    "own throughput": "of an APT run from when it had settled to its end, MB/s",
    "link": "100 Mbit/s less headers: 12.07 MB/s of payload",
    "deviation": (
        "population standard deviation of the throughputs of the connections that carried Reads in a T_m"
    ),
    "swing": "standard deviation of that over time, as a share of its mean",
    "valley": "of the Read times, by the logarithm: the emptiest class between two peaks over the lower peak",
    "MB/s": "1,000,000 bytes a second; KB of sizes are 1024 bytes",
}

PUBLISHED_N = 47
# What N windows hold, over what the path and its queue hold: 47 · 64 KB over 1.25 MB + 500 packets. The same
# share here.
SCALED_N = PUBLISHED_N * 65536 / (1.25e6 + 500 * 1500) * (125e3 + 50 * 1500) / 16384
PUBLISHED_READ_TIMES = {"fixed": [8.6, 67.7, 20.5, 2.1, 1.1], "APT": [34.0, 33.4, 24.7, 5.4, 2.4]}
PUBLISHED_PDUS = {"fixed": 15383, "APT": 15660}


def model(n: int) -> float:
    """MB/s: a Read takes one round trip and one more for each window of its PDU, at most the link."""
    return min(n * runs.BLOCK * 1024 / (0.010 * (1 + runs.BLOCK / 16)) / 1e6, runs.CAPACITY)


def by_n(points: dict, sender: str, figure: str = "by_time") -> dict[int, float]:
    found = {}
    for n in runs.FIXED:
        if has(points, "fixed", sender=sender, n=n):
            found[n] = mean(points, figure, "fixed", sender=sender, n=n)
    if len(found) < 3:
        raise MissingPoint(f"too few N were run: {sender}")
    return found


def whole(points: dict, sender: str, figure: str = "by_time") -> dict[int, float]:
    found = by_n(points, sender, figure)
    if len(found) < len(runs.FIXED):
        raise MissingPoint(f"not every N was run: {sender}")
    return found


def listed(found: dict, unit: str = "") -> str:
    return ", ".join(f"{n}: {value:.2f}" for n, value in found.items()) + unit


def searches(points: dict, sender: str = runs.NEAREST, tm=runs.TM, initial=4, rule="paper") -> list[dict]:
    return rows_of(points, "search", sender=sender, tm=tm, initial=initial, rule=rule)


def text_of(rows: list[dict]) -> str:
    return ", ".join(
        (
            f"N {row['found']} after {row['settled_s']:.1f} s"
            if row["settled_s"] >= 0
            else f"not settled, N {row['found']}"
        )
        for row in rows
    )


def judge_chunk(points: dict) -> Finding:
    time, chunk = (by_n(points, runs.NEAREST, figure) for figure in ("by_time", "by_chunk"))
    last = max(time)
    share_time, share_chunk = time[last] / max(time.values()), chunk[last] / max(chunk.values())
    return Finding(
        graded(share_chunk < share_time - 0.05, share_chunk < share_time),
        f"at N = {last} {share_time:.2f} of the peak by time, {share_chunk:.2f} by a chunk of {runs.CHUNK}"
        " Reads",
        "of the same runs. A chunk ends with its last Read: the more connections, the more of them stand idle"
        " at its end",
    )


def judge_peak(points: dict) -> Finding:
    old, new = whole(points, runs.NEAREST), whole(points, runs.TODAY)

    def shape(found: dict) -> tuple[bool, float]:
        best = max(found, key=found.get)
        values = list(found.values())
        top = list(found).index(best)
        rises = all(b >= 0.98 * a for a, b in zip(values[: top + 1], values[1 : top + 1]))
        falls = all(b <= 1.02 * a for a, b in zip(values[top:], values[top + 1 :]))
        return rises and falls, found[max(found)] / found[best]

    (one_peak, last), (_, last_today) = shape(old), shape(new)
    return Finding(
        graded(one_peak and last <= 0.9, one_peak and last < 0.98),
        listed(old, f" MB/s; the last is {last:.2f} of the best"),
        f"with {runs.TODAY}: {listed(new)} MB/s, the last {last_today:.2f} of the best. A kernel repairs what"
        " the queue drops without a timeout where enough segments follow the loss, so that too many"
        " connections cost little. The study apt-reasons has timeouts of a second",
        listed({n: model(n) for n in old}, " MB/s"),
    )


def judge_converges(points: dict) -> Finding:
    rows = searches(points)
    bar = runs.CAPACITY * 0.9
    good = [row for row in rows if 0 <= row["settled_s"] <= 12 * runs.TM + 0.5 and row["own"] >= bar]
    settled = [row for row in rows if 0 <= row["settled_s"] <= 12 * runs.TM + 0.5]
    own = statistics.fmean(row["own"] for row in rows)
    return Finding(
        graded(len(good) >= 0.8 * len(rows), len(settled) >= 0.8 * len(rows)),
        f"{len(good)} of {len(rows)} runs; {text_of(rows)}; own throughput {own:.2f} MB/s, "
        f"{own / runs.CAPACITY:.2f} of the link",
        "12 T_m are the paper's 60 s. That a search ends is nearly sure, as each point of stage 2 shortens"
        " its bracket; whether it ends where the session is fast is not.",
    )


def plateau(points: dict) -> str:
    """The experiment with N fixed that tells what there is to find."""
    found = by_n(points, runs.NEAREST)
    top = max(found.values())
    first = min(n for n, value in found.items() if value >= 0.98 * top)
    return (
        f"With N fixed the throughput is within 2 % of its best from N = {first} on, and at N = {max(found)}"
        f" it is {found[max(found)] / top:.3f} of it"
    )


def judge_n(points: dict) -> Finding:
    starts = {4: searches(points)} | {i: searches(points, initial=i) for i in runs.INITIALS}
    medians = {start: statistics.median(row["found"] for row in rows) for start, rows in starts.items()}
    low, high = 0.75 * SCALED_N, 1.25 * SCALED_N
    return Finding(
        graded(all(low <= n <= high for n in medians.values()), low <= medians[4] <= high),
        "; ".join(
            f"from {start}: {', '.join(str(row['found']) for row in starts[start])}"
            for start in sorted(starts)
        ),
        "from 4 the bracket is one of 4, 8, 16, 32, whose middle is near the scaled N by itself; the searches"
        " from 3 and 5 pass 3, 6, 12, 24 and 5, 10, 20, 32, so that what is found must come from the"
        f" throughput. {plateau(points)}",
        f"N windows over path and queue as in the paper: {SCALED_N:.1f}",
    )


def judge_tm(points: dict) -> Finding:
    tms = [tm for tm in sorted([*runs.SHORT_TMS, runs.TM]) if tm >= 0.4]
    found = {tm: [row["found"] for row in searches(points, tm=tm)][:2] for tm in tms}
    medians = [statistics.fmean(values) for values in found.values()]
    apart = max(medians) - min(medians)
    return Finding(
        graded(apart <= 4, apart <= 8),
        "; ".join(f"T_m {tm:g} s: {', '.join(map(str, values))}" for tm, values in found.items()),
        f"means of two runs {apart:.1f} apart; brackets of stage 1 allow 4 to 32. {plateau(points)}",
    )


def judge_short_tm(points: dict) -> Finding:
    short, long = searches(points, tm=0.1), searches(points)
    own = [statistics.fmean(row["own"] for row in rows) for rows in (short, long)]
    scatter = [
        max(row["found"] for row in rows) - min(row["found"] for row in rows) for rows in (short, long)
    ]
    return Finding(
        graded(own[0] <= 0.95 * own[1], scatter[0] > scatter[1]),
        f"T_m 0.1 s: {text_of(short)}; own throughput {own[0]:.2f} MB/s against {own[1]:.2f} with T_m 1 s",
        "0.1 s for the paper's 0.5 s: a Read takes some 0.05 s and more, so that a T_m holds one or two of"
        f" each connection. {plateau(points)}",
    )


def judge_unequal(points: dict) -> Finding:
    def of(sender: str) -> tuple[float, float]:
        rows = searches(points, sender)
        return tuple(statistics.fmean(row[name] for row in rows) for name in ("unequal", "windows_unequal"))

    (rates, windows), (today, _) = of(runs.NEAREST), of(runs.TODAY)
    rows = searches(points)
    good = rates >= 4 and windows <= 2
    return Finding(
        graded(good, rates >= 2) if good or rates >= 2 else SIMULATED_TCP,
        f"fastest over slowest connection {rates:.2f} (in one run {rows[0]['slowest']:.2f} to "
        f"{rows[0]['fastest']:.2f} Mbit/s); median flights {windows:.2f} times apart",
        f"since APT had settled; with {runs.TODAY} {today:.2f}. In a simulation without jitter the packets of"
        " some connections meet a full queue in phase again and again; here the kernel repairs a loss within"
        " a few round trips, and all connections lose alike. The study apt-reasons has"
        " timeouts of a second",
    )


def judge_split(points: dict) -> Finding:
    rows, today = searches(points), searches(points, runs.TODAY)
    depth, depth_today = (statistics.fmean(row["valley"] for row in r) for r in (rows, today))
    return Finding(
        graded(depth <= 0.5, depth <= 0.75) if depth <= 0.75 else SIMULATED_TCP,
        f"valley {depth:.2f} of the lower peak; 1: none",
        f"Reads since APT had settled; with {runs.TODAY} {depth_today:.2f}. A fast and a slow group need"
        " connections that stay slow. The study apt-reasons has timeouts of a second",
    )


def relative(points: dict, storage: str, block: int, figure: str = "relative") -> list[float]:
    return [row[figure] for row in rows_of(points, "spread", role="found", storage=storage, block=block)]


def judge_storage(points: dict) -> Finding:
    without, with_delay = (relative(points, storage, runs.BLOCK, "spread_ms") for storage in runs.SPREADS)
    few = [mean(points, "spread_ms", "spread", role="few", storage=storage) for storage in runs.SPREADS]
    return Finding(
        graded(
            min(with_delay) >= 1.2 * max(without), statistics.fmean(with_delay) > statistics.fmean(without)
        ),
        f"90th less 10th percentile {', '.join(f'{v:.1f}' for v in without)} ms without, "
        f"{', '.join(f'{v:.1f}' for v in with_delay)} ms with the delay",
        "the storage delay varies by 1 ms, and a queue in front of the link takes up what varies before it."
        f" With N = 4, which leave the queue empty, the spread is {few[0]:.1f} ms without and {few[1]:.1f} ms"
        " with it",
    )


def judge_large(points: dict) -> Finding:
    normal, large = (relative(points, "3-4 ms", block) for block in (runs.BLOCK, 3 * runs.BLOCK))
    return Finding(
        graded(min(large) >= 1.2 * max(normal), statistics.fmean(large) > statistics.fmean(normal)),
        f"spread over median {', '.join(f'{v:.2f}' for v in normal)} with 64 KB, "
        f"{', '.join(f'{v:.2f}' for v in large)} with 192 KB",
        "of the median, as the spread in ms grows with the bytes of a Read anyway",
    )


def show_tuner(points: dict) -> Finding:
    texts_of = []
    for rule in ("paper", "textbook left", "median and margin"):
        rows = searches(points, rule=rule)
        own = statistics.fmean(row["own"] for row in rows)
        texts_of.append(f"{rule}: {text_of(rows)}, own throughput {own:.2f} MB/s")
    return Finding(
        ADDITION,
        "; ".join(texts_of),
        "textbook left: the left-hand point is m − ν·(m − l). Median and margin: three T_m a point, their"
        f" median counts, and more connections have to yield {100 * runs.MARGIN:g} % more",
    )


def show_today(points: dict) -> Finding:
    rows = searches(points, runs.TODAY)
    drops = {
        s: mean(points, "drops_in_1000", "fixed", sender=s, n=runs.MOST) for s in (runs.NEAREST, runs.TODAY)
    }
    return Finding(
        ADDITION,
        f"{text_of(rows)}; own throughput {statistics.fmean(row['own'] for row in rows):.2f} MB/s; drops in"
        " 1000 segments at N = 32: " + ", ".join(f"{sender} {value:.1f}" for sender, value in drops.items()),
        f"{runs.TODAY}, the paper's rule, T_m 1 s",
    )


CLAIMS = [
    Claim(
        "chunk",
        "Measuring by a fixed chunk of PDUs biases the peak, so that time is fixed instead.",
        "as curves",
        "at the greatest N the throughput over its own peak is lower by chunk than by time, by more than"
        " 0.05; same direction: lower",
        judge_chunk,
        "figures 10, 11",
    ),
    Claim(
        "one-peak",
        "The throughput rises with N to one peak and falls behind it.",
        "as curves",
        "up to the best N no step falls by more than 2 %, behind it none rises by more than 2 %, and N = 32"
        " has at most 0.9 of the best; same direction: less than 0.98",
        judge_peak,
        "figures 10, 11",
    ),
    Claim(
        "converges",
        "With T_m = 5 s APT converges within 60 s.",
        "within 60 s",
        "in 4 of 5 runs settled within 12 T_m, with an own throughput of at least 0.9 of the link; same"
        " direction: settled in time",
        judge_converges,
    ),
    Claim(
        "n-found",
        "With T_m = 5 s APT converges to N = 47.",
        "47",
        f"the median N of searches from 3, from 4 and from 5 is each within 25 % of {SCALED_N:.1f}; same"
        " direction: from 4",
        judge_n,
    ),
    Claim(
        "tm",
        "T_m of 2, 3, 4 and 5 s converge to N that are a few apart.",
        "a few apart",
        "T_m of 0.4, 0.6, 0.8 and 1 s: the means of two runs are at most 4 apart; same direction: 8",
        judge_tm,
        "figure 14",
    ),
    Claim(
        "short-tm",
        "T_m of 0.5 s misleads the search.",
        "misleads",
        "with T_m 0.1 s the own throughput is at most 0.95 of that with 1 s; same direction: N is scattered"
        " more",
        judge_short_tm,
        "figure 14",
    ),
    Claim(
        "unequal",
        "At the N found connections are served unequally, though their windows look alike.",
        "8 and 64 Mbit/s",
        "fastest over slowest connection at least 4, and median flights at most 2 times apart; same"
        " direction: at least 2; else what the kernel does instead",
        judge_unequal,
    ),
    Claim(
        "split",
        "The Read times split into a fast and a slow group.",
        "two groups",
        "valley at most 0.5; same direction: at most 0.75; else what the kernel does instead",
        judge_split,
    ),
    Claim(
        "first-search",
        "Under a changing bandwidth the first search takes about 30 s.",
        "N = 29 after about 30 s",
        "in every run settled within 9 T_m (1.5 times the paper's 6); same direction: in one",
        changes.judge_first,
    ),
    Claim(
        "follows",
        "APT follows the steps of the bandwidth, each in about 20 s.",
        "about 20 s",
        "settled again within 6 T_m (1.5 times the paper's 4) in the median, and N goes the way of the"
        " bandwidth in at least 0.8 of the steps; same direction: settled before the next step in the median",
        changes.judge_follows,
    ),
    Claim(
        "received",
        "Under a changing bandwidth APT receives 5 % more than N fixed at APT's final N.",
        "1.05 times by 700 s",
        "1.02 to 1.08 times; same direction: more",
        changes.judge_received,
    ),
    Claim(
        "late-reads",
        "From 400 to 700 s APT completes a little more PDUs.",
        "15,660 over 15,383: 1.018",
        "1.005 to 1.05 times; same direction: more",
        changes.judge_late,
        "table of Read times",
    ),
    Claim(
        "read-times",
        "With APT more Reads are fast, and more are very slow.",
        "up to 0.35 s 8.6 → 34.0 %, above 1.40 s 3.2 → 7.8 %",
        "the first class at least doubles and grows by at least 5 points, and the last two together grow;"
        " same direction: the first class does",
        changes.judge_read_times,
        "table of Read times",
    ),
    Claim(
        "deviation",
        "The deviation of the connections' throughputs is larger with APT.",
        "larger",
        "in every run at least 1.1 times; same direction: larger",
        changes.judge_deviation,
    ),
    Claim(
        "steadier",
        "With APT the deviation is steadier.",
        "steadier",
        "in every run its swing is at most 0.9 of that with N fixed; same direction: smaller",
        changes.judge_steadier,
    ),
    Claim(
        "storage-delay",
        "A storage delay of 3 to 4 ms spreads the Read times.",
        "as scatter",
        "the lower of two runs with the delay at least 1.2 times the higher without; same direction: the"
        " means",
        judge_storage,
        "figures 19, 20",
    ),
    Claim(
        "large-pdus",
        "PDUs of 3 MB spread the Read times more.",
        "as scatter",
        "spread over median: the lower of two runs with 192 KB at least 1.2 times the higher with 64 KB; same"
        " direction: the means",
        judge_large,
        "figures 21, 22",
    ),
    Claim("tuner", "Not in the paper: other rules of the tuner.", "", "none", show_tuner),
    Claim("today", "Not in the paper: the same with today's TCP.", "", "none", show_today),
]


def measure(lab) -> dict:
    return runs.measure(lab)
