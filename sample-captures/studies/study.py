# SPDX-License-Identifier: GPL-2.0-or-later
"""What a study is, and which there are. README.md says how to add one."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Protocol

from . import claim, lab
from .pages import figures

# Of the experiments; behind the five studies, what their verdicts rest on.
ORDER = ["latency", "mirror", "speed-step", "apt", "raid", "mirror-reasons", "apt-reasons", "raid-reasons"]


@dataclass
class Table:
    """Rows of text for a page."""

    title: str
    head: list[str]  # with units
    rows: list[list[str]]


class Study(Protocol):
    """A study's module has these names."""

    NAME: str  # as the command line has it; the module's name has "_" for "-"
    TITLE: str
    SOURCE: str  # authors, title, year
    METHOD: str  # how the paper measured, and what is done here; paragraphs separated by an empty line
    SYMBOLS: dict[str, str]  # every symbol of the page with its meaning and unit
    CLAIMS: list[claim.Claim]

    def measure(self, lab: lab.Lab) -> dict:
        """The points, {"rows": […]}: plain values only."""

    def figures(self, points: dict) -> list[figures.Figure]:
        """Of the points alone. Leaves out what --quick did not run."""

    def tables(self, points: dict) -> list[Table]:
        """Of the points alone."""


def all_studies() -> list:
    return [importlib.import_module(f"{__package__}.{name.replace('-', '_')}") for name in ORDER]
