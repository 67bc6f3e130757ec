# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 4: judges of the runs under a changing bandwidth, with APT and with N fixed at its last N."""

from __future__ import annotations

import statistics

from .claim import Finding, MissingPoint, graded
from .points import rows_of
from .runs import apt as runs


def steps_of(points: dict) -> list[list]:
    return [row["settles"] for row in rows_of(points, "schedule", sender=runs.NEAREST, way="APT")]


def judge_first(points: dict) -> Finding:
    firsts = [settles[0] for settles in steps_of(points)]
    limit = 6 * runs.TM * 1.5
    good = [0 <= at <= limit for at, _ in firsts]
    return Finding(
        graded(all(good), any(good)),
        ", ".join(
            f"N {n} after {at:.1f} s" if at >= 0 else f"not within the first step, N {n}" for at, n in firsts
        ),
        f"30 s are 6 T_m; allowed {limit:.0f} s",
    )


def judge_follows(points: dict) -> Finding:
    times, turned, texts = [], [], []
    for settles in steps_of(points):
        for i in range(1, len(settles)):
            at, n = settles[i]
            times.append(at if at >= 0 else runs.STEP_S)
            rose = runs.RATES[i] > runs.RATES[i - 1]
            turned.append(n > settles[i - 1][1] if rose else n < settles[i - 1][1])
        texts.append(" → ".join(str(n) for _, n in settles))
    typical = statistics.median(times)
    return Finding(
        graded(typical <= 6 * runs.TM and sum(turned) >= 0.8 * len(turned), typical < runs.STEP_S),
        f"settled again after {typical:.1f} s (median); N {'; '.join(texts)}; in {sum(turned)} of"
        f" {len(turned)} steps N went the way of the bandwidth",
        "20 s are 4 T_m, of which one passes before APT is told, and each further N takes one; allowed 6."
        " Where a queue and SACK-less repair keep the link full with more connections than needed, G does not"
        " tell a fall of the bandwidth's best N",
    )


def pairs(points: dict) -> list[tuple[dict, dict]]:
    """Runs with APT and with its last N fixed, where both are valid. Drawn runs may hold a pair more than once."""
    apt, fixed = (rows_of(points, "schedule", sender=runs.NEAREST, way=way) for way in ("APT", "fixed"))
    other = {row["pair"]: row for row in fixed}
    found = [(row, other[row["pair"]]) for row in apt if row["pair"] in other]
    if not found:
        raise MissingPoint("no pair of valid runs: schedule")
    return found


def ratio(points: dict, figure: str) -> list[float]:
    return [apt[figure] / max(fixed[figure], 1e-9) for apt, fixed in pairs(points)]


def texts(values: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


def judge_received(points: dict) -> Finding:
    gains = ratio(points, "received")
    gain = statistics.fmean(gains)
    ends = ", ".join(str(fixed["n"]) for _, fixed in pairs(points))
    steps = [
        statistics.fmean(apt["by_step"][i] / fixed["by_step"][i] for apt, fixed in pairs(points))
        for i in range(len(runs.RATES))
    ]
    return Finding(
        graded(1.02 <= gain <= 1.08, gain > 1),
        f"{texts(gains)} times N fixed at {ends}",
        f"step by step {texts(steps)} times, at {', '.join(map(str, runs.RATES))} Mbit/s: each search passes"
        " through N that do not fill the link, the first most, and a fixed N that fills the link at its"
        " highest rate fills it at the lower ones too. The study apt-reasons has today's TCP, and timeouts of"
        " a second",
    )


def judge_late(points: dict) -> Finding:
    gains = ratio(points, "late_reads")
    gain = statistics.fmean(gains)
    return Finding(
        graded(1.005 <= gain <= 1.05, gain > 1),
        f"{texts(gains)} times",
        "the last three of seven steps",
    )


def shares(row: dict, n: int) -> list[float]:
    """% of the late Reads in the paper's classes, scaled by what n PDUs take at the link's rate."""
    scale = n * runs.BLOCK * 1024 / (runs.CAPACITY * 1e6) / runs.CLASS_SCALE_PAPER
    times = row["late_times_s"]
    edges = [0.0, *(edge * scale for edge in runs.CLASSES), float("inf")]
    return [100 * sum(low < t <= high for t in times) / len(times) for low, high in zip(edges, edges[1:])]


def judge_read_times(points: dict) -> Finding:
    fast, slow = {"APT": [], "fixed": []}, {"APT": [], "fixed": []}
    for apt, fixed in pairs(points):
        for row in (apt, fixed):
            part = shares(row, fixed["n"])
            fast[row["way"]].append(part[0])
            slow[row["way"]].append(part[3] + part[4])
    quick, slow_ends = ({way: statistics.fmean(v) for way, v in d.items()} for d in (fast, slow))
    more_fast = quick["APT"] >= 2 * quick["fixed"] and quick["APT"] >= quick["fixed"] + 5
    return Finding(
        graded(more_fast and slow_ends["APT"] > slow_ends["fixed"], more_fast),
        f"first class {quick['fixed']:.1f} → {quick['APT']:.1f} %, last two {slow_ends['fixed']:.1f} → "
        f"{slow_ends['APT']:.1f} %",
        "classes scaled by what N PDUs take at the link's rate; of 100 quantiles of the Reads",
    )


def judge_deviation(points: dict) -> Finding:
    ratios = ratio(points, "deviation")
    return Finding(
        graded(min(ratios) >= 1.1, min(ratios) > 1),
        f"{texts(ratios)} times",
        ", ".join(
            f"{apt['deviation']:.2f} against {fixed['deviation']:.2f} Mbit/s" for apt, fixed in pairs(points)
        )
        + ". A smaller N shares the same link among fewer connections: part of the difference is that",
    )


def judge_steadier(points: dict) -> Finding:
    ratios = ratio(points, "swing")
    return Finding(
        graded(max(ratios) <= 0.9, max(ratios) < 1),
        "swing "
        + ", ".join(
            f"{apt['swing']:.2f} with APT, {fixed['swing']:.2f} fixed" for apt, fixed in pairs(points)
        ),
        "while APT searches, N and with it the connections' throughputs change",
    )
