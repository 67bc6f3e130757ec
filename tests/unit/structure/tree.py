# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of the source tree and what they include, for the tests of its structure."""
import os
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(os.environ.get("ISCSISCOPE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[3]))
CODE = (".h", ".cpp", ".in")


def files():
    """Paths of all files, relative to the tree: those that git tracks or would add, else all but builds."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                cwd=SOURCE, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        names = listed.stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = [str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*")]
        names = [name for name in names if not name.startswith(("build/", ".git/"))]
    return sorted(name for name in names if name and (SOURCE / name).is_file())


def text(name):
    return (SOURCE / name).read_text(encoding="utf-8", errors="replace")


def folder(name):
    return os.path.dirname(name)


def includes(name, known):
    """The files of the tree that this one includes."""
    for path in re.findall(r'^#include "([^"]+)"', text(name), re.MULTILINE):
        for candidate in (path, os.path.normpath(os.path.join(folder(name), path))):
            if candidate in known:
                yield candidate
                break


def circles(graph):
    """Groups of nodes that reach each other (Tarjan's strongly connected components of more than one node)."""
    number, low, stack, groups = {}, {}, [], []

    def visit(start):
        # (node, its successors still to be looked at): without recursion, a chain may be long.
        work = [(start, iter(sorted(graph.get(start, ()))))]
        number[start] = low[start] = len(number)
        stack.append(start)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in number:
                    number[successor] = low[successor] = len(number)
                    stack.append(successor)
                    work.append((successor, iter(sorted(graph.get(successor, ())))))
                    break
                if successor in stack:
                    low[node] = min(low[node], number[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    group = stack[stack.index(node):]
                    del stack[stack.index(node):]
                    if len(group) > 1:
                        groups.append(sorted(group))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return groups
