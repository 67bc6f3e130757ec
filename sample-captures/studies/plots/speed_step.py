# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 3: its figures and tables."""

from __future__ import annotations

import math

from matplotlib.patches import Rectangle

from .. import speed_step
from ..claim import MissingPoint
from ..pages import figures as plot
from ..pages import topology
from ..points import has, mean, rows_of, settings_of, spread
from ..runs import speed_step as runs
from ..table import Table

STUDY = "speed-step"


def figures(points: dict) -> list[plot.Figure]:
    made = [
        topology.picture(
            STUDY,
            "papers/speed-step",
            {"nic": "1 Gbit/s\nor 98 Mbit/s", "step": "100 Mbit/s\nqueue 2 … 10\nor 1 Gbit/s"},
            "Topology: four guests of one host, a step on the way to the target.",
        ),
    ]
    if guests := by_guest(points):
        made.append(guests)
    try:
        both = {recovery: speed_step.whole_surface(points, recovery) for recovery in runs.RECOVERIES}
    except MissingPoint:
        return made
    return [*made, surfaces(both), course(points["courses"])]


def surfaces(both: dict) -> plot.Figure:
    top = max(max(found.values()) for found in both.values())

    def paint(pair):
        for axes, (recovery, found) in zip(pair, both.items()):
            for (queue, rto), ratio in found.items():
                x, y = runs.QUEUES.index(queue), runs.RTOS.index(rto)
                strength = math.log(max(ratio, 1)) / math.log(max(top, 1.01))
                axes.add_patch(
                    Rectangle((x - 0.5, y - 0.5), 1, 1, color=plot.colour(1), alpha=0.75 * strength, lw=0)
                )
                axes.text(x, y - 0.22, f"{ratio:.2f}", ha="center", va="center", fontsize=9)
            rows = [[math.log(found[queue, rto]) for queue in runs.QUEUES] for rto in runs.RTOS]
            for level, style, number in (
                (speed_step.PUBLISHED_SUMS, "solid", 3),
                (speed_step.PUBLISHED_TIME, "dashed", 4),
            ):
                if min(map(min, rows)) < math.log(level) < max(map(max, rows)):
                    colour = plot.colour(number)
                    axes.contour(rows, levels=[math.log(level)], colors=[colour], linestyles=style)
                label = f"ratio {level}, published"
                axes.plot([], [], color=plot.colour(number), linestyle=style, label=label)
            axes.grid(visible=False)
            axes.set(xlabel="queue at the step, packets", title=recovery, xlim=(-0.5, 2.5), ylim=(-0.5, 2.5))
            axes.set_xticks(range(len(runs.QUEUES)), [str(queue) for queue in runs.QUEUES])
            axes.set_yticks(range(len(runs.RTOS)), [str(rto) for rto in runs.RTOS])
        pair[0].set_ylabel("min RTO, ms")
        pair[1].legend(loc="upper left", bbox_to_anchor=(1, 1))

    return plot.draw(
        STUDY,
        "surface",
        "The ratio by sums, pattern 2 over pattern 1, over queue and min RTO; the lines are where it is as "
        "published, by sums (4.5) and by time (3.1), interpolated between the points. A panel without a line "
        "does not reach it.",
        paint,
        size=(7.6, 2.9),
        columns=2,
        is_thumbnail=True,
    )


def by_guest(points: dict) -> plot.Figure | None:
    """Published figures over 10, as the rates are. None: a pattern has no valid run."""
    sets = {
        1: {"pattern": 1, **runs.LONG, "length": "long"},
        2: {"pattern": 2, "queue": 10, "recovery": "SACK"},
        3: {"pattern": 3},
    }
    if not has(points, "guests", **sets[1]):
        sets[1] = {"pattern": 1, "queue": 4, "rto": 200, "recovery": "no SACK"}
    if not all(has(points, "guests", **where) for where in sets.values()):
        return None

    def paint(axes):
        for pattern, where in sets.items():
            xs = [pattern + 0.12 * guest for guest in range(4)]
            plot.published(
                axes,
                xs,
                [rate / 10 for rate in speed_step.PUBLISHED_GUESTS[pattern]],
                "published, over 10" if pattern == 1 else "_",
            )
            for row in rows_of(points, "guests", **where):
                axes.plot(
                    [x + 0.45 for x in xs],
                    row["guests"],
                    "o",
                    color=plot.colour(0),
                    alpha=0.7,
                    label="measured" if pattern == 1 else "_",
                )
        handles, labels = axes.get_legend_handles_labels()
        unique = dict(zip(labels, handles))
        axes.legend(unique.values(), unique.keys())
        axes.set_xticks([1.4, 2.4, 3.4], ["1: into the step", "2: limited", "3: no step"])
        axes.set_yscale("log")
        axes.set_yticks([0.3, 1, 3, 10, 30], ["0.3", "1", "3", "10", "30"])
        axes.grid(axis="x", visible=False)
        axes.set(xlabel="pattern", ylabel="throughput of a guest, MB/s")

    where = sets[1]
    return plot.draw(
        STUDY,
        "guests",
        f"Throughput of each guest in the three patterns; pattern 1 with {where['recovery']}, queue "
        f"{where['queue']}, min RTO {where['rto']} ms. The columns of a group are guests 1 to 4, each "
        "point is "
        "a run.",
        paint,
        size=(6.2, 3.2),
    )


