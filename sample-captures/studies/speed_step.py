# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 3: four guests back up through a step from a fast network to a slow one (JDSF 2013)."""

from __future__ import annotations

import math

from .claim import ADDITION, CANNOT_BE_TOLD, Claim, Finding, MissingPoint, graded
from .points import has, mean, rows_of, spread
from .runs import speed_step as runs

NAME = "speed-step"
TITLE = "A fast network feeding a slow one"
SOURCE = (
    "Study in the journal of the Japan Data Storage Forum (JDSF), 2013: backup of four guests over "
    "10 Gbit/s Ethernet to an iSCSI target behind 1 Gbit/s."
)
METHOD = """\
The paper: four guests (CentOS 6) of one host back up at once to an iSCSI target. Pattern 1: the host sends at
10 Gbit/s, and a switch has to pass it on at 1 Gbit/s. Pattern 2: the host sends at 1 Gbit/s. Pattern 3: 10
Gbit/s all the way. It gives the throughput of each guest and the time of the backup, and finds the cause in
the overflow of the switch's buffer. How long that buffer is it does not say.

Here: `papers/speed-step` with real TCP over the shim, rates 1 to 10: 1 Gbit/s into 100 Mbit/s; pattern 2
sends at 98 Mbit/s. Each guest is one session with one connection, which keeps 16 Writes of 64 KB under way;
windows of 256 KB; CUBIC at both ends, as CentOS 6 has it. What the paper leaves open is not chosen but
varied, in pattern 1: the length of the drop-tail queue at the step, the shortest retransmission timeout, and
the recovery. "SACK": selective acknowledgements without tail probes, the nearest to CentOS 6 that this kernel
has; it finds losses by time (RACK), which CentOS 6 did not. "No SACK": duplicate acknowledgements alone. A
timeout is not scaled with the rates: CentOS 6's 200 ms cost 25 MB of the paper's slow link, and 2.5 MB of
this one; 1 s costs 12.5 MB. So the published point is a line on the surface, not a point.

A guest's throughput is the bytes of its Writes that ended in the run's time, in the initiator's capture,
over that time; it begins with the first Write. Each point is repeated with its own seed; means. The analyzer
reads the same time of the same capture alone. A backup takes 94 minutes in the paper, a run here 1.5 to 10
s."""
SYMBOLS = {
    "pattern 1, 2, 3": "full speed into the step; sender limited; no step",
    "sum": "throughput of the four guests together, MB/s",
    "ratio by sums": "sum of pattern 2 over sum of pattern 1",
    "ratio by time": (
        "slowest guest of pattern 2 over slowest guest of pattern 1: a backup of equal disks ends with its "
        "slowest guest"
    ),
    "queue": "packets that wait at the step at most",
    "min RTO": "shortest retransmission timeout, ms",
    "in timeouts": "share of the guests' busy time in which they wait for a retransmission timeout",
    "silent": "share of the time in which the initiator sends no segment for 10 ms or more, of any guest",
    "MB/s": "1,000,000 bytes a second; KB of sizes are 1024 bytes",
}

PUBLISHED_GUESTS = {
    1: [5.31, 5.29, 5.30, 5.34],
    2: [16.56, 26.28, 26.62, 26.26],
    3: [65.87, 104.06, 99.06, 59.57],
}
PUBLISHED_SUMS = 4.5  # 95.7 / 21.2
PUBLISHED_TIME = 3.1  # 16.56 / 5.29
SLOW_LINK = 12.5  # MB/s here, 125 in the paper
MATTERS = 1.5  # ratio from which the step is a trouble that the analyzer has to name


def limited(points: dict, figure: str = "sum", queue: int = 10, recovery: str = "SACK") -> float:
    return mean(points, figure, "guests", pattern=2, queue=queue, recovery=recovery)


def point(queue: int, rto: int, recovery: str) -> dict:
    return {"pattern": 1, "queue": queue, "rto": rto, "recovery": recovery, "length": "short"}


def surface(points: dict, recovery: str, figure: str = "sum") -> dict[tuple[int, int], float]:
    """(queue, min RTO) -> ratio of pattern 2 to pattern 1."""
    found = {}
    for rto in runs.RTOS:
        for queue in runs.QUEUES:
            if has(points, "guests", **point(queue, rto, recovery)):
                slow = mean(points, figure, "guests", **point(queue, rto, recovery))
                fast = limited(points, figure, recovery=recovery)
                found[queue, rto] = fast / max(slow, fast / 1000)  # a guest may have got nothing
    if not found:
        raise MissingPoint(f"no run was valid: pattern 1, {recovery}")
    return found


