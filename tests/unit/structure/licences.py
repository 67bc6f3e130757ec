#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every file of the tree names its licence: by a line of its own or by .reuse/dep5, and each pattern there is used."""
import fnmatch
import re
import sys

import tree

LINE = re.compile(r"SPDX-License-Identifier: *[\w.-]+")


def patterns():
    """The patterns of .reuse/dep5, each with its licence."""
    for paragraph in tree.text(".reuse/dep5").split("\n\n"):
        fields = dict(re.findall(r"^(\w[\w-]*): *(.*)$", paragraph, re.MULTILINE))
        for pattern in fields.get("Files", "").split():
            yield pattern, fields.get("License", "")


def main():
    known = list(patterns())
    unused = {pattern for pattern, _ in known}
    missing, lines = [], 0
    for name in tree.files():
        own = LINE.search(tree.text(name)[:2000])
        fitting = [(pattern, licence) for pattern, licence in known if fnmatch.fnmatchcase(name, pattern)]
        if own:
            lines += 1
        elif not fitting or not fitting[-1][1]:
            missing.append(name)
        if not own:
            unused -= {pattern for pattern, _ in fitting}
    for name in missing:
        print("WRONG: %s names no licence, and .reuse/dep5 has none for it" % name)
    for pattern in sorted(unused):
        print("WRONG: no file needs the pattern %s of .reuse/dep5" % pattern)
    print("FIGURE: licences: %d files name theirs, %d without: %d" % (lines, len(tree.files()) - lines, len(missing)))
    return 1 if missing or unused else 0


if __name__ == "__main__":
    sys.exit(main())
