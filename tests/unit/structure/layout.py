#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The layout of the source tree, printed and held against its rules: files a folder, folders and testbed classes
that include each other, a room's place in the order, lines a room, lines a file."""
import collections
import os
import sys

import tree

MOST_FILES = 24
# One file a rule; four files a run: may grow.
LIKE_THINGS = ("analyzer/findings/rules", "tests/dialogues/cases", "tests/stacks/fixtures")
MOST_LINES = 500
# What front ends take from the room of formats: they have its words from the room words.
FORMATS = ("analyzer/report/output_file.h", "analyzer/report/palette.h", "analyzer/report/html/html_report.h",
           "analyzer/report/tables/row_writer.h", "analyzer/report/text/page.h", "analyzer/report/text/text_page.h",
           "analyzer/report/text/text_report.h", "analyzer/report/text/text_sections.h")
ORDER = ("base", "capture", "tcp", "iscsi", "cycles", "tallies", "sessions", "model", "findings", "pipeline", "query",
         "figures", "words", "report", "cli")


def crowded(names):
    count = collections.Counter(tree.folder(name) for name in names)
    print("files a folder: most %d" % max(n for f, n in count.items() if f not in LIKE_THINGS))
    for name, n in count.most_common(5):
        print("  %3d  %s" % (n, name))
    return ["%s holds %d files, more than %d" % (name, n, MOST_FILES) for name, n in sorted(count.items())
            if n > MOST_FILES and name not in LIKE_THINGS]


def folder_graph(code):
    graph = collections.defaultdict(set)
    for name in code:
        for other in tree.includes(name, code):
            if tree.folder(other) != tree.folder(name):
                graph[tree.folder(name)].add(tree.folder(other))
    return graph


def class_graph(code, top):
    """A header and its source are one node."""
    graph = collections.defaultdict(set)
    for name in code:
        if name.startswith(top):
            for other in tree.includes(name, code):
                one, two = os.path.splitext(name)[0], os.path.splitext(other)[0]
                if two.startswith(top) and one != two:
                    graph[one].add(two)
    return graph


def backwards(code):
    for name in code:
        parts = name.split("/")
        if parts[0] != "analyzer" or parts[1] not in ORDER:
            continue
        for other in tree.includes(name, code):
            room = other.split("/")
            if room[0] != "analyzer" or ORDER.index(room[1]) > ORDER.index(parts[1]):
                yield "%s includes %s, of a later room" % (name, other)


def beside_formats(code):
    """What front ends include of report that is neither a format nor a file that is written."""
    for name in code:
        if name.startswith(("gui/", "plugin/")):
            for other in tree.includes(name, code):
                if other.startswith("analyzer/report/") and other not in FORMATS:
                    yield "%s includes %s, which is no format that front ends use" % (name, other)


def room_of(name):
    parts = name.split("/")
    depth = 3 if parts[:2] == ["sample-captures", "testbed"] else 1 if parts[0] in ("gui", "plugin", "tests") else 2
    return "/".join(parts[:min(depth, len(parts) - 1)])


def lines(code):
    rooms = collections.Counter()
    for name in code:
        n = tree.text(name).count("\n")
        rooms[room_of(name)] += n
        if n > MOST_LINES:
            yield "%s has %d lines, more than %d" % (name, n, MOST_LINES)
    for room, n in sorted(rooms.items()):
        print("  %6d  %s" % (n, room))
    print("FIGURE: lines of C++: %d without tests, %d of tests" % (
        sum(n for room, n in rooms.items() if room != "tests"), rooms["tests"]))


def main():
    names = tree.files()
    code = {name for name in names if name.endswith(tree.CODE)}
    engine = {name for name in code if not name.startswith("tests/")}
    mistakes = crowded(names)
    folders = tree.circles(folder_graph(engine))
    classes = tree.circles(class_graph(engine, "sample-captures/testbed/target/"))
    print("folders that include each other: %d; classes of the target that do: %d" % (len(folders), len(classes)))
    mistakes += ["these include each other: " + ", ".join(group) for group in folders + classes]
    mistakes += backwards(engine)
    mistakes += beside_formats(engine)
    print("lines a room:")
    mistakes += lines(code)
    for mistake in mistakes:
        print("WRONG: " + mistake)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
