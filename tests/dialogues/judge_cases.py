#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges `report` on the scripted captures of cases/: judge_cases.py PROGRAM [--only REGEX] [--keep FOLDER] [--list]

Prints each case that is wrong and why, and how many are right; the exit code is 1 if one is wrong. case.py states what
a case can want.
"""
import argparse
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "cases")]

import case  # noqa: E402
import script  # noqa: E402


def load():
    for file in sorted((HERE / "cases").glob("*.py")):
        importlib.import_module(file.stem)
    return case.ALL


def words_of(value):
    if isinstance(value, str):
        return value + "\n"
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "".join(words_of(v) for v in parts)


def report(program, path):
    run = subprocess.run([program, "report", path, "--format", "json", "--all"], capture_output=True, timeout=120)
    if run.returncode:
        raise RuntimeError("exit code %d: %s" % (run.returncode, run.stderr.decode(errors="replace")[-200:]))
    return json.loads(run.stdout)


def rules_of(result):
    """Rule → (checked, broken)."""
    rows = (result.get("session_analysis") or {}).get("rules", [])
    return {row["rule"]: (row["checked"], row["broken"]) for row in rows}


def wrongs(result, wanted):
    """Yields what is not as it was wanted."""
    shown = [f for f in result["findings"] if f["severity"] != "info"]
    problems = [f for f in shown if f["severity"] == "problem"]
    first = shown[0] if shown else None
    kind = first["kind"] if first else None
    if wanted.first is None and problems and not wanted.any_first:
        yield "a problem: %s: %s" % (problems[0]["kind"], problems[0]["sentence"])
    if wanted.first is not None and kind != wanted.first:
        yield "first is %s%s" % (kind, ": " + first["sentence"] if first else "")
    if wanted.severity and first and first["severity"] != wanted.severity:
        yield "%s is a %s" % (kind, first["severity"])
    said = words_of(result.get("verdict")) + words_of(first or {})
    for pattern in wanted.say:
        if not re.search(pattern, said, re.I):
            yield "not said: %s; said: %s" % (pattern, words_of(first or {}))
    for pattern in wanted.not_say:
        if re.search(pattern, words_of(shown) + words_of(result.get("verdict")), re.I):
            yield "said: %s" % pattern
    found = {f["kind"] for f in result["findings"]}
    for absent in wanted.absent:
        if absent in found:
            yield "%s is found" % absent
    why = {r["kind"]: r["why_not"] for r in result["ruled_out"]}
    for kind, pattern in wanted.ruled_out.items():
        if not re.search(pattern, why.get(kind, ""), re.I):
            yield "%s is not ruled out by %s but: %s" % (kind, pattern, why.get(kind, "(it is found)"))
    rules = rules_of(result)
    if wanted.broken is not None and {r for r, (_, broken) in rules.items() if broken} != set(wanted.broken):
        yield "broken rules: %s" % (", ".join(r for r, (_, broken) in rules.items() if broken) or "none")
    for rule in wanted.kept:
        if not rules.get(rule, (0, 0))[0] or rules[rule][1]:
            yield "rule %s: tested %d times, broken %d times" % (rule, *rules.get(rule, (0, 0)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", help="a folder for the captures")
    parser.add_argument("--list", action="store_true", help="print what each case does")
    args = parser.parse_args()
    wrong = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(args.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for wanted in load():
            if not re.search(args.only, wanted.name):
                continue
            count += 1
            if args.list:
                print("%-60s %s" % (wanted.name, (wanted.make.__doc__ or "").strip()))
            capture = script.Capture()
            wanted.make(capture)
            path = folder / (wanted.name + ".pcap" if args.keep else "capture.pcap")
            capture.write(path)
            try:
                found = list(wrongs(report(args.program, path), wanted))
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                found = [str(error)]
            wrong += bool(found)
            for text in found:
                print("%s: %s" % (wanted.name, text))
    print("%d of %d cases right" % (count - wrong, count))
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
