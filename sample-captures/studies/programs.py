# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the programs and the folders of this installation are."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SCENARIOS = HERE.parent / "scenarios"


class NoProgram(Exception):
    """A program that a study needs was not found."""


def testbed() -> str:
    found = os.environ.get("ISCSISCOPE_TESTBED") or shutil.which("iscsiscope-testbed")
    if not found or not os.access(found, os.X_OK):
        raise NoProgram(
            "iscsiscope-testbed was not found: put it into PATH, or its path into ISCSISCOPE_TESTBED"
        )
    return found


def analyzer() -> str:
    """Beside the testbed where both are installed, or where the build puts it."""
    beside = pathlib.Path(testbed()).resolve().parent
    candidates = [
        os.environ.get("ISCSISCOPE", ""),
        str(beside / "iscsiscope"),
        str(beside.parent.parent / "analyzer" / "cli" / "iscsiscope"),
        shutil.which("iscsiscope") or "",
    ]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise NoProgram(
        "iscsiscope was not found: put it into PATH, or its path into ISCSISCOPE (a build needs the "
        "target iscsiscope)"
    )


def version() -> str:
    """The commit where this is a checkout of the source, else the version of the program."""
    done = subprocess.run(
        ["git", "-C", str(HERE), "describe", "--always", "--tags", "--dirty"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0 and done.stdout.strip():
        return done.stdout.strip()
    done = subprocess.run([testbed(), "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip()
