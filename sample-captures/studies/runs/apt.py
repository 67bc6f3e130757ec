# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 4: what is run and measured, at which points."""

from __future__ import annotations

import numpy

from ..captures import measure as analyzer

MOST = 32  # connections that the session opens
TM = 1.0  # s; 5 s in the paper
LINK = 100.0  # Mbit/s; 1000 in the paper
CAPACITY = LINK / 8 * 1448 / 1500  # MB/s of payload
BLOCK = 64  # KB of a PDU; 1 MB in the paper
NEAREST = "Reno, no SACK"  # of what the kernel has, to the TCP of the paper's simulation
TODAY = "CUBIC, SACK"
SENDERS = {NEAREST: ("reno", 0, 0, 0), TODAY: ("cubic", 1, 1, 3)}  # SACK, RACK, tail probes
OLD_TIMERS = ", RTO 1 s, initial window 1"  # as simulations of 2011 had; the study apt-reasons runs them
FIXED = [2, 4, 8, 12, 16, 20, 24, 32]  # N
FIXED_S = 6.0  # at N = 2 some 218 Reads, of which the last three quarters have to hold a chunk
CHUNK = 150  # PDUs; 100 to 200 in the paper
SEARCH_S = 18.0
SCHEDULES = 3  # pairs of a run with APT and one with its last N fixed
INITIALS = [3, 5]  # first N of searches beside the paper's 4
SHORT_TMS = {0.1: 6.0, 0.4: 10.0, 0.6: 12.0, 0.8: 15.0}  # T_m, s -> length of the run, s
STEP_S = 10.0  # 50 in the paper
RATES = [70, 85, 100, 85, 70, 55, 70]  # Mbit/s, one a step: 15 for the paper's 150
CLASSES = [0.35, 0.70, 1.40, 2.00]  # s, upper ends of the paper's classes of Read times
CLASS_SCALE_PAPER = 29 * 1048576 / 125e6  # s: what 29 PDUs take at 1 Gbit/s
SPREADS = {"0": "", "3-4 ms": "uniform:3ms..4ms"}  # storage delay
MARGIN = 0.02  # of the addition: more connections have to yield that much more


class Made:
    """A run's Reads: end_s since the first command, time_s, bytes_moved, stream; the tuner's rows."""

    def __init__(self, lab, label: str, sender: str, seconds: float, repeat: int, settings: dict):
        self.run = lab.run(
            f"{label}, {sender}",
            "papers/apt",
            _sender(sender)
            | {
                "program.reader.options.duration": f'"{seconds * 1000:.0f}ms"',
                "program.reader.options.block": f'"{BLOCK}KiB"',
            }
            | settings,
            lateness_bound_us=1000,
            attempts=3,
            repeat=repeat,
        )
        self.capture = self.run.capture("initiator")
        reads = analyzer.cycles(self.capture, "read", 4096)
        self.begin_ns = int(reads["start_ns"].min())
        self.time_s = reads["response_time_ns"].to_numpy() / 1e9
        self.end_s = (reads["start_ns"].to_numpy() - self.begin_ns) / 1e9 + self.time_s
        self.bytes = reads["bytes_moved"].to_numpy()
        self.streams = reads["stream"].to_numpy()
        self.seconds = seconds
        self.tuner = [row for row in self.run.rows if row["row"] == "apt"]
        for row in self.tuner:
            row["at_s"] = (row["time_ns"] - self.begin_ns) / 1e9

    def rate(self, begin_s: float, end_s: float) -> float:
        """MB/s of Reads that ended between."""
        within = (self.end_s > begin_s) & (self.end_s <= end_s)
        return float(self.bytes[within].sum() / (end_s - begin_s) / 1e6)

    def by_connection(self, begin_s: float, end_s: float) -> dict[int, float]:
        """Mbit/s of each connection that completed a Read between."""
        within = (self.end_s > begin_s) & (self.end_s <= end_s)
        found = {}
        for stream in numpy.unique(self.streams[within]):
            moved = self.bytes[within & (self.streams == stream)].sum()
            found[int(stream)] = float(moved * 8 / 1e6 / (end_s - begin_s))
        return found

    def over_time_by_connection(self, tm: float) -> dict[str, list]:
        """Mbit/s in each T_m."""
        bins = [self.by_connection(i * tm, (i + 1) * tm) for i in range(round(self.seconds / tm))]
        streams = sorted({stream for rates in bins for stream in rates})
        return {str(stream): [round(rates.get(stream, 0.0), 2) for rates in bins] for stream in streams}

    def settled(self) -> tuple[float, int]:
        """When the tuner had first settled, s (-1: never), and its N."""
        for row in self.tuner:
            if row["settled"]:
                return row["at_s"], row["next"]
        return -1.0, self.tuner[-1]["next"] if self.tuner else 0

    def n_at(self, at_s: float) -> int:
        chosen = [row["next"] for row in self.tuner if row["at_s"] < at_s]
        return chosen[-1] if chosen else 4


