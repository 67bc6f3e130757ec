#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the table of docs/questions.md against the program: runs each row's command and looks for the row's words.

In: the program; captures in $ISCSISCOPE_CAPTURES (default: ../shared/captures beside this project) and its folder zoo,
and in the folders named (runs of the laboratory).
Out: one line for each row, and how many of the questions are answered. Rows whose capture is not there are named and
skipped. Exit code 1 if words are missing, or with --all if a capture is; 77 if no capture is there.

usage: answers.py PROGRAM [--all] [FOLDER...]
"""

import argparse
import os
import re
import subprocess
import sys

CAPTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/captures")
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/questions.md")


def rows(text):
    """(number, command, words) of the table's rows; command and words empty where nothing can be run."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if len(cells) == 5 and cells[0].isdigit():
            command = cells[3].strip("`") if cells[3].startswith("`") else ""
            yield int(cells[0]), command, cells[4]


def find(name, folders):
    for folder in folders:
        path = os.path.join(folder, name + ".pcap.zst")
        if os.path.exists(path):
            return path
    return None


def plain(text):
    return re.sub(r"\s+", " ", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--all", action="store_true", help="fail for captures that are not there as well")
    options = parser.parse_intermixed_args()
    given = os.environ.get("ISCSISCOPE_CAPTURES") or CAPTURES
    folders = [given, os.path.join(given, "zoo"), *options.folders]
    found = missing = answered = failures = 0
    with open(PAGE, encoding="utf-8") as file:
        table = list(rows(file.read()))
    for number, command, words in table:
        if words == "-":
            continue
        answered += 1
        if not command:
            continue
        *verb, name = command.split()
        path = find(name, folders)
        if path is None:
            missing += 1
            print(f"  {number}: {name} is not there")
            continue
        said = subprocess.run([options.program, *verb, path], capture_output=True, text=True, check=False)
        ok = said.returncode in (0, 1) and plain(words) in plain(said.stdout)
        found += ok
        failures += not ok
        if not ok:
            print(f"  {number}: `{command}` does not print: {words}\n{said.stderr[:300]}")
    print(f"FIGURE: questions: {answered} of {len(table)} answered on the page, {found} checked, {missing} without their "
          f"capture, {failures} wrong")
    if not found + failures:
        print("SKIPPED: the shared captures are not at " + given)
        sys.exit(77)
    sys.exit(1 if failures or (options.all and missing) or len(table) != 25 else 0)


main()
