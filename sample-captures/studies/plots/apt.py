# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 4: its figures and tables."""

from __future__ import annotations

from .. import apt
from .. import apt_changes as changes
from ..pages import figures as plot
from ..pages import topology
from ..points import has, settings_of, spread
from ..runs import apt as runs
from ..table import Table

TIME = "time since the first command, s"


def figures(points: dict) -> list[plot.Figure]:
    made = [
        topology.picture(
            apt.NAME,
            "papers/apt",
            {"path": "100 Mbit/s, queue 50 packets\nRTT 10 ms\nor 55 … 100 Mbit/s, RTT 34 ms"},
            "Topology: one session of N connections.",
        ),
        by_n(points),
    ]
    courses = points["courses"]
    if courses["search"]:
        made += [
            n_over_time(courses),
            connections(courses["search"]),
            course_of_connections(courses["search"]),
        ]
        made.append(
            scatter(
                "reads",
                f"Read times of a search from N = 4 ({runs.NEAREST}), one Read in several.",
                {"APT, T_m 1 s": courses["search"]["reads_ms"]},
            )
        )
    if courses["schedule"]:
        made += [schedule(courses["schedule"]), received(courses["schedule"]), deviation(courses["schedule"])]
        made.append(
            scatter(
                "schedule-reads",
                "Read times under the changing bandwidth, one Read in several.",
                {way: courses["schedule"][way]["reads_ms"] for way in ("APT", "fixed")},
            )
        )
    if courses["spread"]:
        made.append(
            scatter(
                "storage",
                "Figures 19 to 22 of the paper: Read times at the N found by storage delay and size of a"
                " PDU.",
                courses["spread"],
            )
        )
    return made


def by_n(points: dict) -> plot.Figure:
    def paint(pair):
        for axes, figure, title in zip(
            pair, ("by_time", "by_chunk"), ("fixed time", f"chunk of {runs.CHUNK} PDUs")
        ):
            for number, sender in enumerate(runs.SENDERS):
                ns = settings_of(points, "n", "fixed", sender=sender)
                spreads = [spread(points, figure, "fixed", sender=sender, n=n) for n in ns]
                if ns:
                    plot.measured(axes, ns, spreads, sender, number)
            axes.set(xlabel="connections N", title=title, ylim=(0, 13))
        pair[0].set_ylabel("throughput, MB/s")
        plot.modelled(pair[0], runs.FIXED, [apt.model(n) for n in runs.FIXED], "model", 7)
        pair[0].legend(loc="lower right")

    return plot.draw(
        apt.NAME,
        "peak",
        "Figures 10 and 11 of the paper: throughput against N, by a fixed time and by a fixed chunk, of the"
        " same runs; bars from the lowest to the highest run. The model is N Reads in five round trips, at"
        " most the link.",
        paint,
        size=(7.4, 3.2),
        columns=2,
        is_thumbnail=True,
    )


def n_over_time(courses: dict) -> plot.Figure:
    def paint(pair):
        for number, (name, label) in enumerate((("search", runs.NEAREST), ("today", runs.TODAY))):
            course = courses[name]
            if not course:
                continue
            times = [0.0] + [at for at, _ in course["chosen"]]
            chosen = [4] + [n for _, n in course["chosen"]]
            pair[0].step(times, chosen, where="post", color=plot.colour(number), label=label)
            pair[1].step(
                _edges(course), [*course["rate"], course["rate"][-1]], where="post", color=plot.colour(number)
            )
        pair[0].axhline(apt.SCALED_N, linestyle=":", color=plot.colour(7), label="47 of the paper, scaled")
        pair[0].set(xlabel=TIME, ylabel="N chosen", ylim=(0, 33))
        pair[1].axhline(runs.CAPACITY, linestyle=":", color=plot.colour(7))
        pair[1].set(xlabel=TIME, ylabel="throughput by T_m, MB/s", ylim=(0, 13))
        pair[0].legend(fontsize=8)

    return plot.draw(
        apt.NAME,
        "search",
        "N over time, and the session's throughput; the dotted line there is the link's.",
        paint,
        size=(7.4, 3.0),
        columns=2,
    )


