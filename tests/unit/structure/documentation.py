#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The documentation is in the tree and true of it: pages that code, tests and pages cite exist, with the heading
that is cited; the files and symbols that docs/find-your-way.md names exist."""
import os
import re
import sys

import tree

PAGE = re.compile(r"(?<![\w/.*-])((?:[\w.-]+/)*[\w-]+\.md)\b")
HEADING = re.compile(r'docs/([\w-]+\.md),? "([^"]+)"')
LINK = re.compile(r"\]\(([^)#\s:]*)(?:#([^)\s]+))?\)")
SYMBOL = re.compile(r"`([\w./-]+\.(?:h|cpp|py|txt|md|sh|json))`(?:\s*[:,]\s*((?:`[\w:~<>]+`(?:,\s*|\s+and\s+)?)+))?")


def headings(name):
    return [line.lstrip("#").strip().replace("`", "") for line in tree.text(name).split("\n") if line.startswith("#")]


def anchor(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\s-]", "", heading.lower()).replace(" ", "-")


def comments_joined(name):
    """The text with line breaks inside comments and paragraphs as spaces, so that a citation may be wrapped."""
    return re.sub(r"\n\s*(?://|#|\*)?\s*", " ", tree.text(name))


def cited(names):
    known = set(names)
    for name in names:
        if not name.endswith((".h", ".cpp", ".py", ".sh", ".txt", ".cmake", ".in", ".toml", ".js", ".css", ".1")):
            continue
        if name.startswith("tests/unit/structure/"):
            continue
        for page in set(PAGE.findall(tree.text(name))):
            if not any(os.path.normpath(os.path.join(place, page)) in known for place in ("", tree.folder(name), "docs")):
                yield "%s cites %s, which is not in the tree" % (name, page)
        for page, heading in HEADING.findall(comments_joined(name)):
            if "docs/" + page in known and heading not in headings("docs/" + page):
                yield '%s cites docs/%s, "%s": there is no such heading' % (name, page, heading)


def linked(names):
    known = set(names)
    folders = {tree.folder(name) for name in names}
    for name in names:
        if not name.endswith(".md"):
            continue
        for target, part in LINK.findall(tree.text(name)):
            path = os.path.normpath(os.path.join(tree.folder(name), target)) if target else name
            if path.rstrip("/") not in known and path.rstrip("/") not in folders:
                yield "%s links to %s, which is not in the tree" % (name, target)
            elif part and path.endswith(".md") and part not in [anchor(h) for h in headings(path)]:
                yield "%s links to %s#%s: there is no such heading" % (name, target, part)


def ways(names):
    page = "docs/find-your-way.md"
    known = set(names)
    if page not in known:
        return
    checked = 0
    for path, symbols in SYMBOL.findall(tree.text(page)):
        if path not in known:
            yield "%s names %s, which is not in the tree" % (page, path)
            continue
        checked += 1
        body = tree.text(path)
        for symbol in re.findall(r"`([\w:~<>]+)`", symbols):
            checked += 1
            if not re.search(r"(?<!\w)" + re.escape(symbol.split("::")[-1]) + r"(?!\w)", body):
                yield "%s names %s in %s: it is not there" % (page, symbol, path)
    print("FIGURE: find-your-way.md: %d files and symbols are there" % checked)


def main():
    names = tree.files()
    mistakes = [*cited(names), *linked(names), *ways(names)]
    for mistake in mistakes:
        print("WRONG: " + mistake)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
