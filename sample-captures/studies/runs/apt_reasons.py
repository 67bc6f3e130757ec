# SPDX-License-Identifier: GPL-2.0-or-later
"""What the verdicts of study 4 rest on: what is run and measured."""

from __future__ import annotations

import numpy

from . import apt

OLD = apt.NEAREST + apt.OLD_TIMERS
FIXED = [8, 12, 16, 20, 24, 32]  # N
FIXED_S = 10.0  # room for several timeouts of a second
FIXED_FROM_S = 2.0
SETTINGS_OF_SCHEDULES = [OLD, apt.TODAY]
KEPT = ("received", "deviation", "swing", "late_reads", "last")


def fixed(lab, sender: str, n: int, repeat: int) -> dict:
    settings = {"program.reader.options.connections": n}
    made = apt.Made(lab, f"N = {n} fixed, {FIXED_S:g} s", sender, FIXED_S, repeat, settings)
    lab.forget(made.run)
    rates = made.by_connection(FIXED_FROM_S, FIXED_S)
    return {
        "kind": "fixed",
        "sender": sender,
        "n": n,
        "valid": made.run.valid,
        "by_time": made.rate(FIXED_FROM_S, FIXED_S),
        # A connection that completed no Read has no rate, and would make the ratio infinite.
        "unequal": max(rates.values()) / min(rates.values()),
        "silent": n - len(rates),
        "valley": apt.valley(made.time_s[made.end_s > FIXED_FROM_S]),
        "longest_ms": float(numpy.max(made.time_s) * 1e3),
    }


def scheduled(lab, sender: str, repeat: int) -> list[dict]:
    """Under the changing bandwidth, with APT, then with its last N."""
    tuned = apt.scheduled(lab, sender, repeat, None)
    rows = [tuned, apt.scheduled(lab, sender, repeat, tuned["last"])]
    return [
        {name: row[name] for name in ("kind", "sender", "way", "n", "valid", *KEPT)}
        | {"fast_s": row["late_times_s"][10], "slow_s": row["late_times_s"][95]}  # of 100 quantiles
        for row in rows
    ]


def measure(lab) -> dict:
    if lab.quick:
        return {"rows": [fixed(lab, sender, 20, 0) for sender in (apt.NEAREST, OLD)]}
    rows = []
    for sender in (apt.NEAREST, OLD):
        for n in FIXED:
            rows += [fixed(lab, sender, n, repeat) for repeat in range(2)]
    for sender in SETTINGS_OF_SCHEDULES:
        rows += scheduled(lab, sender, 0)
    return {"rows": rows}
