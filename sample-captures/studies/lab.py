# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs scenarios through the testbed, again while a run is not valid, and reads what judges a run."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field

from . import programs

DONE, NOT_VALID, INTERRUPTED = 0, 1, 130  # exit codes of `iscsiscope-testbed run`
JUDGING_ROWS = ("scenario", "shim", "drop", "link", "apt")  # the others (commands, TCP_INFO) are many


RECORDED = "label scenario settings seed attempts valid lateness_p99_ns drops reasons".split()


class NoRun(Exception):
    """Nothing can run on this machine, or a scenario has mistakes."""


@dataclass
class Run:
    """One run of a scenario: the last attempt, valid or not."""

    label: str
    scenario: str
    settings: dict[str, str]
    attempts: int = 0
    valid: bool = False
    reasons: list[str] = field(default_factory=list)  # why it is not
    seed: int = 0
    kernel: str = ""
    lateness_p50_ns: int = 0  # of packets over their set time
    lateness_p99_ns: int = 0
    longest_stall_ns: int = 0
    drops: int = 0
    seconds: float = 0.0
    folder: pathlib.Path | None = None
    name: str = ""
    rows: list[dict] = field(default_factory=list)  # rows of the truth file that judge the run

    def capture(self, place: str) -> pathlib.Path:
        """The capture at a host or tap."""
        return self.folder / f"{self.name}.{place}.pcapng"

    def record(self) -> dict:
        """As the result file has it: no paths, no rows."""
        return {name: value for name, value in asdict(self).items() if name in RECORDED}


class Lab:
    """The runs of one study."""

    def __init__(self, folder: pathlib.Path, seed: int, quick: bool, keep: bool = False):
        self.folder = folder
        self.seed = seed
        self.quick = quick
        self.keep = keep
        self.runs: list[Run] = []
        self.commit = programs.version()  # of what runs, whatever changes meanwhile
        self.begin = time.monotonic()

    def run(
        self,
        label: str,
        scenario: str,
        settings: dict | None = None,
        lateness_bound_us: float | None = None,
        attempts: int = 5,
        repeat: int = 0,
        needs=None,
    ) -> Run:
        """Runs until valid, at most `attempts` times, quick at most three. `lateness_bound_us`: times count in this run, it is
        not valid if more than 1 packet in 100 was later than that. `repeat` numbers runs that differ only
        in their seed. `needs(run)`: a further condition on the run itself, never on what is measured; a
        sentence says why it does not hold, None that it does."""
        given = {name: str(value) for name, value in (settings or {}).items()}
        run = Run(label, scenario, given, seed=self.seed * 1000 + repeat)
        run.folder = self.folder / "captures" / str(len(self.runs))
        self.runs.append(run)
        begin = time.monotonic()
        attempts = min(attempts, 3) if self.quick else attempts
        while run.attempts < attempts and not run.valid:
            run.attempts += 1
            again = " (again: the run before was not valid)" if run.attempts > 1 else ""
            print(f"{time.monotonic() - self.begin:6.0f} s  {label}{again}", file=sys.stderr, flush=True)
            self._attempt(run, lateness_bound_us)
            unmet = needs(run) if needs and run.valid else None
            if unmet:
                run.valid = False
                run.reasons.append(unmet)
        run.seconds = round(time.monotonic() - begin, 2)
        return run

    def _attempt(self, run: Run, lateness_bound_us: float | None) -> None:
        shutil.rmtree(run.folder, ignore_errors=True)
        command = [
            programs.testbed(),
            "run",
            run.scenario,
            "-o",
            str(run.folder),
            "--progress",
            "none",
            "--set",
            f"seed={run.seed}",
        ]
        for name, value in run.settings.items():
            command += ["--set", f"{name}={value}"]
        code, said = _finish(command)
        if code in (INTERRUPTED, -2):
            raise KeyboardInterrupt
        if code not in (DONE, NOT_VALID):
            raise NoRun(f"{run.scenario}: {said.strip()}")
        truths = list(run.folder.glob("*.truth.jsonl"))
        run.valid, run.reasons = False, ["the run left no truth file"]
        if not truths:
            return
        run.name = truths[0].name.removesuffix(".truth.jsonl")
        run.rows = judging_rows(truths[0])
        for row in run.rows:
            if row["row"] == "scenario":
                run.valid, run.reasons = row["valid"], list(row["reasons"])
                run.kernel = row["kernel"]
            elif row["row"] == "shim":
                run.lateness_p50_ns = row["lateness"]["p50_ns"]
                run.lateness_p99_ns = row["lateness"]["p99_ns"]
                run.longest_stall_ns = row["longest_stall_ns"]
        run.drops = sum(row["row"] == "drop" for row in run.rows)
        if lateness_bound_us is not None and run.lateness_p99_ns > lateness_bound_us * 1e3:
            run.valid = False
            run.reasons.append(
                f"1 packet in 100 was over {run.lateness_p99_ns / 1e3:.0f} µs late (bound "
                f"{lateness_bound_us:.0f} µs)"
            )

    def forget(self, run: Run) -> None:
        """The captures of the run are needed no more."""
        if not self.keep:
            shutil.rmtree(run.folder, ignore_errors=True)


def _finish(command: list[str]) -> tuple[int, str]:
    """Exit code and standard error. An interrupt is passed on and waited for: the run leaves nothing
    behind."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            _, said = process.communicate()
        except KeyboardInterrupt:
            process.terminate()
            process.communicate(timeout=30)
            raise
        return process.returncode, said


def judging_rows(path: pathlib.Path) -> list[dict]:
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if any(f'"row":"{name}"' in line[:200] for name in JUDGING_ROWS):
                row = json.loads(line)
                if row["row"] in JUDGING_ROWS:
                    rows.append(row)
    return rows
