# SPDX-License-Identifier: GPL-2.0-or-later
"""What a study is, and which there are. README.md says how to add one."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Protocol

from . import claim, lab
from .pages import figures

# In the order of the experiments. A study whose file is not here yet is run by the testbed itself.
ORDER = ["latency", "mirror", "speed-step", "apt", "raid"]


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


def find(name: str):
    """The module of a study, None if there is none of this name."""
    if name not in ORDER:
        return None
    module = f"{__package__}.{name.replace('-', '_')}"
    if importlib.util.find_spec(module) is None:
        return None
    return importlib.import_module(module)


def all_studies() -> list:
    return [study for name in ORDER if (study := find(name)) is not None]
