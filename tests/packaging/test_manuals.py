#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""test_manuals.py FOLDER NAME=PROGRAM…: each manual page names every option and command of its program's --help, no
option that no page of the program has, and groff has nothing to say to it. FOLDER: where pages that the build fills lie."""
import os
import re
import shutil
import subprocess
import sys

TOP = os.environ["ISCSISCOPE_SOURCE_DIR"]
sys.path.insert(0, os.path.join(TOP, "packaging", "help"))
import help_pages  # noqa: E402

SOURCES = {"iscsiscope": "analyzer/cli/iscsiscope.1", "iscsiscope-gui": "gui/data/iscsiscope-gui.1"}
# Options of other programs, in examples.
OTHERS = {"--write"}


def plain(text):
    text = "\n".join(line for line in text.splitlines() if not line.startswith('.\\"'))
    return re.sub(r"\\f[BIPR]|\\&", "", text).replace("\\-", "-")


def mistakes_of(name, program, path):
    with open(path, encoding="utf-8") as file:
        text = plain(file.read())
    page = help_pages.read(program, name)
    known = {option for own in [page, *page.pages.values()] for one in own.options for option in one.names}
    for option in known - {"-h", "--help", "--help-all", "-v", "--version"}:
        if not re.search(r"(?<![\w-])" + re.escape(option) + r"(?![\w-])", text):
            yield "does not name %s" % option
    for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text)) - known - OTHERS):
        yield "names %s, which is not an option" % option
    for command, _ in page.commands:
        if not re.search(r"\b%s\b" % command, text):
            yield "does not name the command %s" % command


def main():
    folder, programs = sys.argv[1], dict(argument.split("=", 1) for argument in sys.argv[2:])
    wrong = []
    pages = {name: os.path.join(TOP, SOURCES[name]) if name in SOURCES else os.path.join(folder, name + ".1")
             for name in programs}
    for name, path in pages.items():
        wrong += ["%s %s" % (path, mistake) for mistake in mistakes_of(name, programs[name], path)]
    others = [os.path.join(TOP, "plugin/install/iscsiscope-plugin-install.1"),
              os.path.join(TOP, "packaging/extcap/iscsiscope-extcap.1")]
    if shutil.which("groff"):
        for path in [*pages.values(), *others]:
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", path], capture_output=True, text=True, check=False)
            wrong += [line for line in done.stderr.splitlines() if line]
    else:
        print("SKIPPED: groff is not installed: whether it warns of a page is not tested")
    for line in wrong:
        print("WRONG: " + line)
    print("FIGURE: %d manual pages, %d mistakes" % (len(pages) + len(others), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
