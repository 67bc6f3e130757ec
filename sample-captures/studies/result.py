# SPDX-License-Identifier: GPL-2.0-or-later
"""The result file of a study: circumstances, runs with their validity, raw points, claims with bars and
verdicts.

`NAME.seedN.json`. Everything on a page is a function of it, so that a page can be made again without a
run."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import platform
from dataclasses import asdict, dataclass

from . import claim

FORMAT = 1


@dataclass
class Result:
    study: str
    title: str
    source: str
    commit: str  # of the source tree, else the program's version
    seed: int
    quick: bool
    date: str
    kernel: str
    machine: str
    seconds: float
    runs: list[dict]
    points: dict  # "rows", and whatever else the study keeps
    claims: list[claim.Judged]
    format: int = FORMAT

    @property
    def invalid_runs(self) -> list[dict]:
        return [run for run in self.runs if not run["valid"]]

    def save(self, folder: pathlib.Path) -> pathlib.Path:
        path = folder / f"{self.study}.seed{self.seed}.json"
        data = asdict(self)
        data["runs"] = _grouped(self.runs)
        data["points"]["rows"] = _tables(self.points["rows"])
        path.write_text(_compact(data) + "\n", encoding="utf-8")
        return path


def of(study, lab, points: dict, seconds: float) -> Result:
    points = _rounded(points)
    return Result(
        study.name,
        study.title,
        study.source,
        lab.commit,
        lab.seed,
        lab.quick,
        datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        f"{platform.system()} {platform.release()}",
        f"{os.cpu_count()} processors, {platform.machine()}",
        round(seconds, 1),
        [run.record() for run in lab.runs],
        points,
        claim.judge_all(study.claims, points),
    )


def load(path: pathlib.Path) -> Result:
    data = json.loads(path.read_text(encoding="utf-8"))
    if data.get("format") != FORMAT:
        raise ValueError(f"{path.name}: not a result file of this version")
    data["runs"] = _apart(data["runs"])
    data["points"]["rows"] = _rows(data["points"]["rows"])
    data["claims"] = [claim.Judged(**judged) for judged in data["claims"]]
    return Result(**data)


def load_all(folder: pathlib.Path, study: str) -> list[Result]:
    """Of every seed, lowest first."""
    found = [load(path) for path in folder.glob(f"{study}.seed*.json")]
    return sorted(found, key=lambda result: result.seed)


def judge_again(study, result: Result) -> None:
    """Judges the points of a stored result by the study's claims as they are now."""
    result.claims = claim.judge_all(study.claims, result.points)


RUN_COLUMNS = ["seed", "attempts", "valid", "lateness_p99_ns", "drops", "reasons"]


def _grouped(runs: list[dict]) -> dict:
    """Settings that all runs of a scenario have stand once, as do the names and the values of the others,
    which are given by their place in `values`; runs that differ only in their seed are rows of one entry: a
    twentieth of the size."""
    common: dict[str, dict] = {}
    for run in runs:
        shared = common.setdefault(run["scenario"], dict(run["settings"])).items()
        common[run["scenario"]] = {
            name: value for name, value in shared if run["settings"].get(name) == value
        }
    varied: dict[str, list] = {scenario: [] for scenario in common}
    for run in runs:
        names = varied[run["scenario"]]
        names += [k for k in run["settings"] if k not in common[run["scenario"]] and k not in names]
    groups: dict[str, dict] = {}
    places: dict[str | None, int] = {}
    for run in runs:
        values = [run["settings"].get(name) for name in varied[run["scenario"]]]
        numbers = [places.setdefault(value, len(places)) for value in values]
        same = {"label": run["label"], "scenario": run["scenario"], "settings": numbers}
        group = groups.setdefault(json.dumps(same), {**same, "repeats": []})
        group["repeats"].append([run[name] for name in RUN_COLUMNS[:-1]] + ["; ".join(run["reasons"])])
    return {
        "common_settings": common,
        "varied_settings": varied,
        "values": list(places),
        "columns": RUN_COLUMNS,
        "groups": list(groups.values()),
    }


def _apart(runs: dict) -> list[dict]:
    apart = []
    for group in runs["groups"]:
        values = [runs["values"][place] for place in group["settings"]]
        named = zip(runs["varied_settings"][group["scenario"]], values)
        own = {name: value for name, value in named if value is not None}
        settings = {**runs["common_settings"][group["scenario"]], **own}
        for repeat in group["repeats"]:
            run = dict(zip(runs["columns"], repeat))
            run["reasons"] = [run["reasons"]] if run["reasons"] else []
            apart.append(
                {"label": group["label"], "scenario": group["scenario"], "settings": settings, **run}
            )
    return apart


def _tables(rows: list[dict]) -> list[dict]:
    """Rows with the same names as one table."""
    tables: dict[tuple, list] = {}
    for row in rows:
        tables.setdefault(tuple(row), []).append(list(row.values()))
    return [{"columns": list(names), "rows": values} for names, values in tables.items()]


def _rows(tables: list[dict]) -> list[dict]:
    return [dict(zip(table["columns"], row)) for table in tables for row in table["rows"]]


def _rounded(value):
    """Five digits: more would be noise."""
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


WIDTH = 400  # characters


def _compact(value, indent: str = "") -> str:
    """JSON in which what is short stands on one line, and short members of a list side by side: small, and a
    change shows as a line."""
    line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if not isinstance(value, (dict, list)) or len(line) <= WIDTH:
        return line
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name)}: {_compact(part, inner)}" for name, part in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    lines = [""]
    for part in (_compact(part, inner) for part in value):
        if lines[-1] and len(lines[-1]) + len(part) <= WIDTH and "\n" not in lines[-1] + part:
            lines[-1] += "," + part
        elif lines[-1]:
            lines.append(part)
        else:
            lines[-1] = part
    return "[\n" + ",\n".join(inner + part for part in lines) + f"\n{indent}]"
