#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The version of project() against what the changelog, the AppStream file and the columns state, and --version."""
import os
import re
import subprocess
import sys

TOP = os.environ["ISCSISCOPE_SOURCE_DIR"]


def text(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return file.read()


def main():
    version = re.search(r"project\(iscsiscope VERSION ([\d.]+)", text("CMakeLists.txt"))[1]
    newest = re.search(r"^## ([\d.]+) - (\d{4}-\d{2}-\d{2})$", text("CHANGELOG.md"), re.MULTILINE)
    release = re.search(r'<release version="([\d.]+)" date="([\d-]+)"', text(
        "gui/data/io.github.iscsiscope.iscsiscope.metainfo.xml"))
    said = subprocess.run([os.environ["ISCSISCOPE"], "--version"], capture_output=True, text=True, check=True).stdout
    columns = subprocess.run([os.environ["ISCSISCOPE"], "columns"], capture_output=True, text=True, check=True).stdout
    since = {tuple(map(int, one.split("."))) for one in re.findall(r"since (\d+\.\d+)\)", columns)}
    wrong = []
    if newest.groups() != release.groups() or newest[1] != version:
        wrong.append("project() has %s, CHANGELOG.md %s, the AppStream file %s" % (
            version, newest.groups(), release.groups()))
    if not re.fullmatch(r"iscsiscope %s( \(commit [0-9a-f]{7,}(-dirty)?\))?" % re.escape(version), said.strip()):
        wrong.append("--version: " + said)
    if max(since) > tuple(map(int, version.split(".")[:2])):
        wrong.append("a column is there since %s, the version is %s" % (max(since), version))
    for line in wrong:
        print("WRONG: " + line)
    print("FIGURE: version %s; --version: %s; columns of %d versions" % (version, said.strip(), len(since)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
