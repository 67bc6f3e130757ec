# SPDX-License-Identifier: GPL-2.0-or-later
"""`run`: all captures that have no row yet, over the workers of a Dask cluster, then the compaction.

Dask decides where a task runs and runs it again if its worker dies. Only as many tasks are handed to it as keep the
workers busy: its scheduler's memory does not grow with the number of captures."""

from __future__ import annotations

import contextlib
import fcntl
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from distributed import Client, KilledWorker, as_completed

from . import rows
from .cluster import (
    LOST,
    Workers,
    checked_workers,
    connected,
    identity_of_workers,
    wait_for_worker,
    worker_threads,
)
from .columns import Table
from .compaction import (
    Contents,
    compact_table,
    finish_compaction,
    plan_compaction,
    read_contents,
    write_plan,
)
from .errors import FleetError, StoreError, WorkerError
from .layout import LOCK, Fleet, new_fleet, path_id, read_fleet, write_fleet
from .messages import Progress, complain, counted, spoken
from .names import stored
from .program import Identity, identify
from .rows import Row, captures_table, write_row
from .store import UNFINISHED, Store, is_remote
from .task import Done, Job, read_capture, stamp

TASKS_A_THREAD = 4
SECONDS_WITHOUT_WORKER = 10.0  # a worker that is busy may be out of sight for a moment
SECONDS_BETWEEN_LOOKS = 1.0  # at the workers that are connected
MAX_MESSAGES = 20


@dataclass(frozen=True)
class RunOptions:
    captures: list[str]  # absolute paths and URLs
    output: str
    scheduler: str | None
    workers: int
    program: str
    seconds: float | None  # one capture may take so long
    scratch: str | None
    again: bool  # captures that could not be read are tried again
    compact: bool
    quiet: bool
    progress: bool


@dataclass
class Result:
    outcomes: Counter[str] = field(default_factory=Counter)  # of this run
    skipped: int = 0
    unreadable_before: int = 0  # of the skipped
    seconds: float = 0

    def to_do_again(self) -> int:
        return sum(n for outcome, n in self.outcomes.items() if outcome not in rows.FINAL)

    def unreadable(self) -> int:
        return self.outcomes[rows.UNREADABLE] + self.unreadable_before


