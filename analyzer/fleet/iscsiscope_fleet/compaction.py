# SPDX-License-Identifier: GPL-2.0-or-later
"""Partitions of many captures as one file a table, so that a question opens tens of files and not tens of thousands.

A part holds all tables of the captures that were read since the last compaction; compact.json names the parts and
becomes valid by its rename. Many small parts, or captures that no path has any more, make one new part of all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import rows
from .columns import CAPTURE, CAPTURES, Table, with_capture
from .errors import StoreError
from .layout import COMPACT, COMPACT_FOLDER, FRESH, compact_name, part_name, read_fleet
from .names import is_capture, is_part
from .rows import Row, captures_table, read_row, read_rows, to_arrow
from .store import Store
from .task import Job, site

MAX_PARTS = 8
ROWS_IN_GROUP = 1 << 17
BYTES_IN_GROUP = 64 << 20


@dataclass(frozen=True)
class Compacted:
    """compact.json. parts: name -> the captures in it. captures: the part that has all rows of `captures`."""

    parts: dict[str, list[str]] = field(default_factory=dict)
    captures: str | None = None

    def next_name(self) -> str:
        used = [int(p) for p in (*self.parts, self.captures) if p]
        return f"{max(used, default=0) + 1:06}"


def read_compacted(store: Store) -> Compacted:
    if not store.exists(COMPACT):
        return Compacted()
    try:
        found = json.loads(store.read(COMPACT))
        compacted = Compacted(dict(found["parts"]), found["captures"])
        _check_names([*compacted.parts, *filter(None, [compacted.captures])], compacted.parts.values())
        return compacted
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{store.address(COMPACT)} is not what this program writes: {error!r}") from error


def _check_names(parts: Iterable[object], captures: Iterable[object]) -> None:
    """Names become paths. Raises ValueError for what is no name of a part, and for a list that has what is no
    capture."""
    for part in parts:
        if not is_part(part):
            raise ValueError(f"{part!r} is no name of a part")
    for some in captures:
        wrong = [c for c in some if not is_capture(c)] if isinstance(some, list) else [some]
        if wrong:
            raise ValueError(f"{wrong[0]!r} is no capture")


@dataclass(frozen=True)
class Contents:
    """What an output holds. rows: by path. fresh: the markers of rows that compact.json does not cover."""

    rows: dict[str, Row]
    fresh: list[str]
    compacted: Compacted

    def captures(self) -> set[str]:
        """Of which there are tables."""
        return {r.capture for r in self.rows.values() if r.outcome == rows.READ and r.capture}

    def loose(self) -> list[str]:
        """Captures whose tables are in partitions only."""
        return sorted(self.captures().difference(*self.compacted.parts.values()))

    def stale(self) -> set[str]:
        """Captures in compact parts that no path has any more."""
        return {c for part in self.compacted.parts.values() for c in part} - self.captures()


def read_contents(store: Store) -> Contents:
    compacted = read_compacted(store)
    found: dict[str, Row] = {}
    if compacted.captures:
        found = {r.path: r for r in read_rows(store, compact_name(compacted.captures, CAPTURES))}
    fresh = store.names(FRESH)
    for identity in fresh:
        row = read_row(store, identity)
        if row is not None:
            found[row.path] = row
    return Contents(found, fresh, compacted)


@dataclass(frozen=True)
class Plan:
    """part: the new one. old: the parts that go into it. add: captures from their partitions. drop: captures that do
    not go into it."""

    part: str
    old: list[str]
    add: list[str]
    drop: list[str]
    tables: list[str]


def plan_compaction(contents: Contents, tables: dict[str, Table]) -> Plan | None:
    """None: everything is compact."""
    add, stale = contents.loose(), contents.stale()
    if not add and not stale and not contents.fresh:
        return None
    parts = contents.compacted.parts
    all_anew = bool(stale) or len(parts) >= MAX_PARTS
    return Plan(
        contents.compacted.next_name(),
        list(parts) if all_anew else [],
        add,
        sorted(stale),
        [t for t in tables if t != CAPTURE] if add or all_anew else [],
    )


def _plan_name(part: str) -> str:
    return f"{COMPACT_FOLDER}/{part}/plan.json"


def write_plan(store: Store, plan: Plan) -> None:
    """For the tasks: it may be long."""
    store.write(_plan_name(plan.part), json.dumps(asdict(plan)).encode())


def read_plan(store: Store, part: str) -> Plan:
    name = _plan_name(part)
    try:
        plan = Plan(**json.loads(store.read(name)))
        _check_names([plan.part, *plan.old], [plan.add, plan.drop])
    except (ValueError, TypeError) as error:
        raise StoreError(f"{store.address(name)} is not what this program writes: {error!r}") from error
    return plan


def compact_table(name: str, part: str, job: Job) -> int:
    """Writes one table of the new part; a task of its own. Returns the number of rows. Memory: one group of rows."""
    here = site(job)
    plan = read_plan(here.store, part)
    schema = with_capture(here.tables[name].described_schema)
    count = waiting_rows = waiting_bytes = 0
    waiting: list[pa.RecordBatch] = []
    with (
        here.store.writer(compact_name(plan.part, name)) as file,
        pq.ParquetWriter(file, schema, compression="zstd") as out,
    ):
        for batch in _batches(here.store, here.tables[name], plan, schema):
            waiting.append(batch)
            count += batch.num_rows
            waiting_rows += batch.num_rows
            waiting_bytes += batch.nbytes
            if waiting_rows >= ROWS_IN_GROUP or waiting_bytes >= BYTES_IN_GROUP:
                out.write_table(pa.Table.from_batches(waiting, schema=schema).combine_chunks(), ROWS_IN_GROUP)
                waiting_rows = waiting_bytes = 0
                waiting.clear()
        if waiting:
            out.write_table(pa.Table.from_batches(waiting, schema=schema).combine_chunks(), ROWS_IN_GROUP)
    return count


def _batches(store: Store, table: Table, plan: Plan, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    drop = pa.array(plan.drop, pa.string())
    for part in plan.old:
        with store.open(compact_name(part, table.name)) as file:
            for batch in pq.ParquetFile(file).iter_batches(ROWS_IN_GROUP):
                kept = batch.filter(pc.invert(pc.is_in(batch.column("capture"), value_set=drop)))
                yield pa.record_batch(kept.columns, schema=schema)
    for capture in plan.add:
        partition = store.open_if_there(part_name(table.name, capture))
        if partition is not None:
            with partition as file:
                for batch in pq.ParquetFile(file).iter_batches(ROWS_IN_GROUP, use_threads=False):
                    named = pa.repeat(pa.scalar(capture, pa.string()), batch.num_rows)
                    yield pa.record_batch([named, *batch.columns], schema=schema)


def finish_compaction(store: Store, contents: Contents, plan: Plan) -> None:
    """Behind compact_table of all tables: the rows, compact.json, and then what is no longer needed."""
    fleet = read_fleet(store)
    assert fleet is not None  # noqa: S101 - the run made it
    known = sorted(contents.rows.values(), key=lambda r: r.path)
    with store.writer(compact_name(plan.part, CAPTURES)) as file:
        pq.write_table(to_arrow(known, captures_table(fleet.tables())), file, compression="zstd")
    before = contents.compacted
    parts = {name: captures for name, captures in before.parts.items() if name not in plan.old}
    if plan.tables:
        kept = {c for name in plan.old for c in before.parts[name]} - set(plan.drop)
        parts[plan.part] = sorted(kept | set(plan.add))
    store.write(COMPACT, json.dumps({"parts": parts, "captures": plan.part}).encode())
    store.remove(_plan_name(plan.part))
    for identity in contents.fresh:
        store.remove(f"{FRESH}/{identity}")
    for part in {*before.parts, before.captures} - {*parts, None}:
        store.remove(f"{COMPACT_FOLDER}/{part}")
    if before.captures in parts and before.captures != plan.part:
        store.remove(compact_name(before.captures, CAPTURES))
    for capture in plan.drop:
        for table in fleet.tables():
            store.remove(part_name(table, capture).rpartition("/")[0])
