#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of docs/worked-examples.md are what the program prints, to the digits that the page shows.

A comment above each table names its captures (SPEC below): NAME.ini and NAME.tgt of the captures folder, NAME.initiator
and NAME.target of the bundle, each as it is or as a view; `truth NAME` is what tests/stacks/judge/true_owners.py finds
in both captures. Tables of captures that are not given are left out where none are given. Every cell is computed anew. A time with three decimals in the text of a section must stand in its
tables, or be the sum or difference of two that do or that the text has before it. With --write the page is printed with
its tables as they are now; which rows, frames and gaps a table has, and the text, remain as they are.
"""

import functools
import json
import math
import os
import re
import shutil
import subprocess
import sys

from common import BUNDLE, SOURCE, Program, Verdict, are_given, figure, given_folder, skip
from pcap import Pcap, classic

PAGE = os.path.join(SOURCE, "docs", "worked-examples.md")
TRUE_OWNERS = os.path.join(SOURCE, "tests", "stacks", "judge", "true_owners.py")
TABLE = re.compile(r"<!-- (figures of \w+|frames|gaps): ([^>]*?) -->\n((?:\|[^\n]*\n)+)")
SPEC = re.compile(r"(truth )?([\w-]+)(?:\.(ini|tgt|initiator|target))?(?: (cut to|from|to port|from port) (\d+))?")
OWNERS = ("transfer", "network", "target", "host", "unknown")
MS = 1e6


def is_bundled(specs):
    """Whether all captures of a table are in the bundle."""
    names = (SPEC.fullmatch(" ".join(spec.split())).group(2) for spec in specs.split("|"))
    return all(os.path.isdir(os.path.join(BUNDLE, name)) for name in names)


def ms(ns, digits=2):
    return "-" if ns is None else f"{ns / MS:.{digits}f} ms"


def median(values):
    ordered = sorted(v for v in values if v is not None)
    return ordered[math.ceil(len(ordered) / 2) - 1] if ordered else None


def owners(of, busy):
    """name of a row → cell; what true_owners.py does not state is `-`"""
    found = dict.fromkeys(OWNERS, "-")
    for name in OWNERS if busy else ():
        if (time := of.get(name + "_ns")) is not None:
            found[name] = f"{time / MS:.1f} ms ({100 * time / busy:.1f} %)"
    return found | {"host, unknown": f"{found['host']}, {found['unknown']}"}


def loops(connections, name):
    """The round trip of each connection: one, or the least and the most."""
    known = sorted(c[name] for c in connections if c[name] is not None)
    ends = [f"{ns / MS:.3f}" for ns in sorted({known[0], known[-1]})] if known else []
    return " to ".join(ends) + " ms" if ends else "-"


class Examples:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.reports, self.tables = functools.cache(self._report), functools.cache(self._rows)
        self.path, self.frames = functools.cache(self._path), functools.cache(self._frames)

    def source(self, name, tap):
        if tap in ("initiator", "target"):
            return os.path.join(BUNDLE, name, f"{name}.{tap}.pcapng.zst")
        places = [os.path.join(self.folder, sub, f"{name}.{tap}.pcap.zst") for sub in ("", "zoo")]
        return next(filter(os.path.exists, places), None) or skip(f"no capture {name}.{tap} in {self.folder}")

    def content(self, name, tap):
        done = subprocess.run(["zstd", "-dcq", self.source(name, tap)], check=True, capture_output=True)
        return classic(done.stdout)

    def _path(self, spec):
        """The path of a capture or of a view of it."""
        _, name, tap, view, number = SPEC.fullmatch(spec).groups()
        content = self.content(name, tap)
        capture, number = Pcap(content), int(number or 0)
        if view == "cut to":
            content = capture.cut_to(number)
        elif view == "from":
            content = capture.header + b"".join(f.record for f in capture.frames if capture.time(f) >= number * 10**9)
        elif view:
            end = 1 if view == "from port" else 3  # of the key: the port of the sender or of the receiver
            kept = {s.frame for s in capture.segments() if s.key[end] == number}
            content = capture.header + b"".join(f.record for n, f in enumerate(capture.frames, 1) if n in kept)
        path = os.path.join(self.program.folder.name, re.sub(r"\W+", "-", spec) + ".pcap")
        with open(path, "wb") as file:
            file.write(content)
        return path

    def _frames(self, spec):
        with open(self.path(spec), "rb") as file:
            capture = Pcap(file.read())
        return {number: capture.time(frame) for number, frame in enumerate(capture.frames, 1)}

    def run(self, *arguments):
        return subprocess.run([self.program.path, *arguments], check=True, capture_output=True, text=True).stdout

    def _report(self, spec):
        return json.loads(self.run("report", "--format", "json", self.path(spec)))

    def _rows(self, what, spec):
        return [json.loads(line) for line in self.run(what, "--format", "jsonl", self.path(spec)).splitlines()]

    def truth(self, spec):
        """Figures from both captures: of the whole run, or from an instant on."""
        _, name, _, _, since = SPEC.fullmatch(spec).groups()
        bundled = os.path.isdir(os.path.join(BUNDLE, name))
        paths = [self.path(f"{name}.{tap}") for tap in (("initiator", "target") if bundled else ("ini", "tgt"))]
        call = [sys.executable, TRUE_OWNERS, *paths, since or "0", "1e10", "3260"]
        done = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
        of = done["work" if since else "all"]
        return owners(of, of["busy_ns"]) | {"active life": ms(of["busy_ns"] + of["unasked_ns"]),
                                            "busy time": ms(of["busy_ns"]), "no task outstanding": ms(of["unasked_ns"])}

    def figures(self, spec, kind):
        """name of a row → cell"""
        if spec.startswith("truth "):
            return self.truth(spec)
        report = self.reports(spec)
        shares, cycles, rates = report["time_shares"], report["cycles"][kind], report["rates"][kind]
        connections = [c for session in report["sessions"] for c in session["connections"]]
        rows = [row for row in self.tables("cycles", spec) if row["type"] == kind]
        middle = {name: median(row[f"{name}_ns"] for row in rows)
                  for name in ("response_time", "host_response_time", "target_service")}
        service, coverage = sum(row["target_service_ns"] is not None for row in rows), report["coverage"]
        quality = [f["severity"] for f in report["findings"] if f["kind"] == "capture_quality"]
        busy = shares["busy_ns"]
        limit = "at least " if shares["busy_at_least"] else ""
        return owners(report["owners"]["all"], busy) | {
            "active life": ms(shares["active_ns"]), "of it one-sided": ms(shares["one_sided_ns"]),
            "busy time": limit + ms(busy), "no task outstanding": ms(shares["unasked_ns"]),
            "throughput": "-" if rates["throughput"] is None else f"{rates['throughput'] / 1e6:.3f} MB/s",
            "response time (at the host)": f"{ms(middle['response_time'])} ({ms(middle['host_response_time'])})",
            "target service": f"{ms(middle['target_service'])} ({service} of {cycles['count']})",
            "RTT to initiator, target":
                ", ".join(loops(connections, f"rtt_to_{end}_ns") for end in ("initiator", "target")),
            "tasks seen whole": f"{coverage['complete_tasks']} of {coverage['tasks']}",
            "most outstanding": str(cycles["max_queue_depth"]),
            "bytes cut, unseen": f"{coverage['cut_bytes']:,}, {coverage['unseen_bytes']:,}",
            "outcomes": ", ".join(f"{count} {name}" for name, count in report["tasks"]["by_outcome"].items() if count),
            "finding `capture_quality`": quality[0] if quality else "-",
        }

    def figures_table(self, kind, specs, rows):
        columns = [(self.figures(spec, kind.rstrip("s")), "-" if spec.startswith("truth ") else "no such figure")
                   for spec in specs]
        return [[row[0], *(column.get(row[0], missing) for column, missing in columns)] for row in rows]

    def frames_table(self, specs, rows):
        """Times since the first frame of the table, in ms: columns frame and time of each capture, and a text."""
        zero, table = None, []
        for row in rows:
            cells = []
            for at, spec in enumerate(specs):
                number = row[2 * at]
                time = self.frames(spec)[int(number)] if number != "-" else None
                zero = time if zero is None else zero
                cells += [number, "-" if time is None else f"{(time - zero) / MS:.3f} ms"]
            table.append(cells + row[2 * len(specs):])
        return table

    def gaps_table(self, specs, rows):
        table = []
        for row in rows:
            before, after = map(int, re.findall(r"\d+", row[1]))
            spec = specs[0] if row[0].startswith("initiator") else specs[-1]
            found = [g for g in self.tables("gaps", spec) if (g["before_frame"], g["after_frame"]) == (before, after)]
            cells = ["there is no such gap"]
            for gap in found:
                parts = (ms(gap[name + "_ns"], 3) for name in ("length", "path", "end", "unasked"))
                cells = [gap["kind"], *parts, gap["end_owner"]]
            table.append(row[:2] + cells)
        return table

    def table(self, kind, specs, text):
        """The table's lines as they are now."""
        lines = text.splitlines()
        specs = [" ".join(spec.split()) for spec in specs.split("|")]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
        if kind == "frames":
            now = self.frames_table(specs, rows)
        elif kind == "gaps":
            now = self.gaps_table(specs, rows)
        else:
            now = self.figures_table(kind.split()[-1], specs, rows)
        return lines[:2] + ["| " + " | ".join(row) + " |" for row in now]


