# SPDX-License-Identifier: GPL-2.0-or-later
"""The program `iscsiscope-fleet`: exit codes and messages."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from .arguments import parser
from .errors import EXIT_DONE, EXIT_ERROR, EXIT_INCOMPLETE, EXIT_INTERRUPTED, FleetError
from .messages import complain

NEEDED = ("dask", "distributed", "duckdb", "fsspec", "jinja2", "pyarrow")


def main(arguments: list[str] | None = None) -> int:
    o = parser().parse_args(arguments)
    try:
        code = {"run": _run, "query": _query, "report": _report}[o.command](o)
        sys.stdout.flush()
        return code
    except FleetError as error:
        complain(str(error))
        return EXIT_ERROR
    except ModuleNotFoundError as error:
        complain(f"the Python package {error.name} is not installed; pip install {' '.join(NEEDED)}")
        return EXIT_ERROR
    except BrokenPipeError:  # the reader of standard output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except KeyboardInterrupt:
        complain("interrupted; what is done stays done" if o.command == "run" else "interrupted")
        return EXIT_INTERRUPTED


def _run(o: argparse.Namespace) -> int:
    from .inputs import find_captures
    from .program import chosen
    from .run import RunOptions, run, summary
    from .store import is_remote

    program = chosen(o.program)
    if "/" in program:
        program = str(Path(program).absolute())  # the workers run elsewhere
    result = run(
        RunOptions(
            captures=find_captures(o.captures),
            output=o.output if is_remote(o.output) else str(Path(o.output).absolute()),
            scheduler=o.scheduler,
            workers=o.workers,
            program=program,
            seconds=o.time_limit,
            scratch=o.scratch,
            again=o.again,
            compact=not o.no_compact,
            quiet=o.quiet,
            progress=not o.no_progress,
        )
    )
    if not o.quiet:
        complain(summary(result, o.output))
    if result.to_do_again() or (o.strict and result.unreadable()):
        return EXIT_INCOMPLETE
    return EXIT_DONE


def _query(o: argparse.Namespace) -> int:
    from .query import catalogue, query

    if o.sql is None:
        text = catalogue(o.output)
    else:
        text = query(o.output, sys.stdin.read() if o.sql == "-" else o.sql, o.format)
    _write(o.to, text)
    return EXIT_DONE


def _report(o: argparse.Namespace) -> int:
    from .page.page import page

    _write(o.to, page(o.output, o.title))
    return EXIT_DONE


def _write(to: str | None, text: str) -> None:
    """A file is complete or absent."""
    if to is None or to == "-":
        sys.stdout.write(text)
        return
    target = Path(to)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise FleetError(f"cannot write {to}: {error.strerror}") from error


if __name__ == "__main__":
    sys.exit(main())
