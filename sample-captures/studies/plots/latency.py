# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 1: its figures and tables."""

from __future__ import annotations

from .. import latency
from ..pages import figures as plot
from ..pages import topology
from ..points import has, mean, settings_of, spread
from ..table import Table


def figures(points: dict) -> list[plot.Figure]:
    made = [
        topology.picture(
            "latency",
            "papers/latency-read",
            {"path": "d = 0.14 … 16 ms\nT ≤ 40 MB/s"},
            "Topology: initiator and target over one link with the same delay d each way. The "
            "analyzer reads the initiator's capture; the target's gives d and the quiet intervals. "
            "The socket runs take the same path.",
            captured=("target",),
        ),
        throughput(points),
        blocks(points),
        idle(points),
        cycles(points),
    ]
    if "ladder" in points:
        made.append(ladder(points["ladder"]))
    return made


def _delays(points: dict, kind: str, **where) -> list[float]:
    return settings_of(points, "delay", kind, **where)


def throughput(points: dict) -> plot.Figure:
    def paint(axes):
        delays = _delays(points, "socket")
        plot.measured(axes, delays, [spread(points, "rate", "socket", delay=d) for d in delays], "socket", 7)
        for number, block in enumerate(latency.BLOCKS):
            delays = _delays(points, "read", block=block, sending="held")
            if delays:
                plot.measured(
                    axes,
                    delays,
                    [spread(points, "rate", "read", delay=d, block=block, sending="held") for d in delays],
                    block,
                    number,
                )
        delays = _delays(points, "cold")
        plot.measured(
            axes, delays, [spread(points, "rate", "cold", delay=d) for d in delays], "4 MB, cold", 6
        )
        plot.published(axes, [16], [latency.PUBLISHED_4MB], "published, 4 MB")
        axes.set_xscale("log")
        plot.plain_ticks(axes, latency.DELAYS)
        axes.set(xlabel="one-way delay d, ms", ylabel="throughput, MB/s", ylim=(0, None))
        axes.legend(ncols=2)

    return plot.draw(
        "latency",
        "throughput",
        "Throughput against the delay, steady where not said otherwise; means "
        "with bars from the lowest to the highest run. The paper gives one of these points as a number.",
        paint,
        is_thumbnail=True,
    )


def blocks(points: dict) -> plot.Figure:
    names = [
        name
        for name in latency.BLOCKS
        if name != latency.DEFAULT and has(points, "read", delay=16, block=name, sending="held")
    ]
    sizes = [latency.BLOCKS[name] / 1024 for name in names]

    def paint(axes):
        plot.measured(
            axes,
            sizes,
            [spread(points, "rate", "read", delay=16, block=name, sending="held") for name in names],
            "steady",
            0,
        )
        plot.measured(axes, [4096], [spread(points, "rate", "cold", delay=16)], "cold", 6, line=False)
        plot.published(axes, [4096], [latency.PUBLISHED_4MB])
        socket = mean(points, "rate", "socket", delay=16)
        axes.axhline(socket, color=plot.colour(7), linewidth=1, linestyle=":", label="socket, steady")
        axes.set_xscale("log")
        plot.plain_ticks(axes, sizes)
        axes.set(xlabel="block B, KB", ylabel="throughput, MB/s", ylim=(0, None))
        axes.legend()

    return plot.draw(
        "latency", "blocks", "Throughput against the block at d = 16 ms.", paint, size=(5.4, 3.2)
    )


def idle(points: dict) -> plot.Figure:
    delays = [d for d in _delays(points, "read", block=latency.DEFAULT, sending="held") if d >= 1]

    def paint(axes):
        published = latency.PUBLISHED_IDLE
        plot.published(axes, list(published), list(published.values()))
        plot.modelled(
            axes,
            delays,
            [400 * latency.default_cycle(points, d, "d_ms") / latency.model_ms(points, d) for d in delays],
            "model 4·d / (4·d + B/T)",
            0,
        )
        plot.measured(
            axes,
            delays,
            [
                spread(points, "idle_share", "read", delay=d, block=latency.DEFAULT, sending="held")
                for d in delays
            ],
            "measured",
            0,
            scale=100,
            line=False,
        )
        axes.set_xscale("log")
        plot.plain_ticks(axes, list(published))
        axes.set(xlabel="one-way delay d, ms", ylabel="idle share of the cycle, %", ylim=(0, 100))
        axes.legend(loc="lower right")

    return plot.draw(
        "latency", "idle", "Idle share of the cycle of a default Read (127.5 KB).", paint, size=(5.4, 3.2)
    )


