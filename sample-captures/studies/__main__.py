# SPDX-License-Identifier: GPL-2.0-or-later
"""python3 -m studies [NAME…] [--quick] [--seed N] -o DIR

Exit code: 0 done, 1 a run was not valid after all its attempts, 2 usage or set-up error, 130 interrupted.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import signal
import sys
import time

DONE, NOT_VALID, TROUBLE, INTERRUPTED = 0, 1, 2, 130


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="studies",
        description=(
            "Runs the papers' studies, measures them with the "
            "analyzer and writes a page for each, an index, and the result files."
        ),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="which; all if none is named")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=pathlib.Path,
        metavar="DIR",
        help="folder for pages and results (made if missing)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer points and shorter runs; no verdict counts"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of loss, jitter and addresses (default: 1)"
    )
    parser.add_argument("--keep-captures", action="store_true", help="leave the captures in DIR/captures")
    parser.add_argument(
        "--pages-only",
        action="store_true",
        help="run nothing: judge the results that DIR has again, and make the pages from them",
    )
    parser.add_argument("--list", action="store_true", help="print the studies and end")
    return parser.parse_args()


def main() -> int:
    if "--list" in sys.argv[1:]:
        from .study import all_studies

        for study in all_studies():
            print(f"{study.name:12} {study.title}")
        return DONE
    given = parse()
    try:
        import matplotlib  # noqa: F401
        import numpy  # noqa: F401
        import pandas  # noqa: F401
    except ImportError as missing:
        return trouble(f"{missing.name} is missing (Debian: python3-matplotlib python3-numpy python3-pandas)")
    from . import lab, programs
    from .captures import measure
    from .study import all_studies

    studies = all_studies()
    known = [study.name for study in studies]
    unknown = [name for name in given.names if name not in known]
    if unknown:
        return trouble(f'there is no study "{unknown[0]}"; there are: {", ".join(known)}')
    given.output.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, interrupted)
    try:
        valid = True
        for study in studies:
            if not given.pages_only and (not given.names or study.name in given.names):
                valid = run_study(study, given) and valid
        write_pages(given.output, studies, judge_again=given.pages_only)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (lab.NoRun, programs.NoProgram, measure.NotMeasured) as why:
        return trouble(str(why))
    finally:
        if not given.keep_captures:
            shutil.rmtree(given.output / "captures", ignore_errors=True)
    print(given.output / "index.html")
    return DONE if valid else NOT_VALID


def interrupted(*_) -> None:
    raise KeyboardInterrupt


def trouble(why: str) -> int:
    print(f"studies: {why}", file=sys.stderr)
    return TROUBLE


def run_study(study, given: argparse.Namespace) -> bool:
    from . import result
    from .lab import Lab

    begin = time.monotonic()
    lab = Lab(given.output, given.seed, given.quick, given.keep_captures)
    points = study.measure(lab)
    done = result.of(study, lab, points, time.monotonic() - begin)
    done.save(given.output)
    print(
        f"{study.name}: {len(done.runs)} runs, {len(done.runs) - len(done.invalid_runs)} valid, "
        f"{done.seconds:.0f} s"
    )
    for judged in done.claims:
        print(f"  {judged.verdict:30} {judged.id}: {judged.measured or judged.why}")
    sys.stdout.flush()
    return not done.invalid_runs


def write_pages(folder: pathlib.Path, studies: list, judge_again: bool) -> None:
    """Of all studies that the folder has results of."""
    from . import result
    from .pages import index, page

    figures = {}
    for study in studies:
        results = result.load_all(folder, study.name)
        if not results:
            continue
        if judge_again:
            for one in results:
                result.judge_again(study, one)
                one.save(folder)
        figures[study.name] = study.figures(results[0].points)
        (folder / study.name).mkdir(exist_ok=True)
        for figure in figures[study.name]:
            standalone = figure.svg.replace("<svg ", '<svg style="background:#fff;color:#1b1f24" ', 1)
            (folder / study.name / f"{figure.name}.svg").write_text(standalone, encoding="utf-8")
        text = page.study_page(study, results, figures[study.name])
        (folder / f"{study.name}.html").write_text(text, encoding="utf-8")
    index.write(folder, figures)


if __name__ == "__main__":
    sys.exit(main())
