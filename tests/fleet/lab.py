# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the fleet share: the programs, a real Dask cluster as processes on loopback, an output's files."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import pyarrow.parquet as pq
from iscsiscope_fleet.__main__ import main

PROGRAM = os.environ["ISCSISCOPE"]
FLEET = [sys.executable, "-m", "iscsiscope_fleet"]


@dataclass
class Ran:
    code: int
    out: str
    err: str


def fleet(*arguments: object, env: dict[str, str] | None = None) -> Ran:
    """The program iscsiscope-fleet, in this process: it starts in no time. FLEET is the program as a process."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, env or {}),
    ):
        try:
            code = main([str(a) for a in arguments])
        except SystemExit as ended:  # usage
            code = int(ended.code or 0)
    return Ran(code, out.getvalue(), err.getvalue())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Cluster:
    """`dask scheduler` and `dask worker` as processes."""

    folder: Path
    port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start(self, name: str, *arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{name}.log").open("wb")
        self.processes[name] = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
        return self.processes[name]

    def scheduler(self) -> None:
        self.start("scheduler", "scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.1)
        raise TimeoutError("the scheduler does not answer")

    def worker(self, name: str, threads: int = 1, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Without a nanny: who kills the process has killed the worker."""
        return self.start(
            name, "worker", self.address, "--nthreads", str(threads), "--no-nanny", "--no-dashboard", "--host",
            "127.0.0.1", "--local-directory", str(self.folder / f"{name}.scratch"), env=env,
        )  # fmt: skip

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def close(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def cluster(folder: Path, workers: int = 2, env: dict[str, str] | None = None) -> Iterator[Cluster]:
    made = Cluster(folder)
    try:
        made.scheduler()
        for number in range(workers):
            made.worker(f"worker{number}", env=env)
        yield made
    finally:
        made.close()


def memory(pid: int) -> int:
    """The most resident memory of a process so far, bytes; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def processor(pid: int) -> float:
    """Seconds of processor that a process and its ended children have used; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def partitions(out: Path, table: str) -> list[str]:
    """The captures of which there is a partition of this table; a partition is whole, or reading it fails."""
    found = []
    for path in sorted((out / table).glob("capture=*")):
        assert [p.name for p in path.iterdir()] == ["part.parquet"], path
        pq.read_metadata(path / "part.parquet")
        found.append(path.name.removeprefix("capture="))
    return found


def rows(out: Path) -> list[dict[str, object]]:
    """Of the table `captures`, from its partitions."""
    return [
        r for p in sorted((out / "captures").glob("path=*/part.parquet")) for r in pq.ParquetFile(p).read().to_pylist()
    ]


def unfinished(out: Path) -> list[str]:
    return [str(p) for p in out.rglob("*") if ("unfinished" in p.parts and p.is_file()) or p.suffix == ".part"]


def left_unfinished(out: Path, seconds: float = 60) -> list[str]:
    """What is still unfinished when the workers have had time to end the tasks that a failed run took back: a task that
    had begun runs to its end, also when nobody waits for it."""
    end = time.monotonic() + seconds
    while unfinished(out) and time.monotonic() < end:
        time.sleep(0.05)
    return unfinished(out)
