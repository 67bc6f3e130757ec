# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 2: its figures and tables."""

from __future__ import annotations

from .. import mirror
from ..pages import figures as plot
from ..pages import topology
from ..points import has, settings_of, spread
from ..runs import mirror as runs
from ..table import Table


def figures(points: dict) -> list[plot.Figure]:
    made = [
        topology.picture(
            "mirror",
            "papers/mirror-raid",
            {
                "uplink": "100 Mbit/s\nqueue 1000 or 200",
                "to-first": "RTT 0 … 100 ms",
                "to-second": "RTT 0 … 100 ms",
            },
            "Topology: a mirror of two targets behind the initiator's one link; single runs have the first"
            " alone.",
        )
    ]
    for letter, tuning in zip("abc", runs.SETS):
        made.append(against_rtt(points, f"4{letter}", tuning))
    if settings_of(points, "rtt", "write", loss=runs.LOSS):
        made += [with_loss(points), unequal(points)]
    return made


def _where(tuning: str, layout: str, rtt: float, queue: int = runs.LONG_QUEUE, loss: float = 0) -> dict:
    second = None if layout == "single" else rtt
    return {"set": tuning, "rtt": rtt, "second": second, "queue": queue, "loss": loss}


def _curve(
    points, axes, label: str, number: int, tuning: str, layout: str, queue: int, loss: float = 0
) -> None:
    rtts = [rtt for rtt in runs.RTTS if has(points, "write", **_where(tuning, layout, rtt, queue, loss))]
    spreads = [spread(points, "rate", "write", **_where(tuning, layout, rtt, queue, loss)) for rtt in rtts]
    if rtts:
        plot.measured(axes, rtts, spreads, label, number)


def against_rtt(points: dict, number: str, tuning: str) -> plot.Figure:
    def paint(axes):
        _curve(points, axes, "single", 0, tuning, "single", runs.LONG_QUEUE)
        _curve(points, axes, "raid", 1, tuning, "raid", runs.LONG_QUEUE)
        if tuning != "standard":
            rtts = settings_of(points, "rtt", "socket")
            plot.measured(
                axes, rtts, [spread(points, "rate", "socket", rtt=rtt) for rtt in rtts], "socket", 7
            )
            plot.published(axes, [0, 50, 100], [mirror.PUBLISHED_SOCKET] * 3, "published, socket", 7)
        axes.set(xlabel="RTT, ms", ylabel="throughput, MB/s", ylim=(0, 13))
        axes.legend()

    return plot.draw(
        "mirror",
        f"figure-{number}",
        f"Figure {number} of the paper: throughput against the RTT, {tuning} set; cold writes of 10 MB, means"
        " with bars from the lowest to the highest run.",
        paint,
        size=(5.6, 3.3),
        is_thumbnail=number == "4c",
    )


def with_loss(points: dict) -> plot.Figure:
    def paint(axes):
        for number, layout in enumerate(("single", "raid")):
            _curve(points, axes, layout, number, "TCP + iSCSI", layout, runs.SHORT_QUEUE, runs.LOSS)
            _curve(points, axes, f"{layout}, no loss", number + 3, "TCP + iSCSI", layout, runs.SHORT_QUEUE)
        axes.set(xlabel="RTT, ms", ylabel="throughput, MB/s", ylim=(0, 13))
        axes.legend()

    return plot.draw(
        "mirror",
        "figure-5",
        "Figure 5 of the paper: loss of 0.01 %, TCP + iSCSI set, queue of 200 packets; bars from the lowest"
        " to the highest run.",
        paint,
        size=(5.6, 3.3),
    )


def unequal(points: dict) -> plot.Figure:
    def paint(axes):
        for number, first in enumerate(runs.PLACES):
            where = {"set": "TCP + iSCSI", "rtt": first, "queue": runs.SHORT_QUEUE, "loss": 0}
            seconds = [x for x in runs.PLACES if has(points, "write", **where, second=x)]
            spreads = [spread(points, "rate", "write", **where, second=x) for x in seconds]
            plot.measured(axes, seconds, spreads, f"first at {first} ms", number)
        axes.set(xlabel="RTT of the second target, ms", ylabel="throughput, MB/s", ylim=(0, None))
        axes.legend()

    return plot.draw(
        "mirror",
        "figure-6",
        "Figure 6 of the paper: two targets at different RTTs, TCP + iSCSI set, queue of 200 packets.",
        paint,
        size=(5.6, 3.3),
    )


def tables(points: dict) -> list[Table]:
    made = []
    for tuning in runs.SETS:
        rows = []
        for rtt in runs.RTTS:
            if not all(has(points, "write", **_where(tuning, layout, rtt)) for layout in ("single", "raid")):
                continue
            single, raid = (
                spread(points, "rate", "write", **_where(tuning, x, rtt)) for x in ("single", "raid")
            )
            rows.append(
                [
                    str(rtt),
                    *(f"{s.mean:.2f} ({s.low:.2f} … {s.high:.2f})" for s in (single, raid)),
                    f"{single.mean / raid.mean:.2f}",
                    str(single.runs),
                ]
            )
        made.append(
            Table(f"{tuning} set, MB/s", ["RTT, ms", "single", "raid", "single over raid", "runs each"], rows)
        )
    return made
