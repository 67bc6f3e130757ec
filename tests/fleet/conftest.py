# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures: some grown captures, and the output of a run over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import grow
import lab


@dataclass
class Fleet:
    captures: Path
    good: list[Path]
    bad: list[Path]
    out: Path


@pytest.fixture(scope="session")
def small_fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """40 captures, 4 of them broken, and two copies; read by two processes of this machine."""
    folder = tmp_path_factory.mktemp("fleet")
    made = list(grow.fleet(folder / "captures", 40, 4, max_bytes=700_000))
    good, bad = [p for p, ok in made if ok], [p for p, ok in made if not ok]
    for path in good[:2]:
        (path.parent / f"copy-of-{path.name}").write_bytes(path.read_bytes())
    done = lab.fleet("run", folder / "captures", "-o", folder / "out", "--workers", 2)
    assert done.code == 0, done.err
    return Fleet(folder / "captures", good, bad, folder / "out")


@pytest.fixture(scope="session")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers, for tests that do them no harm."""
    with lab.cluster(tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster.address
