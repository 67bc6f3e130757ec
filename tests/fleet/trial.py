# SPDX-License-Identifier: GPL-2.0-or-later
"""The trial of `tests/run.sh --fleet`: thousands of captures, 2 % of them broken, by two worker processes of a real
`dask scheduler` on loopback, one of which is killed in the middle and another started.

Bars: each capture has one row and one partition, none twice, the broken ones as rows with their message; at most 1.3
times `iscsiscope report --jobs 2` on the same files plus 150 ms a capture; a second run does nothing, one more capture
is read alone; ten questions answered as from the single reports, each in less than a second."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from distributed import Client
from iscsiscope_fleet.database import open_output

import answers
import grow
import lab
from test_run import check_whole

BAR_FACTOR, BAR_SECONDS_A_CAPTURE = 1.3, 0.150
failures: list[str] = []


def figure(text: str) -> None:
    print(f"FIGURE: fleet: {text}", flush=True)


def expect(holds: bool, words: str) -> None:
    if not holds:
        failures.append(words)
        print(f"FAILED: {words}", flush=True)


class Watch(threading.Thread):
    """The most resident memory (bytes) and the processor time (s) of each process while it lives."""

    def __init__(self, cluster: lab.Cluster) -> None:
        super().__init__(daemon=True)
        self._cluster = cluster
        self._ended = threading.Event()
        self.memory: dict[str, int] = {}
        self.processor: dict[str, float] = {}

    def run(self) -> None:
        while not self._ended.wait(0.5):
            for name, process in list(self._cluster.processes.items()):
                self.memory[name] = max(self.memory.get(name, 0), lab.memory(process.pid))
                self.processor[name] = max(self.processor.get(name, 0), lab.processor(process.pid))

    def end(self) -> None:
        self._ended.set()
        self.join()


class Clock(threading.Thread):
    """Time that passes while this process may run: what holds all processes of the trial (SIGSTOP, a suspended machine)
    does not count, and is told."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.held = 0.0
        self.start()

    def run(self) -> None:
        before = time.monotonic()
        while True:
            time.sleep(0.05)
            now = time.monotonic()
            if now - before > 1:
                self.held += now - before - 0.05
            before = now

    def now(self) -> float:
        return time.monotonic() - self.held


clock = Clock()


@dataclass
class Measured:
    """seconds: of the clock. processor: of all processes together, s."""

    seconds: float
    processor: float
    memory: dict[str, int]


def used_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def single(captures: list[Path], folder: Path) -> Measured:
    """The same files by the program itself; on return the folder has a CSV folder for each capture."""
    began, used = clock.now(), used_by_children()
    done = subprocess.run(
        [lab.PROGRAM, "report", "--jobs", "2", "--format", "csv", "--hash", "--quiet", "-o", folder]
        + [os.path.relpath(p, folder.parent) for p in captures],
        cwd=folder.parent,
        capture_output=True,
        text=True,
    )
    expect(done.returncode in (0, 2), f"iscsiscope report ended with {done.returncode}: {done.stderr[-500:]}")
    return Measured(clock.now() - began, used_by_children() - used, {})


def by_cluster(captures: Path, out: Path, kill_at: int) -> Measured:
    """By two workers. kill_at: so many captures are done when one of them is killed and another started; 0: never."""
    with lab.cluster(out.parent, workers=2) as cluster:
        with Client(cluster.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)  # the processes are up, as those of a cluster are
        began = clock.now()
        cluster.processes["driver"] = run = subprocess.Popen(
            [*lab.FLEET, "run", str(captures), "-o", str(out), "--scheduler", cluster.address],
            stderr=subprocess.PIPE,
        )
        watch = Watch(cluster)
        watch.start()
        if kill_at:
            while run.poll() is None and len(list((out / "captures").glob("*"))) < kill_at:
                time.sleep(0.2)
            expect(run.poll() is None, "the run was over before a worker could be killed")
            cluster.kill("worker0")
            cluster.worker("worker2")
        errors = run.communicate()[1].decode()
        seconds = clock.now() - began
        watch.end()
        cluster.processes.pop("driver")
    expect(run.returncode == 0, f"run ended with {run.returncode}: {errors[-1000:]}")
    print(errors.splitlines()[-1], flush=True)
    return Measured(seconds, sum(watch.processor.values()), watch.memory)


