# SPDX-License-Identifier: GPL-2.0-or-later
"""What stands where in the output (docs/fleet.md, "The output"), and the file that says what made it."""

from __future__ import annotations

import hashlib
import json
import uuid
from dataclasses import asdict, dataclass

from .columns import Table, parse_columns
from .errors import StoreError
from .store import Store

FORMAT = 1
FLEET = "fleet.json"
COMPACT = "compact.json"
COMPACT_FOLDER = "compact"
FRESH = "fresh"  # one empty file for each row of `captures` that no compact file holds yet
LOCK = "lock"


def path_id(path: str) -> str:
    """The name of a path in the output."""
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def row_name(identity: str) -> str:
    return f"captures/path={identity}/part.parquet"


def part_name(table: str, capture: str) -> str:
    return f"{table}/capture={capture}/part.parquet"


def compact_name(part: str, table: str) -> str:
    return f"{COMPACT_FOLDER}/{part}/{table}.parquet"


@dataclass(frozen=True)
class Fleet:
    """fleet.json. One output holds the tables of one version of the program."""

    id: str  # made up when the output is made: a worker that reads another one looks at another folder
    program: str  # as `iscsiscope --version` prints it
    columns: str  # as `iscsiscope columns --format json` prints it
    format: int = FORMAT

    def tables(self) -> dict[str, Table]:
        return parse_columns(self.columns)

    def digest(self) -> str:
        return hashlib.sha256(self.columns.encode()).hexdigest()


def new_fleet(program: str, columns: str) -> Fleet:
    return Fleet(uuid.uuid4().hex, program, columns)


def write_fleet(store: Store, fleet: Fleet) -> None:
    store.write(FLEET, json.dumps(asdict(fleet), indent=1).encode())


def read_fleet(store: Store) -> Fleet | None:
    """None: there is no output yet."""
    if not store.exists(FLEET):
        return None
    try:
        found = json.loads(store.read(FLEET))
        fleet = Fleet(found["id"], found["program"], found["columns"], found["format"])
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{store.address(FLEET)} is not what this program writes: {error!r}") from error
    if fleet.format != FORMAT:
        raise StoreError(f"{store.url} has the format {fleet.format}; this program reads {FORMAT}")
    return fleet