def whole_surface(points: dict, recovery: str, figure: str = "sum") -> dict[tuple[int, int], float]:
    found = surface(points, recovery, figure)
    if len(found) < len(runs.QUEUES) * len(runs.RTOS):
        raise MissingPoint(f"not all points of the surface were run: {recovery}")
    return found


def named(where: tuple[int, int]) -> str:
    return f"queue {where[0]}, min RTO {where[1]} ms"


def largest(found: dict) -> str:
    best = max(found, key=found.get)
    return f"{found[best]:.2f} at {named(best)}"


def judge_sums(points: dict) -> Finding:
    sack, none = (whole_surface(points, recovery) for recovery in runs.RECOVERIES)
    top = max(sack.values())
    reaches = [named(where) for where, value in none.items() if value >= PUBLISHED_SUMS]
    return Finding(
        graded(top >= PUBLISHED_SUMS > min(sack.values()), top >= MATTERS),
        f"SACK {min(sack.values()):.2f} to {largest(sack)}; no SACK {min(none.values()):.2f} to "
        f"{largest(none)}",
        "judged with SACK, as CentOS 6 had. The line of 4.5 "
        + (f"is passed without SACK at {'; '.join(reaches)}" if reaches else "is not passed without SACK")
        + ". This kernel repairs a loss found by time within a round trip or two, and what is lost "
        "again too, "
        "where CentOS 6 waited for a timeout",
    )


def nearest(points: dict) -> tuple[str, tuple[int, int], float]:
    """The point of both surfaces whose ratio by sums is nearest to the published one, by its logarithm."""
    found = {(r, w): v for r in runs.RECOVERIES for w, v in whole_surface(points, r).items()}
    recovery, where = min(found, key=lambda key: abs(math.log(found[key] / PUBLISHED_SUMS)))
    return recovery, where, found[recovery, where]


def judge_time(points: dict) -> Finding:
    recovery, where, sums = nearest(points)
    time = surface(points, recovery, "slowest")[where]
    even = mean(points, "uneven", "guests", pattern=2, queue=10, recovery=recovery)
    return Finding(
        graded(2.5 <= time <= 3.7 and 3.6 <= sums <= 5.4, time >= MATTERS),
        f"by time {time:.2f}, by sums {sums:.2f} at {recovery}, {named(where)}",
        "that point is the one nearest to 4.5 by sums. In the paper the ratio by time is the smaller "
        "one, as a "
        "guest of pattern 2 is slower than the others and the guests of pattern 1 are alike; here the "
        "fastest "
        f"guest of pattern 2 has {even:.2f} times the slowest, and those of pattern 1 are apart over a few "
        "seconds",
    )


def judge_alike(points: dict) -> Finding:
    rows = rows_of(points, "guests", pattern=1, length="long")
    uneven = spread(points, "uneven", "guests", pattern=1, length="long")
    fastest = max(max(row["guests"]) for row in rows)
    share = limited(points, recovery=runs.LONG["recovery"]) / 4
    return Finding(
        graded(uneven.mean <= 1.1, fastest < share),
        f"fastest over slowest {uneven.mean:.2f} ({uneven.low:.2f} to {uneven.high:.2f}); guests of one run "
        + ", ".join(f"{rate:.2f}" for rate in rows[0]["guests"])
        + " MB/s",
        f"runs of {runs.SECONDS['long']:g} s, {runs.LONG['recovery']}, queue {runs.LONG['queue']}, min RTO "
        f"{runs.LONG['rto']} ms: some {mean(points, 'timeouts', 'guests', pattern=1, length='long') / 4:.0f} "
        "timeouts a guest, whose number varies by chance, where a guest of the paper has thousands. "
        "Each guest's "
        f"share of pattern 2 is {share:.2f} MB/s",
    )


def judge_limited(points: dict) -> Finding:
    total = limited(points)
    drops = limited(points, "drops_in_1000")
    with_step = mean(points, "drops_in_1000", "guests", **point(10, 200, "SACK"))
    with_short_queue = ""
    if has(points, "guests", pattern=2, queue=2):
        with_short_queue = (
            f". With a queue of 2 at the step {limited(points, queue=2):.2f} MB/s and "
            f"{limited(points, 'drops_in_1000', queue=2):.2f} drops in 1000 segments"
        )
    return Finding(
        graded(total / SLOW_LINK >= 0.77 and drops <= 0.02 * with_step, drops < 0.2 * with_step),
        f"{total:.2f} MB/s, {total / SLOW_LINK:.2f} of the slow link; {drops:.2f} drops in 1000 segments, "
        f"{with_step:.1f} in pattern 1",
        "SACK, queue 10, min RTO 200 ms; the queue in front of the limit is the sender's own and drops "
        "nothing" + with_short_queue,
    )


