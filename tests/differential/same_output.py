#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether two builds of the program write the same reports: `same_output.py OLD NEW [--without-empty] CAPTURE...`.

Of each capture: the text, the JSON, the page, every table of the CSV folder, and the data base as SQLite's .dump
writes it and its integrity check judges it. With --without-empty NEW may leave out intervals in which nothing passed
and no task ended, which versions up to 0.1 wrote."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile


def run(program, *arguments):
    done = subprocess.run([program, "report", "--quiet", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=3600)
    return done.stdout, (done.returncode, done.stderr)


def without_empty_intervals(text):
    """JSON of a report without the intervals in which nothing happened."""
    def some(block):
        return any(re.search(rb'"%s": \[[^\]]*[1-9]' % key, block) for key in (b"stream_bytes", b"tasks"))

    def kept(match):
        blocks = [b for b in re.split(rb"(?<=\n          \}),(?=\n)", match[1]) if some(b)]
        return b'"intervals": [' + (b",".join(blocks) + b"\n        ]" if blocks else b"]")

    return re.sub(rb'"intervals": \[((?:\n          \{.*?\n          \},?)+)\n        \]', kept, text, flags=re.S)


def rows_left_out(old, new, of_intervals, throughput):
    """Whether `new` has the lines of `old` but for some intervals without throughput."""
    new = iter(new.splitlines())
    line = next(new, None)
    for each in old.splitlines():
        if each == line:
            line = next(new, None)
        elif not (of_intervals(each) and throughput(each) == 0):
            return False
    return line is None


def judge_text(old, new, empty):
    return old == new


def judge_json(old, new, empty):
    return old == new or (empty and without_empty_intervals(old) == new)


def judge_csv(old, new, empty):
    return old == new or (empty and rows_left_out(old, new, lambda l: l[:1].isdigit(),
                                                  lambda l: float(l.split(b",")[5])))


def judge_dump(old, new, empty):
    start = b"INSERT INTO throughput_intervals VALUES("
    return old == new or (empty and rows_left_out(old, new, lambda l: l.startswith(start),
                                                  lambda l: float(l[len(start):].split(b",")[5])))


def outputs(program, capture, folder):
    """(name, how to judge it, bytes) of each output."""
    for form in ("text", "json", "html"):
        text, rest = run(program, capture, "--format", form)
        yield form, judge_json if form == "json" else judge_text, text
        yield f"messages of {form}", judge_text, repr(rest).encode()
    os.mkdir(folder)
    tables = os.path.join(folder, "tables")
    run(program, capture, "--format", "csv", "-o", tables)
    for name in sorted(os.listdir(tables) if os.path.isdir(tables) else ()):
        with open(os.path.join(tables, name), "rb") as f:
            yield name, judge_csv if name == "throughput_intervals.csv" else judge_text, f.read()
    shutil.rmtree(tables, ignore_errors=True)
    base = os.path.join(folder, "base.db")
    run(program, capture, "--format", "sqlite", "-o", base)
    if os.path.exists(base):
        for name, words in ((".dump", ".dump"), ("integrity", "PRAGMA integrity_check")):
            yield name, judge_dump, subprocess.run(["sqlite3", base, words], stdout=subprocess.PIPE, check=True).stdout
        os.remove(base)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--without-empty", action="store_true")
    arguments.add_argument("old")
    arguments.add_argument("new")
    arguments.add_argument("captures", nargs="+")
    a = arguments.parse_args()
    files, bytes_, changed, wrong = 0, 0, 0, 0
    for capture in a.captures:
        with tempfile.TemporaryDirectory() as folder:
            try:
                both = zip(outputs(a.old, capture, folder + "/old"), outputs(a.new, capture, folder + "/new"), strict=True)
                for (name, judge, old), (new_name, _, new) in both:
                    files, bytes_ = files + 1, bytes_ + len(new)
                    same = name == new_name and judge(old, new, a.without_empty)
                    changed += old != new
                    if not same:
                        wrong += 1
                        print(f"DIFFERENT: {capture}: {name}", flush=True)
            except (ValueError, subprocess.SubprocessError) as error:
                wrong += 1
                print(f"DIFFERENT: {capture}: {error}", flush=True)
    print(f"FIGURE: {len(a.captures)} captures, {files} outputs, {bytes_ / 1e6:.0f} MB: {wrong} different"
          f"{f', {changed} without empty intervals' if a.without_empty else ''}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
