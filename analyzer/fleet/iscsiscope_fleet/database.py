# SPDX-License-Identifier: GPL-2.0-or-later
"""An output as a DuckDB data base: the tables of all captures, the table `captures`, and the views of views.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb

from .columns import CAPTURE, CAPTURES, Table
from .compaction import Contents, read_contents
from .errors import FleetError
from .layout import Fleet, compact_name, part_name, read_fleet
from .names import quoted
from .rows import captures_table, to_arrow
from .store import Store
from .views import VIEWS

TYPES = {"integer": "BIGINT", "real": "DOUBLE", "text": "VARCHAR", "boolean": "BOOLEAN"}


def open_output(output: str) -> tuple[duckdb.DuckDBPyConnection, Fleet]:
    """Nothing is copied: the views read the Parquet files. Raises FleetError if there is no output."""
    store = Store(output)
    fleet = read_fleet(store)
    if fleet is None:
        raise FleetError(f"{output} is not an output of `iscsiscope-fleet run`: it has no fleet.json")
    contents = read_contents(store)
    base = duckdb.connect(":memory:")
    base.execute("SET TimeZone = 'UTC'")
    if store.remote:
        base.register_filesystem(store.fs)
    tables = fleet.tables()
    _add_captures(base, contents, captures_table(tables))
    loose = contents.loose()
    files: list[str] = []
    try:
        for name, table in tables.items():
            if name != CAPTURE:
                sources = _sources(store, contents, loose, table)
                files += [file for source in sources for file in source.files]
                base.execute(f"CREATE VIEW {quoted(name)} AS {_select(sources, table)}")
        for view in VIEWS:
            base.execute(f"CREATE VIEW {quoted(view.name)} AS {view.sql}")
        _close_off(base, files)
    except duckdb.Error as error:
        base.close()
        raise FleetError(f"{output} cannot be read: {error}") from error
    return base, fleet


def _close_off(base: duckdb.DuckDBPyConnection, files: list[str]) -> None:
    """A statement reads the output's files, and nothing else, and writes nothing."""
    if files:
        base.execute(f"SET allowed_paths = [{_list(files)}]")
    base.execute("SET enable_external_access = false")
    base.execute("SET lock_configuration = true")


def _add_captures(base: duckdb.DuckDBPyConnection, contents: Contents, table: Table) -> None:
    """Two paths with the same bytes have one set of tables; the first path stands for it."""
    rows: Any = to_arrow(sorted(contents.rows.values(), key=lambda r: r.path), table)
    base.register("rows_of_captures", rows)
    base.execute(
        f"""CREATE TABLE {CAPTURES} AS
        SELECT *, CASE WHEN outcome = 'read' AND first <> path THEN first END AS duplicate_of
        FROM (SELECT *, min(path) FILTER (outcome = 'read') OVER (PARTITION BY capture) AS first FROM rows_of_captures)
        ORDER BY path"""
    )
    base.execute(f"ALTER TABLE {CAPTURES} DROP COLUMN first")
    base.unregister("rows_of_captures")


@dataclass(frozen=True)
class Source:
    """Files of one table. options, where: SQL."""

    files: list[str]
    options: str = ""
    where: str = ""


def _sources(store: Store, contents: Contents, loose: list[str], table: Table) -> list[Source]:
    # Captures that were read again since then are in other files.
    stale = contents.stale()
    where = f" WHERE capture NOT IN ({_list(sorted(stale))})" if stale else ""
    compact = [store.address(compact_name(part, table.name)) for part in contents.compacted.parts]
    parts = [store.address(n) for c in loose if store.exists(n := part_name(table.name, c))]
    both = (
        Source(compact, where=where),
        Source(parts, options=", hive_partitioning = true, hive_types_autocast = false"),
    )
    return [source for source in both if source.files]


def _select(sources: list[Source], table: Table) -> str:
    columns = ", ".join(quoted(c.name) for c in table.columns)
    if not sources:
        empty = ", ".join(f"NULL::{TYPES[c.type]} AS {quoted(c.name)}" for c in table.columns)
        return f"SELECT NULL::VARCHAR AS capture, {empty} WHERE false"
    return " UNION ALL ".join(
        f"SELECT capture, {columns} FROM read_parquet([{_list(s.files)}]{s.options}){s.where}" for s in sources
    )


def _list(texts: list[str]) -> str:
    return ", ".join("'" + t.replace("'", "''") + "'" for t in texts)