def judge_first_guest(points: dict) -> Finding:
    uneven = spread(points, "uneven", "guests", pattern=2, queue=10, recovery="SACK")
    return Finding(
        CANNOT_BE_TOLD,
        f"fastest over slowest {uneven.mean:.2f} ({uneven.low:.2f} to {uneven.high:.2f})",
        "the paper does not say what holds its first guest, in a pattern without drops; its disk, or when it "
        "began, would be enough. The guests here differ by chance",
    )


def judge_no_step(points: dict) -> Finding:
    free = mean(points, "sum", "guests", pattern=3)
    return Finding(
        CANNOT_BE_TOLD,
        f"{free:.1f} MB/s, {free / limited(points):.1f} times pattern 2; "
        f"{mean(points, 'drops_in_1000', 'guests', pattern=3):.2f} drops in 1000 segments",
        "the ratio of the links is set here, and the paper does not say what holds its guests at a "
        "quarter of "
        "10 Gbit/s: their disks, or the target's",
    )


def judge_cause(points: dict) -> Finding:
    troubled, first, among = 0, 0, 0
    others: dict[str, int] = {}
    texts = []
    for recovery in runs.RECOVERIES:
        before = first, troubled
        for (queue, rto), ratio in surface(points, recovery).items():
            if ratio < MATTERS:
                continue
            for row in rows_of(points, "guests", **point(queue, rto, recovery)):
                troubled += 1
                first += row["cause"] == "incast"
                among += "incast" in row["causes"]
                if row["cause"] != "incast":
                    others[row["cause"]] = others.get(row["cause"], 0) + 1
        texts.append(f"{recovery} {first - before[0]} of {troubled - before[1]}")
    if not troubled:
        raise MissingPoint(f"no point of the surface has a ratio of {MATTERS} or more")
    wrong = [row for row in rows_of(points, "guests", pattern=2) if "incast" in row["causes"]]
    return Finding(
        graded(first >= 0.9 * troubled and not wrong, among >= 0.9 * troubled),
        f"incast is the first finding in {first} of {troubled} runs ({', '.join(texts)}), among the findings "
        f"in {among}; in {len(wrong)} runs of pattern 2",
        "from the initiator's capture alone; incast: several connections lose segments towards one end at "
        "the same times. First instead: "
        + (", ".join(f"{kind} in {count}" for kind, count in others.items()) or "nothing else")
        + ". connection_reset is the end of the run, which cuts off guests that still wait; a portal is called "
        "unreachable where a SYN was dropped and repeated",
    )


def shares(points: dict, figure: str) -> tuple[str, float, float]:
    """At each point with a ratio of 2 or more: the figure beside the share of the throughput that is lost.
    Their texts, their largest difference, the smallest figure."""
    texts, worst, least = [], 0.0, 1.0
    for recovery in runs.RECOVERIES:
        for (queue, rto), ratio in whole_surface(points, recovery).items():
            if ratio >= 2:
                share = mean(points, figure, "guests", **point(queue, rto, recovery))
                lost = 1 - 1 / ratio
                worst, least = max(worst, abs(lost - share)), min(least, share)
                texts.append(f"{recovery} {queue}/{rto}: {share:.2f} of {lost:.2f}")
    if not texts:
        raise MissingPoint("no point of the surface has a ratio of 2 or more")
    return "; ".join(texts), worst, least


def judge_timeouts(points: dict) -> Finding:
    text, worst, least = shares(points, "in_timeout")
    return Finding(
        graded(worst <= 0.2, least >= 0.2),
        text,
        "recovery, queue/min RTO, share of the guests' busy time in timeouts, of the share of "
        "throughput lost; "
        f"largest difference {worst:.2f}. {without_timeouts(points)}",
        "1 − 1/ratio",
    )


def without_timeouts(points: dict) -> str:
    """The experiment that tells the timeouts' part from the windows' part: timeouts of 20 ms, which cost
    little."""
    short = {r: surface(points, r)[2, 20] for r in runs.RECOVERIES}
    long = {r: surface(points, r)[2, 1000] for r in runs.RECOVERIES}
    return (
        "With a min RTO of 20 ms in place of 1000 the ratio at a queue of 2 is "
        + ", ".join(f"{short[r]:.2f} in place of {long[r]:.2f} ({r})" for r in runs.RECOVERIES)
        + ": with SACK it is not the timeouts that cost, but windows that a queue of 2 packets keeps at a "
        "segment or two; where no SACK has longer queues, a guest in a timeout leaves the link to the others"
    )


