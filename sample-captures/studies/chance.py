# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a verdict is a matter of chance: the claim is judged again on drawn runs.

The bootstrap of B. Efron, 1979: of the repeated runs of each point as many are drawn, with replacement. A grade
stands if at least SURE of the draws give it or a better one; else the verdict is the next lower grade that does. It
makes a verdict stricter only."""

from __future__ import annotations

import random
from typing import Callable, Iterator

DRAWS = 200
SURE = 0.95


def draws(points: dict, name: str) -> Iterator[dict]:
    """DRAWS times the points with drawn rows; the same for the same name. A point is what rows agree in up to
    `valid`; rows with a `pair` are drawn together with those of their kind that have the same. Rows that are not
    valid are left out."""
    groups: dict[tuple, dict] = {}
    for row in points["rows"]:
        if row["valid"]:
            units = groups.setdefault(_point(row), {})
            units.setdefault(row.get("pair", len(units)), []).append(row)
    numbers = random.Random(name)
    for _ in range(DRAWS):
        rows: list[dict] = []
        for units in groups.values():
            for unit in numbers.choices(list(units.values()), k=len(units)):
                rows += unit
        yield {**points, "rows": rows}


def _point(row: dict) -> tuple:
    if "pair" in row:
        return (row["kind"], row.get("sender"))
    names = list(row)
    return tuple((name, row[name]) for name in names[: names.index("valid")])


def sure_grade(given: str, grades: tuple[str, ...], again: Callable[[dict], str], points: dict, name: str):
    """The highest of `grades` (best first), at most `given`, that enough draws reach, and the number of draws that
    reach `given`."""
    ranks = [_rank(again(drawn), grades) for drawn in draws(points, name)]
    for rank in range(grades.index(given), len(grades)):
        if sum(found <= rank for found in ranks) >= SURE * DRAWS:
            break
    return grades[rank], sum(found <= grades.index(given) for found in ranks)


def _rank(verdict: str, grades: tuple[str, ...]) -> int:
    return grades.index(verdict) if verdict in grades else len(grades) - 1
