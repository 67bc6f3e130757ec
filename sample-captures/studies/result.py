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
import re
from dataclasses import asdict, dataclass

from . import claim, programs

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
        path.write_text(_compact(asdict(self)), encoding="utf-8")
        return path


def of(study, lab, points: dict, seconds: float) -> Result:
    return Result(
        study.NAME,
        study.TITLE,
        study.SOURCE,
        lab.commit,
        lab.seed,
        lab.quick,
        datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        f"{platform.system()} {platform.release()}",
        f"{os.cpu_count()} processors, {platform.machine()}",
        round(seconds, 1),
        [run.record() for run in lab.runs],
        points,
        claim.judge_all(study.CLAIMS, points),
    )


def load(path: pathlib.Path) -> Result:
    data = json.loads(path.read_text(encoding="utf-8"))
    if data.get("format") != FORMAT:
        raise ValueError(f"{path.name}: not a result file of this version")
    data["claims"] = [claim.Judged(**judged) for judged in data["claims"]]
    return Result(**data)


def load_all(folder: pathlib.Path, study: str) -> list[Result]:
    """Of every seed, lowest first."""
    found = [load(path) for path in folder.glob(f"{study}.seed*.json")]
    return sorted(found, key=lambda result: result.seed)


def judge_again(study, result: Result) -> None:
    """Judges the points of a stored result by the study's claims as they are now."""
    result.claims = claim.judge_all(study.CLAIMS, result.points)


def _compact(data: dict) -> str:
    """Indented, but rows of plain values on one line each: small, and a change shows as a line."""
    text = json.dumps(data, indent=1, ensure_ascii=False)
    innermost = re.compile(r"([\[{])\n\s+((?:[^\[\]{}\"]|\"(?:[^\"\\]|\\.)*\")*?)\n\s*([\]}])")
    return innermost.sub(lambda m: m[1] + re.sub(r"\n\s+", " ", m[2]) + m[3], text) + "\n"
