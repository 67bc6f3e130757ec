# SPDX-License-Identifier: GPL-2.0-or-later
"""The ten questions of docs/fleet.md answered without Parquet, DuckDB and the package: from the CSV folders that
`iscsiscope report` writes of the single captures, read by Python's own csv module."""

from __future__ import annotations

import collections
import csv
import datetime
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grow

Row = dict[str, str]


def statements() -> dict[str, str]:
    """Heading -> statement, of docs/fleet.md."""
    page = (grow.SOURCE / "docs" / "fleet.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^### ([^\n]+)\n(?:(?!^#).)*?```sql\n(.*?)```", page, re.M | re.S))


def rows(folder: Path, table: str) -> list[Row]:
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def number(text: str) -> int:
    return int(text or 0)


def nearest_rank(values: list[int], quantile: float) -> int:
    ordered = sorted(values)
    return ordered[max(0, math.ceil(round(len(ordered) * quantile, 6)) - 1)]


def begin(row: Row, seconds: int) -> datetime.datetime:
    at = int(row["start_ns"]) // 10**9 // seconds * seconds
    return datetime.datetime.fromtimestamp(at, datetime.UTC).replace(tzinfo=None)


class Answers:
    """Adds up one capture after the other; keeps numbers, not rows."""

    def __init__(self) -> None:
        self._luns: dict[Any, list[int]] = collections.defaultdict(list)
        self._hours: dict[Any, list[int]] = collections.defaultdict(list)
        self._days: dict[Any, list[int]] = collections.defaultdict(list)
        self._findings: dict[Any, list[Any]] = collections.defaultdict(lambda: [set(), None])
        self._bytes: collections.Counter[Any] = collections.Counter()
        self._failed: dict[Any, list[Any]] = collections.defaultdict(lambda: [0, set()])
        self._repeats: dict[Any, list[int]] = collections.defaultdict(lambda: [0, 0])
        self._busy: dict[str, list[int]] = collections.defaultdict(lambda: [0] * 6)
        self._gaps: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0])
        self._coverage: list[tuple[str, int, int]] = []

    def add(self, path: str, folder: Path) -> None:
        ends = self._ends(folder)
        streams = {c["stream"]: c for c in rows(folder, "connections")}
        for c in rows(folder, "cycles"):
            self._cycle(path, c, ends.get(c["session"]))
        for f in rows(folder, "findings"):
            session = f["session"] or streams.get(f["stream"], {}).get("session", "")
            everybody = {initiator for initiator, _ in ends.values()}
            initiator = ends[session][0] if session in ends else everybody.pop() if len(everybody) == 1 else None
            entry = self._findings[initiator, f["kind"]]
            entry[0].add(path)
            if f["lost_time_ns"]:
                entry[1] = (entry[1] or 0) + int(f["lost_time_ns"])
        for d in rows(folder, "tcp_directions"):
            if d["stream"] in streams:
                c = streams[d["stream"]]
                entry = self._repeats[c["initiator_address"], c["target_address"]]
                entry[0] += number(d["segments"])
                entry[1] += number(d["retransmitted_segments"])
        for o in rows(folder, "owners"):
            if o["session"] and not o["lun"] and not o["type"] and o["session"] in ends:
                names = ("busy_ns", "transfer_ns", "network_ns", "target_ns", "host_ns", "unknown_ns")
                for i, name in enumerate(names):
                    self._busy[ends[o["session"]][1]][i] += number(o[name])
        for g in rows(folder, "gaps"):
            length, entry = int(g["length_ns"]), self._gaps[g["kind"]]
            self._gaps[g["kind"]] = [entry[0] + 1, entry[1] + length, max(entry[2], length)]
        (facts,) = rows(folder, "capture")
        self._coverage.append(
            (path, number(facts["iscsi_bytes"]), number(facts["cut_bytes"]) + number(facts["unseen_bytes"]))
        )

    @staticmethod
    def _ends(folder: Path) -> dict[str, tuple[str, str]]:
        """Session -> initiator, target."""
        named = {s["session"]: s for s in rows(folder, "sessions")}
        found: dict[str, tuple[str, str]] = {}
        of: dict[str, list[Row]] = collections.defaultdict(list)
        for c in rows(folder, "connections"):
            if c["session"]:
                of[c["session"]].append(c)
        for session, connections in of.items():
            pair = []
            for end in ("initiator", "target"):
                names = [named.get(session, {}).get(f"{end}_name", ""), max(c[f"{end}_name"] for c in connections)]
                pair.append(next(filter(None, names), min(c[f"{end}_address"] for c in connections)))
            found[session] = (pair[0], pair[1])
        return found

    def _cycle(self, path: str, c: Row, ends: tuple[str, str] | None) -> None:
        if c["response_time_ns"]:
            time = int(c["response_time_ns"])
            if ends is not None:
                self._luns[ends[1], c["lun"] or None, c["type"]].append(time)
            if c["type"] != "control":
                self._hours[begin(c, 3600)].append(time)
                self._days[begin(c, 86400), c["type"]].append(time)
        if c["type"] != "control" and ends is not None:
            self._bytes[ends[1], begin(c, 86400), c["type"]] += number(c["bytes_moved"])
        if c["outcome"] != "good":
            entry = self._failed[c["command"] or None, c["outcome"], c["sense"] or None]
            entry[0] += 1
            entry[1].add(path)

    def of(self, question: str) -> list[tuple[Any, ...]]:
        return list(self._methods()[question])

    def _methods(self) -> dict[str, Iterable[tuple[Any, ...]]]:
        hours = [(h, len(v), nearest_rank(v, 0.99)) for h, v in self._hours.items()]
        return {
            "The 99 % quantile of the response time by target and LUN": (
                (*key, len(v), nearest_rank(v, 0.99)) for key, v in self._luns.items()
            ),
            "Findings by initiator": ((*key, len(v[0]), v[1]) for key, v in self._findings.items()),
            "The worst hour": sorted(hours, key=lambda h: (-h[2], h[0]))[:1],
            "Reads and writes by day": (
                (*key, len(v), nearest_rank(v, 0.5), nearest_rank(v, 0.99)) for key, v in self._days.items()
            ),
            "Bytes by target and day": ((*key, v) for key, v in self._bytes.items()),
            "Which commands failed, and with which sense data": (
                (*key, v[0], len(v[1])) for key, v in self._failed.items()
            ),
            "Retransmitted segments by path": ((*key, *v) for key, v in self._repeats.items() if v[1]),
            "Busy time by owner, by target": ((target, *v) for target, v in self._busy.items()),
            "What the gaps waited for": ((kind, *v) for kind, v in self._gaps.items()),
            "Captures that show least of their traffic": sorted(
                (c for c in self._coverage if c[2]), key=lambda c: (-c[2], c[0])
            )[:20],
        }


def ordered(found: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Without the order of rows, which differs among equals."""
    return sorted((tuple(r) for r in found), key=lambda r: [(v is not None, str(v)) for v in r])
