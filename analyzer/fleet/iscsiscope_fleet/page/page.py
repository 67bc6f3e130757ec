# SPDX-License-Identifier: GPL-2.0-or-later
"""The page: figures laid out. It needs no network and holds no script."""

from __future__ import annotations

import datetime
import shlex
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .. import __version__
from ..database import open_output
from ..messages import counted
from . import charts, words
from .charts import Series, Times
from .figures import MAX_KINDS, OWNERS, FleetFigures, Rows, collect

# The colours of the reports of single captures (analyzer/report/palette.h).
OWNER_COLORS = dict(zip(OWNERS, ("#5a8f1e", "#b0458a", "#56b4e9", "#ffc04d", "#c4c4c4"), strict=True))
TYPE_COLORS = {"read": "#0072b2", "write": "#d55e00"}
LINES = ("#1f86d0", "#d9600f", "#1b9e77", "#b055b8", "#a08000", "#e0457b", "#0e9aa7", "#9a6a45")
OTHER = "#808080"
MAX_ROWS = 20  # of initiators or targets in a table
MAX_FAILURES = 100


def page(output: str, title: str) -> str:
    base, _ = open_output(output)
    try:
        figures = collect(base)
    finally:
        base.close()
    environment = Environment(
        loader=PackageLoader(__package__, "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(
        duration=words.duration, bytes=words.size, count=words.count, share=words.share, instant=words.instant,
        short=words.short_name, quoted=shlex.quote, named=_named,
        counted=counted,
    )  # fmt: skip
    return environment.get_template("page.html.j2").render(
        title=title,
        output=output,
        version=__version__,
        made=datetime.datetime.now(words.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        f=figures,
        verdict=verdict(figures),
        owners=OWNERS,
        owner_colors=OWNER_COLORS,
        owner_bar=_owner_bar,
        top_owner=max(OWNERS, key=lambda o: figures.owners[o] or 0),
        most_lost=max((r["lost_time_ns"] or 0 for r in figures.findings), default=0),
        matrices=[
            Matrix("target", figures.by_target, figures.findings),
            Matrix("initiator", figures.by_initiator, figures.findings),
        ],
        trends=_trends(figures),
        interval=words.duration(figures.interval * 1e9) if figures.interval < 3600 else _hours(figures.interval),
        failures=figures.failures[:MAX_FAILURES],
    )


def verdict(f: FleetFigures) -> tuple[str, str]:
    """A class of the style sheet and a sentence."""
    if not f.totals["read"]:
        return "notice", "No capture could be read."
    lost = [r for r in f.findings if r["lost_time_ns"]]
    if not lost:
        return "fine", "No finding lost time in any capture."
    worst = lost[0]
    share = worst["captures"] / f.totals["read"]
    example = f", such as “{worst['title']}”" if worst["titles"] > 1 else ""
    sentence = (
        f"Most time is lost to one cause: {_named(worst)}{example} ({words.duration(worst['lost_time_ns'])} "
        f"in {counted(worst['captures'], 'capture')}, {words.share(share)} of those read)"
    )
    if worst["worst_target"]:
        sentence += f", most of it at {words.short_name(worst['worst_target'])}"
    return ("problem" if worst["problems"] else "notice"), sentence + "."


class Matrix:
    """Findings by an end: a row each, a column for each of the costliest kinds. A cell is the time lost and the
    captures; its shade the time over that of the worst cell."""

    def __init__(self, end: str, cells: Rows, kinds: Rows) -> None:
        self.end = end
        self.kinds = [k["kind"] for k in kinds[:MAX_KINDS]]
        self.kinds_left_out = len(kinds) - len(self.kinds)
        self.titles = {k["kind"]: _named(k) for k in kinds}
        by_name: dict[str | None, dict[str, dict[str, Any]]] = {}
        for cell in cells:
            by_name.setdefault(cell["name"], {})[cell["kind"]] = cell
        self.worst = max((c["lost_time_ns"] or 0 for c in cells if c["kind"] in self.kinds), default=0)
        ranked = sorted(by_name.items(), key=lambda item: (-self._costliest(item[1]), item[0] or "~"))
        self.rows = ranked[:MAX_ROWS]
        self.left_out = len(ranked) - len(self.rows)

    @staticmethod
    def _costliest(cells: dict[str, dict[str, Any]]) -> int:
        return max(c["lost_time_ns"] or 0 for c in cells.values())

    def shade(self, cell: dict[str, Any] | None) -> str:
        if cell is None or not cell["lost_time_ns"] or not self.worst:
            return "0"
        return f"{0.08 + 0.62 * (cell['lost_time_ns'] / self.worst) ** 0.5:.3f}"


def _named(finding: dict[str, Any]) -> str:
    """A finding's title, or its kind in words if the captures word it differently ("LUN 3 answers slowly")."""
    if finding["titles"] == 1:
        return str(finding["title"])
    words_of_kind = str(finding["kind"]).replace("_", " ")
    return words_of_kind[:1].upper() + words_of_kind[1:]


def _owner_bar(row: dict[str, Any], suffix: str = "") -> Markup:
    values = {o: row[o + suffix] or 0 for o in OWNERS}
    return charts.stack([(o, OWNER_COLORS[o], values[o]) for o in OWNERS], sum(values.values()), words.duration)


def _hours(seconds: int) -> str:
    if seconds % 86400 == 0:
        return f"{seconds // 86400} d"
    return f"{seconds // 3600} h"


def _trends(f: FleetFigures) -> list[tuple[str, str, Markup]]:
    """Heading, remark and chart."""
    begins = [r["begin"] for r in (*f.trend_times, *f.trend_bytes, *f.trend_lost)]
    if not begins:
        return []
    times = Times(min(begins), max(begins) + f.interval, f.interval)
    quantiles = [
        Series(f"{kind}s, {name}", color, [(r["begin"], r[key]) for r in f.trend_times if r["type"] == kind])
        for kind, name, key, color in (
            ("read", "p99", "p99_ns", LINES[0]),
            ("read", "p50", "p50_ns", LINES[6]),
            ("write", "p99", "p99_ns", LINES[1]),
            ("write", "p50", "p50_ns", LINES[4]),
        )
    ]
    moved = [
        Series(f"{kind}s", color, [(r["begin"], r["bytes"]) for r in f.trend_bytes if r["type"] == kind])
        for kind, color in TYPE_COLORS.items()
    ]
    return [
        (
            "Response times",
            "of all captured tasks that began in the interval; logarithmic",
            charts.legend(quantiles) + charts.lines(quantiles, times, words.duration, "Response times over time"),
        ),
        (
            "Time lost by cause",
            "by the interval in which the capture begins; causes may overlap",
            _lost_chart(f, times),
        ),
        (
            "Bytes moved",
            "by the captured tasks that began in the interval: how much the captures hold, not how much passed",
            charts.legend(moved) + charts.columns(moved, times, words.size, "Bytes moved over time"),
        ),
    ]


def _lost_chart(f: FleetFigures, times: Times) -> Markup:
    shown = [r["kind"] for r in f.findings if r["lost_time_ns"]][: len(LINES)]
    titles = {r["kind"]: _named(r) for r in f.findings}
    series = [
        Series(titles[kind], color, [(r["begin"], r["lost_time_ns"]) for r in f.trend_lost if r["kind"] == kind])
        for kind, color in zip(shown, LINES, strict=False)
    ]
    rest: dict[int, float] = {}
    for r in f.trend_lost:
        if r["kind"] not in shown:
            rest[r["begin"]] = rest.get(r["begin"], 0) + r["lost_time_ns"]
    if rest:
        series.append(Series("all others", OTHER, sorted(rest.items())))
    return charts.legend(series) + charts.columns(series, times, words.duration, "Time lost by cause over time")
