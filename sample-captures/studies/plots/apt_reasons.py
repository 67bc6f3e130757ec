# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 4, its reasons: the figure and the table."""

from __future__ import annotations

from .. import apt_reasons
from ..pages import figures as plot
from ..points import has, settings_of, spread
from ..runs.apt_reasons import OLD
from ..table import Table


def figures(points: dict) -> list[plot.Figure]:
    def paint(axes):
        for number, (sender, name) in enumerate(apt_reasons.SENDERS.items()):
            ns = settings_of(points, "n", "fixed", sender=sender)
            spreads = [spread(points, "unequal", "fixed", sender=sender, n=n) for n in ns]
            plot.measured(axes, ns, spreads, name, number)
        axes.set(xlabel="connections N", ylabel="fastest over slowest connection", ylim=(0, None))
        axes.legend()

    return [
        plot.draw(
            apt_reasons.NAME,
            "timers",
            "How unequally N connections are served (Reno without SACK), with the kernel's timers and with a"
            " least timeout of one second and an initial window of one segment; means with bars from the"
            " lowest to the highest run.",
            paint,
            size=(5.6, 3.3),
            is_thumbnail=True,
        )
    ]


def tables(points: dict) -> list[Table]:
    if not has(points, "fixed", sender=OLD, n=32):
        return []
    rows = []
    for sender, name in apt_reasons.SENDERS.items():
        for n in settings_of(points, "n", "fixed", sender=sender):
            where = {"sender": sender, "n": n}
            rate = spread(points, "by_time", "fixed", **where)
            longest = spread(points, "longest_ms", "fixed", **where).high
            rows.append(
                [name, f"{n}", f"{rate.mean:.2f} ({rate.low:.2f} to {rate.high:.2f})", f"{longest:.0f}"]
            )
    return [Table("N fixed", ["sender", "N", "throughput, MB/s", "longest Read, ms"], rows)]
