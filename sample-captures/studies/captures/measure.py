# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture through the analyzer: its tables as pandas frames, its report as JSON.

Every measured figure of a page begins here or in `packets.py`; none comes from what a scenario set."""

from __future__ import annotations

import io
import json
import pathlib
import subprocess

import pandas

from .. import programs


class NotMeasured(Exception):
    """The analyzer could not read a capture."""


def _output(arguments: list[str]) -> str:
    done = subprocess.run(
        [programs.analyzer(), *arguments, "--quiet"], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise NotMeasured(done.stderr.strip())
    return done.stdout


def table(capture: pathlib.Path, name: str, columns: list[str] | None = None, filter: str | None = None):
    """A table of the analyzer (cycles, gaps, pdus, bursts, connections, tcp) as a DataFrame.
    `iscsiscope columns` says what each column means; times are ns."""
    arguments = [name, str(capture), "--format", "csv"]
    if columns:
        arguments += ["--columns", ",".join(columns)]
    if filter:
        arguments += ["--filter", filter]
    return pandas.read_csv(io.StringIO(_output(arguments)))


def report(capture: pathlib.Path, *options: str) -> dict:
    return json.loads(_output(["report", str(capture), "--format", "json", *options]))


def cycles(capture: pathlib.Path, type: str, smallest: int = 1):
    """Complete tasks of a type ("read", "write") that moved at least `smallest` bytes, in order of start."""
    frame = table(capture, "cycles", filter=f'type == "{type}"')
    frame = frame[frame["complete"] & (frame["bytes_moved"] >= smallest)]
    return frame.sort_values("start_ns").reset_index(drop=True)


def rate_of(frame) -> float:
    """Bytes a second of tasks, from the first start to the last end."""
    ends = frame["start_ns"] + frame["response_time_ns"]
    return float(frame["bytes_moved"].sum() / (ends.max() - frame["start_ns"].min()) * 1e9)
