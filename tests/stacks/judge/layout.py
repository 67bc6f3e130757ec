# SPDX-License-Identifier: GPL-2.0-or-later
"""Lays a table out as aligned text or as Markdown.

In: a Table of cells that are strings already, with their units in the column heads. Out: text whose lines are at most
WIDTH characters wide, or a Markdown table. Cells of the columns named as flexible are wrapped at spaces where the text
would be wider; in a column named as grouped a cell that repeats the one above is left blank in the text.
"""

import dataclasses
import textwrap

WIDTH = 158  # characters
LEAST = 12  # characters that a wrapped column keeps
BETWEEN = "  "


@dataclasses.dataclass
class Table:
    """Cells by rows, with what the layout needs to know of the columns."""

    title: str
    columns: list  # heads
    rows: list = dataclasses.field(default_factory=list)  # lists of strings, one for each column
    flexible: tuple = ()  # heads of columns whose cells may be wrapped
    grouped: tuple = ()  # heads, left to right, of columns in which a repeated cell is left blank
    right: tuple = ()  # heads of columns aligned at the right
    note: str = ""  # a sentence below the title


def display_rows(table):
    """The rows with repeated cells of grouped columns left blank."""
    places = [table.columns.index(c) for c in table.grouped]
    above, shown = None, []
    for row in table.rows:
        cells, same = list(row), above is not None
        for place in places:
            same = same and row[place] == above[place]
            if same:
                cells[place] = ""
        shown.append(cells)
        above = row
    return shown


def wrap(cell, width):
    """Lines of a cell, broken at spaces; a word that is wider than the column stays whole."""
    return textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False) or [""]


def widths(table, rows):
    """Width of each column so that the table fits into WIDTH, if wrapping the flexible columns can achieve it."""
    found = [max(len(r[i]) for r in [table.columns, *rows]) for i in range(len(table.columns))]
    least = {}
    for head in table.flexible:
        i = table.columns.index(head)
        least[i] = max([LEAST, len(head), *(len(word) for row in rows for word in row[i].split())])
    while sum(found) + len(BETWEEN) * (len(found) - 1) > WIDTH:
        wide = [i for i in least if found[i] > least[i]]
        if not wide:
            break
        found[max(wide, key=lambda i: found[i])] -= 1
    return found


def text(table):
    """The table as aligned text, without a newline at the end."""
    lines = [table.title] + ([table.note] if table.note else [])
    if not table.rows:
        return "\n".join([*lines, "  none"])
    rows = display_rows(table)
    size = widths(table, rows)
    right = [head in table.right for head in table.columns]

    def line(cells):
        parts = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, size, right)]
        return BETWEEN.join(parts).rstrip()

    lines += [line(table.columns), line(["-" * w for w in size])]
    for row in rows:
        cells = [wrap(c, w) if head in table.flexible else [c] for c, w, head in zip(row, size, table.columns)]
        for number in range(max(map(len, cells))):
            lines.append(line([c[number] if number < len(c) else "" for c in cells]))
    return "\n".join(lines)


def markdown(table):
    """The table as Markdown below a heading, without a newline at the end."""
    lines = [f"## {table.title}", ""] + ([table.note, ""] if table.note else [])
    if not table.rows:
        return "\n".join([*lines, "None."])

    def line(cells):
        return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"

    lines += [line(table.columns), line(["---:" if head in table.right else "---" for head in table.columns])]
    return "\n".join(lines + [line(row) for row in table.rows])
