# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line. `main.py` does what it says."""

from __future__ import annotations

import argparse
import os

from . import __version__
from .messages import NAME

INPUTS = """\
CAPTURE is a capture, a folder (every capture below it), a pattern such as '/traces/**/*.pcap.zst', @FILE for a list
with a path a line (@- reads it from standard input), or a URL that fsspec knows (s3://bucket/traces). The workers open
the paths, so that all machines must have them under the same names.
"""
RUN = """\
examples:
  iscsiscope-fleet run /traces -o /results --workers 4
  iscsiscope-fleet run '/traces/2026-11-*/*.pcap.zst' -o /results --scheduler tcp://scheduler:8786
  iscsiscope-fleet run @list.txt -o /results

The same command again reads only what is new or has changed. Exit code: 0 done; 1 captures must be read again, because
they changed, were missing or their program was killed, or with --strict could not be read; 2 the run could not go on:
what is done stays done.
"""
QUERY = """\
examples:
  iscsiscope-fleet query /results                    the tables and views
  iscsiscope-fleet query /results 'SELECT * FROM slowest_luns LIMIT 10'
  iscsiscope-fleet query /results 'FROM findings_by_initiator' --format csv -o findings.csv
"""
REPORT = """\
example:
  iscsiscope-fleet report /results -o fleet.html
"""


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog=NAME,
        description="Thousands of captures: iscsiscope on many machines over Dask, tables in Parquet, asked in SQL.",
    )
    top.add_argument("--version", action="version", version=f"{NAME} {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_run(commands)
    _add_query(commands)
    _add_report(commands)
    return top


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    does: str,
    epilog: str,
    description: str = "",
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=does,
        description=description or f"{does}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = _command(
        commands,
        "run",
        "Read captures into an output folder",
        RUN,
        f"Reads captures into an output folder.\n\n{INPUTS}",
    )
    run.add_argument("captures", nargs="+", metavar="CAPTURE")
    run.add_argument("-o", "--output", required=True, metavar="OUT", help="folder or URL of the output")
    where = run.add_mutually_exclusive_group()
    where.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler that runs, such as tcp://host:8786")
    where.add_argument(
        "--workers",
        type=_positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="worker processes of this machine (default: its processors)",
    )
    run.add_argument(
        "--program",
        metavar="FILE",
        help="iscsiscope on the workers (default: $ISCSISCOPE, else iscsiscope in the path)",
    )
    run.add_argument("--time-limit", type=_seconds, metavar="SECONDS", help="one capture may take so long")
    run.add_argument(
        "--scratch",
        metavar="FOLDER",
        help="of the workers, for the tables of a capture under way (default: the system's)",
    )
    run.add_argument("--again", action="store_true", help="also captures that could not be read before")
    run.add_argument("--no-compact", action="store_true", help="leave the tables in one file a capture: slower queries")
    run.add_argument("--strict", action="store_true", help="exit code 1 if a capture could not be read")
    run.add_argument("--quiet", action="store_true", help="errors only on standard error")
    run.add_argument("--no-progress", action="store_true", help="no progress line")


def _add_query(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    query = _command(commands, "query", "Ask in SQL (DuckDB)", QUERY)
    query.add_argument("output", metavar="OUT", help="output of run")
    query.add_argument("sql", nargs="?", metavar="SQL", help="a statement, or - for standard input")
    query.add_argument("--format", choices=("text", "csv", "jsonl"), default="text", help="default: text")
    query.add_argument("-o", "--to", metavar="FILE", help="write there instead of to standard output")


def _add_report(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    report = _command(commands, "report", "One HTML page of the fleet", REPORT)
    report.add_argument("output", metavar="OUT", help="output of run")
    report.add_argument("-o", "--to", metavar="FILE", required=True, help="the page")
    report.add_argument("--title", default="Fleet of captures", help="heading of the page")


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value