@contextlib.contextmanager
def locked(store: Store) -> Iterator[None]:
    """One run at a time writes a folder; it ends with the process. An object store has no lock."""
    if store.remote:
        yield
        return
    try:
        Path(store.root).mkdir(parents=True, exist_ok=True)
        file = Path(store.path(LOCK)).open("w")  # noqa: SIM115 - closed below
    except OSError as error:
        raise StoreError(f"cannot write {store.url}: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FleetError(f"another run writes {store.url}") from error
        except OSError as error:
            complain(f"{store.url} cannot be locked ({error.strerror}): let no other run write it")
        yield


def run(o: RunOptions) -> Result:
    """Raises FleetError. What was done until then stays done."""
    began = time.monotonic()
    store = Store(o.output)
    result = Result()
    with locked(store):
        fleet = read_fleet(store)
        contents = read_contents(store)
        to_do, result.skipped, result.unreadable_before = _left(o, contents)
        if not to_do and fleet is not None and (plan_compaction(contents, fleet.tables()) is None or not o.compact):
            result.seconds = time.monotonic() - began
            return result
        with connected(o.scheduler, o.workers) as client:
            wait_for_worker(client)
            if fleet is None:
                fleet = _begin(store, client, o.program)
            job = Job(store.url, fleet.id, o.program, o.seconds, o.scratch)
            workers = checked_workers(client, job)
            _Driver(o, store, client, fleet, job, workers, result).do(to_do)
            if o.compact:
                _compact(store, client, workers, job, fleet.tables())
        if not store.remote:
            store.remove(UNFINISHED)  # of processes that were killed
    result.seconds = time.monotonic() - began
    return result


def _begin(store: Store, client: Client, program: str) -> Fleet:
    """The program that is here decides, else the one that most workers have."""
    try:
        found: Identity = identify(program)
    except FleetError:
        found = identity_of_workers(client, program)
    fleet = new_fleet(found.program, found.columns)
    fleet.tables()  # before anything is written
    write_fleet(store, fleet)
    return fleet


def _left(o: RunOptions, contents: Contents) -> tuple[list[tuple[str, int]], int, int]:
    """Captures to do with their sizes, the largest first, so that none is begun when the others are done; how many
    are done, and how many of these could not be read."""
    to_do: list[tuple[str, int]] = []
    skipped = unreadable = 0
    for path in o.captures:
        here: tuple[int, int] | None = None
        if not is_remote(path):
            with contextlib.suppress(OSError):
                size, changed = stamp(path)
                here = (size or 0, changed or 0)
        row = contents.rows.get(stored(path))
        if row is not None and row.is_done(here) and not (o.again and row.outcome != rows.READ):
            skipped += 1
            unreadable += row.outcome != rows.READ
        else:
            to_do.append((path, here[0] if here else 0))
    return sorted(to_do, key=lambda item: (-item[1], item[0])), skipped, unreadable


class _Driver:
    """Hands captures to the cluster and takes what becomes of them. One thread."""

    def __init__(
        self,
        o: RunOptions,
        store: Store,
        client: Client,
        fleet: Fleet,
        job: Job,
        workers: Workers,
        result: Result,
    ) -> None:
        self._o = o
        self._store = store
        self._client = client
        self._fleet = fleet
        self._job = job
        self._workers = workers
        self._result = result
        self._attempts: Counter[str] = Counter()
        # Captures over which workers died. One of them may be to blame, and the others were only on the same worker:
        # behind all others each is tried alone.
        self._suspects: list[str] = []
        self._alone: set[str] = set()
        self._messages = 0

    def do(self, captures: list[tuple[str, int]]) -> None:
        sizes = dict(captures)
        waiting = [path for path, _ in reversed(captures)]
        progress = Progress(len(captures), sum(sizes.values()), self._o.progress and not self._o.quiet)
        running: dict[Any, str] = {}
        answers = as_completed(raise_errors=False, loop=self._client.loop)
        last_worker, reported = time.monotonic(), False
        threads, looked = 0, 0.0
        try:
            while waiting or running or self._suspects:
                if not waiting and not running:
                    self._alone.add(self._suspects[-1])
                    waiting.append(self._suspects.pop())
                if time.monotonic() - looked > SECONDS_BETWEEN_LOOKS:
                    self._check_scheduler()
                    threads, looked = sum(worker_threads(self._client).values()), time.monotonic()
                while waiting and len(running) < max(1, threads) * TASKS_A_THREAD:
                    path = waiting.pop()
                    future = self._submit(path)
                    running[future] = path
                    answers.add(future)
                if threads:
                    last_worker, reported = time.monotonic(), False
                elif not reported and time.monotonic() - last_worker > SECONDS_WITHOUT_WORKER:
                    reported = True
                    progress.clear()
                    complain("no worker is connected: the run waits for one")
                finished = answers.next_batch(block=False) if answers.has_ready() else []
                if not finished:
                    time.sleep(0.01)
                    progress.draw()
                for future in finished:
                    path = running.pop(future)
                    done = self._taken(future, path)
                    if done is None:
                        if path not in self._suspects:
                            waiting.append(path)
                        continue
                    self._result.outcomes[done.outcome] += 1
                    progress.add(sizes[path], done.outcome != rows.READ)
                    if done.outcome != rows.READ:
                        self._say(progress, done)
        finally:
            progress.clear()
            if running:
                with contextlib.suppress(Exception):  # the scheduler may be gone
                    self._client.cancel(list(running), force=True)

    def _submit(self, path: str) -> Any:
        self._attempts[path] += 1
        return self._client.submit(
            read_capture,
            path,
            self._job,
            key=f"iscsiscope-fleet-{self._fleet.id[:8]}-{path_id(path)}-{self._attempts[path]}-{time.time_ns()}",
            workers=self._workers.allowed(),
            pure=False,
        )

    def _check_scheduler(self) -> None:
        if self._client.status not in ("running", "newly-created"):
            raise FleetError(LOST)

    def _taken(self, future: Any, path: str) -> Done | None:
        """None: the capture has to be handed out again, at once or as a suspect. Raises StoreError."""
        if future.status == "finished":
            done: Done = future.result()
            return done
        if future.status in ("cancelled", "lost"):
            self._check_scheduler()
            return None
        error = future.exception()
        if isinstance(error, WorkerError):
            self._workers.refuse(error.worker, error.reason)
            return None
        if isinstance(error, KilledWorker) and path not in self._alone:
            self._suspects.append(path)
            return None
        if isinstance(error, KilledWorker):
            deaths = counted(self._deaths(error), "time")
            words = f"the workers that read it died, {deaths} in a row, also when it was read alone"
            return self._lost(path, words)
        if isinstance(error, FleetError):
            raise error
        raise FleetError(f"the task of {path} failed: {error!r}") from error

    @staticmethod
    def _deaths(error: KilledWorker) -> int:
        return int(getattr(error, "allowed_failures", 3)) + 1

    def _lost(self, path: str, words: str) -> Done:
        row = Row(path, rows.WORKER_LOST, program=self._fleet.program, messages=words, started_ns=time.time_ns())
        write_row(self._store, row, captures_table(self._fleet.tables()))
        return Done(path, rows.WORKER_LOST, words)

    def _say(self, progress: Progress, done: Done) -> None:
        self._messages += 1
        if self._o.quiet or self._messages > MAX_MESSAGES + 1:
            return
        progress.clear()
        if self._messages > MAX_MESSAGES:
            complain("further captures that could not be read are in the table `captures`")
        else:
            words = done.message.splitlines()[0] if done.message else done.outcome
            complain(words if words.startswith(done.path) else f"{done.path}: {words}")


def _compact(store: Store, client: Client, workers: Workers, job: Job, tables: dict[str, Table]) -> None:
    contents = read_contents(store)
    plan = plan_compaction(contents, tables)
    if plan is None:
        return
    write_plan(store, plan)
    left = plan.tables
    while left:
        futures = {table: _submit_table(client, workers, table, plan.part, job) for table in left}
        left = []
        for table, future in futures.items():
            try:
                future.result()
            except WorkerError as error:  # it came behind the check
                workers.refuse(error.worker, error.reason)
                left.append(table)
            except FleetError:
                raise
            except Exception as error:
                raise FleetError(f"the compaction failed: {error!r}; the same command does it again") from error
    finish_compaction(store, contents, plan)


def _submit_table(client: Client, workers: Workers, table: str, part: str, job: Job) -> Any:
    return client.submit(
        compact_table,
        table,
        part,
        job,
        key=f"iscsiscope-fleet-{job.fleet[:8]}-compact-{table}-{time.time_ns()}",
        workers=workers.allowed(),
        pure=False,
    )


def summary(result: Result, output: str) -> str:
    """A sentence for people."""
    n = sum(result.outcomes.values())
    if n == 0:
        return f"nothing to do: {counted(result.skipped, 'capture')} done before; {output}"
    text = f"{counted(n, 'capture')} in {spoken(result.seconds)}: {result.outcomes[rows.READ]:,} read"
    for outcome, words in (
        (rows.UNREADABLE, "could not be read"),
        (rows.CHANGED, "changed while they were read"),
        (rows.MISSING, "were not there or not readable"),
        (rows.KILLED, "ended by a signal or the time limit"),
        (rows.WORKER_LOST, "lost with their workers"),
    ):
        if result.outcomes[outcome]:
            text += f", {result.outcomes[outcome]:,} {words}"
    if result.skipped:
        text += f"; {result.skipped:,} done before"
    return f"{text}; {output}"
