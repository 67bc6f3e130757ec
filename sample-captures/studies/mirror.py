# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 2: writes to one remote target or to two mirrored ones (Zhou, Watanabe 2009)."""

from __future__ import annotations

import numpy

from .claim import ADDITION, Claim, Finding, graded
from .points import mean, rows_of, spread
from .runs.mirror import LONG_QUEUE, LOSS, LOSS_RTTS, PLACES, RTTS, SHORT_QUEUE, measure  # noqa: F401

NAME = "mirror"
TITLE = "RAID1 over remote targets"
SOURCE = "Zhou, Watanabe: RAID1 over iSCSI with remote targets, 2009."
METHOD = """\
The paper: sequential synchronous writes of 10 MB of random data, the mean of 20 runs, over 100 Mbit/s with a
one-way delay of 0 to 50 ms, to one target (single) or to two mirrored ones (raid: a write is complete when
both have it), which share the initiator's one link. Three sets of parameters: standard (TCP buffer 128 KB;
MaxRecvDataSegmentLength, FirstBurstLength and MaxBurstLength 64 KB; InitialR2T=Yes, ImmediateData=No), TCP
optimised (buffer 16 MB, else the same), TCP + iSCSI optimised (buffer 16 MB, lengths 256 KB, InitialR2T=No,
ImmediateData=Yes). Loss 0 or 0.01 %, TCP Reno.

Here: `papers/mirror-single`, `papers/mirror-raid` and `papers/mirror-socket`, with real TCP (Reno) over the
shim; rates, delays, buffers and keys as published. One run is one session with one write of 10 MB, so that
each write begins with the initial congestion window, as a run of the paper does; the throughput is its bytes,
counted once, over the time from the first command to the last status in the initiator's capture. The paper
does not say how a write is cut into commands, nor how many are out at once: 128 KB and 12 are chosen here.
Nor does it say how long the queue at the initiator's link is: 1000 packets, Linux's default, in the runs
without loss and at equal delays; 200 in the runs with loss and at unequal delays, where what a full queue
drops decides, with 1000 beside it. A point is the mean of 3 runs, of 10 with loss and of the standard set at RTTs
up to 10 ms, of a socket 8 at 100 ms and 2 elsewhere, each with its own seed (the paper: of 20); bars go from
the lowest to the highest run."""
SYMBOLS = {
    "RTT": "round-trip time, twice the one-way delay, ms",
    "single, raid": "one target; two mirrored targets, whose data both pass the initiator's link",
    "(a, b)": "a mirror whose targets are at RTTs of a and b ms",
    "standard, TCP, TCP + iSCSI": "the three sets of parameters under Method",
    "TCP buffer": "the window that a target advertises, KB or MB",
    "MB/s": "1,000,000 bytes of the write a second; KB and MB of sizes are 1024 and 1,048,576 bytes",
}

PUBLISHED_SOCKET = 11.9  # MB/s at every RTT
PUBLISHED_LIFT = 1.8  # MB/s


def rate(
    points: dict, tuning: str, layout: str, rtt: float, queue: int = LONG_QUEUE, loss: float = 0
) -> float:
    second = None if layout == "single" else rtt
    return mean(points, "rate", "write", set=tuning, rtt=rtt, second=second, queue=queue, loss=loss)


def mirror_rate(points: dict, first: float, second: float, queue: int = SHORT_QUEUE) -> float:
    return mean(points, "rate", "write", set="TCP + iSCSI", rtt=first, second=second, queue=queue, loss=0)


def ratios(points: dict, tuning: str, rtts: list, queue: int = LONG_QUEUE, loss: float = 0) -> dict:
    """Single over raid."""
    return {
        rtt: rate(points, tuning, "single", rtt, queue, loss) / rate(points, tuning, "raid", rtt, queue, loss)
        for rtt in rtts
    }


def by_rtt(values: dict, digits: int = 2) -> str:
    return ", ".join(f"{rtt} ms {value:.{digits}f}" for rtt, value in values.items())


def line_of(points: dict, tuning: str, layout: str, rtts: list) -> tuple[float, float]:
    """Slope in MB/s a ms of the straight line through the means, and R²."""
    rates = numpy.array([rate(points, tuning, layout, rtt) for rtt in rtts])
    slope, offset = numpy.polyfit(rtts, rates, 1)
    left = ((rates - (slope * numpy.array(rtts) + offset)) ** 2).sum()
    return float(slope), float(1 - left / ((rates - rates.mean()) ** 2).sum())


