# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of the page, each asked once of the views. Times in ns unless a name says otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb

Rows = list[dict[str, Any]]
OWNERS = ("transfer", "network", "target", "host", "unknown")
# What one interval of the trends is, in s: the least that gives at most so many of them.
INTERVALS = (60, 300, 900, 3600, 6 * 3600, 86400, 7 * 86400, 28 * 86400)
MAX_INTERVALS = 72
MAX_KINDS = 8  # of findings that have a column in a table of their own


def ask(base: duckdb.DuckDBPyConnection, sql: str, values: list[Any] | None = None) -> Rows:
    base.execute(sql, values or [])
    names = [c[0] for c in base.description or ()]
    return [dict(zip(names, row, strict=True)) for row in base.fetchall()]


@dataclass
class FleetFigures:
    totals: dict[str, Any]
    types: dict[str, dict[str, Any]]  # read, write
    findings: Rows  # by kind
    by_target: Rows
    by_initiator: Rows
    owners: dict[str, Any]  # of all sessions
    owners_by_target: Rows
    sessions: Rows  # the worst
    interval: int  # of the trends, s
    trend_times: Rows
    trend_bytes: Rows
    trend_lost: Rows
    failures: Rows


def collect(base: duckdb.DuckDBPyConnection) -> FleetFigures:
    totals = _totals(base)
    interval = _interval(totals)
    return FleetFigures(
        totals=totals,
        types={r["type"]: r for r in ask(base, _TYPES)},
        findings=ask(base, _FINDINGS),
        by_target=ask(base, _MATRIX.format(end="target")),
        by_initiator=ask(base, _MATRIX.format(end="initiator")),
        owners=ask(base, "SELECT " + ", ".join(f"sum({o}_ns)::BIGINT AS {o}" for o in OWNERS) + " FROM busy_by_target")[
            0
        ],
        owners_by_target=ask(base, "FROM busy_by_target"),
        sessions=ask(base, "FROM worst_sessions WHERE lost_time_ns > 0 OR failed > 0 LIMIT 25"),
        interval=interval,
        trend_times=ask(base, _TREND_TIMES, [interval]),
        trend_bytes=ask(base, _TREND_BYTES, [interval]),
        trend_lost=ask(base, _TREND_LOST, [interval]),
        failures=ask(base, "FROM failures"),
    )


def _totals(base: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    row = ask(base, _TOTALS)[0]
    row.update(ask(base, "SELECT count(DISTINCT initiator) AS initiators, count(DISTINCT target) AS targets, "
                         "count(*) AS sessions FROM named_sessions")[0])  # fmt: skip
    return row


def _interval(totals: dict[str, Any]) -> int:
    if totals["first_ns"] is None:
        return INTERVALS[0]
    span = (totals["last_ns"] - totals["first_ns"]) / 1e9
    return next((i for i in INTERVALS if span / i <= MAX_INTERVALS), INTERVALS[-1])


_TOTALS = """SELECT count(*) AS paths, count(*) FILTER (outcome = 'read') AS read,
       count(*) FILTER (outcome <> 'read') AS failed, count(duplicate_of) AS duplicates,
       count(*) FILTER (outcome = 'read' AND NOT complete) AS damaged,
       count(*) FILTER (outcome = 'read' AND iscsi_connections = 0) AS without_iscsi,
       min(first_time_ns) AS first_ns, max(last_time_ns) AS last_ns, sum(file_bytes)::BIGINT AS file_bytes,
       sum(tasks) FILTER (duplicate_of IS NULL)::BIGINT AS tasks, string_agg(DISTINCT program, ', ') AS program
FROM captures"""
_TYPES = """SELECT type, count(*) AS tasks, sum(bytes_moved)::BIGINT AS bytes,
       count(*) FILTER (outcome <> 'good') AS failed,
       quantile_disc(response_time_ns, 0.5) AS p50_ns, quantile_disc(response_time_ns, 0.99) AS p99_ns,
       max(response_time_ns) AS max_ns
FROM cycles WHERE type <> 'control' GROUP BY type"""
_FINDINGS = """WITH ends AS (
SELECT kind, arg_max(target, lost) AS worst_target, arg_max(initiator, lost) AS worst_initiator
FROM (SELECT kind, target, initiator, coalesce(sum(lost_time_ns), 0) + count(*) AS lost FROM named_findings
      GROUP BY kind, target, initiator) GROUP BY kind)
SELECT f.kind, arg_max(f.title, coalesce(f.lost_time_ns, 0)) AS title, count(DISTINCT f.title) AS titles,
       count(*) FILTER (f.severity = 'problem') AS problems, count(*) AS findings,
       count(DISTINCT f.capture) AS captures, sum(f.lost_time_ns)::BIGINT AS lost_time_ns,
       arg_max(f.path, coalesce(f.lost_time_ns, 0)) AS worst_path, max(coalesce(f.lost_time_ns, 0)) AS worst_ns,
       arg_max(f.remedy, coalesce(f.lost_time_ns, 0)) AS remedy, any_value(e.worst_target) AS worst_target,
       any_value(e.worst_initiator) AS worst_initiator
FROM named_findings f JOIN ends e ON e.kind = f.kind
GROUP BY f.kind ORDER BY lost_time_ns DESC NULLS LAST, problems DESC, captures DESC, f.kind"""
_MATRIX = """SELECT {end} AS name, kind, count(DISTINCT capture) AS captures, sum(lost_time_ns)::BIGINT AS lost_time_ns
FROM named_findings GROUP BY {end}, kind"""
_TREND_TIMES = """SELECT (start_ns // 1000000000 // $1 * $1)::BIGINT AS begin, type,
       quantile_disc(response_time_ns, 0.5) AS p50_ns, quantile_disc(response_time_ns, 0.99) AS p99_ns
FROM cycles WHERE response_time_ns IS NOT NULL AND type <> 'control' GROUP BY begin, type ORDER BY begin, type"""
_TREND_BYTES = """SELECT (start_ns // 1000000000 // $1 * $1)::BIGINT AS begin, type, sum(bytes_moved)::BIGINT AS bytes
FROM cycles WHERE type <> 'control' GROUP BY begin, type ORDER BY begin, type"""
_TREND_LOST = """SELECT (first_time_ns // 1000000000 // $1 * $1)::BIGINT AS begin, kind,
       sum(lost_time_ns)::BIGINT AS lost_time_ns
FROM named_findings WHERE lost_time_ns > 0 GROUP BY begin, kind ORDER BY begin, kind"""
