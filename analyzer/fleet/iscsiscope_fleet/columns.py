# SPDX-License-Identifier: GPL-2.0-or-later
"""The typed columns of the CSV tables, as `iscsiscope columns --format json` lists them, and their Arrow schemas."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

import pyarrow as pa

from .errors import FleetError
from .names import is_column, is_table

# The program's one row on the file itself. Its columns become part of the row of the table `captures`.
CAPTURE = "capture"
CAPTURES = "captures"
TYPES = {"integer": pa.int64(), "real": pa.float64(), "text": pa.string(), "boolean": pa.bool_()}


@dataclass(frozen=True)
class Column:
    name: str
    type: str  # a key of TYPES
    unit: str  # "ns", "bytes", …; empty: none
    meaning: str  # a sentence


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple[Column, ...]

    @functools.cached_property
    def schema(self) -> pa.Schema:
        return pa.schema(pa.field(c.name, TYPES[c.type]) for c in self.columns)

    @functools.cached_property
    def described_schema(self) -> pa.Schema:
        """Each field carries unit and meaning as metadata, which readers of Parquet show."""
        return pa.schema(
            pa.field(c.name, TYPES[c.type], metadata={"unit": c.unit, "meaning": c.meaning}) for c in self.columns
        )


def with_capture(schema: pa.Schema) -> pa.Schema:
    """The schema of the rows of many captures: in front the column that distinguishes them."""
    meaning = {"unit": "", "meaning": "SHA-256 of the capture file."} if schema.field(0).metadata else None
    return schema.insert(0, pa.field("capture", pa.string(), metadata=meaning))


def parse_columns(text: str) -> dict[str, Table]:
    """The tables of the CSV folder by name. Raises FleetError if the text is not such a list."""
    try:
        tables = {
            t["table"]: Table(
                t["table"],
                tuple(Column(c["name"], c["type"], c["unit"] or "", c["meaning"]) for c in t["columns"]),
            )
            for t in json.loads(text)
            if t["csv"]
        }
    except (ValueError, KeyError, TypeError) as error:
        raise FleetError(f"the list of columns cannot be understood: {error!r}") from error
    if CAPTURE not in tables or CAPTURES in tables:
        raise FleetError(f"the list of columns has no table {CAPTURE}: the program is too old for this package")
    for table in tables.values():
        wrong = [table.name] if not is_table(table.name) else []
        wrong += [c.name for c in table.columns if not is_column(c.name)]
        if wrong:
            raise FleetError(f"the list of columns has the name {wrong[0]!r}, which is none of a table or column")
        for column in table.columns:
            if column.type not in TYPES:
                raise FleetError(f"the column {table.name}.{column.name} has the unknown type {column.type}")
    return tables