def judge_r2t(points: dict) -> Finding:
    row = rows_of(points, "r2t")[0]
    exact = (
        row["writes"] == 1
        and row["r2ts"] == row["bursts"] == 16
        and row["data_outs"] == 32
        and row["each_two"]
    )
    return Finding(
        graded(exact, False),
        f"{row['r2ts']} R2Ts, {row['data_outs']} Data-Out" + (", 2 for each R2T" if row["each_two"] else ""),
        "counted by the analyzer in the capture of one write",
        "262,144 / 16,384 = 16; 16,384 / 8,192 = 2",
    )


def judge_socket(points: dict) -> Finding:
    rates = {rtt: mean(points, "rate", "socket", rtt=rtt) for rtt in (0, 20, 50, 100)}
    far = spread(points, "rate", "socket", rtt=100)
    worst = max(abs(value / PUBLISHED_SOCKET - 1) for value in rates.values())
    return Finding(
        graded(worst <= 0.03, min(rates.values()) > 0.85 * max(rates.values())),
        by_rtt(rates),
        f"largest difference {100 * worst:.1f} %; the second half of a stream of 5 s. At 100 ms the runs gave"
        f" {far.low:.2f} to {far.high:.2f} MB/s: in a low one the first climb of the congestion window had"
        " overfilled the queue, and Reno needs more than these seconds to come back: the study"
        " mirror-reasons has streams of 30 s beside those of 5 s",
        "100 Mbit/s less headers: 12.1 MB/s",
    )


def judge_knee(points: dict) -> Finding:
    rates = {rtt: rate(points, "standard", "single", rtt) for rtt in RTTS}
    products = {rtt: rates[rtt] * rtt for rtt in RTTS if rtt >= 30}
    off = max(abs(value / numpy.mean(list(products.values())) - 1) for value in products.values())
    flat = rates[10] / rates[0]
    return Finding(
        graded(flat >= 0.85 and off <= 0.15, flat >= 0.7 and rates[100] < rates[0] / 4),
        by_rtt(rates) + f"; throughput times RTT from 30 ms on within {100 * off:.0f} % of its mean",
        f"at 10 ms {flat:.2f} of RTT 0: a cold write spends its first round trips on slow start, and each"
        " command one on its R2T. The study mirror-reasons has the writes behind a session's first one",
        f"128 KB / T = {131072 / rates[0] / 1e3:.1f} ms",
    )


def judge_ratio(points: dict) -> Finding:
    ratio = ratios(points, "standard", [0])[0]
    return Finding(
        graded(1.85 <= ratio <= 2.15, ratio > 1.6),
        f"{ratio:.2f}",
        "standard set; both targets' data pass the initiator's one link",
        "2",
    )


def judge_equal_standard(points: dict) -> Finding:
    found = ratios(points, "standard", RTTS)
    far = max(abs(value - 1) for rtt, value in found.items() if rtt >= 30)
    return Finding(
        graded(far <= 0.1 and found[10] > 1.1, far <= 0.3),
        "single over raid: " + by_rtt(found),
        f"from 30 ms on at most {100 * far:.0f} % apart: each connection is held by its own window, and the"
        " link has room for both",
        f"equal from 2 · 128 KB / T = {2 * 131072 / rate(points, 'standard', 'single', 0) / 1e3:.0f} ms on",
    )


def judge_linear(points: dict) -> Finding:
    single, fit = line_of(points, "TCP", "single", RTTS)
    _, fit_raid = line_of(points, "TCP", "raid", RTTS)
    rates = {rtt: rate(points, "TCP", "single", rtt) for rtt in RTTS}
    return Finding(
        graded(fit >= 0.95 and single < 0, single < 0),
        f"single {by_rtt(rates)}; R² {fit:.3f}, raid {fit_raid:.3f}",
        "slow start takes round trips of their own: the time of a write, not its rate, is linear in the RTT,"
        " and over this range the two are close",
        "",
    )


def judge_steeper(points: dict) -> Finding:
    single, raid = (line_of(points, "TCP", layout, RTTS)[0] for layout in ("single", "raid"))
    return Finding(
        graded(single <= 1.25 * raid < 0, single < raid),
        f"{single:.3f} and {raid:.3f} MB/s a ms",
        "slopes of the straight lines through the means",
        "",
    )


def judge_meet(points: dict) -> Finding:
    found = ratios(points, "TCP", RTTS)
    return Finding(
        graded(abs(found[100] - 1) <= 0.1, found[100] < 0.75 * found[0]),
        "single over raid: " + by_rtt(found),
        "the writes are cold; the study mirror-reasons has what the initial window of 2009, three segments,"
        " changes. Where the two meet also depends on how a write is cut into commands and how many are out,"
        " which the paper does not say",
        "",
    )


