# SPDX-License-Identifier: GPL-2.0-or-later
"""What the two scripts of synthetic checks have in common.

In: check functions, values and what they should be. Out: a FAILED line for each value that is wrong, a FIGURE line with
the counts, and the exit code. Files go to a temporary folder.
"""
import os
import tempfile

from made import cdb10, command, data_in, login

checks = failures = 0
FOLDER = None


def same(what, found, wanted):
    global checks, failures
    checks += 1
    if found != wanted:
        failures += 1
        print(f'FAILED: {what}: {found!r} instead of {wanted!r}')


def path(name='one.pcap'):
    return os.path.join(FOLDER, name)


def reading(talk, keys=b'HeaderDigest=CRC32C\0DataDigest=CRC32C\0', digests=(True, True), damage=None):
    """A login and one READ10 of 3000 bytes in two Data-In; at 100 ms."""
    talk.open()
    login(talk, 20, keys)
    talk.send(0, 100, command(1, 1, cdb10(0x28, 64, 6), 3000, 0xc1, 300, digests=digests))
    talk.send(1, 107, data_in(1, bytes(1001), False, digests=digests))
    talk.send(1, 108, data_in(1, bytes(1999), True, 1001, digests, damage))
    return talk


def run(functions):
    """Runs the checks; gives the exit code."""
    global FOLDER
    with tempfile.TemporaryDirectory() as FOLDER:
        for function in functions:
            function()
    print(f'FIGURE: walker, {checks} synthetic checks, {failures} failed')
    return 1 if failures else 0
