# SPDX-License-Identifier: GPL-2.0-or-later
"""The measured points of a study: plain rows that go into the result file as they are.

A row is a dict with, in this order, `kind` (what was measured), the settings it belongs to, `valid`, and its figures.
Rows that differ only behind `valid` are repeated runs of one point. `pair`, a setting, numbers runs that belong
together, such as those where one gives the other its settings."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from .claim import MissingPoint


def rows_of(points: dict, kind: str, **where) -> list[dict]:
    """The valid rows of a kind with these settings; none is a MissingPoint."""
    described = ", ".join([kind] + [f"{name} {value}" for name, value in where.items()])
    found = [
        row
        for row in points["rows"]
        if row["kind"] == kind and all(row.get(name) == value for name, value in where.items())
    ]
    if not found:
        raise MissingPoint(f"was not run: {described}")
    valid = [row for row in found if row["valid"]]
    if not valid:
        raise MissingPoint(f"no run was valid: {described}")
    return valid


def has(points: dict, kind: str, **where) -> bool:
    try:
        rows_of(points, kind, **where)
    except MissingPoint:
        return False
    return True


@dataclass
class Spread:
    """Of one figure over repeated runs."""

    mean: float
    low: float
    high: float
    deviation: float  # standard deviation of the runs; 0 for one
    runs: int


def spread(points: dict, figure: str, kind: str, **where) -> Spread:
    values = [row[figure] for row in rows_of(points, kind, **where)]
    return Spread(
        statistics.fmean(values),
        min(values),
        max(values),
        statistics.stdev(values) if len(values) > 1 else 0.0,
        len(values),
    )


def mean(points: dict, figure: str, kind: str, **where) -> float:
    return spread(points, figure, kind, **where).mean


def settings_of(points: dict, setting: str, kind: str, **where) -> list:
    """The values of a setting for which there is a valid row, sorted."""
    return sorted(
        {
            row[setting]
            for row in points["rows"]
            if row["kind"] == kind
            and row["valid"]
            and all(row.get(name) == value for name, value in where.items())
        }
    )