def judge_at_once(points: dict) -> Finding:
    text, worst, least = shares(points, "silent")
    waiting = shares(points, "in_timeout")[2]
    return Finding(
        graded(worst <= 0.2, least >= 0.2),
        text,
        "recovery, queue/min RTO, share of the time in which no guest sends, of the share of throughput "
        "lost; "
        f"largest difference {worst:.2f}. A guest is in a timeout for at least {waiting:.2f} of its time; "
        "where the silent share is smaller, the timeouts do not begin together, and one guest or "
        "another sends "
        "into the queue, and loses again, while the others wait",
        "1 − 1/ratio",
    )


def show_recovery(points: dict) -> Finding:
    rates = {
        recovery: spread(points, "sum", "guests", **point(4, 200, recovery))
        for recovery in (*runs.RECOVERIES, runs.TODAY)
    }
    return Finding(
        ADDITION,
        ", ".join(f"{name} {s.mean:.2f} ({s.low:.2f} … {s.high:.2f})" for name, s in rates.items()) + " MB/s",
        "pattern 1, queue 4, min RTO 200 ms; today's TCP adds tail probes to SACK",
    )


CLAIMS = [
    Claim(
        "ratio-sums",
        "A sender limited to the slow link's rate moves 4.5 times as much as one that sends at full "
        "speed into "
        "the step, by the sums of the guests' throughputs.",
        "95.7 over 21.2 MB/s: 4.5",
        "with SACK the line of 4.5 crosses the surface over queues of 2 to 10 packets and min RTOs of 20 to "
        "1000 ms: one of its points is below, one at or above; same direction: one is at least 1.5",
        judge_sums,
        "throughput of the guests",
    ),
    Claim(
        "ratio-time",
        "By the time that the backup takes, the ratio is 3.1.",
        "3.1 (120 GB in 30 min 55 s with the limit)",
        "at the point of the surfaces that is nearest to 4.5 by sums, and there within 3.6 to 5.4, the ratio "
        "by time is 2.5 to 3.7; same direction: at least 1.5",
        judge_time,
        "time of the backup",
    ),
    Claim(
        "alike",
        "At full speed into the step all guests are slow alike.",
        "5.31, 5.29, 5.30, 5.34 MB/s",
        "long runs, no SACK, queue 4, min RTO 200 ms: the fastest guest has at most 1.1 times the "
        "slowest; same "
        "direction: the fastest is slower than a guest's share of pattern 2",
        judge_alike,
        "throughput of the guests",
    ),
    Claim(
        "limited",
        "With the limit the drops vanish, and the guests fill most of the slow link.",
        "95.7 MB/s of 125: 0.77",
        "SACK, queue 10: at least 0.77 of the slow link, and at most a fiftieth of the drops in 1000 "
        "segments of "
        "pattern 1; same direction: less than a fifth of the drops",
        judge_limited,
        "throughput of the guests",
    ),
    Claim(
        "first-guest",
        "With the limit the first guest is slower than the other three.",
        "16.56 against 26.26 to 26.62 MB/s",
        "none can be set: the paper does not say what holds that guest",
        judge_first_guest,
        "throughput of the guests",
    ),
    Claim(
        "no-step",
        "Without a step the same guests are faster again.",
        "328.56 MB/s, 3.4 times pattern 2",
        "none can be set: the ratio of the links is the scenario's, what else holds the guests is not said",
        judge_no_step,
        "throughput of the guests",
    ),
    Claim(
        "cause",
        "The cause is the overflow of the buffer at the step, which hits all guests together.",
        "found by the authors",
        "at all points with a ratio of at least 1.5 incast is the analyzer's first finding in at least "
        "90 % of "
        "the runs, and in no run of pattern 2 is it among the findings; same direction: among the "
        "findings in "
        "90 %",
        judge_cause,
        "discussion",
    ),
    Claim(
        "timeouts",
        "The throughput is lost to the guests' timeouts.",
        "mass drops, timeouts",
        "at each point with a ratio of at least 2 the share of the guests' time in timeouts is within 0.2 of "
        "the share of the throughput lost; same direction: it is at least 0.2 everywhere",
        judge_timeouts,
        "discussion",
    ),
    Claim(
        "at-once",
        "The guests lose and wait together, which leaves the link idle.",
        "synchronous loss",
        "at each point with a ratio of at least 2 the share of the time in which no guest sends is "
        "within 0.2 "
        "of the share of the throughput lost; same direction: it is at least 0.2 everywhere",
        judge_at_once,
        "discussion",
    ),
    Claim("recovery", "Not in the paper: what each kind of recovery makes of it.", "", "none", show_recovery),
]


def measure(lab) -> dict:
    return runs.measure(lab)
