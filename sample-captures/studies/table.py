# SPDX-License-Identifier: GPL-2.0-or-later
"""A table of a study's page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Table:
    """Rows of text for a page."""

    title: str
    head: list[str]  # with units
    rows: list[list[str]]