def _sender(name: str) -> dict:
    """A name of SENDERS; with OLD_TIMERS behind it the same with coarse timers and a cautious beginning."""
    control, sack, recovery, probes = SENDERS[name.removesuffix(OLD_TIMERS)]
    settings = {}
    for host in ("initiator", "target"):
        settings[f"host.{host}.congestion_control"] = f'"{control}"'
        sysctl = f"host.{host}.sysctl."
        settings[sysctl + '"net.ipv4.tcp_sack"'] = sack
        settings[sysctl + '"net.ipv4.tcp_recovery"'] = recovery
        settings[sysctl + '"net.ipv4.tcp_early_retrans"'] = probes
        if name.endswith(OLD_TIMERS):
            settings[sysctl + '"net.ipv4.tcp_rto_min_us"'] = 1_000_000
            settings[f"host.{host}.initial_window"] = 1
    return settings


def _tuned(tm: float, initial: int = 4, rule: str = "paper") -> dict:
    option = "program.reader.options."
    settings = {
        option + "connections": MOST,
        option + "apt": "true",
        option + "apt-tm": f'"{tm * 1000:.0f}ms"',
        option + "apt-initial": initial,
    }
    if rule == "textbook left":
        settings[option + "apt-left"] = '"golden"'
    elif rule == "median and margin":
        settings |= {option + "apt-samples": 3, option + "apt-margin": MARGIN}
    return settings


