# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiments on what the verdicts of study 4 rest on. They judge no claim: they show why claims of `apt`
came out as they did."""

from __future__ import annotations

from .claim import ADDITION, Claim, Finding, MissingPoint
from .points import mean, rows_of, settings_of
from .runs import apt
from .runs.apt_reasons import FIXED_FROM_S, FIXED_S, OLD, SETTINGS_OF_SCHEDULES, measure  # noqa: F401

NAME = "apt-reasons"
TITLE = "iSCSI-APT: reasons"
SOURCE = "Y. Nomoto, H. Ohsaki, F. Inoue, M. Imase: iSCSI-APT, automatic parallelism tuning for iSCSI, 2011."
METHOD = f"""\
Study 4 (`apt`) has claims that are not reproduced, or need a simulated TCP, because a kernel repairs what the queue
drops within a few round trips. That explanation is tried here with the kernel's own means: the same scenario with
a least retransmission timeout of one second, as coarse timers have, and an initial window of one segment, both for
"{apt.NEAREST}", which stays the same in all else. What is left that a simulation of 2011 has and the kernel has
not: Tahoe's return to slow start after each loss, and packets that meet the queue in phase.

N fixed: runs of {FIXED_S:g} s, of which the first {FIXED_FROM_S:g} s are left out, two of each, each with its own seed.
The changing bandwidth is that of study 4, once with APT and once with N fixed at its last N, with these old timers
and with today's TCP (CUBIC, SACK)."""
SYMBOLS = {
    "N": "connections that carry Reads",
    "old timers": "least retransmission timeout 1 s, initial window of one segment",
    "fastest over slowest": (
        "throughput of the fastest over that of the slowest connection that completed a Read"
    ),
    "valley": "of the Read times, by the logarithm: the emptiest class between two peaks over the lower peak",
    "MB/s": "1,000,000 bytes a second",
}
SENDERS = {apt.NEAREST: "today's timers", OLD: "old timers"}


def by_sender(values: dict[str, str]) -> str:
    return "; ".join(f"{SENDERS[sender]} {text}" for sender, text in values.items())


def by_n(points: dict, sender: str, figure: str) -> dict[int, float]:
    ns = settings_of(points, "n", "fixed", sender=sender)
    if not ns:
        raise MissingPoint(f"no run was valid: fixed, {sender}")
    return {n: mean(points, figure, "fixed", sender=sender, n=n) for n in ns}


def listed(found: dict[int, float], form: str) -> str:
    return ", ".join(f"N {n}: {value:{form}}" for n, value in found.items())


def show_peak(points: dict) -> Finding:
    texts = {}
    for sender in SENDERS:
        found = by_n(points, sender, "by_time")
        texts[sender] = f"{listed(found, '.2f')} MB/s, the last {found[max(found)] / max(found.values()):.2f}"
    return Finding(
        ADDITION,
        by_sender(texts) + " of the best",
        "what timeouts of a second change in the claim `one-peak` (the last at most 0.9 of the best)",
    )


def show_unequal(points: dict) -> Finding:
    texts = {}
    for sender in SENDERS:
        silent = sum(row["silent"] for row in rows_of(points, "fixed", sender=sender))
        texts[sender] = listed(by_n(points, sender, "unequal"), ".1f") + (
            f" ({silent} connections without a Read left out)" if silent else ""
        )
    return Finding(
        ADDITION,
        "fastest over slowest: " + by_sender(texts),
        "what timeouts of a second change in the claim `unequal` (at least 4)",
    )


def show_split(points: dict) -> Finding:
    texts = {sender: listed(by_n(points, sender, "valley"), ".2f") for sender in SENDERS}
    return Finding(
        ADDITION,
        "valley: " + by_sender(texts),
        "what timeouts of a second change in the claim `split` (at most 0.5)",
    )


def pair(points: dict, sender: str) -> tuple[dict, dict]:
    return tuple(rows_of(points, "schedule", sender=sender, way=way)[0] for way in ("APT", "fixed"))


def of_schedules(points: dict, form) -> str:
    return "; ".join(f"{sender}: {form(*pair(points, sender))}" for sender in SETTINGS_OF_SCHEDULES)


def show_received(points: dict) -> Finding:
    return Finding(
        ADDITION,
        of_schedules(
            points,
            lambda tuned, fixed: (
                f"{tuned['received'] / fixed['received']:.3f} times N fixed at {fixed['n']}, in the last"
                f" three steps {tuned['late_reads'] / fixed['late_reads']:.3f} times its Reads"
            ),
        ),
        "the claims `received` (1.02 to 1.08) and `late-reads` (1.005 to 1.05) by another sender",
    )


def show_times(points: dict) -> Finding:
    return Finding(
        ADDITION,
        of_schedules(
            points,
            lambda tuned, fixed: (
                f"10 % of the Reads within {fixed['fast_s']:.3f} → {tuned['fast_s']:.3f} s, 5 % slower than"
                f" {fixed['slow_s']:.3f} → {tuned['slow_s']:.3f} s"
            ),
        ),
        "N fixed → APT, the last three steps: the claim `read-times` by another sender",
    )


def show_deviation(points: dict) -> Finding:
    return Finding(
        ADDITION,
        of_schedules(
            points,
            lambda tuned, fixed: (
                f"deviation {fixed['deviation']:.2f} → {tuned['deviation']:.2f} Mbit/s, swing"
                f" {fixed['swing']:.2f} → {tuned['swing']:.2f}"
            ),
        ),
        "N fixed → APT: the claims `deviation` (1.1 times) and `steadier` (0.9 times) by another sender",
    )


CLAIMS = [
    Claim(name, f"Not in the paper: {sentence}", "", "none", show)
    for name, sentence, show in (
        ("one-peak", "the throughput by N with old timers.", show_peak),
        ("unequal", "how unequal connections are with old timers.", show_unequal),
        ("split", "groups of Read times with old timers.", show_split),
        ("received", "APT against N fixed under a changing bandwidth, by the sender.", show_received),
        ("read-times", "Read times under a changing bandwidth, by the sender.", show_times),
        ("deviation", "the deviation of the connections' throughputs, by the sender.", show_deviation),
    )
]
