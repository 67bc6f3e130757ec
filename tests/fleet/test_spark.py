# SPDX-License-Identifier: GPL-2.0-or-later
"""The recipe for Spark in docs/fleet.md, as it stands there, on Spark in local mode."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import grow
import lab
from conftest import Fleet

if shutil.which("java") is None:
    pytest.skip("SKIPPED: there is no Java: the recipe for Spark is not tried", allow_module_level=True)
pytest.importorskip("pyspark", reason="SKIPPED: PySpark is not installed: the recipe for Spark is not tried")


def recipe() -> str:
    page = (grow.SOURCE / "docs" / "fleet.md").read_text(encoding="utf-8")
    found = re.search(r"^## Spark\n.*?```python\n(.*?)```", page, re.M | re.S)
    assert found is not None
    return found.group(1)


def test_the_recipe_gives_every_row_once(small_fleet: Fleet, tmp_path: Path) -> None:
    paths = [*small_fleet.good[:6], small_fleet.bad[0]]
    (tmp_path / "list.txt").write_text("".join(f"{p}\n" for p in paths))
    (tmp_path / "recipe.py").write_text(recipe())
    ended = (tmp_path / "log").open("w")
    done = subprocess.run(
        [lab.FLEET[0], "recipe.py", "list.txt"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=ended,
        env={**os.environ, "PYSPARK_PYTHON": lab.FLEET[0], "SPARK_LOCAL_IP": "127.0.0.1"},
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, (tmp_path / "log").read_text()[-3000:]
    rows = [line for line in done.stdout.splitlines() if line.startswith("|")]
    wanted = 0
    for path in paths[:-1]:
        text = subprocess.run(
            [lab.PROGRAM, "cycles", "--quiet", path], capture_output=True, text=True, check=True
        ).stdout
        wanted += len(text.splitlines()) - 1
    shown = {r.split("|")[1].strip(): [c.strip() for c in r.split("|")[2:-1]] for r in rows[1:]}
    assert sum(int(cells[0]) for cells in shown.values()) == wanted
    print(f"FIGURE: fleet: Spark read {wanted} tasks of {len(paths)} captures")
