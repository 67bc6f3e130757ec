# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 2, its reasons: the figure and the table."""

from __future__ import annotations

from ..pages import figures as plot
from ..points import has, settings_of, spread
from ..runs.mirror_reasons import STEADY_RTTS, WINDOWS
from ..table import Table


def figures(points: dict) -> list[plot.Figure]:
    def paint(axes):
        for number, (tuning, window) in enumerate((t, w) for t in ("TCP", "TCP + iSCSI") for w in WINDOWS):
            where = {"set": tuning, "layout": "single", "initial_window": window}
            rtts = settings_of(points, "rtt", "write", **where)
            spreads = [spread(points, "rate", "write", **where, rtt=rtt) for rtt in rtts]
            plot.measured(axes, rtts, spreads, f"{tuning}, {window} segments", number)
        axes.set(xlabel="RTT, ms", ylabel="throughput, MB/s", ylim=(0, 13))
        axes.legend()

    return [
        plot.draw(
            "mirror-reasons",
            "initial-window",
            "Cold writes of 10 MB to one target with an initial congestion window of three segments (RFC"
            " 3390) and of ten (RFC 6928); means with bars from the lowest to the highest run.",
            paint,
            size=(5.6, 3.3),
            is_thumbnail=True,
        )
    ]


def tables(points: dict) -> list[Table]:
    if not has(points, "steady", rtt=STEADY_RTTS[0]):
        return []
    rows = []
    for rtt in STEADY_RTTS:
        first, later = (spread(points, figure, "steady", rtt=rtt) for figure in ("first", "rate"))
        rows.append(
            [f"{rtt}", f"{first.mean:.2f}", f"{later.mean:.2f} ({later.low:.2f} to {later.high:.2f})"]
        )
    return [
        Table(
            "Standard set, single: writes of one session",
            ["RTT, ms", "first write, MB/s", "writes behind it, MB/s"],
            rows,
        )
    ]
