# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures in one style: what is published, modelled and measured looks the same on every page.

A figure becomes SVG whose lines and text take the page's colour, so that one file serves light and dark."""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from dataclasses import dataclass

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402  (the backend is chosen first)

INK = "#010203"  # replaced by the page's colour of text
# Of middle lightness: readable on white and on black.
COLOURS = ["#3b82c4", "#d9822b", "#2f9e6e", "#d1495b", "#8a63c9", "#1a9ba8", "#9c6b3f", "#808890"]
STYLE = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.titlesize": 10,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": INK,
    "grid.alpha": 0.13,
    "grid.linewidth": 0.6,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "errorbar.capsize": 3,
}


@dataclass
class Figure:
    name: str  # short, for the file
    caption: str  # what it shows, what the axes of the paper's figure are, and what its marks mean
    svg: str  # standalone
    is_thumbnail: bool = False  # shown in the index

    @property
    def inline(self) -> str:
        """For HTML, which needs no name spaces."""
        return re.sub(r' xmlns(:xlink)?="[^"]*"', "", self.svg).replace("xlink:href", "href")


def draw(
    study: str,
    name: str,
    caption: str,
    painter,
    size=(6.6, 3.6),
    is_thumbnail: bool = False,
    columns: int = 1,
    **axes_options,
) -> Figure:
    """`painter(axes)` paints; with `columns` > 1 it gets an array of axes side by side."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"{study}-{name}"}):
        figure, axes = pyplot.subplots(1, columns, figsize=size, layout="constrained", **axes_options)
        painter(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    return Figure(name, caption, _small(out.getvalue()), is_thumbnail)


def _small(svg: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.S)
    used = set(re.findall(r'#([\w-]+)[")]', svg))
    svg = re.sub(r' id="([\w-]+)"', lambda match: match[0] if match[1] in used else "", svg)
    svg = svg.replace(INK, "currentColor")
    # Coordinates only: the text between the elements stays as it is.
    svg = re.sub(r"<[^>]+>", lambda element: re.sub(r"(\d+\.\d)\d+", r"\1", element[0]), svg)
    svg = _styles_as_classes(svg)
    return re.sub(r"\n\s*", "\n", svg).strip() + "\n"


def _styles_as_classes(svg: str) -> str:
    """Styles that come again and again, once. A class is named by what it says, as a page holds several
    figures."""
    counted = Counter(re.findall(r' style="([^"]*)"', svg))
    rules = {}
    for style, count in counted.items():
        if count > 2 and len(style) > 12:
            name = "s" + hashlib.sha256(style.encode()).hexdigest()[:6]
            rules[name] = style
            svg = svg.replace(f' style="{style}"', f' class="{name}"')
    text = "".join(f".{name}{{{style}}}" for name, style in rules.items())
    return re.sub(r"(<svg[^>]*>)", rf"\1<style>{text}</style>", svg, count=1) if rules else svg


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def published(axes, x, y, label: str = "published", number: int | None = None) -> None:
    """The paper's points: open diamonds."""
    axes.plot(
        x,
        y,
        linestyle="none",
        marker="D",
        markersize=7,
        markerfacecolor="none",
        markeredgewidth=1.5,
        color=INK if number is None else colour(number),
        label=label,
        zorder=5,
    )


def modelled(axes, x, y, label: str = "model", number: int = 0) -> None:
    axes.plot(x, y, linestyle="--", linewidth=1.2, color=colour(number), label=label, alpha=0.85)


def measured(
    axes, x, spreads, label: str = "measured", number: int = 0, scale: float = 1.0, line: bool = True
) -> None:
    """Means of the runs, with bars from the lowest to the highest run."""
    means = [s.mean * scale for s in spreads]
    # The mean of equal values may be off by a rounding error.
    below = [max(s.mean - s.low, 0) * scale for s in spreads]
    above = [max(s.high - s.mean, 0) * scale for s in spreads]
    axes.errorbar(x, means, yerr=[below, above], fmt="o-" if line else "o", color=colour(number), label=label)


def plain_ticks(axes, x=None) -> None:
    """Ticks at the measured values of a logarithmic x axis, written as plain numbers."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    axes.xaxis.set_major_locator(FixedLocator(list(x)))
    axes.xaxis.set_major_formatter(FixedFormatter([f"{value:g}" for value in x]))
    axes.xaxis.set_minor_locator(NullLocator())
