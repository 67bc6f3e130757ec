# SPDX-License-Identifier: GPL-2.0-or-later
"""For other engines than Dask: the tables of one capture as Arrow record batches (docs/fleet.md, "Spark")."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from .columns import Table, parse_columns, with_capture
from .convert import batches
from .program import chosen, identify
from .rows import READ, Row, captures_table, to_arrow
from .task import TABLES, read_tables


@functools.lru_cache(maxsize=1)
def _tables(program: str) -> tuple[str, dict[str, Table]]:
    found = identify(program)
    return found.program, parse_columns(found.columns)


def table_schema(name: str, program: str | None = None) -> pa.Schema:
    """Of the rows that CaptureTables.rows() gives. Raises KeyError if there is no such table, FleetError without the
    program."""
    tables = _tables(chosen(program))[1]
    return captures_table(tables).schema if name == "captures" else with_capture(tables[name].schema)


@dataclass(frozen=True)
class CaptureTables:
    """row: what became of the capture. The folder of its tables lives as long as the block of capture_tables()."""

    row: Row
    _folder: Path
    _tables: dict[str, Table]

    def rows(self, name: str) -> Iterator[pa.RecordBatch]:
        """Of a table, or of `captures`, which has one. Nothing of a capture that could not be read."""
        if name == "captures":
            yield from to_arrow([self.row], captures_table(self._tables)).to_batches()
            return
        schema = with_capture(self._tables[name].schema)
        if self.row.outcome == READ:
            for batch in batches(self._folder / f"{name}.csv", self._tables[name]):
                named = pa.repeat(pa.scalar(self.row.capture, pa.string()), batch.num_rows)
                yield pa.record_batch([named, *batch.columns], schema=schema)


@contextlib.contextmanager
def capture_tables(path: str, program: str | None = None, seconds: float | None = None) -> Iterator[CaptureTables]:
    """Runs the program once. seconds: it may take so long. Raises FleetError without the program, StoreError if the
    scratch folder fails."""
    used = chosen(program)
    version, tables = _tables(used)
    with tempfile.TemporaryDirectory(prefix="iscsiscope-fleet-") as scratch:
        row = read_tables(path, used, version, tables, Path(scratch), seconds)
        yield CaptureTables(row, Path(scratch) / TABLES, tables)