def cycles(points: dict) -> plot.Figure:
    delays = _delays(points, "read", block=latency.DEFAULT, sending="held")

    def paint(axes):
        for number, (sending, intervals, words) in enumerate(
            (("held", 4, "4·d + B/T"), ("no delay", 2, "2·d + B/T"))
        ):
            here = [d for d in delays if has(points, "read", delay=d, block=latency.DEFAULT, sending=sending)]
            label = "status held" if sending == "held" else "TCP_NODELAY (addition)"
            plot.modelled(
                axes,
                here,
                [latency.model_ms(points, d, intervals, sending) for d in here],
                f"model {words}",
                number,
            )
            plot.measured(
                axes,
                here,
                [
                    spread(points, "cycle_ms", "read", delay=d, block=latency.DEFAULT, sending=sending)
                    for d in here
                ],
                label,
                number,
                line=False,
            )
        axes.set(xlabel="one-way delay d, ms", ylabel="cycle, ms", xlim=(0, None), ylim=(0, None))
        axes.legend()

    return plot.draw(
        "latency",
        "cycles",
        "Cycle of a default Read (127.5 KB), modelled and measured (medians of a "
        "run). d and T of the model are measured too.",
        paint,
        size=(5.4, 3.2),
    )


def ladder(given: dict) -> plot.Figure:
    def paint(axes):
        drawn = set()
        for near, far, from_target, payload in given["segments"]:
            kind = "command" if payload and not from_target else "data and status" if payload else "ACK"
            number = {"command": 3, "data and status": 0, "ACK": 7}[kind]
            axes.plot(
                [near, far],
                [1, 0],
                color=plot.colour(number),
                linewidth=1.4 if kind == "command" else 0.6,
                alpha=0.6 if kind == "ACK" else 0.9,
                label=kind if kind not in drawn else None,
            )
            drawn.add(kind)
        axes.set_yticks([0, 1], ["target", "initiator"])
        axes.set(xlabel="time since the command, ms", ylim=(-0.03, 1.03))
        axes.grid(axis="y", visible=False)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))

    return plot.draw(
        "latency",
        "ladder",
        f"The packets of one Read of 127.5 KB at d = {given['delay']:g} ms, by the "
        "captures of both ends: each line is a segment on its way. The status waits at the target for "
        "the ACK of the data before it.",
        paint,
        size=(7.4, 2.8),
    )


def tables(points: dict) -> list[Table]:
    rows = []
    for d in _delays(points, "read", block=latency.DEFAULT, sending="held"):

        def figure(name, delay=d):
            return latency.default_cycle(points, delay, name)

        model = latency.model_ms(points, d)
        rows.append(
            [
                f"{d:g}",
                f"{figure('d_ms'):.3f}",
                f"{mean(points, 'layer', 'turns', delay=d):.1f}",
                f"{mean(points, 'rate', 'socket', delay=d):.1f}",
                f"{model:.2f}",
                f"{figure('cycle_ms'):.2f}",
                f"{100 * (model / figure('cycle_ms') - 1):+.1f} %",
                f"{latency.PUBLISHED_ERROR[d]} %" if d in latency.PUBLISHED_ERROR else "",
                f"{400 * figure('d_ms') / model:.1f} %",
                f"{100 * figure('idle_share'):.1f} %",
                f"{latency.PUBLISHED_IDLE[d]} %" if d in latency.PUBLISHED_IDLE else "",
                f"{figure('segments'):g}",
                f"{figure('quiet'):g}",
            ]
        )
    return [
        Table(
            "Cycles of the default (Reads of 127.5 KB), means over the runs",
            [
                "d set, ms",
                "d measured, ms",
                "T, MB/s",
                "socket, MB/s",
                "cycle by model, ms",
                "cycle measured, ms",
                "model off by",
                "published off by",
                "idle by model",
                "idle measured",
                "idle published",
                "segments",
                "quiet intervals",
            ],
            rows,
        )
    ]