def unexplained(section):
    """The times with three decimals in the text of a section that its tables do not give."""
    numbers = re.compile(r"(?<![\d.])\d+\.\d{3}(?!\d)")
    known = {float(n) for table in TABLE.finditer(section) for n in numbers.findall(table.group(3))}
    for text in numbers.findall(TABLE.sub("", section)):
        number = float(text)
        given = known | {abs(a + sign * b) for a in known for b in known for sign in (1, -1)}
        if min((abs(number - one) for one in given), default=1) > 0.0015:  # each is rounded
            yield text
        known.add(number)


def main():
    write = "--write" in sys.argv
    if write:
        sys.argv.remove("--write")
    if shutil.which("zstd") is None:
        skip("the zstd program is needed to read the captures")
    program, verdict, cells = Program(), Verdict(), 0
    examples = Examples(program, given_folder())
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    if write:
        for match in reversed([*TABLE.finditer(page)]):
            now = "\n".join(examples.table(*match.groups())) + "\n"
            page = page[:match.start(3)] + now + page[match.end(3):]
        print(page, end="")
        return
    tables = [match for match in TABLE.finditer(page) if are_given() or is_bundled(match.group(2))]
    for match in tables:
        verdict.begin()
        stated, now = match.group(3).splitlines(), examples.table(*match.groups())
        for one, other in zip(stated, now):
            cells += one.count("|") - 1
            verdict.expect(one == other, f"{' '.join(match.group(2).split())}:\n    page    {one}\n    program {other}")
    for section in page.split("\n## "):
        for number in unexplained(section):
            verdict.expect(False, f"{section.splitlines()[0]}: the tables do not give the {number} of the text")
    figure(f"docs/worked-examples.md: {len(tables)} of {len(TABLE.findall(page))} tables, {cells} cells, {verdict.failures} differences")
    verdict.expect(cells > 0, "there is no table on the page")
    verdict.finish()


if __name__ == "__main__":
    main()
