# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 2: what is run and measured, at which points."""

from __future__ import annotations

from ..captures import measure as analyzer
from ..captures import packets

RTTS = [0, 10, 20, 30, 50, 70, 100]
LOSS_RTTS = [0, 20, 50, 100]
LOSS = 0.0001
PLACES = [0, 50, 80, 100]  # RTTs of the targets at unequal delays
BYTES = 10 << 20
REPEATS, LOSS_REPEATS = 3, 10
KNEE_RTT, KNEE_REPEATS = 10, 10  # the knee of the standard set rests on RTTs up to this one
FAR_SOCKET, FAR_SOCKET_REPEATS = 100, 8  # where runs of a socket differ
LONG_QUEUE, SHORT_QUEUE = 1000, 200  # packets
SMALL_KEYS = '["InitialR2T=Yes", "ImmediateData=No", "FirstBurstLength=65536", "MaxBurstLength=65536"]'
LARGE_KEYS = '["InitialR2T=No", "ImmediateData=Yes", "FirstBurstLength=262144", "MaxBurstLength=262144"]'
SETS = {
    "standard": {"window": "131072B", "segment": 65536, "keys": SMALL_KEYS},
    "TCP": {"window": "16MB", "segment": 65536, "keys": SMALL_KEYS},
    "TCP + iSCSI": {"window": "16MB", "segment": 262144, "keys": LARGE_KEYS},
}


def write(
    lab,
    tuning: str,
    rtt: float,
    second: float | None,
    repeat: int,
    queue: int,
    loss: float = 0,
    initial_window: int | None = None,
) -> dict:
    """One cold write. `second`: the RTT of the other target of a mirror; None: one target. `initial_window`:
    of the initiator's connections, in segments; None: the kernel's."""
    given = SETS[tuning]
    targets = ["first"] if second is None else ["first", "second"]
    settings = {
        'host.initiator.sysctl."net.ipv4.tcp_slow_start_after_idle"': 1,
        "link.uplink.queue_packets": queue,
        "program.writer.options.key": given["keys"],
        "program.writer.options.count": 1,
    }
    for name, there in zip(targets, (rtt, second)):
        settings[f"link.to-{name}.delay"] = f"{round(there * 500)}us"
        settings[f"host.{name}.window_clamp"] = f'"{given["window"]}"'
        settings[f"program.{name}.options.key"] = f'["MaxRecvDataSegmentLength={given["segment"]}"]'
    if loss:
        settings["link.uplink.loss"] = loss
    if initial_window is not None:
        settings["host.initiator.initial_window"] = initial_window
    places = f"RTT {rtt} ms" if second in (None, rtt) else f"RTTs {rtt} and {second} ms"
    label = f"{tuning}, {'single' if second is None else 'raid'}, {places}, queue {queue}"
    if initial_window is not None:
        label += f", initial window {initial_window}"
    run = lab.run(
        label + (f", loss {100 * loss:g} %" if loss else ""),
        "papers/mirror-single" if second is None else "papers/mirror-raid",
        settings,
        repeat=repeat,
    )
    writes = analyzer.cycles(run.capture("initiator"), "write", 4096)
    lab.forget(run)
    whole = int(writes["bytes_moved"].sum()) == BYTES * len(targets)
    row = {
        "kind": "write",
        "set": tuning,
        "layout": "single" if second is None else "raid",
        "rtt": rtt,
        "second": second,
        "queue": queue,
        "loss": loss,
        "valid": run.valid and whole,
        "rate": analyzer.rate_of(writes) / len(targets) / 1e6,
        "resent": int(writes["retransmitted_segments"].sum()),
    }
    return row if initial_window is None else {**row, "initial_window": initial_window}


def socket(lab, rtt: float, repeat: int) -> dict:
    seconds = 1.5 if lab.quick else 5
    run = lab.run(
        f"socket, RTT {rtt} ms",
        "papers/mirror-socket",
        {
            "link.to-first.delay": f"{round(rtt * 500)}us",
            "program.socket.options.time": f'"{round(seconds * 1000)}ms"',
        },
        repeat=repeat,
    )
    rate = packets.stream_rate(packets.segments(run.capture("initiator")), 0.5) / 1e6
    lab.forget(run)
    return {"kind": "socket", "rtt": rtt, "valid": run.valid, "rate": rate}


def r2t_example(lab) -> dict:
    run = lab.run("R2T example", "papers/mirror-r2t")
    bursts = analyzer.table(run.capture("initiator"), "bursts")
    writes = analyzer.cycles(run.capture("initiator"), "write", 4096)
    lab.forget(run)
    solicited = bursts[bursts["desired_bytes"].notna()]
    return {
        "kind": "r2t",
        "valid": run.valid,
        "writes": len(writes),
        "r2ts": int(writes["r2t_count"].sum()),
        "bursts": len(solicited),
        "data_outs": int(solicited["pdus"].sum()),
        "each_two": bool((solicited["pdus"] == 2).all()),
    }


def measure(lab) -> dict:
    rows = [r2t_example(lab)]
    quick = lab.quick
    for rtt in [0] if quick else [0, 20, 50, FAR_SOCKET]:
        repeats = 1 if quick else FAR_SOCKET_REPEATS if rtt == FAR_SOCKET else 2
        rows += [socket(lab, rtt, repeat) for repeat in range(repeats)]
    for tuning in SETS:
        for rtt in ([0, 10, 30] if tuning == "standard" else [0, 100]) if quick else RTTS:
            knee = tuning == "standard" and rtt <= KNEE_RTT
            for second in (None, rtt):
                for repeat in range(1 if quick else KNEE_REPEATS if knee else REPEATS):
                    rows.append(write(lab, tuning, rtt, second, repeat, LONG_QUEUE))
    if quick:
        return {"rows": rows}
    for rtt in LOSS_RTTS:
        for second in (None, rtt):
            rows += [write(lab, "TCP + iSCSI", rtt, second, n, SHORT_QUEUE) for n in range(REPEATS)]
            rows += [
                write(lab, "TCP + iSCSI", rtt, second, n, SHORT_QUEUE, LOSS) for n in range(LOSS_REPEATS)
            ]
    for first in PLACES:
        for second in PLACES:
            if first == second and first in LOSS_RTTS:
                continue  # measured above
            for n in range(REPEATS):
                rows.append(write(lab, "TCP + iSCSI", first, second, n, SHORT_QUEUE))
    for first, second in ((50, 0), (100, 0)):
        rows += [write(lab, "TCP + iSCSI", first, second, n, LONG_QUEUE) for n in range(REPEATS)]
    return {"rows": rows}
