# SPDX-License-Identifier: GPL-2.0-or-later
"""What the verdicts of study 2 rest on: what is run and measured."""

from __future__ import annotations

from ..captures import measure as analyzer
from ..captures import packets
from . import mirror

RTTS = [50, 70, 100]  # those of the claims on lift and slope
WINDOWS = [3, 10]  # initial congestion windows, segments: RFC 3390 at this segment size, RFC 6928
REPEATS = 3
STEADY_RTTS = [0, 10]
WRITES = 6  # of a session whose first write is left out
COMMANDS = 80  # of one write of 10 MB: 128 KB each
SOCKET_SECONDS = [5, 30]


def steady(lab, rtt: float, repeat: int) -> dict:
    """Writes of a session behind its first one, with the standard set."""
    given = mirror.SETS["standard"]
    run = lab.run(
        f"standard, single, RTT {rtt} ms, {WRITES} writes",
        "papers/mirror-single",
        {
            "program.writer.options.key": given["keys"],
            "program.writer.options.count": WRITES,
            "link.to-first.delay": f"{round(rtt * 500)}us",
            "host.first.window_clamp": f'"{given["window"]}"',
            "program.first.options.key": f'["MaxRecvDataSegmentLength={given["segment"]}"]',
        },
        repeat=repeat,
    )
    writes = analyzer.cycles(run.capture("initiator"), "write", 4096)
    lab.forget(run)
    return {
        "kind": "steady",
        "rtt": rtt,
        "valid": run.valid and len(writes) == COMMANDS * WRITES,
        "first": analyzer.rate_of(writes[:COMMANDS]) / 1e6,
        "rate": analyzer.rate_of(writes[COMMANDS:]) / 1e6,
    }


def socket(lab, seconds: float, repeat: int) -> dict:
    run = lab.run(
        f"socket, RTT 100 ms, {seconds} s",
        "papers/mirror-socket",
        {
            "link.to-first.delay": "50000us",
            "program.socket.options.time": f'"{round(seconds * 1000)}ms"',
        },
        repeat=repeat,
    )
    rate = packets.stream_rate(packets.segments(run.capture("initiator")), 0.5) / 1e6
    lab.forget(run)
    return {"kind": "socket", "seconds": seconds, "valid": run.valid, "rate": rate}


def measure(lab) -> dict:
    quick = lab.quick
    rows = []
    for window in WINDOWS:
        for tuning in ("TCP", "TCP + iSCSI"):
            for rtt in [100] if quick else RTTS:
                for second in (None, rtt) if tuning == "TCP" and rtt == 100 else (None,):
                    for repeat in range(1 if quick else REPEATS):
                        rows.append(
                            mirror.write(
                                lab, tuning, rtt, second, repeat, mirror.LONG_QUEUE, initial_window=window
                            )
                        )
    if quick:
        return {"rows": rows}
    for rtt in STEADY_RTTS:
        rows += [steady(lab, rtt, repeat) for repeat in range(REPEATS)]
    for seconds in SOCKET_SECONDS:
        rows += [socket(lab, seconds, repeat) for repeat in range(2)]
    return {"rows": rows}
