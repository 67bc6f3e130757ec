# SPDX-License-Identifier: GPL-2.0-or-later
"""What a study is, and which there are. README.md says how to add one."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Callable

from . import apt, apt_reasons, latency, mirror, mirror_reasons, raid, raid_reasons, speed_step
from .claim import Claim
from .lab import Lab
from .pages.figures import Figure
from .plots import apt as apt_plots
from .plots import apt_reasons as apt_reasons_plots
from .plots import latency as latency_plots
from .plots import mirror as mirror_plots
from .plots import mirror_reasons as mirror_reasons_plots
from .plots import raid as raid_plots
from .plots import raid_reasons as raid_reasons_plots
from .plots import speed_step as speed_step_plots
from .table import Table


@dataclass(frozen=True)
class Study:
    """Of two modules: the study's own, which knows nothing of pictures, and that of its figures and tables."""

    name: str  # as the command line has it; the modules' names have "_" for "-"
    title: str
    source: str  # authors, title, year
    method: str  # how the paper measured, and what is done here; paragraphs separated by an empty line
    symbols: dict[str, str]  # every symbol of the page with its meaning and unit
    claims: list[Claim]
    measure: Callable[[Lab], dict]  # the points, {"rows": […]}: plain values only
    figures: Callable[[dict], list[Figure]]  # of the points alone; leaves out what --quick did not run
    tables: Callable[[dict], list[Table]]  # of the points alone


def study_of(study: ModuleType, plots: ModuleType) -> Study:
    return Study(
        study.NAME,
        study.TITLE,
        study.SOURCE,
        study.METHOD,
        study.SYMBOLS,
        study.CLAIMS,
        study.measure,
        plots.figures,
        plots.tables,
    )


def all_studies() -> list[Study]:
    """Of the experiments; behind the five studies, what their verdicts rest on."""
    return [
        study_of(latency, latency_plots),
        study_of(mirror, mirror_plots),
        study_of(speed_step, speed_step_plots),
        study_of(apt, apt_plots),
        study_of(raid, raid_plots),
        study_of(mirror_reasons, mirror_reasons_plots),
        study_of(apt_reasons, apt_reasons_plots),
        study_of(raid_reasons, raid_reasons_plots),
    ]
