# SPDX-License-Identifier: GPL-2.0-or-later
"""Beside study 5: the figure and the table."""

from __future__ import annotations

from .. import raid_reasons
from ..pages import figures as plot
from ..points import has, settings_of, spread
from ..runs import raid
from ..runs.raid_reasons import SIZES
from ..table import Table


def figures(points: dict) -> list[plot.Figure]:
    def paint(axes):
        for number, load in enumerate(raid.LOADS):
            sizes = settings_of(points, "size", "Fibre Channel", load=load)
            if sizes:
                spreads = [spread(points, "rate", "Fibre Channel", load=load, size=size) for size in sizes]
                plot.measured(axes, sizes, spreads, load, number)
        axes.set(xlabel="request size, KB", ylabel="throughput, MB/s", ylim=(0, 110), xscale="log")
        axes.legend()

    return [
        plot.draw(
            raid_reasons.NAME,
            "fibre-channel",
            "Figures 4 and 6 of the paper: six loads on the same RAID behind Fibre Channel's 100 MB/s; means"
            " with bars from the lowest to the highest run.",
            paint,
            size=(5.6, 3.6),
            is_thumbnail=True,
        )
    ]


def tables(points: dict) -> list[Table]:
    if not has(points, "Fibre Channel", load="constant write"):
        return []
    rows = []
    for load in raid.LOADS:
        cells = [spread(points, "rate", "Fibre Channel", load=load, size=size) for size in SIZES]
        rows.append([load] + [f"{s.mean:.1f} ({s.low:.1f} to {s.high:.1f})" for s in cells])
    return [Table("Behind Fibre Channel's rate, MB/s", ["load"] + [f"{size} KB" for size in SIZES], rows)]
