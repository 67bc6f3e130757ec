# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 3: what is run and measured, at which points."""

from __future__ import annotations

from ..captures import measure as analyzer
from ..captures import packets

QUEUES = [2, 4, 10]  # packets at the step
RTOS = [20, 200, 1000]  # ms, shortest retransmission timeout
RECOVERIES = ["SACK", "no SACK"]
TODAY = "SACK and tail probes"
REPEATS = 3
SECONDS = {20: 1.5, 200: 3, 1000: 5, "long": 10}  # that a run's Writes go on, by min RTO
BUCKET = 0.25  # s, of what is drawn over time
SILENT = 10e6  # ns
LONG = {"queue": 4, "rto": 200, "recovery": "no SACK"}


def settings_of_run(pattern: int, queue: int, rto: int, recovery: str, seconds: float) -> dict:
    settings = {"duration": f'"{seconds + 0.5:g}s"', "link.step.queue_packets": queue}
    if pattern == 2:
        settings["link.nic.rate"] = "98Mbit/s"
    elif pattern == 3:
        settings["link.step.rate"] = "1Gbit/s"
        settings["link.step.queue_packets"] = 1000
    for guest in range(1, 5):
        # The run's end cuts the Writes off: a guest would go on until the last timeout is over.
        settings[f"program.guest-{guest}.options.duration"] = '"60s"'
        settings[f"program.guest-{guest}.options.depth"] = 16
    for host in ("initiator", "target"):
        settings[f"host.{host}.congestion_control"] = '"cubic"'
        sysctl = f"host.{host}.sysctl."
        settings[sysctl + '"net.ipv4.tcp_rto_min_us"'] = rto * 1000
        settings[sysctl + '"net.ipv4.tcp_sack"'] = 0 if recovery == "no SACK" else 1
        settings[sysctl + '"net.ipv4.tcp_recovery"'] = 0 if recovery == "no SACK" else 1
        settings[sysctl + '"net.ipv4.tcp_early_retrans"'] = 3 if recovery == TODAY else 0
    return settings


def guests(
    lab, pattern: int, queue: int, rto: int, recovery: str, repeat: int, length: str = "short", keep=None
) -> dict:
    """One run. `keep`: a dict that gets its course over time."""
    seconds = SECONDS["long"] if length == "long" else SECONDS[rto]
    run = lab.run(
        f"pattern {pattern}, {recovery}, queue {queue}, min RTO {rto} ms, {seconds:g} s",
        "papers/speed-step",
        settings_of_run(pattern, queue, rto, recovery, seconds),
        repeat=repeat,
    )
    capture = run.capture("initiator")
    writes = analyzer.cycles(capture, "write", 4096)
    begin = int(writes["start_ns"].min())
    ends = writes["start_ns"] + writes["response_time_ns"]
    ended = writes[ends <= begin + seconds * 1e9]
    rates = [float(n) / seconds / 1e6 for n in ended.groupby("stream")["bytes_moved"].sum()]
    rates += [0.0] * (4 - len(rates))
    sent = packets.segments(capture)
    to_target = sent[sent["destination"].str.endswith(":3260") & (sent["payload"] > 0)]
    to_target = to_target[to_target["time_ns"].between(begin, begin + seconds * 1e9)]
    pauses = to_target["time_ns"].diff()
    drops = [row["time_ns"] - begin for row in run.rows if row["row"] == "drop"]
    drops = [since / 1e9 for since in drops if 0 <= since <= seconds * 1e9]
    offset = (begin - int(sent["time_ns"].min())) / 1e9
    report = analyzer.report(capture, "--range", f"0..{offset + seconds:.3f}")
    lab.forget(run)
    tcp = [row for row in report["tcp"] if row["direction"] == "to_target"]
    causes = [finding["kind"] for finding in report["findings"]]
    row = {
        "kind": "guests",
        "pattern": pattern,
        "queue": queue,
        "rto": rto,
        "recovery": recovery,
        "length": length,
        "valid": run.valid,
        "sum": sum(rates),
        "slowest": min(rates),
        "guests": [round(rate, 3) for rate in rates],
        "uneven": max(rates) / max(min(rates), 0.01),
        "silent": float(pauses[pauses >= SILENT].sum() / (seconds * 1e9)),
        "in_timeout": sum(row["timeout_ns"] for row in tcp) / max(sum(row["busy_ns"] for row in tcp), 1),
        "drops_in_1000": 1000 * len(drops) / len(to_target),
        "timeouts": sum(row["timeouts"] for row in tcp),
        "resent": sum(row["retransmitted_segments"] for row in tcp),
        "cause": causes[0] if causes else "none",
        "causes": causes[:4],
    }
    if keep is not None:
        keep |= {"seconds": seconds, "valid": run.valid, "drops": _counted(drops, seconds)}
        keep["guests"] = [
            _counted(((ends[part.index] - begin) / 1e9).tolist(), seconds, part["bytes_moved"].tolist())
            for _, part in ended.groupby("stream")
        ]
    return row


def _counted(times: list, seconds: float, weights: list | None = None) -> list:
    buckets = [0] * round(seconds / BUCKET)
    for time, weight in zip(times, weights or [1] * len(times)):
        buckets[min(int(time / BUCKET), len(buckets) - 1)] += weight
    return buckets


def measure(lab) -> dict:
    rows: list[dict] = []
    courses = {"1": {}, "2": {}}
    if lab.quick:
        for pattern, queue in ((2, 10), (1, 10), (1, 2)):
            rows += [guests(lab, pattern, queue, 200, recovery, 0) for recovery in RECOVERIES]
        rows.append(guests(lab, 3, 10, 20, "SACK", 0))
        return {"rows": rows}
    for repeat in range(REPEATS):
        rows.append(guests(lab, 2, 10, 200, "SACK", repeat, keep=None if repeat else courses["2"]))
        rows.append(guests(lab, 2, 10, 200, "no SACK", repeat))
        rows.append(guests(lab, 2, 2, 200, "SACK", repeat))
        rows.append(guests(lab, 3, 10, 20, "SACK", repeat))
        rows.append(guests(lab, 1, 4, 200, TODAY, repeat))
        kept = None if repeat else courses["1"]
        rows.append(guests(lab, 1, **LONG, repeat=repeat, length="long", keep=kept))
    for recovery in RECOVERIES:
        for rto in RTOS:
            for queue in QUEUES:
                rows += [guests(lab, 1, queue, rto, recovery, repeat) for repeat in range(REPEATS)]
    return {"rows": rows, "courses": courses}