def course(kept: dict) -> plot.Figure:
    def paint(three):
        for axes, number in zip(three, ("1", "2")):
            for guest, moved in enumerate(kept[number]["guests"]):
                rates = [count / runs.BUCKET / 1e6 for count in moved]
                axes.plot(_times(rates), rates, color=plot.colour(guest), label=f"guest {guest + 1}", lw=1.1)
            axes.set(title=f"pattern {number}", xlabel="time since the first Write, s")
        three[0].set_ylabel("throughput, MB/s")
        three[1].legend(fontsize=8)
        for number, style in (("1", "-"), ("2", "--")):
            drops = kept[number]["drops"]
            label = f"pattern {number}"
            three[2].plot(_times(drops), drops, style, color=plot.colour(3), label=label, lw=1.1)
        three[2].set(title="drops at the step", xlabel="time since the first Write, s")
        three[2].set_ylabel(f"packets in {runs.BUCKET} s")
        three[2].legend(fontsize=8)

    return plot.draw(
        STUDY,
        "course",
        f"Bytes of the Writes that ended in each {runs.BUCKET} s, and what the queue at the step dropped "
        f"(the links' log). Pattern 1 with {runs.LONG['recovery']}, queue {runs.LONG['queue']}, min RTO "
        f"{runs.LONG['rto']} ms; pattern 2 with SACK, queue 10, min RTO 200 ms.",
        paint,
        size=(8.6, 2.7),
        columns=3,
    )


def _times(buckets: list) -> list:
    return [runs.BUCKET * (i + 0.5) for i in range(len(buckets))]


def tables(points: dict) -> list[Table]:
    rows = []
    for recovery in runs.RECOVERIES:
        if not has(points, "guests", pattern=2, queue=10, recovery=recovery):
            continue
        for rto in runs.RTOS:
            for queue in runs.QUEUES:
                where = speed_step.point(queue, rto, recovery)
                if not has(points, "guests", **where):
                    continue
                found = spread(points, "sum", "guests", **where)
                causes = [row["cause"] for row in rows_of(points, "guests", **where)]
                slowest = mean(points, "slowest", "guests", **where)
                by_time = speed_step.limited(points, "slowest", recovery=recovery) / max(slowest, 0.01)
                rows.append(
                    [
                        recovery,
                        str(rto),
                        str(queue),
                        f"{found.mean:.2f} ({found.low:.2f} … {found.high:.2f})",
                        f"{speed_step.limited(points, recovery=recovery) / found.mean:.2f}",
                        f"{by_time:.2f}",
                        f"{mean(points, 'in_timeout', 'guests', **where):.2f}",
                        f"{mean(points, 'silent', 'guests', **where):.2f}",
                        f"{mean(points, 'timeouts', 'guests', **where):.1f}",
                        ", ".join(sorted({f"{cause} ({causes.count(cause)})" for cause in causes})),
                    ]
                )
    head = ["recovery", "min RTO, ms", "queue", "sum, MB/s", "ratio by sums", "ratio by time"]
    head += ["in timeouts", "silent", "timeouts a run", "first finding (runs)"]
    surface = Table("Pattern 1", head, rows)
    others = []
    for pattern in (2, 3):
        for queue in settings_of(points, "queue", "guests", pattern=pattern):
            for recovery in settings_of(points, "recovery", "guests", pattern=pattern, queue=queue):
                where = {"pattern": pattern, "queue": queue, "recovery": recovery}
                others.append(
                    [
                        str(pattern),
                        recovery,
                        str(queue) if pattern == 2 else "1000",
                        f"{mean(points, 'sum', 'guests', **where):.2f}",
                        f"{mean(points, 'uneven', 'guests', **where):.2f}",
                        f"{mean(points, 'drops_in_1000', 'guests', **where):.2f}",
                        ", ".join(sorted({row["cause"] for row in rows_of(points, "guests", **where)})),
                    ]
                )
    head = ["pattern", "recovery", "queue", "sum, MB/s", "fastest over slowest", "drops in 1000"]
    return [surface, Table("Patterns 2 and 3", head + ["first finding"], others)]
