#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each statement of docs/sql.md runs in SQLite on the SQLite report and in DuckDB on the CSV folder, with one answer,
which is that of the JSON report or is computed here from the row commands. ISCSISCOPE_ALL_CAPTURES=1: of all captures."""
import collections
import json
import os
import re
import sqlite3

import query_common as tables

tables.use_environment()
duckdb = tables.module("duckdb", "the questions of docs/sql.md are put to SQLite alone")
DUCKDB = {"integer": "BIGINT", "real": "DOUBLE", "text": "VARCHAR", "boolean": "BOOLEAN"}


def statements():
    """Heading -> statement."""
    with open(os.path.join(tables.SOURCE, "docs", "sql.md"), encoding="utf-8") as page:
        found = re.findall(r"^### ([^\n]+)\n(?:(?!^#).)*?```sql\n(.*?)```", page.read(), re.M | re.S)
    return dict(found)


def ordered(rows):
    """Rows without their order, which differs among equals and for missing values; reals to six places."""
    def sortable(v):
        return (v is not None, isinstance(v, str), v if v is not None else 0)
    return sorted((tuple(round(v, 6) if isinstance(v, float) else v for v in row) for row in rows),
                  key=lambda row: [sortable(v) for v in row])


def grouped(rows, key):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def p99_by_lun(data):
    groups = grouped((c for c in data.cycles if c["response_time_ns"] is not None),
                     lambda c: (c["session"], c["lun"], c["type"]))
    answer = []
    for key, rows in groups.items():
        times = sorted(r["response_time_ns"] for r in rows)
        answer.append((*key, len(times), times[-(-99 * len(times) // 100) - 1]))
    # The report's quantiles are within 0.1 % of it.
    for session in data.report["sessions"]:
        for lun in session["luns"]:
            for kind in ("read", "write", "control"):
                stated = lun[kind]["response_time"]
                own = [a[4] for a in answer if a[:3] == (session["session"], lun["lun"], kind)]
                assert bool(own) == bool(stated["count"]), (own, stated)
                assert not own or abs(stated["quantiles_ns"]["0.99"] - own[0]) <= 0.001 * own[0], (own, stated)
    return answer


def slowest(data):
    rows = sorted((c for c in data.cycles if c["response_time_ns"] is not None),
                  key=lambda c: (-c["response_time_ns"], c["cycle"]))[:10]
    stated = [c["response_time_ns"] for kind in ("read", "write", "control")
              for c in data.report["cycles"][kind]["slowest"]]
    # The report lists the slowest of each type.
    assert not rows or rows[0]["response_time_ns"] == max(stated), (rows[0], stated)
    return [tuple(c[n] for n in ("cycle", "command", "lun", "lba", "bytes_expected", "response_time_ns", "command_frame",
                                 "end_frame", "outcome")) for c in rows]


def bytes_by_session(data):
    names = {s["session"]: (s["initiator_name"], s["target_name"]) for s in data.report["sessions"]}
    stated = collections.Counter({(r["session"], r["type"]): r["bytes"] for r in data.report["rates"]["sessions"]})
    own = collections.Counter()
    for c in data.cycles:
        own[c["session"], c["type"]] += c["bytes_moved"]
    for key, moved in stated.items():
        assert key[1] not in ("read", "write") or own[key] == moved, (key, moved, own[key])
    return [(s, *names.get(s, (None, None)), own[s, "read"], own[s, "write"])
            for s in sorted({c["session"] for c in data.cycles})]


def retransmitted(data):
    ends = {c["stream"]: (c["initiator_address"], c["target_address"]) for c in data.connections}
    return [(d["stream"], *ends[d["stream"]], d["direction"], d["segments"], d["retransmitted_segments"], d["timeouts"])
            for d in data.report["tcp"] if d["stream"] in ends]


def failed(data):
    groups = grouped((c for c in data.cycles if c["outcome"] != "good"),
                     lambda c: (c["command"], c["outcome"], c["sense"]))
    answer = [(*key, len(rows), min(r["end_frame"] for r in rows if r["end_frame"] is not None)
               if any(r["end_frame"] is not None for r in rows) else None) for key, rows in groups.items()]
    senses, outcomes = collections.Counter(), collections.Counter()
    for _, outcome, sense, count, _ in answer:
        outcomes[outcome] += count
        if sense is not None:
            senses[sense] += count
    stated = data.report["tasks"]
    assert {s["sense"]: s["count"] for s in stated["by_sense"]} == dict(senses), (stated["by_sense"], senses)
    assert {o: n for o, n in stated["by_outcome"].items() if n and o != "good"} == dict(outcomes), outcomes
    return answer


def idle_by_kind(data):
    groups = grouped(data.gaps, lambda g: g["kind"])
    for kind, inside in data.report["time_shares"]["gaps"].items():
        assert inside["time_ns"] <= sum(g["length_ns"] for g in groups.get(kind, [])), (kind, inside)
    return [(kind, len(rows), sum(g["length_ns"] for g in rows), max(g["length_ns"] for g in rows))
            for kind, rows in groups.items()]


def depth_over_time(data):
    groups = grouped((c for c in data.cycles if c["queue_depth"] is not None),
                     lambda c: c["start_ns"] // 10**9 * 10**9)
    answer = []
    for second, rows in groups.items():
        depths = [c["queue_depth"] for c in rows]
        answer.append((second, len(rows), sum(depths) / len(depths), max(depths)))
    most = max((data.report["cycles"][kind]["max_queue_depth"] for kind in ("read", "write", "control")), default=0)
    assert not answer or max(a[3] for a in answer) == most, (answer, most)
    return answer


def r2t_wait(data):
    groups = grouped((b for b in data.bursts if b["burst"] > 0), lambda b: b["burst"])
    answer = []
    for burst, rows in groups.items():
        waits = [b["r2t_wait_ns"] for b in rows if b["r2t_wait_ns"] is not None]
        answer.append((burst, len(waits), sum(waits) if waits else None, max(waits, default=None)))
    stated = data.report["cycles"]["bursts"]["r2t_wait"]
    assert sum(a[1] for a in answer) == stated["count"] and sum(a[2] or 0 for a in answer) == stated["sum_ns"], stated
    return answer


OWNERS = ("busy_ns", "transfer_ns", "network_ns", "target_ns", "host_ns", "unknown_ns")


def owners(data):
    stated = data.report["owners"]
    return [(None, *(stated["all"][n] for n in OWNERS))] + [
        (s["session"], *(s[n] for n in OWNERS)) for s in stated["sessions"]]


def whose_gaps(data):
    answer = []
    for owner, rows in grouped(data.gaps, lambda g: g["end_owner"]).items():
        parts = [sum(g[n] for g in rows) for n in ("path_ns", "end_ns", "unasked_ns", "length_ns")]
        assert sum(parts[:3]) == parts[3] and all(min(g["path_ns"], g["end_ns"], g["unasked_ns"]) >= 0 for g in rows), rows
        answer.append((owner, len(rows), *parts))
    return answer


ANSWERS = {
    "99 % quantile of the response time by LUN": p99_by_lun,
    "The ten slowest tasks, with their frames": slowest,
    "Bytes by session": bytes_by_session,
    "Retransmitted segments by connection": retransmitted,
    "Which commands failed, and with which sense data": failed,
    "Idle time by gap kind": idle_by_kind,
    "Queue depth over time": depth_over_time,
    "Wait for an R2T by burst number": r2t_wait,
    "Busy time by owner": owners,
    "Whose the idle gaps are": whose_gaps,
}


class Data:
    """The JSON report of a capture, and its rows from the row commands."""

    def __init__(self, path):
        self.report = json.loads(tables.run("report", path, "--format", "json", "--quiet"))
        for name in ("cycles", "bursts", "gaps", "connections"):
            text = tables.run(name, path, "--format", "jsonl", "--quiet")
            setattr(self, name, [json.loads(line) for line in text.splitlines()])


def base_of_csv(folder, described):
    """A DuckDB data base of the files, typed by `iscsiscope columns`."""
    base = duckdb.connect(":memory:")
    for name, table in described.items():
        if table["csv"]:
            columns = {n: DUCKDB[t] for n, t in tables.types(table).items()}
            path = os.path.join(folder, name + ".csv")
            base.execute(f"CREATE TABLE {name} AS SELECT * FROM read_csv('{path}', header = true, columns = {columns})")
    return base


def main():
    verdict = tables.Verdict()
    questions, described = statements(), tables.described()
    verdict.expect(list(questions) == list(ANSWERS), f"headings of docs/sql.md: {list(questions)}")
    paths = tables.captures()
    answered = collections.Counter()
    for path in paths:
        where = os.path.basename(path)
        data = Data(path)
        with tables.folder() as folder:
            base, files = os.path.join(folder, "report.sqlite"), os.path.join(folder, "report")
            tables.run("report", path, "--quiet", "--format", "sqlite", "-o", base)
            bases = {"SQLite": sqlite3.connect(base)}
            if duckdb:
                tables.run("report", path, "--quiet", "--format", "csv", "-o", files)
                bases["DuckDB"] = base_of_csv(files, described)
            for question, answer in ANSWERS.items():
                try:
                    wanted = ordered(answer(data))
                except AssertionError as difference:
                    verdict.expect(False, f"{where}: {question}: not as in the JSON report: {difference}")
                    continue
                answered[question] += bool(wanted)
                for name, own in bases.items():
                    got = ordered(own.execute(questions[question]).fetchall())
                    verdict.expect(got == wanted, f"{where}: {question}, {name}:\n    {got[:3]}\n    {wanted[:3]}")
            for own in bases.values():
                own.close()
    for question in ANSWERS:
        verdict.expect(answered[question], f"{question}: no capture answers it")
    verdict.finish(f"questions: {len(ANSWERS)} of {len(paths)} captures")


main()
