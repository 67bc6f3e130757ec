# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 5: its figures and tables."""

from __future__ import annotations

from .. import raid
from ..pages import figures as plot
from ..pages import topology
from ..points import has, settings_of, spread
from ..runs import raid as runs
from ..table import Table


def figures(points: dict) -> list[plot.Figure]:
    made = [
        topology.picture(
            "raid",
            "papers/iposraid-two-hosts",
            {
                "processor-1": "cost of the\nfirst host's\nconnection:\n200 Mbit/s",
                "processor-2": "cost of the\nsecond host's\nconnection:\n200 Mbit/s",
                "lan": "1 Gbit/s",
            },
            "Topology with two hosts; with one the second row is left out.",
        ),
        by_size(points),
    ]
    if has(points, "processes", processes=2):
        made.append(by_processes(points))
    if has(points, "two hosts", load="sequential read"):
        made.append(two_hosts(points))
    made.append(by_buffer(points))
    return made


def by_size(points: dict) -> plot.Figure:
    def paint(pair):
        for axes, way in zip(pair, ("read", "write")):
            for number, load in enumerate(load for load in runs.LOADS if way in load):
                sizes = settings_of(points, "size", "one host", load=load)
                spreads = [spread(points, "rate", "one host", load=load, size=size) for size in sizes]
                if sizes:
                    plot.measured(axes, sizes, spreads, load.split()[0], number)
            axes.set_xscale("log", base=2)
            plot.plain_ticks(axes, [8, 32, 128, 256, 512])
            axes.set(xlabel="request size, KB", title=way, ylim=(0, 27))
        sizes = [8, 16, 32, 64, 128, 256, 512]
        plot.modelled(pair[0], sizes, [raid.model(size) for size in sizes], "constant, model", 0)
        plot.published(pair[0], [256], [raid.PUBLISHED_READ], "constant, published", 0)
        plot.published(pair[1], [512], [raid.PUBLISHED_WRITE], "constant, published", 0)
        pair[0].set_ylabel("throughput, MB/s")
        for axes in pair:
            axes.legend(fontsize=8)

    return plot.draw(
        "raid",
        "size",
        "Throughput against the request size, one host, one process. The rate of the link was set from the "
        "published read of 256 KB; the model is B / (round trip + B/T).",
        paint,
        size=(7.4, 3.2),
        columns=2,
        is_thumbnail=True,
    )


def by_processes(points: dict) -> plot.Figure:
    def paint(axes):
        for number, load in enumerate(runs.READS):
            spreads = [spread(points, "rate", "one host", load=load, size=runs.REQUEST)] + [
                spread(points, "rate", "processes", load=load, processes=n, way="one connection")
                for n in runs.PROCESSES
            ]
            plot.measured(axes, [1, *runs.PROCESSES], spreads, f"{load}, one connection", number)
            last = [spread(points, "rate", "processes", load=load, processes=runs.PROCESSES[-1], way="MC/S")]
            axes.plot(
                [runs.PROCESSES[-1] + 0.4],
                [last[0].mean],
                "s",
                color=plot.colour(number),
                label=f"{load}, MC/S",
            )
        axes.set_xticks([1, *runs.PROCESSES])
        axes.set(xlabel="I/O processes", ylabel="throughput, MB/s", ylim=(0, 27))
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))

    return plot.draw(
        "raid",
        "processes",
        "Throughput against the number of processes, reads of 128 KB; squares, drawn beside 8: as many "
        "connections as processes (not in the paper).",
        paint,
        size=(7.2, 3.0),
    )


def two_hosts(points: dict) -> plot.Figure:
    def paint(axes):
        for place, load in enumerate(runs.READS):
            for number, (kind, figure, label) in enumerate(
                (
                    ("one host", "rate", "one host alone"),
                    ("two hosts", "slower_host", "slower of two"),
                    ("two hosts", "faster_host", "faster of two"),
                    ("two hosts", "rate", "two together"),
                )
            ):
                found = spread(points, figure, kind, load=load, size=runs.REQUEST)
                axes.bar(
                    place + 0.2 * (number - 1.5),
                    found.mean,
                    0.18,
                    yerr=[[max(found.mean - found.low, 0)], [max(found.high - found.mean, 0)]],
                    color=plot.colour(number),
                    label="_" if place else label,
                )
        axes.set_xticks(range(len(runs.READS)), runs.READS)
        axes.grid(axis="x", visible=False)
        axes.set(ylabel="throughput, MB/s")
        axes.legend()

    return plot.draw("raid", "hosts", "One host and two at once, reads of 128 KB.", paint, size=(6.0, 3.0))


def by_buffer(points: dict) -> plot.Figure:
    def paint(axes):
        for number, (by_stripe, label) in enumerate(((True, "by stripe"), (False, "buffer alone"))):
            buffers = settings_of(points, "buffer", "buffer", by_stripe=by_stripe)
            spreads = [spread(points, "rate", "buffer", buffer=b, by_stripe=by_stripe) for b in buffers]
            if buffers:
                plot.measured(axes, buffers, spreads, label, number)
        axes.axvline(128, color=plot.colour(7), linestyle=":", label="4 · 32 KB")
        axes.set_xscale("log", base=2)
        plot.plain_ticks(axes, runs.BUFFERS)
        axes.set(xlabel="the target's send buffer, KB", ylabel="throughput, MB/s", ylim=(0, None))
        axes.legend()

    return plot.draw(
        "raid",
        "buffer",
        "Throughput against the target's send buffer, sequential reads of 512 KB.",
        paint,
        size=(5.8, 3.0),
    )


def tables(points: dict) -> list[Table]:
    sizes = sorted({size for sizes in runs.SIZES.values() for size in sizes})
    rows = []
    for load in runs.LOADS:
        row = [load]
        for size in sizes:
            if has(points, "one host", load=load, size=size):
                found = spread(points, "rate", "one host", load=load, size=size)
                row.append(f"{found.mean:.2f} ({found.low:.2f} … {found.high:.2f})")
            else:
                row.append("")
        rows.append(row)
    return [Table("One host, MB/s", ["load", *(f"{size} KB" for size in sizes)], rows)]
