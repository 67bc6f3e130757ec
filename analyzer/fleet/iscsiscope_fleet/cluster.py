# SPDX-License-Identifier: GPL-2.0-or-later
"""The Dask cluster: one that runs, or worker processes of this machine; and which of its workers can do the job."""

from __future__ import annotations

import contextlib
import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from distributed import CancelledError, Client, LocalCluster
from distributed.comm import CommClosedError

from .errors import FleetError, WorkerError
from .messages import complain, counted
from .program import Identity, identify
from .task import Job, site

SECONDS_TO_ANSWER = 10
LOST = "the Dask scheduler is lost; what is done stays done: the same command goes on from there"


@contextlib.contextmanager
def connected(scheduler: str | None, workers: int) -> Iterator[Client]:
    """scheduler: its address; None: `workers` processes of this machine, which end with the block."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters becomes a message of this program
    if scheduler is None:
        with _local(workers) as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(scheduler, timeout=SECONDS_TO_ANSWER, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise FleetError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        try:
            yield client
        except (CommClosedError, TimeoutError, CancelledError) as error:
            raise FleetError(LOST) from error


def _local(workers: int) -> LocalCluster:
    try:
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
    except (RuntimeError, OSError) as error:
        reason = error.__cause__ or error
        raise FleetError(f"worker processes cannot be started on this machine: {reason}") from error


def worker_threads(client: Client) -> dict[str, int]:
    """Address of each worker that is connected now -> its threads."""
    try:
        info = client.scheduler_info(n_workers=-1)
    except TypeError:  # before 2025 there was no bound
        info = client.scheduler_info()
    return {address: int(w["nthreads"]) for address, w in info["workers"].items()}


def wait_for_worker(client: Client) -> None:
    with contextlib.suppress(TimeoutError):
        client.wait_for_workers(1, timeout=SECONDS_TO_ANSWER)
    if not worker_threads(client):
        raise FleetError("the Dask scheduler has no worker: start one with `dask worker ADDRESS`")


def _on_each(client: Client, function: Any, *arguments: Any) -> dict[str, Any]:
    """Address -> what the function returned there, or its exception."""
    return dict(client.run(function, *arguments, on_error="return"))


def identity_of_workers(client: Client, program: str) -> Identity:
    """What most workers have. Raises FleetError if none has the program."""
    answers = _on_each(client, identify, program)
    found = Counter(a for a in answers.values() if isinstance(a, Identity))
    if not found:
        address, reason = next(iter(answers.items()))
        raise FleetError(f"no worker can be used; {address}: {_words(reason)}")
    return found.most_common(1)[0][0]


@dataclass
class Workers:
    """Which workers the captures may go to. A worker that cannot do the job is refused with one message."""

    client: Client
    refused: set[str]

    def allowed(self) -> list[str] | None:
        """None: all of them. Raises FleetError if none is left."""
        if not self.refused:
            return None
        left = sorted(set(worker_threads(self.client)) - self.refused)
        if not left:
            raise FleetError("no worker is left that can do the work")
        return left

    def refuse(self, address: str, reason: str) -> None:
        if address not in self.refused:
            self.refused.add(address)
            complain(f"worker {address} is not used: {reason}")


def checked_workers(client: Client, job: Job) -> Workers:
    """Asks each worker whether it sees the output and has its program. Raises FleetError if none can do the job."""
    workers = Workers(client, set())
    answers = _on_each(client, probe, job)
    for address, answer in answers.items():
        # A worker that does not answer now may answer later: each task asks the same question.
        if isinstance(answer, FleetError | ModuleNotFoundError):
            workers.refuse(address, _words(answer))
    if answers and len(workers.refused) == len(answers):
        raise FleetError(f"none of {counted(len(answers), 'worker')} can do the work")
    return workers


def probe(job: Job) -> None:
    site(job)


def _words(answer: Any) -> str:
    if isinstance(answer, WorkerError):
        return answer.reason
    if isinstance(answer, ModuleNotFoundError):
        return f"iscsiscope-fleet is not installed there, or not whole ({answer})"
    return str(answer) or repr(answer)
