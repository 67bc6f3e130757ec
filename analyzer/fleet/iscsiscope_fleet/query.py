# SPDX-License-Identifier: GPL-2.0-or-later
"""`query`: a statement to an output, and the answer as text, CSV or JSON Lines."""

from __future__ import annotations

import csv
import datetime
import io
import json
from typing import Any

import duckdb

from .columns import CAPTURE
from .database import open_output
from .errors import FleetError
from .names import printable, quoted
from .views import VIEWS


def query(output: str, sql: str, form: str) -> str:
    """form: text, csv or jsonl. Raises FleetError with DuckDB's words if the statement is wrong."""
    base, _ = open_output(output)
    try:
        base.execute(sql)
        names = [column[0] for column in base.description or ()]
        rows = base.fetchall() if names else []
    except duckdb.Error as error:
        raise FleetError(str(error)) from error
    finally:
        base.close()
    return {"text": as_text, "csv": as_csv, "jsonl": as_jsonl}[form](names, rows)


def catalogue(output: str) -> str:
    """The views and tables, for people."""
    base, fleet = open_output(output)
    lines = ["VIEWS"]
    for view in VIEWS:
        lines += [f"  {view.name}: {', '.join(_columns(base, view.name))}", f"      {view.meaning}"]
    lines += ["", "TABLES (each with the column capture; `iscsiscope columns TABLE` explains theirs)"]
    lines.append(f"  captures: {', '.join(_columns(base, 'captures'))}")
    lines += [
        f"  {name}: {', '.join(c.name for c in table.columns)}"
        for name, table in fleet.tables().items()
        if name != CAPTURE
    ]
    base.close()
    return "\n".join(lines) + "\n"


def _columns(base: duckdb.DuckDBPyConnection, name: str) -> list[str]:
    return [row[0] for row in base.execute(f"DESCRIBE {quoted(name)}").fetchall()]


def as_text(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    if not names:
        return ""
    names = [printable(n) for n in names]
    cells = [[printable(_cell(v)) for v in row] for row in rows]
    widths = [max([len(n), *(len(r[i]) for r in cells)]) for i, n in enumerate(names)]
    right = [any(_is_number(r[i]) for r in rows) for i in range(len(names))]

    def line(texts: list[str]) -> str:
        fitted = (t.rjust(w) if r else t.ljust(w) for t, w, r in zip(texts, widths, right, strict=True))
        return "  ".join(fitted).rstrip()

    return "".join(f"{line(texts)}\n" for texts in (names, *cells))


def as_csv(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    """As the program's own CSV: RFC 4180; text that a spreadsheet program would calculate has an apostrophe before."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(names)
    for row in rows:
        writer.writerow("'" + v if isinstance(v, str) and v[:1] in tuple("=+-@\t\r\n") else _cell(v) for v in row)
    return out.getvalue()


def as_jsonl(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    return "".join(
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, default=_cell) + "\n" for row in rows
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)
