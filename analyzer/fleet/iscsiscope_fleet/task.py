# SPDX-License-Identifier: GPL-2.0-or-later
"""One task a capture, on a worker: the program reads it once, its tables become Parquet, its row is written last.

A task may run twice, because a worker died behind it: it writes the same files again, each complete or absent."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import socket
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import get_worker

from . import __version__, rows
from .columns import CAPTURE, Table
from .convert import batches
from .errors import FleetError, StoreError, WorkerError
from .layout import Fleet, part_name, read_fleet
from .program import Identity, identify, report
from .rows import Row, captures_table, write_row
from .store import Store, Together, is_remote

ROWS_IN_GROUP = 1 << 17
FEW_ROWS = 4096
TABLES = "tables"  # the folder of the program's tables, in the scratch folder
WRONG_TABLE = (pa.ArrowInvalid, pa.ArrowKeyError, FileNotFoundError, IndexError)


@dataclass(frozen=True)
class Job:
    """What is the same for all captures of a run. Small: it travels with each task."""

    output: str
    fleet: str  # Fleet.id
    program: str
    seconds: float | None = None  # one capture may take so long
    scratch: str | None = None  # folder for tables under way; None: the system's
    package: str = __version__


@dataclass(frozen=True)
class Done:
    """What the driver gets to know of a capture. The rest is in its row."""

    path: str
    outcome: str
    message: str


@dataclass(frozen=True)
class Site:
    """What a worker process finds out once for each run."""

    store: Store
    tables: dict[str, Table]
    captures: Table
    version: str


def whoami() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def address() -> str:
    """Of this worker, as the scheduler names it."""
    try:
        return str(get_worker().address)
    except (ValueError, AttributeError):  # no worker: a test, or Spark
        return whoami()


@functools.lru_cache(maxsize=4)
def site(job: Job) -> Site:
    """Raises WorkerError if this worker cannot do the job."""
    if job.package != __version__:
        raise WorkerError(address(), f"it has iscsiscope-fleet {__version__}, and the run needs {job.package}")
    try:
        store = Store(job.output)
        fleet = read_fleet(store)
    except StoreError as error:
        raise WorkerError(address(), str(error)) from error
    if fleet is None or fleet.id != job.fleet:
        raise WorkerError(
            address(), f"it does not see the output {job.output}: the folder must be one that all machines share"
        )
    try:
        found = identify(job.program)
    except FleetError as error:
        raise WorkerError(address(), str(error)) from error
    difference = why_not(fleet, found)
    if difference:
        raise WorkerError(address(), difference)
    tables = fleet.tables()
    return Site(store, tables, captures_table(tables), found.program)


def why_not(fleet: Fleet, found: Identity) -> str:
    """Why the program found is not the one of the output; empty: it is."""
    if found.program != fleet.program:
        return f"it has {found.program}, and the output is of {fleet.program}"
    if found.columns != fleet.columns:
        return f"its {found.program} has other columns than the program that made the output"
    return ""


def stamp(path: str) -> tuple[int | None, int | None]:
    """Size and time of the last change (ns since 1970). Raises OSError."""
    if not is_remote(path):
        found = Path(path).stat()
        return found.st_size, found.st_mtime_ns
    fs, name = fsspec.core.url_to_fs(path)
    fs.invalidate_cache()
    info = fs.info(name)
    changed = info.get("LastModified") or info.get("mtime") or info.get("created")
    if hasattr(changed, "timestamp"):
        changed = changed.timestamp()
    return info.get("size"), round(changed * 1e9) if isinstance(changed, int | float) else None


def read_capture(path: str, job: Job) -> Done:
    """The task. Raises StoreError if the output or the scratch folder fails, WorkerError if this worker must not be
    used; whatever is wrong with the capture becomes its row."""
    here = site(job)
    began = time.monotonic()
    try:
        scratch = tempfile.TemporaryDirectory(prefix="iscsiscope-fleet-", dir=job.scratch)
    except OSError as error:
        raise StoreError(f"worker {whoami()}: cannot make a scratch folder: {error}") from error
    with scratch:
        row = read_tables(path, job.program, here.version, here.tables, Path(scratch.name), job.seconds)
        if row.outcome == rows.READ:
            row = _convert(row, Path(scratch.name) / TABLES, here)
    row.seconds = round(time.monotonic() - began, 6)
    write_row(here.store, row, here.captures)
    return Done(path, row.outcome, row.messages or "")


def read_tables(
    path: str, program: str, version: str, tables: dict[str, Table], scratch: Path, seconds: float | None
) -> Row:
    """Runs the program. Its tables are in scratch/TABLES behind it if the outcome of the row is `read`. Raises
    StoreError if the scratch folder fails."""
    row = Row(path, rows.MISSING, program=version, worker=whoami(), started_ns=time.time_ns())
    try:
        return _read(row, program, tables, scratch, seconds)
    except OSError as error:  # of the capture: it is not there, or may not be read
        return replace(row, messages=os.strerror(error.errno) if error.errno else str(error))


def _read(row: Row, program: str, tables: dict[str, Table], scratch: Path, seconds: float | None) -> Row:
    before = stamp(row.path)
    row = replace(row, file_bytes=before[0], modified_ns=before[1])
    folder, local = scratch / TABLES, Path(row.path)
    if is_remote(row.path):
        local = scratch / Path(row.path).name
        _fetch(row.path, local)
    done = report(program, local, folder, seconds)
    row = replace(row, exit_code=done.exit_code, messages=done.messages or None)
    if str(folder) in done.messages and not folder.exists():
        # The program could not write its tables: the capture is not to blame.
        raise StoreError(f"worker {whoami()}, scratch folder: {done.messages}")
    after = stamp(row.path)
    if after != before:
        words = f"the file changed while it was read (size {before[0]}, then {after[0]} bytes)"
        return replace(row, outcome=rows.CHANGED, messages=words)
    if done.exit_code is None or done.exit_code < 0:
        return replace(row, outcome=rows.KILLED)
    if not folder.is_dir():
        return replace(row, outcome=rows.UNREADABLE, capture=_hash(local), messages=done.messages or "no tables")
    try:
        facts = pa.Table.from_batches(batches(folder / f"{CAPTURE}.csv", tables[CAPTURE])).to_pylist()[0]
    except WRONG_TABLE as error:
        return _not_as_stated(row, error)
    return replace(row, outcome=rows.READ, capture=facts["sha256"], facts=facts)


def _not_as_stated(row: Row, error: Exception) -> Row:
    words = f"a table of {row.program} is not as its columns say: {error}"
    return replace(row, outcome=rows.UNREADABLE, messages=words, facts={})


def _fetch(url: str, to: Path) -> None:
    with fsspec.open(url, "rb") as source, to.open("wb") as target:
        try:
            shutil.copyfileobj(source, target, 1 << 20)
        except OSError as error:
            raise StoreError(f"worker {whoami()}, copy of {url}: {error}") from error


def _hash(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _convert(row: Row, folder: Path, here: Site) -> Row:
    assert row.capture is not None  # noqa: S101 - its outcome is `read`
    try:
        with here.store.together() as files:
            for name, table in here.tables.items():
                if name != CAPTURE:
                    _write_part(files, row.capture, folder / f"{name}.csv", table)
    except WRONG_TABLE as error:
        return _not_as_stated(row, error)
    return row


def _write_part(files: Together, capture: str, path: Path, table: Table) -> None:
    """A table without rows has no file."""
    stream = (b for b in batches(path, table) if b.num_rows)
    first = next(stream, None)
    if first is None:
        return
    with (
        files.writer(part_name(table.name, capture)) as file,
        pq.ParquetWriter(file, first.schema, **parquet_options(first.num_rows)) as out,
    ):
        out.write_batch(first, row_group_size=ROWS_IN_GROUP)
        for batch in stream:
            out.write_batch(batch, row_group_size=ROWS_IN_GROUP)


def parquet_options(rows_of_first: int) -> dict[str, Any]:
    """Few rows compress little, and their dictionaries, statistics and compressors cost three times the writing."""
    if rows_of_first <= FEW_ROWS:
        return {"compression": "snappy", "use_dictionary": False, "write_statistics": False}
    return {"compression": "zstd"}
