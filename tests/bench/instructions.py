#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions a packet of whole programs, which no load of the machine changes.

  instructions.py SMALL LARGE NAME=COMMAND...

Each COMMAND, {} in it standing for the capture, runs once over SMALL and once over LARGE (pcap files of `grow`, the
same captures copied less and more often) under valgrind's callgrind, some fifty times slower than alone. Printed is
the difference of the two counts divided by the difference of the packets: what a program does once, such as its
start, cancels. Two programs run at the same time."""

import concurrent.futures
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile


def available():
    """Whether valgrind is there."""
    return shutil.which("valgrind") is not None


def packets(capture):
    """The number of packets in a pcap file of this machine's byte order."""
    number, at = 0, 24
    with open(capture, "rb") as file:
        content = memoryview(file.read())
    while at + 16 <= len(content):
        at += 16 + struct.unpack_from("=I", content, at + 8)[0]
        number += 1
    return number


def count(command):
    """Instructions of one run of a command, of all its threads."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.path.join(folder, 'out')}", *command]
        done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                              errors="replace")
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{shlex.join(words)}: exit {done.returncode}\n{done.stderr[-1000:]}")
    return int(found[1])


def a_packet(commands, small, large):
    """Of each command (a list of words with {} for the capture) its instructions a packet."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        counts = list(pool.map(count, [[word.replace("{}", capture) for word in command]
                                       for command in commands for capture in (large, small)]))
    more = packets(large) - packets(small)
    return [(counts[i] - counts[i + 1]) / more for i in range(0, len(counts), 2)]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    small, large, *programs = sys.argv[1:]
    pairs = [program.partition("=") for program in programs]
    print(f"packets: {packets(small)} and {packets(large)}")
    for (name, *_), number in zip(pairs, a_packet([shlex.split(command) for *_, command in pairs], small, large)):
        print(f"{name:<28}{number:>9.1f} instructions a packet")


if __name__ == "__main__":
    main()
