#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports on damaged captures, in every format.

In: the program, how many captures, a seed. Each capture is one of the committed ones, cut to a few hundred packets and
then damaged: bits flipped, ranges overwritten, removed, repeated or moved, numbers set to extremes. They are reported
in batches, each batch in every format. Out: for each format the captures reported and the batches in which something
is wrong: a signal, an exit code other than 0, 1 and 2, a message of a sanitizer, no sentence for exit code 2, or output
that is not valid UTF-8 or not valid JSON, CSV or SQLite. The capture to blame is found by reporting each of the batch
alone, and is kept in --keep. Exit code 1 if anything is wrong.
"""

import argparse
import contextlib
import csv
import io
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

BATCH = 50
FORMATS = ("text", "json", "html", "csv", "sqlite")
LONGEST_S = 600  # of one batch; a sanitizer's build is some twenty times slower
SANITIZERS = (b"AddressSanitizer", b"runtime error:", b"LeakSanitizer", b"ThreadSanitizer")
MAX_BYTES = 60_000
EXTREMES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF,
            0xFFFFFFFFFFFFFFFF)


def originals(folder):
    """The committed captures, unpacked, cut to MAX_BYTES at the end of a block where the file has blocks."""
    found = []
    for top, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith((".pcapng.zst", ".pcap.zst")):
                whole = subprocess.run(["zstd", "-dcq", os.path.join(top, name)], capture_output=True,
                                       check=True).stdout
                found.append(cut_at_block(whole))
    return found


def cut_at_block(data):
    if data[:4] != b"\x0a\x0d\x0d\x0a":
        return data[:MAX_BYTES]
    at = 0
    while at + 8 <= len(data):
        length = int.from_bytes(data[at + 4:at + 8], "little")
        if length < 12 or at + length > min(len(data), MAX_BYTES):
            break
        at += length
    return data[:at]


def damaged(original, rng):
    data = bytearray(original)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        if not data:
            break
        at = rng.randrange(len(data))
        length = rng.choice((1, 2, 4, 16, 200))
        kind = rng.choice((0, 0, 1, 1, 2, 3, 4, 4, 4, 5, 6))
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at + length] = rng.randbytes(length)
        elif kind == 2:
            del data[at:at + length]
        elif kind == 3:
            data[at:at] = data[at:at + length]
        elif kind == 4:
            width = rng.choice((1, 2, 4, 8))
            number = rng.choice(EXTREMES) & ((1 << 8 * width) - 1)
            data[at:at + width] = number.to_bytes(width, rng.choice(("little", "big")))
        elif kind == 5:
            to = rng.randrange(len(data))
            data[to:to + length] = data[at:at + length]
        else:
            del data[at:]
    return bytes(data)


def valid_text(data):
    data.decode("utf-8")


def valid_json(data):
    json.loads(data.decode("utf-8"))


def valid_csv(data):
    rows = list(csv.reader(io.StringIO(data.decode("utf-8")), strict=True))
    if len({len(row) for row in rows}) > 1:
        raise ValueError("rows of unequal length")


def valid_sqlite(path):
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
        if base.execute("pragma integrity_check").fetchone() != ("ok",):
            raise ValueError("the data base is damaged")
        for (table,) in base.execute("select name from sqlite_master where type = 'table'").fetchall():
            for row in base.execute(f'select * from "{table}"'):  # decodes each text strictly
                del row


def wrong_file(path):
    """What is wrong with one file of output; None if nothing is."""
    try:
        if path.endswith((".db", ".sqlite")):
            valid_sqlite(path)
            return None
        with open(path, "rb") as file:
            data = file.read()
        {".json": valid_json, ".csv": valid_csv}.get(os.path.splitext(path)[1], valid_text)(data)
    except (ValueError, csv.Error, sqlite3.Error) as error:
        return f"{os.path.basename(path)}: {error}"
    return None


def wrong(program, form, captures, folder):
    """What is wrong with the report of these captures in this format; None if nothing is."""
    out = os.path.join(folder, "out")
    shutil.rmtree(out, ignore_errors=True)
    os.mkdir(out)
    to = os.path.join(out, "reports.json" if form == "json" else "")
    command = [program, "report", "--quiet", "--format", form, *captures]
    if form != "text":
        command += ["-o", to]
    try:
        with open(os.path.join(out, "stdout.txt"), "wb") as stdout:
            run = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, check=False, timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        return f"no end within {LONGEST_S} s"
    if run.returncode not in (0, 1, 2) or any(name in run.stderr for name in SANITIZERS):
        return f"exit code {run.returncode}: " + run.stderr.decode("utf-8", "replace")[:400]
    if run.returncode == 2 and not run.stderr.strip():
        return "exit code 2 without a sentence"
    for top, _, names in os.walk(out):
        for name in names:
            if found := wrong_file(os.path.join(top, name)):
                return found
    return None


def blamed(program, form, captures, folder):
    """The first capture of the batch with which something is wrong alone, and what; else all of them."""
    for path in captures:
        if found := wrong(program, form, [path], folder):
            return [path], found
    return captures, "wrong only in this batch"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="path of iscsiscope")
    parser.add_argument("--count", type=int, default=100, help="captures to make (default: 100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--captures", default=os.path.join(here, "../../../sample-captures/bundle"))
    parser.add_argument("--keep", metavar="FOLDER", help="put what is found there")
    options = parser.parse_args()
    program, rng, found = os.path.abspath(options.program), random.Random(options.seed), 0
    whole = originals(options.captures)
    if not whole:
        print(f"There is no capture in {options.captures}.", file=sys.stderr)
        sys.exit(2)
    with tempfile.TemporaryDirectory() as folder:
        made = 0
        while made < options.count:
            captures = []
            for i in range(min(BATCH, options.count - made)):
                captures.append(os.path.join(folder, f"{i:02}.pcapng"))
                with open(captures[-1], "wb") as file:
                    file.write(damaged(rng.choice(whole), rng))
            made += len(captures)
            for form in FORMATS:
                if not wrong(program, form, captures, folder):
                    continue
                found += 1
                bad, what = blamed(program, form, captures, folder)
                print(f"WRONG: {form}, captures {made - len(captures)} to {made - 1} of seed {options.seed}: {what}")
                if options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    for path in bad:
                        shutil.copy(path, os.path.join(options.keep, f"{form}-{found}-{os.path.basename(path)}"))
    print(f"FIGURE: damaged captures: {made} in {len(FORMATS)} formats, {found} batches with something wrong")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
