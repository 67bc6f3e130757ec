# SPDX-License-Identifier: GPL-2.0-or-later
"""What stops a command. The text of each is a sentence for standard error; the exit code is 2."""

from __future__ import annotations

EXIT_DONE = 0
EXIT_INCOMPLETE = 1  # captures have to be read again, or --strict and one could not be read
EXIT_ERROR = 2  # usage, cluster, program or store
EXIT_INTERRUPTED = 130


class FleetError(Exception):
    """The command cannot go on."""


class StoreError(FleetError):
    """The output cannot be read or written. No capture is to blame."""


class WorkerError(FleetError):
    """A worker cannot do the work: its program, its package or its view of the output is not the right one."""

    def __init__(self, worker: str, reason: str) -> None:
        super().__init__(worker, reason)  # both, so that the exception can be pickled
        self.worker = worker
        self.reason = reason

    def __str__(self) -> str:
        return f"worker {self.worker}: {self.reason}"
