# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the program over captures, two at a time.

In: the path of `iscsiscope` and paths of captures (.pcap, .pcapng, also .gz or .zst). Out: reports as dictionaries, in
the order of the captures; where the program made none, a Failure that states why.
"""

import concurrent.futures
import json
import subprocess

AT_ONCE = 2  # processes
LONGEST = 120  # seconds for one capture


class Failure(str):
    """Why a capture has no report, as part of a sentence."""


def report(program, capture):
    """Returns the report of one capture as a dictionary, or a Failure."""
    command = [program, "report", "--format", "json", "--quiet", "--no-progress", capture]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return Failure(f"it was stopped after {LONGEST} s")
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        return Failure(f"exit code {done.returncode}" + (f", {lines[-1][:100]}" if lines else ""))
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        return Failure(f"the report is not JSON ({error})")


def reports(program, paths):
    """Yields the report or Failure of each path, in order."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda path: report(program, path), paths)
