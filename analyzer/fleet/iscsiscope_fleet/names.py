# SPDX-License-Identifier: GPL-2.0-or-later
"""Names that come from outside: an output may have been made by others, and a file name is any bytes."""

from __future__ import annotations

import re

_TABLE = re.compile(r"[a-z][a-z0-9_]{0,62}")  # a part of paths as well
_COLUMN = re.compile(r"[a-z][a-z0-9_.]{0,62}")  # p99.9_ns
_CAPTURE = re.compile(r"[0-9a-f]{64}")
_PART = re.compile(r"[0-9]{1,12}")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def is_table(text: object) -> bool:
    return isinstance(text, str) and _TABLE.fullmatch(text) is not None


def is_column(text: object) -> bool:
    return isinstance(text, str) and _COLUMN.fullmatch(text) is not None


def is_capture(text: object) -> bool:
    """A SHA-256 in hexadecimal digits."""
    return isinstance(text, str) and _CAPTURE.fullmatch(text) is not None


def is_part(text: object) -> bool:
    """Of compact files."""
    return isinstance(text, str) and _PART.fullmatch(text) is not None


def quoted(identifier: str) -> str:
    """For SQL."""
    return '"' + identifier.replace('"', '""') + '"'


def stored(path: str) -> str:
    """A path as the table `captures` has it: UTF-8, with a byte that is none as \\xff."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def printable(text: str) -> str:
    """For terminals: control characters as \\x1b."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
