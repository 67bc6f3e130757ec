# SPDX-License-Identifier: GPL-2.0-or-later
"""The program `iscsiscope` on this machine: its version, its columns, and one report."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import FleetError

DEFAULT = "iscsiscope"
LONGEST_MESSAGE = 4000


@dataclass(frozen=True)
class Identity:
    """What must be the same on all workers."""

    program: str  # as --version prints it
    columns: str  # as `columns --format json` prints it


@dataclass(frozen=True)
class Finished:
    exit_code: int | None  # negative: ended by that signal; None: it took longer than it may
    messages: str  # standard error without the program's name, one message a line


def chosen(named: str | None) -> str:
    """The program that the user named, else that of $ISCSISCOPE, else the one in the path."""
    return named or os.environ.get("ISCSISCOPE") or DEFAULT


def identify(program: str) -> Identity:
    """Raises FleetError if there is no such program here."""
    return Identity(_output(program, "--version").strip(), _output(program, "columns", "--format", "json"))


def _output(program: str, *arguments: str) -> str:
    if shutil.which(program) is None:
        raise FleetError(f"the program {program} is not there or cannot be executed (--program names another one)")
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FleetError(f"the program {program} cannot be run: {error}") from error
    if done.returncode != 0:
        raise FleetError(f"{program} {' '.join(arguments)} failed: {_cleaned(done.stderr) or done.returncode}")
    return done.stdout


def report(program: str, capture: Path, folder: Path, seconds: float | None) -> Finished:
    """Writes the tables of the capture into the folder, which must not be there. seconds: it may take so long."""
    options = ["--format", "csv", "--hash", "--no-progress", "--threads", "1"]
    command = [program, "report", *options, "-o", str(folder), "--", str(capture)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finished(None, f"iscsiscope was ended because it took longer than {seconds:g} s")
    except OSError as error:
        raise FleetError(f"the program {program} cannot be run: {error}") from error
    words = _cleaned(done.stderr.decode("utf-8", "replace"))
    if done.returncode < 0:
        words = "\n".join(filter(None, (words, f"iscsiscope was ended by {_signal_name(-done.returncode)}")))
    return Finished(done.returncode, words)


def _cleaned(text: str) -> str:
    lines = (line.removeprefix("iscsiscope: ").rstrip() for line in text.splitlines())
    kept = [line for line in lines if line and not line.startswith("wrote ")]
    return "\n".join(kept)[:LONGEST_MESSAGE]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
