# SPDX-License-Identifier: GPL-2.0-or-later
"""Types and values of the tables, files of the output, names of inputs: what needs no cluster."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import fsspec
import pyarrow as pa
import pytest
from iscsiscope_fleet import convert
from iscsiscope_fleet.columns import Column, Table, parse_columns
from iscsiscope_fleet.errors import FleetError, StoreError
from iscsiscope_fleet.inputs import find_captures
from iscsiscope_fleet.messages import Progress, spoken
from iscsiscope_fleet.rows import READ, Row, captures_table, read_row, write_row
from iscsiscope_fleet.store import Store

import grow
import lab

COLUMNS = subprocess.run(
    [lab.PROGRAM, "columns", "--format", "json"], capture_output=True, text=True, check=True
).stdout
SOME = Table(
    "some",
    (
        Column("n", "integer", "", ""),
        Column("r", "real", "", ""),
        Column("t", "text", "", ""),
        Column("b", "boolean", "", ""),
    ),
)


def converted(path: Path, text: str, table: Table = SOME) -> list[dict[str, object]]:
    path.write_bytes(text.replace("\n", "\r\n").encode())
    return [row for batch in convert.batches(path, table) for row in batch.to_pylist()]


def test_values_keep_their_types(tmp_path: Path) -> None:
    rows = converted(tmp_path / "a.csv", 'n,r,t,b\n1,2.0,"a,b",true\n,,,\n-3,1e-3,"",false\n')
    assert rows == [
        {"n": 1, "r": 2.0, "t": "a,b", "b": True},
        {"n": None, "r": None, "t": None, "b": None},
        {"n": -3, "r": 0.001, "t": "", "b": False},
    ]


def test_a_column_without_values_keeps_its_type(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,r,t,b\r\n,,,\r\n")
    (batch,) = convert.batches(tmp_path / "a.csv", SOME)
    assert batch.schema == SOME.schema
    assert converted(tmp_path / "a.csv", "n,r,t,b\n") == []


def test_the_apostrophe_for_spreadsheets_is_taken_away(tmp_path: Path) -> None:
    texts = ["'=1+1", "'-x", "'@x", "'plain", "=x", "it's"]
    rows = converted(tmp_path / "a.csv", "n,r,t,b\n" + "".join(f"1,-1.5,{t},true\n" for t in texts))
    assert [r["t"] for r in rows] == ["=1+1", "-x", "@x", "'plain", "=x", "it's"]
    assert {r["r"] for r in rows} == {-1.5}


def test_text_that_looks_like_a_number_stays_text(tmp_path: Path) -> None:
    assert [r["t"] for r in converted(tmp_path / "a.csv", "n,r,t,b\n1,1.0,007,true\n1,1.0,1e3,true\n")] == [
        "007",
        "1e3",
    ]


@pytest.mark.parametrize("rows", [1, 300_000])  # one block, and several
def test_an_integer_beyond_63_bits_becomes_null(tmp_path: Path, rows: int) -> None:
    lines = [f"{i},1.0,x,true\n" for i in range(rows)]
    found = converted(
        tmp_path / "a.csv", "n,r,t,b\n" + "".join(lines) + "18446744073709551615,1.0,x,true\n-5,1.0,x,true\n"
    )
    assert [r["n"] for r in found] == [*range(rows), None, -5]


def test_a_table_with_other_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises((pa.ArrowInvalid, pa.ArrowKeyError)):
        converted(tmp_path / "a.csv", "n,r\n1,2.0\n")
    with pytest.raises(pa.ArrowInvalid):
        converted(tmp_path / "a.csv", "n,r,t,b\nx,2.0,a,true\n")


def test_every_table_of_the_program_has_a_schema_and_every_value_is_the_csv_value(tmp_path: Path) -> None:
    """The columns are those of `iscsiscope columns`, and so are the headers of the CSV files, in this order."""
    tables = parse_columns(COLUMNS)
    capture = next(p for p in grow.sources() if "tgt-qemu" in p.name)
    subprocess.run(
        [lab.PROGRAM, "report", "--format", "csv", "--hash", "--quiet", "-o", tmp_path / "out", capture], check=True
    )
    assert {p.stem for p in (tmp_path / "out").iterdir()} == set(tables)
    for name, table in tables.items():
        header = (tmp_path / "out" / f"{name}.csv").read_text().splitlines()[0]
        assert header.split(",") == [c.name for c in table.columns]
        for batch in convert.batches(tmp_path / "out" / f"{name}.csv", table):
            assert batch.schema == table.schema
    jsonl = subprocess.run(
        [lab.PROGRAM, "cycles", "--format", "jsonl", "--quiet", capture], capture_output=True, check=True
    )
    wanted = [json.loads(line) for line in jsonl.stdout.splitlines()]
    assert [
        r for b in convert.batches(tmp_path / "out" / "cycles.csv", tables["cycles"]) for r in b.to_pylist()
    ] == wanted


@pytest.mark.parametrize("text", ["", "[]", "{}", '[{"table":"capture"}]', '[{"table":"x","csv":true,"columns":[]}]'])
def test_a_list_of_columns_that_is_none_is_an_error(text: str) -> None:
    with pytest.raises(FleetError):
        parse_columns(text)


def test_a_row_comes_back_as_it_was(tmp_path: Path) -> None:
    store, table = Store(str(tmp_path)), captures_table(parse_columns(COLUMNS))
    row = Row(
        "/x/\udcff'.pcap".encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
        READ,
        "ab" * 32,
        0,
        facts={"pdus": 7},
    )
    write_row(store, row, table)
    (identity,) = store.names("fresh")
    found = read_row(store, identity)
    assert found is not None
    assert (found.path, found.capture, found.exit_code, found.facts["pdus"], found.facts["bytes"]) == (
        row.path,
        "ab" * 32,
        0,
        7,
        None,
    )


@pytest.mark.parametrize("url", ["", "memory://fleet-test"])
def test_a_file_is_complete_or_absent(tmp_path: Path, url: str) -> None:
    store = Store(url or str(tmp_path))
    store.write("a/b/c", b"one")

    def interrupted() -> None:
        with store.together() as files:
            with files.writer("a/b/c") as file:
                file.write(b"two")
            with files.writer("a/b/d") as file:
                file.write(b"half")
                raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        interrupted()
    assert (store.read("a/b/c"), store.names("a/b"), store.exists("a/b/d")) == (b"one", ["c"], False)
    assert not list(tmp_path.rglob("iscsiscope-fleet-*"))
    store.remove("a")
    assert store.names("a/b") == []


def test_a_store_that_does_not_answer_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match=r"cannot write .*/file/x: (Not a directory|File exists)"):
        Store(str(tmp_path / "file")).write("x", b"")
    with pytest.raises(StoreError, match="cannot open nosuch://x"):
        Store("nosuch://x")


def test_inputs(tmp_path: Path) -> None:
    names = ["a.pcap", "b.pcapng.zst", "sub/c.cap.gz", "sub/d.pcap12", "sub/e.txt", ".hidden.pcap", "F.PCAP"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "list").write_text("a.pcap\n\n/not/here.pcap\n")

    def found(*inputs: str) -> list[str]:
        return [os.path.relpath(p, tmp_path) for p in find_captures([str(i) for i in inputs])]

    assert found(str(tmp_path)) == ["F.PCAP", "a.pcap", "b.pcapng.zst", "sub/c.cap.gz", "sub/d.pcap12"]
    assert found(f"{tmp_path}/**/*.txt", f"{tmp_path}/a.pcap", f"{tmp_path}/*.pcap") == ["a.pcap", "sub/e.txt"]
    assert "/not/here.pcap" in find_captures([f"@{tmp_path}/list"])
    for wrong in (f"{tmp_path}/nothing", f"{tmp_path}/*.none", f"@{tmp_path}/none"):
        with pytest.raises(FleetError, match=r"nothing|none"):
            find_captures([wrong])
    (tmp_path / "empty").mkdir()
    with pytest.raises(FleetError, match="no captures"):
        find_captures([str(tmp_path / "empty")])


def test_captures_of_an_object_store() -> None:
    fs = fsspec.filesystem("memory")
    for name in ("/traces/a.pcap", "/traces/x/b.pcap.zst", "/traces/notes"):
        fs.pipe_file(name, b"")
    assert find_captures(["memory://traces"]) == ["memory:///traces/a.pcap", "memory:///traces/x/b.pcap.zst"]
    assert find_captures(["memory://traces/*.pcap"]) == ["memory:///traces/a.pcap"]


def test_progress_in_words() -> None:
    progress = Progress(4, 4_000_000, shown=False)
    progress.add(1_000_000, failed=False)
    progress.add(1_000_000, failed=True)
    assert progress.line(10) == "2 of 4 captures (50%), 0.2/s, 10 s left, 1 could not be read"
    assert [spoken(s) for s in (3.21, 59, 200, 7500)] == ["3.2 s", "59 s", "3 min 20 s", "2 h 5 min"]
