#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each column of each row command and table of the reports has in pandas, DuckDB and SQLite the type that
`iscsiscope columns --format json` gives it, without a hint; with the types stated every value is that of JSON Lines.
ISCSISCOPE_ALL_CAPTURES=1: over all captures at hand."""
import csv
import json
import math
import os
import sqlite3

import query_common as tables

tables.use_environment()
pandas = tables.module("pandas", "tables are not read by pandas")
duckdb = tables.module("duckdb", "tables are not read by DuckDB")

# Texts that can be numbers in every row, which no CSV file can show: docs/sql.md.
NUMBER_LIKE = {"lun", "cdb", "isid", "target_portal_group", "section", "vendor", "product", "serial", "designator"}
PANDAS = {"integer": "Int64", "real": "float64", "text": "object", "boolean": "boolean"}
DUCKDB = {"integer": "BIGINT", "real": "DOUBLE", "text": "VARCHAR", "boolean": "BOOLEAN"}
SQLITE = {"integer": {"integer"}, "real": {"real"}, "text": {"text"}, "boolean": {"integer"}}
FOUND = {"integer": {"BIGINT", "UBIGINT", "HUGEINT", "INTEGER"}, "real": {"DOUBLE"}, "text": {"VARCHAR"},
         "boolean": {"BOOLEAN"}}
seen, empty = set(), set()  # (table, column) with a value in some capture, and with none in a capture


def known(values):
    return [v for v in values if v is not None and v == v and v is not pandas.NaT and v is not pandas.NA]


def pandas_type(series):
    """The type of a column as pandas has it; None: all values are missing."""
    values = known(series.tolist())
    if not values:
        return None
    if all(isinstance(v, bool) for v in values):
        return "boolean"
    if all(isinstance(v, str) for v in values):
        return "text"
    if series.dtype.kind in "iu":
        return "integer"
    if series.dtype.kind == "f":
        # Integers of which one is missing.
        return "integer" if len(values) < len(series) and all(v == int(v) for v in values) else "real"
    return f"a mixture of {sorted({type(v).__name__ for v in values})}"


def fits(found, wanted, name, whole):
    """whole: the values are whole numbers, and pandas does not keep such apart."""
    return found in (None, wanted) or (wanted == "text" and name in NUMBER_LIKE and found in ("integer", "real")) or (
        wanted in ("real", "boolean") and found == "integer" and whole)


def without_hint(verdict, where, table, columns, csv_path, jsonl_path):
    if pandas:
        frames = [("CSV", pandas.read_csv(csv_path))]
        if jsonl_path and os.path.getsize(jsonl_path):
            frames.append(("JSON Lines", pandas.read_json(jsonl_path, lines=True)))
            kept = pandas.read_json(jsonl_path, lines=True, dtype=False)
            for name in (n for n, kind in columns.items() if kind in ("text", "boolean")):
                verdict.expect(pandas_type(kept[name]) in (None, columns[name]),
                               f"{where}.{name}, pandas, JSON Lines as they are: {pandas_type(kept[name])}")
        for form, frame in frames:
            verdict.expect(list(frame.columns) == list(columns), f"{where}, pandas, {form}: {list(frame.columns)}")
            for name in frame.columns:
                found = pandas_type(frame[name])
                # pandas.read_json makes 0 and 1 of booleans of which one is missing, and integers of whole reals;
                # a column with missing values shows no difference between integers and whole reals.
                missing = frame[name].isna().any()
                whole = missing or form != "CSV" if columns[name] == "real" else missing and form != "CSV"
                verdict.expect(fits(found, columns[name], name, whole),
                               f"{where}.{name}, pandas, {form}: {found}, not {columns[name]}")
                (empty if found is None else seen).add((table, name))
    if duckdb:
        sources = [("CSV", f"read_csv_auto('{csv_path}')")]
        if jsonl_path and os.path.getsize(jsonl_path):
            sources.append(("JSON Lines", f"read_json_auto('{jsonl_path}')"))
        for form, source in sources:
            relation = duckdb.sql(f"SELECT * FROM {source}")
            counts = duckdb.sql("SELECT %s FROM %s" % (", ".join(f'count("{n}")' for n in relation.columns),
                                                       source)).fetchall()[0]
            for name, kind, count in zip(relation.columns, map(str, relation.types), counts):
                if not verdict.expect(name in columns, f"{where}, DuckDB, {form}: no column {name}"):
                    continue
                hidden = columns[name] == "text" and name in NUMBER_LIKE and form == "CSV"
                verdict.expect(count == 0 or hidden or kind in FOUND[columns[name]],
                               f"{where}.{name}, DuckDB, {form}: {kind}, not {columns[name]}")


def plain(text, kind):
    """A cell as it was before the apostrophe that keeps spreadsheets from calculating it."""
    return text[1:] if kind == "text" and text and text[0] == "'" and text[1:2] and text[1] in "=+-@\t\r\n" else text


def same(found, wanted, kind):
    """pandas reads reals by a fast parser, whose last digits may be off."""
    return found == wanted or (kind == "real" and len(found) == len(wanted) and all(
        a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-12)) for a, b in zip(found, wanted)))


def with_types(verdict, where, columns, csv_path, jsonl_path):
    """Every value, read with the types stated, is that of JSON Lines."""
    with open(jsonl_path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    if pandas:
        frame = pandas.read_csv(csv_path, dtype={n: PANDAS[t] for n, t in columns.items()}, keep_default_na=False,
                                na_values=[""])
        for name, kind in columns.items():
            found = [None if v is pandas.NA or v != v else plain(v, kind) for v in frame[name].tolist()]
            verdict.expect(same(found, [r[name] for r in rows], kind), f"{where}.{name}, pandas: values differ")
    if duckdb and rows:
        listed = {n: DUCKDB[t] for n, t in columns.items()}
        got = duckdb.sql(f"SELECT * FROM read_csv('{csv_path}', header = true, columns = {listed})").fetchall()
        for i, (name, kind) in enumerate(columns.items()):
            verdict.expect([plain(r[i], kind) for r in got] == [r[name] for r in rows],
                           f"{where}.{name}, DuckDB: values differ")


def sqlite(verdict, where, tables_of, path):
    with sqlite3.connect(path) as base:
        names = [n for n, in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        verdict.expect(sorted(names) == sorted(n for n, t in tables_of.items() if t["sqlite"]), f"{where}: {names}")
        for name in names:
            columns = tables.types(tables_of[name])
            declared = [row[1] for row in base.execute(f'PRAGMA table_info("{name}")')]
            verdict.expect(declared == list(columns), f"{where}.{name}: columns {declared}")
            for column, kind in columns.items():
                if kind == "any":
                    continue
                found = {t for t, in base.execute(f'SELECT DISTINCT typeof("{column}") FROM "{name}"')} - {"null"}
                verdict.expect(found <= SQLITE[kind], f"{where}.{name}.{column}, SQLite: {found}, not {kind}")
    base.close()


def main():
    verdict = tables.Verdict()
    tables_of = tables.described()
    paths = tables.captures()
    for path in paths:
        where = os.path.basename(path)
        with tables.folder() as folder:
            for name, table in tables_of.items():
                if not table["command"]:
                    continue
                columns = tables.types(table)
                csv_path, jsonl_path = (os.path.join(folder, f"{name}.{form}") for form in ("csv", "jsonl"))
                tables.run(name, path, "--quiet", "-o", csv_path)
                tables.run(name, path, "--quiet", "--format", "jsonl", "-o", jsonl_path)
                without_hint(verdict, f"{where}: {name}", name, columns, csv_path, jsonl_path)
                with_types(verdict, f"{where}: {name}", columns, csv_path, jsonl_path)
            report = os.path.join(folder, "report")
            tables.run("report", path, "--quiet", "--format", "csv", "-o", report)
            files = {n[:-4] for n in os.listdir(report)}
            verdict.expect(files == {n for n, t in tables_of.items() if t["csv"]}, f"{where}: files {files}")
            for name in sorted(files):
                csv_path = os.path.join(report, name + ".csv")
                with open(csv_path, encoding="utf-8", newline="") as text:
                    verdict.expect(next(csv.reader(text)) == list(tables.types(tables_of[name])), f"{where}: {name}")
                if not tables_of[name]["command"]:
                    without_hint(verdict, f"{where}: {name}", name, tables.types(tables_of[name]), csv_path, None)
            base = os.path.join(folder, "report.sqlite")
            tables.run("report", path, "--quiet", "--format", "sqlite", "-o", base)
            sqlite(verdict, where, tables_of, base)
    if pandas:
        never = sorted(".".join(c) for c in empty - seen)
        print(f"FIGURE: types: {len(seen)} columns had values, {len(never)} never: {' '.join(never)}")
    verdict.finish(f"types: tables of {len(paths)} captures")


main()
