# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a verdict is a matter of chance: the claim is judged again on drawn runs.

The bootstrap of B. Efron, 1979: of the repeated runs of each point as many are drawn, with replacement. A grade
stands if at least SURE of the draws give it or a better one; else the next lower grade that does, or what the judge
says below both. It makes a verdict stricter only."""

from __future__ import annotations

import random
from collections import Counter
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


def sure_verdict(
    given: str, grades: tuple[str, ...], again: Callable[[dict], str], points: dict, name: str
) -> tuple[str, int]:
    """The best of `grades` (best first), at most `given`, that enough draws reach, else what the draws that reach none
    of them say most often; and the number of draws that reach `given`."""
    verdicts = [again(drawn) for drawn in draws(points, name)]

    def reaching(grade: str) -> int:
        return sum(verdict in grades[: grades.index(grade) + 1] for verdict in verdicts)

    for grade in grades[grades.index(given) :]:
        if reaching(grade) >= SURE * DRAWS:
            return grade, reaching(given)
    others = Counter(verdict for verdict in verdicts if verdict not in grades)
    return others.most_common(1)[0][0], reaching(given)
