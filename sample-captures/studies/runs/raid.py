# SPDX-License-Identifier: GPL-2.0-or-later
"""Study 5: what is run and measured, at which points."""

from __future__ import annotations

from ..captures import measure as analyzer

KB = 1024
LOADS = {
    "constant read": "const-read",
    "constant write": "const-write",
    "sequential read": "seq-read",
    "sequential write": "seq-write",
    "random read": "rand-read",
    "random write": "rand-write",
}
READS = ["constant read", "sequential read", "random read"]
SIZES = {load: [8, 32, 128, 256, 512] if "constant" in load else [8, 128, 512] for load in LOADS}  # KB
REQUEST = 128  # KB, of the figures that are not against the request size
PROCESSES = [2, 8]  # and one: the runs of one host
BUFFERS = [16, 32, 64, 128, 256, 512]  # KB
REPEATS = 3


def one(lab, what: str, load: str, size: float, repeat: int, settings: dict | None = None, **more) -> dict:
    """One run. `more`: what the point is called by, beside load and size."""
    two = what == "two hosts"
    run_settings = dict(settings or {})
    for program in ("load", "second") if two else ("load",):
        run_settings |= {
            f"program.{program}.options.workload": f'"{LOADS[load]}"',
            f"program.{program}.options.block": f'"{round(size * KB)}B"',
            f"program.{program}.options.duration": '"1s"' if lab.quick else '"1500ms"',
        }
    label = ", ".join([what, load, f"{size:g} KB"] + [f"{name} {value}" for name, value in more.items()])
    scenario = "papers/iposraid-two-hosts" if two else "papers/iposraid"
    run = lab.run(label, scenario, run_settings, repeat=repeat)
    tasks = analyzer.cycles(run.capture("target"), "read" if "read" in load else "write", 512)
    lab.forget(run)
    # The first half opens the congestion window and fills the cache.
    steady = tasks.iloc[len(tasks) // 2 :]
    hosts = [len(part) / len(steady) for _, part in steady.groupby("session")] if two else [1.0]
    rate = analyzer.rate_of(steady) / 1e6
    return {
        "kind": what,
        "load": load,
        "size": size,
        **more,
        "valid": run.valid,
        "rate": rate,
        "slower_host": rate * min(hosts) if len(hosts) > 1 or not two else 0.0,
        "faster_host": rate * max(hosts),
        "requests": rate * 1e6 / (size * KB),
    }


def by_processes(lab, load: str, processes: int, way: str, repeat: int) -> dict:
    settings = {"program.load.options.processes": processes}
    if way == "MC/S":
        settings["program.load.options.connections"] = processes
        settings["program.load.options.dispatch"] = '"least-loaded"'
    return one(lab, "processes", load, REQUEST, repeat, settings, processes=processes, way=way)


def by_buffer(lab, buffer: int, by_stripe: bool, repeat: int) -> dict:
    settings = {
        "program.target.options.send-buffer": f'"{buffer}KiB"',
        "program.target.options.access-by-send-buffer": "true" if by_stripe else "false",
    }
    return one(lab, "buffer", "sequential read", 512, repeat, settings, buffer=buffer, by_stripe=by_stripe)


def measure(lab) -> dict:
    rows: list[dict] = []
    if lab.quick:
        for load in ("constant read", "constant write", "random read"):
            rows.append(one(lab, "one host", load, 128, 0))
        rows.append(one(lab, "one host", "constant read", 256, 0))
        rows += [one(lab, "two hosts", load, 128, 0) for load in ("constant read", "random read")]
        rows.append(by_processes(lab, "constant read", 8, "one connection", 0))
        rows += [by_buffer(lab, buffer, True, 0) for buffer in (64, 128, 512)]
        return {"rows": rows}
    for repeat in range(REPEATS):
        for load, sizes in SIZES.items():
            rows += [one(lab, "one host", load, size, repeat) for size in sizes]
        for load in READS:
            rows.append(one(lab, "two hosts", load, REQUEST, repeat))
            for processes in PROCESSES:
                rows.append(by_processes(lab, load, processes, "one connection", repeat))
            rows.append(by_processes(lab, load, PROCESSES[-1], "MC/S", repeat))
        rows += [by_buffer(lab, buffer, True, repeat) for buffer in BUFFERS]
        rows += [by_buffer(lab, buffer, False, repeat) for buffer in (64, 128)]
    return {"rows": rows}
