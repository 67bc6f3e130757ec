# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages and the progress line on standard error."""

from __future__ import annotations

import sys
import time

from .names import printable

NAME = "iscsiscope-fleet"


def complain(message: str) -> None:
    print(f"{NAME}: {printable(message)}", file=sys.stderr, flush=True)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def spoken(seconds: float) -> str:
    """A length of time for people: 4.2 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Progress:
    """One line, drawn anew: captures done, rate, time left by the bytes that are left. Only on a terminal."""

    FIXED = 200_000  # what a capture costs beside its bytes, in bytes

    def __init__(self, captures: int, file_bytes: int, shown: bool) -> None:
        self._captures = captures
        self._all = file_bytes + captures * self.FIXED
        self._shown = shown and sys.stderr.isatty()
        self._began = time.monotonic()
        self._drawn = 0.0
        self._done = self._failed = self._weight = 0

    def add(self, file_bytes: int, failed: bool) -> None:
        self._done += 1
        self._failed += failed
        self._weight += file_bytes + self.FIXED
        self.draw()

    def line(self, seconds: float) -> str:
        share = self._weight / self._all if self._all else 1.0
        text = f"{self._done:,} of {counted(self._captures, 'capture')} ({share:.0%})"
        if self._done and seconds > 0:
            text += f", {self._done / seconds:.1f}/s, {spoken(seconds * (1 - share) / share)} left"
        if self._failed:
            text += f", {self._failed:,} could not be read"
        return text

    def draw(self, note: str = "") -> None:
        now = time.monotonic()
        if self._shown and (note or now - self._drawn >= 0.2 or self._done == self._captures):
            self._drawn = now
            print(f"\r\x1b[K{self.line(now - self._began)}{note}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
