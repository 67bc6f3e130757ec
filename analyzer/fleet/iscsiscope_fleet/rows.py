# SPDX-License-Identifier: GPL-2.0-or-later
"""The table `captures`: one row a path, whatever became of it."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .columns import CAPTURE, TYPES, Column, Table
from .errors import StoreError
from .layout import FRESH, path_id, row_name
from .names import is_capture, stored
from .store import Store

READ = "read"  # its tables are in the output
UNREADABLE = "unreadable"  # the program could not read it
CHANGED = "changed"  # it changed while it was read
MISSING = "missing"  # there is no such file, or a worker may not read it
KILLED = "killed"  # the program was killed, or took longer than it may
WORKER_LOST = "worker_lost"  # the workers that read it died
FINAL = (READ, UNREADABLE)  # the others are tried again by the next run

OWN = (
    Column("path", "text", "", "Path of the capture as the workers see it, or its URL."),
    Column("capture", "text", "", "SHA-256 of the file, by which the tables name it; null if it could not be read."),
    Column("outcome", "text", "", "read, unreadable, changed, missing, killed or worker_lost."),
    Column("exit_code", "integer", "", "Exit code of iscsiscope, negative: ended by that signal; null: not started."),
    Column("messages", "text", "", "What iscsiscope said, or why the capture could not be read; null: nothing."),
    Column("program", "text", "", "Version of iscsiscope that read the capture."),
    Column("worker", "text", "", "Host and process that read the capture."),
    Column("started_ns", "integer", "ns since 1970", "Time at which the capture's task began."),
    Column("seconds", "real", "s", "Time that the capture took, conversion included."),
    Column("file_bytes", "integer", "bytes", "Size of the file as stored; null if it is not known."),
    Column("modified_ns", "integer", "ns since 1970", "Time of the file's last change; null if it is not known."),
)
# The path is the row's own, and its hash is `capture`.
OF_PROGRAM_LEFT_OUT = ("file", "sha256")


@dataclass
class Row:
    """facts: the columns of the program's table `capture`; empty if there is none."""

    path: str
    outcome: str
    capture: str | None = None
    exit_code: int | None = None
    messages: str | None = None
    program: str | None = None
    worker: str | None = None
    started_ns: int | None = None
    seconds: float | None = None
    file_bytes: int | None = None
    modified_ns: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    def is_done(self, stamp: tuple[int, int] | None) -> bool:
        """stamp: size and time of change now, None if they cannot be seen from here."""
        return self.outcome in FINAL and (stamp is None or stamp == (self.file_bytes, self.modified_ns))


def captures_table(tables: dict[str, Table]) -> Table:
    of_program = tuple(c for c in tables[CAPTURE].columns if c.name not in OF_PROGRAM_LEFT_OUT)
    return Table("captures", OWN + of_program)


def to_arrow(rows: list[Row], table: Table) -> pa.Table:
    def value(row: Row, column: Column) -> Any:
        if column.name == "path":
            return stored(row.path)
        return getattr(row, column.name) if column in OWN else row.facts.get(column.name)

    arrays = [pa.array([value(r, c) for r in rows], TYPES[c.type]) for c in table.columns]
    return pa.Table.from_arrays(arrays, schema=table.described_schema)


def read_rows(store: Store, name: str) -> list[Row]:
    """Raises StoreError for a file that is no such table."""
    content = store.read(name)
    try:
        found = from_arrow(pq.read_table(io.BytesIO(content)))
    except (pa.ArrowException, OSError, TypeError) as error:
        raise StoreError(f"{store.address(name)} is not what this program writes: {error}") from error
    for row in found:
        if row.capture is not None and not is_capture(row.capture):
            raise StoreError(f"{store.address(name)} is not what this program writes: {row.capture!r} is no capture")
    return found


def from_arrow(table: pa.Table) -> list[Row]:
    own = {c.name for c in OWN}
    return [
        Row(
            **{k: v for k, v in row.items() if k in own},
            facts={k: v for k, v in row.items() if k not in own},
        )
        for row in table.to_pylist()
    ]


def write_row(store: Store, row: Row, table: Table) -> None:
    """The row is what makes a capture done; it is written behind its tables. The marker comes first, so that no row
    can be overlooked by the next compaction."""
    identity = path_id(row.path)
    store.write(f"{FRESH}/{identity}", b"")
    with store.writer(row_name(identity)) as file:
        pq.write_table(to_arrow([row], table), file, compression="snappy", use_dictionary=False)


def read_row(store: Store, identity: str) -> Row | None:
    """None: only the marker was written."""
    if not store.exists(row_name(identity)):
        return None
    found = read_rows(store, row_name(identity))
    if not found:
        raise StoreError(f"{store.address(row_name(identity))} is not what this program writes: it has no row")
    return found[0]
