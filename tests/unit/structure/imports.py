#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No Python file of the tree reaches itself over what it imports, at its top or within a function."""
import ast
import os
import sys

import tree

AT_LEAST = 150  # imports of one file of the tree by another: fewer would say that the search finds none


def file_of(path, code):
    """The file of a module's path, or None where it is not of the tree."""
    for name in (path + ".py", path + "/__init__.py"):
        if os.path.normpath(name) in code:
            return os.path.normpath(name)
    return None


def above(name):
    """The file's folder and those above it: where its programs may have put the beginning of sys.path."""
    folder = tree.folder(name)
    while folder:
        yield folder
        folder = os.path.dirname(folder)


def elsewhere(path, code):
    """Of a module that is in no folder above: the one file of that name, as with a folder put into sys.path."""
    found = {name for name in code if ("/" + name).endswith(("/" + path + ".py", "/" + path + "/__init__.py"))}
    return found.pop() if len(found) == 1 else None


def absolute(module, name, code):
    path = module.replace(".", "/")
    for folder in above(name):
        found = file_of(folder + "/" + path, code)
        if found:
            return found
    return elsewhere(path, code) if path else None


def imported(name, code):
    """The files of the tree that this one imports. Of `from package import module` that is the module alone: the
    package itself is under way already where one of its modules asks it."""
    for node in ast.walk(ast.parse(tree.text(name), name)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield absolute(alias.name, name, code)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                start = os.path.normpath(os.path.join(tree.folder(name), *[".."] * (node.level - 1)))
                package = start + "/" + (node.module or "").replace(".", "/")
                base = file_of(package.rstrip("/"), code)
            else:
                base = absolute(node.module, name, code)
                package = os.path.splitext(base)[0].removesuffix("/__init__") if base else ""
            for alias in node.names:
                module = file_of(package.rstrip("/") + "/" + alias.name, code) if package else None
                yield module or base


def graph(code):
    return {name: {other for other in imported(name, code) if other and other != name} for name in code}


def main():
    code = {name for name in tree.files() if name.endswith(".py")}
    edges = graph(code)
    count = sum(len(others) for others in edges.values())
    groups = tree.circles(edges)
    print("FIGURE: Python files: %d, %d imports among them, circles: %d" % (len(code), count, len(groups)))
    mistakes = ["these import each other: " + ", ".join(group) for group in groups]
    if count < AT_LEAST:
        mistakes.append("only %d imports were found, fewer than %d" % (count, AT_LEAST))
    for mistake in mistakes:
        print("WRONG: " + mistake)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
