#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""CHANGELOG.md in the form of Debian's changelog: an entry a version, with the first line of each of its points.

In: headings "## 0.1.0 - 2026-11-21" (ISO 8601), points "- text" below them, continued by indent. Out: the file OUT.
Exit code 1 where a heading has another form or there is none.
"""
import argparse
import datetime
import email.utils
import re
import sys
import textwrap

HEADING = re.compile(r"## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$")


def versions(text):
    """(version, date, points) of each heading, newest first."""
    found = []
    for line in text.splitlines():
        if line.startswith("## "):
            heading = HEADING.match(line)
            if not heading:
                sys.exit("changelog.py: this heading is not \"## VERSION - YYYY-MM-DD\": " + line)
            found.append((heading[1], datetime.date.fromisoformat(heading[2]), []))
        elif found and line.startswith("- "):
            found[-1][2].append(line[2:])
        elif found and found[-1][2] and line.startswith("  "):
            found[-1][2][-1] += " " + line.strip()
    return found


def entry(package, release, maintainer, version, date, points):
    noon = datetime.datetime.combine(date, datetime.time(12), datetime.timezone.utc)
    lines = "\n".join(textwrap.fill(point, 78, initial_indent="  * ", subsequent_indent="    ") for point in points)
    return "%s (%s-%s) unstable; urgency=medium\n\n%s\n\n -- %s  %s\n" % (
        package, version, release, lines, maintainer, email.utils.format_datetime(noon))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("changelog")
    for name in ("package", "release", "maintainer"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("-o", dest="out", required=True)
    given = parser.parse_args()
    with open(given.changelog, encoding="utf-8") as file:
        found = versions(file.read())
    if not found:
        sys.exit("changelog.py: %s has no version" % given.changelog)
    with open(given.out, "w", encoding="utf-8") as file:
        file.write("\n".join(entry(given.package, given.release, given.maintainer, *one) for one in found))


if __name__ == "__main__":
    main()
