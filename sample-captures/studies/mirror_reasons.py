# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiments on what the verdicts of study 2 rest on. They judge no claim: they show why claims of `mirror`
came out as they did."""

from __future__ import annotations

import numpy

from .claim import ADDITION, Claim, Finding
from .points import mean, spread
from .runs.mirror_reasons import RTTS, SOCKET_SECONDS, WINDOWS, measure  # noqa: F401

NAME = "mirror-reasons"
TITLE = "RAID1 over remote targets: reasons"
SOURCE = "Zhou, Watanabe: RAID1 over iSCSI with remote targets, 2009."
METHOD = """\
Study 2 (`mirror`) has claims that are not reproduced, or only in their direction. Three of its explanations are
tried here, in the same scenarios: that today's TCP begins with ten segments (RFC 6928) where that of 2009 began
with three (RFC 3390), that a cold write spends its first round trips on slow start, and that a socket needs more
than five seconds to fill a path with an RTT of 100 ms. Unlike those of study 2, the connections of the sessions of
six writes do not begin with slow start again after a pause (Linux's tcp_slow_start_after_idle is off).

Each point is the mean of 3 runs, of a socket of 2, each with its own seed; bars go from the lowest to the
highest run. The runs with three and with ten segments differ in nothing else."""
SYMBOLS = {
    "initial window": "the congestion window with which a connection begins, segments",
    "single, raid": "one target; two mirrored targets, whose data both pass the initiator's link",
    "TCP, TCP + iSCSI": "sets of parameters, as in study 2",
    "lift": "throughput of TCP + iSCSI less that of TCP, single, mean of RTT 50, 70 and 100 ms, MB/s",
    "steady": "all writes of a session but its first",
}


def rate(points: dict, tuning: str, rtt: float, window: int, layout: str = "single") -> float:
    return mean(points, "rate", "write", set=tuning, rtt=rtt, layout=layout, initial_window=window)


def slope(points: dict, tuning: str, window: int) -> float:
    """MB/s a ms of the straight line through the means."""
    return float(numpy.polyfit(RTTS, [rate(points, tuning, rtt, window) for rtt in RTTS], 1)[0])


def by_window(values: dict, form: str) -> str:
    return ", ".join(f"{window} segments {value:{form}}" for window, value in values.items())


def show_meet(points: dict) -> Finding:
    ratios = {w: rate(points, "TCP", 100, w) / rate(points, "TCP", 100, w, "raid") for w in WINDOWS}
    return Finding(
        ADDITION,
        "single over raid at 100 ms: " + by_window(ratios, ".2f"),
        "what an initial window of three segments changes in the claim `meet` (at most 10 % apart)",
    )


def show_lift(points: dict) -> Finding:
    lifts = {
        w: float(numpy.mean([rate(points, "TCP + iSCSI", r, w) - rate(points, "TCP", r, w) for r in RTTS]))
        for w in WINDOWS
    }
    return Finding(
        ADDITION,
        "lift: " + by_window(lifts, "+.2f") + " MB/s",
        "what an initial window of three segments changes in the claim `lift` (1.8 MB/s)",
    )


def show_slope(points: dict) -> Finding:
    ratios = {w: slope(points, "TCP + iSCSI", w) / slope(points, "TCP", w) for w in WINDOWS}
    return Finding(
        ADDITION,
        "slope of TCP + iSCSI over that of TCP: " + by_window(ratios, ".2f"),
        "what an initial window of three segments changes in the claim `same-slope` (0.75 to 1.25)",
    )


def show_steady(points: dict) -> Finding:
    shares = {
        figure: mean(points, figure, "steady", rtt=10) / mean(points, figure, "steady", rtt=0)
        for figure in ("first", "rate")
    }
    return Finding(
        ADDITION,
        f"RTT 10 ms over RTT 0: the first write {shares['first']:.2f}, those behind it {shares['rate']:.2f}",
        "standard set: the knee of the claim `knee` (at least 0.85) without and with a connection's first"
        " round trips",
    )


def show_socket(points: dict) -> Finding:
    spreads = {s: spread(points, "rate", "socket", seconds=s) for s in SOCKET_SECONDS}
    return Finding(
        ADDITION,
        ", ".join(f"{s} s: {x.mean:.2f} ({x.low:.2f} to {x.high:.2f}) MB/s" for s, x in spreads.items()),
        "RTT 100 ms, the second half of the stream: the claim `socket` (within 3 % of 11.9 MB/s) by how long"
        " the stream lasts",
    )


CLAIMS = [
    Claim(
        "meet",
        "Not in the paper: single and raid at RTT 100 ms by the initial window.",
        "",
        "none",
        show_meet,
    ),
    Claim("lift", "Not in the paper: the lift by the initial window.", "", "none", show_lift),
    Claim("slope", "Not in the paper: the slopes by the initial window.", "", "none", show_slope),
    Claim(
        "steady",
        "Not in the paper: the standard set behind a session's first write.",
        "",
        "none",
        show_steady,
    ),
    Claim("socket", "Not in the paper: a socket at RTT 100 ms by its duration.", "", "none", show_socket),
]