def judge_lift(points: dict) -> Finding:
    lifts = {
        rtt: rate(points, "TCP + iSCSI", "single", rtt) - rate(points, "TCP", "single", rtt) for rtt in RTTS
    }
    far = float(numpy.mean([lifts[rtt] for rtt in (50, 70, 100)]))
    return Finding(
        graded(abs(far - PUBLISHED_LIFT) <= 0.6, far > 0.3),
        f"mean of 50 to 100 ms {far:+.2f} MB/s; " + by_rtt(lifts),
        "data that need not be asked for saves the round trip of the R2T, so that the lift grows with the"
        " RTT. The study mirror-reasons has the lift with the initial window of 2009, three segments",
        "",
    )


def judge_same_slope(points: dict) -> Finding:
    rtts = [50, 70, 100]
    tcp, both = (line_of(points, tuning, "single", rtts)[0] for tuning in ("TCP", "TCP + iSCSI"))
    return Finding(
        graded(0.75 <= both / tcp <= 1.25, 0.5 <= both / tcp <= 2),
        f"{tcp:.3f} and {both:.3f} MB/s a ms",
        "from 50 to 100 ms, where the published lift holds; at RTT 0 both are at the link's rate. The lift"
        " grows with the RTT instead of being the same. The study mirror-reasons has the slopes with the"
        " initial window of 2009, three segments",
        "",
    )


def judge_loss_lower(points: dict) -> Finding:
    shares, losses = {}, {}
    for rtt in (20, 50, 100):
        shares[rtt] = rate(points, "TCP + iSCSI", "single", rtt, SHORT_QUEUE, LOSS) / rate(
            points, "TCP + iSCSI", "single", rtt, SHORT_QUEUE
        )
        where = {"set": "TCP + iSCSI", "rtt": rtt, "second": None, "queue": SHORT_QUEUE}
        hit = [row["rate"] for row in rows_of(points, "write", **where, loss=LOSS)]
        clean = mean(points, "rate", "write", **where, loss=0)
        losses[rtt] = sum(value < 0.9 * clean for value in hit) / len(hit)
    return Finding(
        graded(max(shares.values()) <= 0.7, max(shares.values()) < 0.97),
        "with loss over without: " + by_rtt(shares),
        "10 MB are 7,240 segments, of which 0.01 % are 0.7 a write:"
        f" {100 * numpy.mean(list(losses.values())):.0f} % of the writes were slowed by more than a tenth."
        " One loss costs today's TCP, which repairs by SACK, half of its window once",
        "",
    )


def judge_loss_equal(points: dict) -> Finding:
    found = ratios(points, "TCP + iSCSI", LOSS_RTTS, SHORT_QUEUE, LOSS)
    clean = ratios(points, "TCP + iSCSI", LOSS_RTTS, SHORT_QUEUE)
    far = max(abs(found[rtt] - 1) for rtt in (20, 50, 100))
    return Finding(
        graded(far <= 0.15, far < abs(found[0] - 1)),
        "single over raid: " + by_rtt(found),
        "without loss, same queue: "
        + by_rtt(clean)
        + ". A loss of 0.01 % hits less than one write in two, so that"
        " the link's share decides as without loss",
        "",
    )


def judge_unequal_50(points: dict) -> Finding:
    near, far = mirror_rate(points, 50, 0), mirror_rate(points, 50, 50)
    long_near, long_far = mirror_rate(points, 50, 0, LONG_QUEUE), rate(points, "TCP + iSCSI", "raid", 50)
    return Finding(
        graded(abs(near / far - 1) <= 0.1, abs(near / far - 1) <= 0.25),
        f"(50, 0) {near:.2f}, (50, 50) {far:.2f} MB/s: {near / far:.2f}",
        f"queue of 200 packets; with 1000 it is {long_near / long_far:.2f}, within the bar, but then (100, 0)"
        " is not slower than (100, 100). The length of the queue decides, and the paper does not give it",
        "",
    )


def judge_unequal_100(points: dict) -> Finding:
    near, far = mirror_rate(points, 100, 0), mirror_rate(points, 100, 100)
    long_near, long_far = mirror_rate(points, 100, 0, LONG_QUEUE), rate(points, "TCP + iSCSI", "raid", 100)
    return Finding(
        graded(near / far <= 0.95, near / far <= 1),
        f"(100, 0) {near:.2f}, (100, 100) {far:.2f} MB/s: {near / far:.2f}",
        "queue of 200 packets, which the near target's data keep full while the far target's window has to"
        f" grow through it; with 1000 it is {long_near / long_far:.2f}. Neither queue gives both this and"
        " (50, 0) as about (50, 50)",
        "",
    )


def judge_unequal_worse(points: dict) -> Finding:
    rates = {second: mirror_rate(points, 100, second) for second in PLACES}
    values = list(rates.values())
    return Finding(
        graded(
            all(b >= 0.97 * a for a, b in zip(values, values[1:])) and values[-1] > values[0],
            values[-1] > values[0],
        ),
        "(100, x): " + by_rtt(rates),
        "queue of 200 packets: (100, 0) is by far the worst, but equal delays are not the best: two far"
        " connections climb together and overfill the queue together",
        "",
    )


