# SPDX-License-Identifier: GPL-2.0-or-later
"""Charts as SVG without scripts: lines and stacked columns over time, stacked bars. A tooltip names every mark."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup, escape

from .words import instant

WIDTH, HEIGHT = 1080, 190
LEFT, RIGHT, TOP, BOTTOM = 74, 8, 10, 24
STEPS = (60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 7 * 86400, 28 * 86400, 91 * 86400)


@dataclass(frozen=True)
class Series:
    """points: (begin of the interval in s since 1970, value); an interval without a value has no point."""

    name: str
    color: str
    points: list[tuple[int, float]]


@dataclass(frozen=True)
class Times:
    """The time axis: from, to and one interval, in s since 1970."""

    begin: int
    end: int
    interval: int

    def x(self, second: float) -> float:
        return LEFT + (second - self.begin) / max(1, self.end - self.begin) * (WIDTH - LEFT - RIGHT)

    def width(self) -> float:
        return self.x(self.begin + self.interval) - self.x(self.begin)

    def label(self, second: int) -> str:
        return instant(second * 10**9, "%Y-%m-%d" if self.interval % 86400 == 0 else "%Y-%m-%d %H:%M")


def legend(series: list[Series]) -> Markup:
    return Markup('<p class="legend">%s</p>') % Markup("").join(
        Markup('<span><i style="background:%s"></i>%s</span>') % (s.color, s.name) for s in series
    )


def lines(series: list[Series], times: Times, written: Callable[[float], str], title: str) -> Markup:
    """Points of intervals that follow each other are joined. The value axis is logarithmic."""
    series = [s for s in series if s.points]
    axis = _LogAxis([v for s in series for _, v in s.points], written)
    parts = [axis.drawn(), _time_axis(times)]
    for s in series:
        path = ""
        before: int | None = None
        for begin, value in s.points:
            at = f"{times.x(begin + times.interval / 2):.1f} {axis.y(value):.1f}"
            path += ("L" if before is not None and begin - before <= times.interval * 1.5 else "M") + at
            before = begin
        parts.append(Markup('<path class="line" d="%s" stroke="%s"/>') % (path, s.color))
        for begin, value in s.points:
            parts.append(
                Markup('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"><title>%s: %s %s</title></circle>')
                % (
                    times.x(begin + times.interval / 2),
                    axis.y(value),
                    s.color,
                    times.label(begin),
                    s.name,
                    written(value),
                )
            )
    return _framed(parts, title)


def columns(series: list[Series], times: Times, written: Callable[[float], str], title: str) -> Markup:
    """Stacked, the first series at the bottom."""
    height: dict[int, float] = {}
    for s in series:
        for begin, value in s.points:
            height[begin] = height.get(begin, 0) + value
    axis = _Axis(max(height.values(), default=0), written)
    parts = [axis.drawn(), _time_axis(times)]
    below: dict[int, float] = {}
    wide = max(1.0, times.width() * 0.86)
    for s in series:
        for begin, value in s.points:
            low = below.get(begin, 0)
            below[begin] = low + value
            parts.append(
                Markup('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s: %s %s</title></rect>')
                % (times.x(begin), axis.y(low + value), wide, axis.y(low) - axis.y(low + value), s.color,
                   times.label(begin), s.name, written(value))
            )  # fmt: skip
    return _framed(parts, title)


def stack(parts: list[tuple[str, str, float]], whole: float, written: Callable[[float], str]) -> Markup:
    """One bar; parts: (name, colour, value)."""
    return Markup('<div class="stack">%s</div>') % Markup("").join(
        Markup('<i style="width:%.2f%%;background:%s" title="%s: %s"></i>')
        % (value / whole * 100 if whole else 0, color, name, written(value))
        for name, color, value in parts
        if value > 0
    )


class _Axis:
    """From 0."""

    def __init__(self, most: float, written: Callable[[float], str]) -> None:
        self._step = _nice(most / 4) if most > 0 else 1.0
        self._top = self._step * max(1, math.ceil(most / self._step))
        self._written = written

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - value / self._top * (HEIGHT - TOP - BOTTOM)

    def drawn(self) -> Markup:
        values = [i * self._step for i in range(round(self._top / self._step) + 1)]
        return Markup("").join(_grid(self.y(v), self._written(v) if v else "0") for v in values)


class _LogAxis:
    """Whole powers of ten around the values above 0; others lie on the lowest line."""

    def __init__(self, values: list[float], written: Callable[[float], str]) -> None:
        known = [v for v in values if v > 0] or [1.0]
        self._low = math.floor(math.log10(min(known)))
        self._high = max(math.ceil(math.log10(max(known))), self._low + 1)
        self._written = written

    def y(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low) if value > 0 else 0
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def drawn(self) -> Markup:
        values = [10.0**power for power in range(self._low, self._high + 1)]
        return Markup("").join(_grid(self.y(v), self._written(v)) for v in values)


def _grid(y: float, label: str) -> Markup:
    return Markup(
        '<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" class="end">%s</text>'
    ) % (LEFT, WIDTH - RIGHT, y, y, LEFT - 7, y + 4, label)


def _nice(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= value * 0.999)


def _time_axis(times: Times) -> Markup:
    span = times.end - times.begin
    step = next((s for s in STEPS if span / s <= 9), STEPS[-1])
    form = "%m-%d" if step >= 86400 else "%m-%d %H:%M" if span > 86400 else "%H:%M"
    parts = []
    second = -(-times.begin // step) * step
    while second <= times.end:
        x = times.x(second)
        if x < WIDTH - 24:
            parts.append(
                Markup(
                    '<line class="tick" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>'
                    '<text x="%.1f" y="%d" class="middle">%s</text>'
                )
                % (x, x, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 4, x, HEIGHT - 6, instant(second * 10**9, form))
            )
        second += step
    return Markup("").join(parts)


def _framed(parts: list[Markup], title: str) -> Markup:
    return Markup('<svg viewBox="0 0 %d %d" role="img" aria-label="%s">%s</svg>') % (
        WIDTH,
        HEIGHT,
        escape(title),
        Markup("").join(parts),
    )
