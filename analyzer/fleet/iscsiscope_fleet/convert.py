# SPDX-License-Identifier: GPL-2.0-or-later
"""A CSV table of the program as Arrow record batches with the types of the column list.

A column without a value keeps its type. Memory is bounded by the block size, whatever the size of the table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from .columns import TYPES, Table

BLOCK_BYTES = 4 << 20
# The CSV has an apostrophe before text that a spreadsheet program would calculate (docs/formats.md, "CSV folder").
GUARDED = r"(?s)^'([=+\-@\t\r\n])"
WIDE = pa.decimal128(20)  # holds every integer of 64 bits, with a sign or without
LARGEST = pa.scalar((1 << 63) - 1, WIDE)


def batches(path: Path, table: Table) -> Iterator[pa.RecordBatch]:
    """Raises pyarrow.ArrowInvalid if the file is not the table.

    An integer above 2^63 - 1 becomes null: readers of Parquet share no type that holds it beside negative ones."""
    given = 0
    try:
        for batch in _read(path, table, TYPES["integer"]):
            yield batch
            given += batch.num_rows
    except pa.ArrowInvalid as error:
        if "int64" not in str(error):
            raise
        for batch in _read(path, table, WIDE):
            before = min(given, batch.num_rows)
            given -= before
            if before < batch.num_rows:
                yield batch.slice(before)


def _read(path: Path, table: Table, integer: pa.DataType) -> Iterator[pa.RecordBatch]:
    names = table.schema.names
    options = {
        "read_options": pa.csv.ReadOptions(block_size=BLOCK_BYTES, use_threads=False),
        "parse_options": pa.csv.ParseOptions(newlines_in_values=True),
        "convert_options": pa.csv.ConvertOptions(
            column_types={c.name: integer if c.type == "integer" else TYPES[c.type] for c in table.columns},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            true_values=["true"],
            false_values=["false"],
            include_columns=names,
        ),
    }
    if path.stat().st_size > BLOCK_BYTES:
        for batch in pa.csv.open_csv(path, **options):
            yield _plain(batch, table.schema, guarded=True)
        return
    # A small file is read at once: most of them are, and a reader in the background costs more than the file.
    content = path.read_bytes()
    if content != (",".join(names) + "\r\n").encode():
        for batch in pa.csv.read_csv(pa.BufferReader(content), **options).combine_chunks().to_batches():
            yield _plain(batch, table.schema, guarded=b"'" in content)


def _plain(batch: pa.RecordBatch, schema: pa.Schema, guarded: bool) -> pa.RecordBatch:
    """guarded: there may be text with an apostrophe in front."""
    if not guarded and batch.schema == schema:
        return batch
    return pa.record_batch([_plain_column(batch.column(f.name), f.type) for f in schema], schema=schema)


def _plain_column(values: pa.Array, wanted: pa.DataType) -> pa.Array:
    if pa.types.is_string(values.type) and pc.any(pc.starts_with(values, "'")).as_py():
        return pc.replace_substring_regex(values, GUARDED, r"\1", max_replacements=1)
    if values.type == WIDE:
        known = pc.if_else(pc.greater(values, LARGEST), pa.scalar(None, WIDE), values)
        return known.cast(wanted)
    return values
