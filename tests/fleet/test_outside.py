# SPDX-License-Identifier: GPL-2.0-or-later
"""What comes from outside: outputs that somebody else made, file names of any bytes, statements to DuckDB."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from iscsiscope_fleet.database import open_output
from iscsiscope_fleet.names import printable, quoted, stored

import lab
from conftest import Fleet


@pytest.fixture
def copied(small_fleet: Fleet, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small_fleet.out, tmp_path / "out"))


def altered(file: Path, change: Callable[[Any], None]) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    change(content)
    file.write_text(json.dumps(content), encoding="utf-8")


def refused(output: Path, small_fleet: Fleet, words: str) -> None:
    """By a question and by a run, in a sentence."""
    for done in (
        lab.fleet("query", output, "SELECT 1"),
        lab.fleet("run", small_fleet.captures, "-o", output, "--workers", 1, "--no-progress"),
    ):
        assert done.code == 2
        assert words in done.err
        assert "Traceback" not in done.err


@pytest.mark.parametrize("where", ["table", "column"])
def test_a_name_that_is_sql(copied: Path, small_fleet: Fleet, tmp_path: Path, where: str) -> None:
    owned = tmp_path / "owned"
    name = f"""z" AS SELECT 1; COPY (SELECT 'owned') TO '{owned}'; CREATE VIEW "y"""

    def add(fleet: Any) -> None:
        tables = json.loads(fleet["columns"])
        column = {"name": name if where == "column" else "a", "type": "integer", "unit": "", "meaning": "m"}
        tables.append({"table": name if where == "table" else "y", "csv": True, "columns": [column]})
        fleet["columns"] = json.dumps(tables)

    altered(copied / "fleet.json", add)
    refused(copied, small_fleet, "which is none of a table or column")
    assert not owned.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [("x/../../../victim", "is no capture"), ("A" * 64, "is no capture"), (7, "is no capture")],
)
def test_a_capture_that_is_a_path(copied: Path, small_fleet: Fleet, tmp_path: Path, name: Any, words: str) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("x")
    altered(copied / "compact.json", lambda c: next(iter(c["parts"].values())).append(name))
    refused(copied, small_fleet, words)
    assert (victim / "file").exists()


@pytest.mark.parametrize("name", ["../../victim", "1/../..", "", "x"])
def test_a_part_that_is_a_path(copied: Path, small_fleet: Fleet, name: str) -> None:
    altered(copied / "compact.json", lambda c: c["parts"].update({name: []}))
    refused(copied, small_fleet, "is no name of a part")


def captures_file(output: Path) -> Path:
    part = json.loads((output / "compact.json").read_text(encoding="utf-8"))["captures"]
    return output / "compact" / part / "captures.parquet"


def test_a_row_whose_capture_is_a_path(copied: Path, small_fleet: Fleet) -> None:
    file = captures_file(copied)
    table = pq.read_table(file)
    at = table.schema.get_field_index("capture")
    pq.write_table(table.set_column(at, table.schema.field(at), pa.array(["../.."] * table.num_rows)), file)
    refused(copied, small_fleet, "is no capture")


def test_parquet_that_is_none(copied: Path, small_fleet: Fleet) -> None:
    cycles = next(copied.glob("compact/*/cycles.parquet"))
    cycles.write_bytes(cycles.read_bytes()[:200] + bytes(400))
    done = lab.fleet("query", copied, "SELECT count(*) FROM cycles")
    assert done.code == 2
    assert done.err.startswith("iscsiscope-fleet: ")
    assert "Traceback" not in done.err
    captures_file(copied).write_bytes(b"PAR1")
    refused(copied, small_fleet, "is not what this program writes")


def test_a_statement_reads_and_writes_nothing_else(small_fleet: Fleet, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    for sql in (
        f"COPY (SELECT 1) TO '{tmp_path / 'owned'}'",
        f"COPY (SELECT 1) TO '{small_fleet.out / 'owned'}'",
        f"SELECT * FROM read_csv('{secret}')",
        f"SELECT * FROM '{secret}'",
        f"ATTACH '{tmp_path / 'other.db'}'",
        f"EXPORT DATABASE '{tmp_path / 'all'}'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
    ):
        done = lab.fleet("query", small_fleet.out, sql)
        assert done.code == 2, sql
        assert "Traceback" not in done.err
    assert sorted(os.listdir(tmp_path)) == ["secret.csv"]  # noqa: PTH208
    assert not (small_fleet.out / "owned").exists()


def test_names_of_any_bytes(small_fleet: Fleet, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    content = small_fleet.good[0].read_bytes()
    names = [b"bad\xff.pcap", b"esc\x1b[31m.pcap", "ü.pcap".encode()]
    for i, name in enumerate(names):
        with open(os.fsencode(folder) + b"/" + name, "wb") as file:  # noqa: PTH123
            file.write(content[: len(content) - i * 200])
    done = lab.fleet("run", folder, "-o", tmp_path / "out", "--workers", 1, "--no-progress")
    assert done.code == 0, done.err
    base, _ = open_output(str(tmp_path / "out"))
    found = [Path(row[0]).name for row in base.execute("SELECT path FROM captures").fetchall()]
    assert sorted(found) == sorted(["bad\\xff.pcap", "esc\x1b[31m.pcap", "ü.pcap"])
    text = lab.fleet("query", tmp_path / "out", "SELECT path FROM captures").out
    assert "\x1b" not in text
    assert "esc\\x1b[31m.pcap" in text
    again = lab.fleet("run", folder, "-o", tmp_path / "out", "--workers", 1, "--no-progress")
    assert "nothing to do: 3 captures done before" in again.err + again.out


def test_names() -> None:
    assert quoted('a"b') == '"a""b"'
    assert duckdb.sql(f"SELECT 1 AS {quoted('a b')}").columns == ["a b"]
    assert stored("a\udcffb") == "a\\xffb"
    assert printable("a\x00\x1b\x7f\x9bé") == "a\\x00\\x1b\\x7f\\x9bé"
