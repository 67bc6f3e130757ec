# SPDX-License-Identifier: GPL-2.0-or-later
"""Which captures a run is of: folders, patterns, lists and single paths or URLs, each capture once."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path

import fsspec

from .errors import FleetError
from .store import is_remote

ENDINGS = (".pcap", ".pcapng", ".cap", ".ntar", ".erf")
PACKED = ("", ".gz", ".zst")


def is_capture_name(name: str) -> bool:
    return any(name.lower().endswith(ending + packed) for ending in ENDINGS for packed in PACKED)


def is_numbered_capture(name: str) -> bool:
    """A file of tcpdump's ring buffer, trace.pcap7, is one."""
    return is_capture_name(name.rstrip("0123456789"))


def find_captures(inputs: list[str]) -> list[str]:
    """Absolute paths and URLs, sorted. In a folder, whatever its depth, the files with a name of a capture count; a
    pattern and a list take every name. Raises FleetError for an input that is nothing of these."""
    found: set[str] = set()
    for item in inputs:
        some = _of(item)
        if not some:
            raise FleetError(f"{item}: no captures ({', '.join(ENDINGS)}, also with .gz and .zst)")
        found.update(some)
    return sorted(found)


def _of(item: str) -> list[str]:
    if item.startswith("@"):
        return _listed(item[1:])
    if is_remote(item):
        return _remote(item)
    path = Path(item)
    if path.is_dir():
        return _below(path)
    if path.exists():
        return [str(path.absolute())]
    if glob.has_magic(item):
        return [str(Path(p).absolute()) for p in glob.glob(item, recursive=True) if Path(p).is_file()]  # noqa: PTH207
    raise FleetError(f"{item}: {os.strerror(2)}")


def _below(folder: Path) -> list[str]:
    def fail(error: OSError) -> None:
        raise FleetError(f"{error.filename}: {error.strerror}") from error

    return [
        str(Path(base, name).absolute())
        for base, _, names in os.walk(folder, onerror=fail, followlinks=False)
        for name in names
        if not name.startswith(".") and (is_capture_name(name) or is_numbered_capture(name))
    ]


def _listed(name: str) -> list[str]:
    """A path or URL a line; the workers may see files that are not here."""
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise FleetError(f"{name}: {error.strerror}") from error
    lines = [line for line in text.splitlines() if line.strip()]
    return [line if is_remote(line) else str(Path(line).absolute()) for line in lines]


def _remote(url: str) -> list[str]:
    try:
        fs, path = fsspec.core.url_to_fs(url)
        protocol = url.partition("://")[0]
        if glob.has_magic(path):
            names = fs.glob(path)
        elif fs.isdir(path):
            names = [n for n in fs.find(path) if is_capture_name(n) or is_numbered_capture(n)]
        else:
            return [url]
    except Exception as error:  # each store of fsspec has exceptions of its own
        raise FleetError(f"{url}: {error}") from error
    return [f"{protocol}://{n.lstrip('/') if protocol != 'memory' else n}" for n in names]
