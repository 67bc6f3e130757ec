# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 2, its reasons: the figure."""

from __future__ import annotations

from ..pages import figures as plot
from ..points import settings_of, spread
from ..runs.mirror_reasons import WINDOWS


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