def questions(made: list[tuple[Path, bool]], reports: Path, out: Path) -> None:
    found = answers.Answers()
    for path, good in made:
        if good:
            found.add(str(path), reports / path.name)
    slowest = 0.0
    for question, sql in answers.statements().items():
        base, _ = open_output(str(out))
        began = time.monotonic()
        got = base.execute(sql).fetchall()
        seconds = time.monotonic() - began
        base.close()
        slowest = max(slowest, seconds)
        expect(
            answers.ordered(got) == answers.ordered(found.of(question)), f"{question}: not as from the single reports"
        )
        expect(seconds < 1, f"{question}: {seconds:.2f} s")
        print(f"  {seconds * 1000:6.0f} ms  {len(got):6} rows  {question}", flush=True)
    figure(f"{len(answers.statements())} questions answered as from the single reports, the slowest in {slowest:.2f} s")


def again(captures: Path, out: Path) -> None:
    rows_before = {str(p): p.stat().st_mtime_ns for p in out.rglob("part.parquet")}
    began = time.monotonic()
    done = lab.fleet("run", captures, "-o", out, "--workers", 2)
    seconds = time.monotonic() - began
    now = {str(p): p.stat().st_mtime_ns for p in out.rglob("part.parquet")}
    expect(
        done.code == 0 and "nothing to do" in done.err and now == rows_before, f"a second run did something: {done.err}"
    )
    figure(f"the second run does nothing, in {seconds:.1f} s")
    (captures / "one-more.pcap").write_bytes(grow.Grower(grow.content(grow.sources()[0])).grown(10**6 + 7))
    began = time.monotonic()
    done = lab.fleet("run", captures, "-o", out, "--workers", 2)
    seconds = time.monotonic() - began
    expect(done.code == 0 and "1 capture in " in done.err, f"one more capture: {done.err}")
    rows = [p for p in out.rglob("captures/*/part.parquet") if str(p) not in rows_before]
    touched = [p for p, t in rows_before.items() if Path(p).stat().st_mtime_ns != t]
    expect(
        len(rows) == 1 and not touched, f"one more capture: {len(rows)} new rows, {len(touched)} files written again"
    )
    figure(f"one more capture is read alone, in {seconds:.1f} s")


def compare(name: str, fleet: Measured, alone: Measured, count: int) -> None:
    bar = BAR_FACTOR * alone.seconds + BAR_SECONDS_A_CAPTURE * count
    above = (fleet.seconds - BAR_FACTOR * alone.seconds) / count * 1000
    figure(
        f"{name}: {fleet.seconds:.1f} s, processor {fleet.processor:.1f} s; iscsiscope report --jobs 2: "
        f"{alone.seconds:.1f} s, processor {alone.processor:.1f} s; {above:.0f} ms a capture above {BAR_FACTOR} times "
        f"(bar {BAR_SECONDS_A_CAPTURE * 1000:.0f})"
    )
    expect(fleet.seconds <= bar, f"{name}: {fleet.seconds:.1f} s, bar {bar:.1f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captures", type=int, default=2000)
    parser.add_argument("--folder", type=Path, required=True, help="for captures and results; removed at the end")
    parser.add_argument("--keep", action="store_true", help="leave the folder")
    parser.add_argument("--once", action="store_true", help="only the run in which a worker is killed")
    o = parser.parse_args()
    folder: Path = o.folder.resolve()
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    bad = o.captures // 50
    made = list(grow.fleet(folder / "captures", o.captures, bad))
    size = sum(p.stat().st_size for p, _ in made)
    print(f"{len(made)} captures, {size / 1e9:.2f} GB, {bad} of them broken", flush=True)

    alone = single([p for p, _ in made], folder / "single")
    killed = by_cluster(folder / "captures", folder / "out", o.captures // 2)
    check_whole(folder / "out", [p for p, good in made if good], [p for p, good in made if not good])
    figure(
        f"{len(made)} captures, a worker killed: each has one row, {len(made) - bad} have a partition, {bad} a message"
    )
    compare("a worker killed", killed, alone, o.captures)
    if not o.once:
        compare("undisturbed", by_cluster(folder / "captures", folder / "straight", 0), alone, o.captures)
    if clock.held > 1:
        figure(f"for {clock.held:.0f} s all processes were held from outside: not counted in the times above")
    figure("memory, MB: " + ", ".join(f"{name} {used / 1e6:.0f}" for name, used in sorted(killed.memory.items())))
    questions(made, folder / "single", folder / "out")
    again(folder / "captures", folder / "out")
    done = lab.fleet("report", folder / "out", "-o", folder / "fleet.html")
    expect(done.code == 0, f"report: {done.err}")
    if not o.keep:
        shutil.rmtree(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