def show_queue(points: dict) -> Finding:
    shares = {
        f"RTT {rtt}": (
            rate(points, "TCP + iSCSI", "single", rtt, SHORT_QUEUE)
            / rate(points, "TCP + iSCSI", "single", rtt)
        )
        for rtt in (0, 50, 100)
    }
    return Finding(
        ADDITION,
        "queue of 200 over 1000: " + ", ".join(f"{name} {value:.2f}" for name, value in shares.items()),
        "the first climb of the congestion window overfills the queue, and what is dropped halves it",
        "",
    )


CLAIMS = [
    Claim(
        "r2t-example",
        "A write of 262,144 bytes with MaxBurstLength 16,384 and MaxRecvDataSegmentLength 8,192 takes "
        "16 R2Ts of 2 Data-Out each.",
        "16 R2Ts, 32 Data-Out",
        "exactly",
        judge_r2t,
    ),
    Claim(
        "socket",
        "With buffers of 16 MB a socket's throughput does not depend on the RTT.",
        "about 11.9 MB/s",
        "at RTTs of 0, 20, 50 and 100 ms within 3 % of 11.9 MB/s",
        judge_socket,
        "figures 4b, 4c",
    ),
    Claim(
        "knee",
        "Standard: flat until the bandwidth-delay product passes the TCP buffer, then falling as 1/RTT.",
        "flat to RTT 10 ms (122 KB)",
        "at 10 ms at least 0.85 of RTT 0; from 30 ms on throughput times RTT within 15 % of its mean",
        judge_knee,
        "figure 4a",
    ),
    Claim("ratio", "At RTT 0 single is about twice raid.", "2", "1.85 to 2.15", judge_ratio, "figure 4a"),
    Claim(
        "equal-standard",
        "Standard: single and raid are equal from RTT 30 ms on.",
        "1 from 30 ms on",
        "at most 10 % apart at 30, 50, 70 and 100 ms, and more than 10 % at 10 ms",
        judge_equal_standard,
        "figure 4a",
    ),
    Claim(
        "linear",
        "TCP optimised: iSCSI falls linearly with the RTT.",
        "linear",
        "single: a straight line through the means has R² of at least 0.95",
        judge_linear,
        "figure 4b",
    ),
    Claim(
        "steeper",
        "TCP optimised: the slope of single is the steeper one.",
        "steeper",
        "at least 1.25 times raid's slope",
        judge_steeper,
        "figure 4b",
    ),
    Claim(
        "meet",
        "TCP optimised: single and raid meet at RTT 100 ms.",
        "1 at 100 ms",
        "at most 10 % apart at 100 ms",
        judge_meet,
        "figure 4b",
    ),
    Claim(
        "lift",
        "TCP + iSCSI optimised moves single up by about 1.8 MB/s.",
        "+1.8 MB/s",
        "mean of 50, 70 and 100 ms within 0.6 of +1.8 MB/s",
        judge_lift,
        "figure 4c",
    ),
    Claim(
        "same-slope",
        "TCP + iSCSI optimised: the slope stays the same.",
        "the same",
        "single from 50 to 100 ms: slope 0.75 to 1.25 of that of TCP optimised",
        judge_same_slope,
        "figure 4c",
    ),
    Claim(
        "loss-lower",
        "With a loss of 0.01 % the throughput is far lower.",
        "far lower",
        "single at 20, 50 and 100 ms at most 0.7 of the same without loss",
        judge_loss_lower,
        "figure 5",
    ),
    Claim(
        "loss-equal",
        "With a loss of 0.01 % single and raid are equal from RTT 20 ms on.",
        "1 from 20 ms on",
        "at most 15 % apart at 20, 50 and 100 ms",
        judge_loss_equal,
        "figure 5",
    ),
    Claim(
        "unequal-50",
        "The farther target governs: (50, 0) is about (50, 50).",
        "1",
        "at most 10 % apart",
        judge_unequal_50,
        "figure 6",
    ),
    Claim(
        "unequal-100",
        "(100, 0) is slower than (100, 100).",
        "below 1",
        "at most 0.95",
        judge_unequal_100,
        "figure 6",
    ),
    Claim(
        "unequal-worse",
        "The greater the difference of the delays, the worse.",
        "worse",
        "(100, 0) ≤ (100, 50) ≤ (100, 80) ≤ (100, 100), each step allowed 3 % of noise, and the last above"
        " the first",
        judge_unequal_worse,
        "figure 6",
    ),
    Claim("queue", "Not in the paper: what the queue's length does.", "", "none", show_queue),
]