def _edges(course: dict) -> list[float]:
    return [i * course["tm"] for i in range(len(course["rate"]) + 1)]


def connections(course: dict) -> plot.Figure:
    def paint(pair):
        names = sorted(course["rates"], key=int)
        places = range(1, len(names) + 1)
        pair[0].bar(places, [course["rates"][name] for name in names], color=plot.colour(0))
        pair[1].bar(places, [course["windows"][name] or 0 for name in names], color=plot.colour(2))
        pair[0].set(xlabel="connection", ylabel="throughput, Mbit/s")
        pair[1].set(xlabel="connection", ylabel="median flight, KB")

    return plot.draw(
        apt.NAME,
        "connections",
        "Throughput of each connection since APT had settled, and the bytes that it had in flight"
        f" ({runs.NEAREST}).",
        paint,
        size=(7.4, 2.8),
        columns=2,
    )


def course_of_connections(course: dict) -> plot.Figure:
    """The slowest, the median and the fastest connection since the search had settled."""

    def paint(pair):
        names = sorted(
            (n for n in course["rates"] if course["rates"][n] > 0), key=lambda n: course["rates"][n]
        )
        shown = {"slowest": names[0], "median": names[len(names) // 2], "fastest": names[-1]}
        middles = [(i + 0.5) * course["tm"] for i in range(len(course["rate"]))]
        for number, (label, name) in enumerate(shown.items()):
            pair[0].plot(middles, course["rate_of"][name], "o-", color=plot.colour(number), label=label)
            windows = course["cwnd"].get(name)
            if windows:
                values = [float("nan") if value is None else value for value in windows]
                pair[1].plot(middles, values, "o-", color=plot.colour(number), label=f"{label}, cwnd")
            flights = [float("nan") if value is None else value for value in course["flight"][name]]
            pair[1].plot(middles, flights, ":", color=plot.colour(number), label=f"{label}, flight")
        pair[0].axvline(course["settled_s"], color=plot.colour(7), linestyle=":")
        pair[1].axvline(course["settled_s"], color=plot.colour(7), linestyle=":")
        pair[0].set(xlabel=TIME, ylabel="throughput by T_m, Mbit/s", ylim=(0, None))
        pair[1].set(xlabel=TIME, ylabel="KB", ylim=(0, None))
        pair[0].legend(fontsize=8)
        pair[1].legend(fontsize=7)

    return plot.draw(
        apt.NAME,
        "over-time",
        "Throughput of three connections over time, and their congestion"
        " window as the analyzer tells it where the window holds the sender, with the flight beside; the"
        " dotted line is when APT had settled.",
        paint,
        size=(7.8, 3.0),
        columns=2,
    )


def scatter(name: str, caption: str, cases: dict) -> plot.Figure:
    def paint(given):
        several = given if len(cases) > 1 else [given]
        top = max(time for reads in cases.values() for _, time in reads) / 1e3
        for number, (axes, (label, reads)) in enumerate(zip(several, cases.items())):
            axes.plot(
                [end / 1e3 for end, _ in reads],
                [time / 1e3 for _, time in reads],
                ".",
                markersize=2.5,
                color=plot.colour(number),
            )
            axes.set(xlabel="end, s", title=label, ylim=(0, top * 1.05))
        several[0].set_ylabel("Read time, s")

    return plot.draw(apt.NAME, name, caption, paint, size=(2.3 * max(len(cases), 2), 2.7), columns=len(cases))


def schedule(course: dict) -> plot.Figure:
    def paint(pair):
        for number, way in enumerate(("APT", "fixed")):
            edges = _edges(course[way])
            pair[0].step(
                edges,
                [*course[way]["n"], course[way]["n"][-1]],
                where="post",
                color=plot.colour(number),
                label=way,
            )
            pair[1].step(
                edges,
                [*course[way]["rate"], course[way]["rate"][-1]],
                where="post",
                color=plot.colour(number),
            )
        steps = [i * runs.STEP_S for i in range(len(runs.RATES) + 1)]
        link = [rate / runs.LINK * runs.CAPACITY for rate in runs.RATES]
        pair[1].step(
            steps, [*link, link[-1]], where="post", color=plot.colour(7), linestyle="--", label="link"
        )
        pair[0].set(xlabel=TIME, ylabel="connections with a Read", ylim=(0, 33))
        pair[1].set(xlabel=TIME, ylabel="throughput by T_m, MB/s", ylim=(0, 13))
        pair[0].legend()
        pair[1].legend()

    return plot.draw(
        apt.NAME,
        "schedule",
        f"The changing bandwidth: N and throughput over time ({runs.NEAREST}).",
        paint,
        size=(7.8, 3.0),
        columns=2,
    )


def received(course: dict) -> plot.Figure:
    def paint(axes):
        for number, way in enumerate(("APT", "fixed")):
            values = course[way]["received"]
            axes.plot([i * runs.TM for i in range(len(values))], values, color=plot.colour(number), label=way)
        axes.set(xlabel=TIME, ylabel="received, MB", ylim=(0, None))
        axes.legend()

    return plot.draw(
        apt.NAME, "received", "Received data under the changing bandwidth.", paint, size=(5.2, 2.9)
    )


def deviation(course: dict) -> plot.Figure:
    def paint(axes):
        for number, way in enumerate(("APT", "fixed")):
            edges = _edges(course[way])
            values = course[way]["deviation"]
            axes.step(edges, [*values, values[-1]], where="post", color=plot.colour(number), label=way)
        axes.set(xlabel=TIME, ylabel="deviation, Mbit/s", ylim=(0, None))
        axes.legend()

    return plot.draw(
        apt.NAME,
        "deviation",
        "Throughput deviation of the connections by T_m under the changing bandwidth.",
        paint,
        size=(5.2, 2.9),
    )


def tables(points: dict) -> list[Table]:
    rows = []
    for row in points["rows"]:
        if row["kind"] == "search":
            settled = f"{row['settled_s']:.1f}" if row["settled_s"] >= 0 else "never"
            rows.append(
                [
                    row["sender"],
                    row["rule"],
                    f"{row['tm']:g}",
                    str(row["initial"]),
                    settled,
                    str(row["found"]),
                ]
                + [str(row["points"]), f"{row['own']:.2f}", f"{row['unequal']:.2f}", f"{row['valley']:.2f}"]
                + ["yes" if row["valid"] else "no"]
            )
    head = ["sender", "rule", "T_m, s", "first N", "settled after, s", "N", "N tried", "own throughput, MB/s"]
    made = [Table("Searches", [*head, "fastest over slowest", "valley", "valid"], rows)]
    if has(points, "schedule", sender=runs.NEAREST, way="APT") and has(
        points, "schedule", sender=runs.NEAREST, way="fixed"
    ):
        made.append(read_times(points))
    return made


def read_times(points: dict) -> Table:
    measured = {"fixed": [], "APT": []}
    for found, fixed in changes.pairs(points):
        for row in (found, fixed):
            measured[row["way"]].append(changes.shares(row, fixed["n"]))
    n = changes.pairs(points)[0][1]["n"]
    scale = n * runs.BLOCK * 1024 / (runs.CAPACITY * 1e6) / runs.CLASS_SCALE_PAPER
    rows = []
    for i, edge in enumerate([*runs.CLASSES, None]):
        cells = ["above" if edge is None else f"{edge:.2f} ({edge * scale:.3f})"]
        for way in ("fixed", "APT"):
            cells.append(f"{apt.PUBLISHED_READ_TIMES[way][i]:.1f}")
            cells.append(", ".join(f"{shares[i]:.1f}" for shares in measured[way]))
        rows.append(cells)
    return Table(
        "Read times in the last three steps, % of the Reads",
        ["up to, s in the paper (here)", "fixed, published", "fixed, run", "APT, published", "APT, run"],
        rows,
    )
