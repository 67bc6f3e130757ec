# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures for people: three digits and a unit of fitting size, as in the reports of iscsiscope."""

from __future__ import annotations

import datetime

UTC = datetime.UTC


def _digits(value: float) -> str:
    if value >= 100 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def duration(ns: float | None) -> str:
    if ns is None:
        return "-"
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= size:
            if unit == "s" and ns >= 120e9:
                seconds = round(ns / 1e9)
                if seconds < 7200:
                    return f"{seconds // 60} min {seconds % 60:02} s"
                return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"
            return f"{_digits(ns / size)} {unit}"
    return f"{ns:.0f} ns"


def size(number: float | None) -> str:
    if number is None:
        return "-"
    for factor, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= factor:
            return f"{_digits(number / factor)} {unit}"
    return f"{number:.0f} B"


def rate(number: float | None) -> str:
    return "-" if number is None else f"{size(number)}/s"


def count(number: float | None) -> str:
    return "-" if number is None else f"{number:,.0f}"


def share(value: float | None) -> str:
    if value is None:
        return "-"
    return "<0.1 %" if 0 < value < 0.001 else f"{value * 100:.3g} %" if value < 0.1 else f"{value * 100:.0f} %"


def instant(ns: int | None, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    return "-" if ns is None else datetime.datetime.fromtimestamp(ns // 10**9, UTC).strftime(form)


def short_name(name: str | None, most: int = 42) -> str:
    """iSCSI names differ at their ends: the middle is left out."""
    if name is None:
        return "several"
    return name if len(name) <= most else f"{name[: most // 3]}…{name[-(most - most // 3 - 1) :]}"