def fixed(lab, sender: str, n: int, repeat: int) -> dict:
    settings = {"program.reader.options.connections": n}
    made = Made(lab, f"N = {n} fixed", sender, FIXED_S, repeat, settings)
    lab.forget(made.run)
    order = numpy.argsort(made.end_s - made.time_s)  # by start
    chunk = order[len(order) // 4 :][:CHUNK]
    starts, ends = made.end_s[chunk] - made.time_s[chunk], made.end_s[chunk]
    return {
        "kind": "fixed",
        "sender": sender,
        "n": n,
        "valid": made.run.valid and len(chunk) == CHUNK,
        "by_time": made.rate(1, FIXED_S),
        "by_chunk": float(made.bytes[chunk].sum() / (ends.max() - starts.min()) / 1e6) if len(chunk) else 0.0,
        "drops_in_1000": 1000 * made.run.drops / max(made.bytes.sum() / 1448, 1),
    }


def valley(times) -> float:
    """Of Read times: the lowest class between two peaks over the lower of the two peaks, in a histogram of
    16 classes by the logarithm; 1: no valley. A peak holds at least a twentieth of the Reads."""
    if len(times) < 100:
        return 1.0
    low, high = numpy.percentile(times, [1, 99])
    counts, _ = numpy.histogram(numpy.log(times), bins=16, range=(numpy.log(low), numpy.log(high)))
    best = 1.0
    for left in range(len(counts)):
        for right in range(left + 2, len(counts)):
            peak = min(counts[left], counts[right])
            if peak * 20 >= len(times):
                best = min(best, counts[left + 1 : right].min() / peak)
    return float(best)


def search(
    lab, sender: str, repeat: int, tm=TM, initial=4, rule="paper", seconds=SEARCH_S, keep=None
) -> dict:
    """A search from the first N. `keep`: a dict that gets its course."""
    label = f"APT, T_m {tm:g} s, N from {initial}, {rule}"
    made = Made(lab, label, sender, seconds, repeat, _tuned(tm, initial, rule))
    at, n = made.settled()
    # Reads that were under way on connections that the last step left out end within a second.
    since = at + 1 if 0 <= at <= seconds - 3 else seconds - 2
    rates = made.by_connection(since, seconds)
    busy = [rate for rate in rates.values() if rate > 0]
    segments = windows_of(made)
    flights = median_kb(segments[segments["at_s"] > since], "flight_bytes")
    in_use = [flights[stream] for stream, rate in rates.items() if rate > 0 and stream in flights]
    if keep is not None:
        keep |= course(made, tm) | {"valid": made.run.valid, "settled_s": at}
        keep["rates"] = {str(stream): round(rate, 2) for stream, rate in rates.items()}
        keep["windows"] = {str(stream): flights.get(stream) for stream in rates}
        ordered = sorted(rates, key=rates.get)
        three = {str(ordered[i]) for i in (0, len(ordered) // 2, -1)}  # slowest, median, fastest
        for column in ("flight", "cwnd"):
            series = over_time(segments, f"{column}_bytes", tm, round(seconds / tm))
            keep[column] = {stream: values for stream, values in series.items() if stream in three}
        series = made.over_time_by_connection(tm)
        keep["rate_of"] = {stream: values for stream, values in series.items() if stream in three}
    lab.forget(made.run)
    return {
        "kind": "search",
        "sender": sender,
        "tm": tm,
        "initial": initial,
        "rule": rule,
        "valid": made.run.valid,
        "settled_s": at,
        "found": n,
        "points": len({row["connections"] for row in made.tuner if row["at_s"] <= (at if at > 0 else 1e9)}),
        "own": made.rate(since, seconds),
        "unequal": max(busy) / min(busy) if busy else 0.0,
        "slowest": min(busy) if busy else 0.0,
        "fastest": max(busy) if busy else 0.0,
        "windows_unequal": max(in_use) / min(in_use) if in_use else 0.0,
        "valley": valley(made.time_s[made.end_s > since]),
    }


def windows_of(made: Made):
    """Segments of new data from the target: stream, at_s since the first command, flight_bytes, and cwnd_bytes
    where the congestion window was seen to hold the sender."""
    frame = analyzer.table(
        made.capture,
        "tcp",
        ["stream", "time_ns", "flight_bytes", "cwnd_bytes"],
        filter='direction == "to_initiator"',
    )
    frame["at_s"] = (frame["time_ns"] - made.begin_ns) / 1e9
    return frame


def median_kb(frame, column: str) -> dict[int, float]:
    medians = frame.dropna(subset=[column]).groupby("stream")[column].median()
    return {int(stream): round(float(value) / 1024, 1) for stream, value in medians.items()}


def over_time(frame, column: str, tm: float, bins: int) -> dict[str, list]:
    """By connection: the median in each T_m, KB; null where there is none."""
    found = {}
    for stream, part in frame.dropna(subset=[column]).groupby("stream"):
        medians = part.groupby((part["at_s"] // tm).astype(int))[column].median()
        found[str(stream)] = [
            round(float(medians[i]) / 1024, 1) if i in medians.index else None for i in range(bins)
        ]
    return found


def course(made: Made, tm: float) -> dict:
    """By T_m: connections that completed a Read, MB/s, the population standard deviation of the throughputs
    of those connections in Mbit/s; Reads of the whole run, thinned out."""
    rows = {"tm": tm, "n": [], "rate": [], "deviation": []}
    for i in range(round(made.seconds / tm)):
        rates = list(made.by_connection(i * tm, (i + 1) * tm).values())
        rows["n"].append(len(rates))
        rows["rate"].append(round(made.rate(i * tm, (i + 1) * tm), 3))
        rows["deviation"].append(round(float(numpy.std(rates)), 3) if rates else 0.0)
    rows["chosen"] = [[round(row["at_s"], 2), row["next"]] for row in made.tuner]
    rows["reads_ms"] = thinned(made)
    return rows


def thinned(made: Made) -> list:
    order = numpy.argsort(made.end_s)
    order = order[:: max(len(order) // 100, 1)]
    return [[round(made.end_s[i] * 1000), round(made.time_s[i] * 1000)] for i in order]


def scheduled(lab, sender: str, repeat: int, n: int | None, keep=None) -> dict:
    """The schedule of the bandwidth, with APT or (n) with that N."""
    seconds = STEP_S * len(RATES)
    steps = ", ".join(
        f'{{ at = "{i * STEP_S * 1000:.0f}ms", rate = "{rate}Mbit/s" }}' for i, rate in enumerate(RATES)
    )
    settings = {
        "link.path.backward": f"{{ schedule = [{steps}], queue_packets = 50 }}",
        "link.path.delay": '"17ms"',
        "host.initiator.window_clamp": '"32KiB"',
    }
    if n is None:
        changes = ", ".join(
            f'"{i * STEP_S * 1000:.0f}ms:{"rise" if RATES[i] > RATES[i - 1] else "fall"}"'
            for i in range(1, len(RATES))
        )
        settings |= _tuned(TM) | {"program.reader.options.apt-change": f"[{changes}]"}
    else:
        settings["program.reader.options.connections"] = n
    way = "APT" if n is None else "fixed"
    made = Made(lab, f"schedule, {way if n is None else f'N = {n} fixed'}", sender, seconds, repeat, settings)
    lab.forget(made.run)
    row = {
        "kind": "schedule",
        "sender": sender,
        "pair": repeat,
        "way": way,
        "n": n or 0,
        "valid": made.run.valid,
    }
    late = made.end_s > seconds * 4 / 7  # 400 to 700 s in the paper
    deviation = course(made, TM)["deviation"]
    last = made.n_at(seconds) if n is None else n
    row |= {
        "received": float(made.bytes.sum() / 1e6),
        "by_step": [round(made.rate(i * STEP_S, (i + 1) * STEP_S), 4) for i in range(len(RATES))],
        "late_reads": int(late.sum()),
        "late_times_s": sorted_sample(made.time_s[late]),
        "deviation": float(numpy.mean(deviation)),
        "swing": float(numpy.std(deviation) / max(numpy.mean(deviation), 1e-9)),
        "last": last,
        "settles": settles(made),
    }
    if keep is not None:
        keep[way] = course(made, TM) | {"valid": made.run.valid}
        moved = numpy.cumsum(made.bytes[numpy.argsort(made.end_s)]) / 1e6
        ends = numpy.sort(made.end_s)
        keep[way]["received"] = [
            round(float(moved[min(numpy.searchsorted(ends, i * TM), len(moved) - 1)]), 2)
            for i in range(round(seconds / TM) + 1)
        ]
    return row


def sorted_sample(times) -> list:
    """100 quantiles of Read times, s."""
    return [round(float(value), 4) for value in numpy.quantile(times, numpy.linspace(0.005, 0.995, 100))]


def settles(made: Made) -> list[list]:
    """Of each step of the schedule: s from the step until the tuner has settled (-1: not before the next),
    and N at the step's end."""
    found = []
    for i in range(len(RATES)):
        begin, end = i * STEP_S, (i + 1) * STEP_S
        # A change is told one T_m late: what the search before says until then is not of this step.
        told = begin + (TM if i else 0)
        ats = [row["at_s"] for row in made.tuner if told < row["at_s"] <= end and row["settled"]]
        found.append([round(ats[0] - begin, 2) if ats else -1, made.n_at(end)])
    return found


def spread_of_reads(lab, n: int, storage: str, block: int, repeat: int, keep=None, role="found") -> dict:
    """`role`: "found", N is what APT found; "few", too few to keep a queue."""
    settings = {
        "program.reader.options.connections": n,
        "program.reader.options.block": f'"{block}KiB"',
    }
    if SPREADS[storage]:
        settings["program.target.options.lun"] = f'"ram:256MiB,service={SPREADS[storage]}"'
    label = f"N = {n} fixed, storage {storage}, PDU {block} KB"
    made = Made(lab, label, NEAREST, 6.0 if block == BLOCK else 12.0, repeat, settings)
    lab.forget(made.run)
    times = made.time_s[made.end_s > 1] * 1e3
    tenth, half, ninetieth = numpy.percentile(times, [10, 50, 90])
    if keep is not None:
        keep[f"{storage}, {block} KB"] = thinned(made)
    return {
        "kind": "spread",
        "role": role,
        "storage": storage,
        "block": block,
        "n": n,
        "valid": made.run.valid,
        "median_ms": float(half),
        "spread_ms": float(ninetieth - tenth),
        "relative": float((ninetieth - tenth) / half),
    }


def measure(lab) -> dict:
    rows: list[dict] = []
    courses: dict = {"search": {}, "today": {}, "schedule": {}, "spread": {}}
    points = {"rows": rows, "courses": courses}
    if lab.quick:
        rows += [fixed(lab, NEAREST, n, 0) for n in (4, 16, 32)]
        rows.append(search(lab, NEAREST, 0))
        return points
    for sender, repeats in ((NEAREST, 2), (TODAY, 1)):
        for repeat in range(repeats):
            rows += [fixed(lab, sender, n, repeat) for n in FIXED]
    for repeat in range(5):
        rows.append(search(lab, NEAREST, repeat, keep=None if repeat else courses["search"]))
    for repeat in range(2):
        rows += [search(lab, NEAREST, repeat, initial=initial) for initial in INITIALS]
        rows += [search(lab, NEAREST, repeat, tm=tm, seconds=s) for tm, s in SHORT_TMS.items()]
        rows.append(search(lab, TODAY, repeat, keep=None if repeat else courses["today"]))
    rows.append(search(lab, NEAREST, 0, rule="textbook left"))
    rows.append(search(lab, NEAREST, 0, rule="median and margin", seconds=40))
    for repeat in range(SCHEDULES):
        keep = None if repeat else courses["schedule"]
        rows.append(scheduled(lab, NEAREST, repeat, None, keep))
        rows.append(scheduled(lab, NEAREST, repeat, rows[-1]["last"], keep))
    found = sorted(row["found"] for row in rows if row["kind"] == "search" and row["tm"] == TM)
    n = found[len(found) // 2]
    rows += [spread_of_reads(lab, 4, storage, BLOCK, 0, role="few") for storage in SPREADS]
    for repeat in range(2):
        for block in (BLOCK, 3 * BLOCK):
            for storage in SPREADS:
                kept = None if repeat else courses["spread"]
                rows.append(spread_of_reads(lab, n, storage, block, repeat, kept))
    return points
