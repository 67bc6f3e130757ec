#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures cut to headers: at least 99 % of the PDUs whose 48 header bytes are in the file are found, and none that
is not there. Predicted PDUs, whose headers are not in the file, are judged by tests/cut.

1. Full captures cut to 128 bytes a packet. Which PDUs there are, and where, is known from the full capture by
   header_walker; which headers remain, from the cut bytes. The times of the PDUs found equal the full capture's.
2. Captures that were taken cut (h_, n_). The walker steps over headers that were cut by looking for the next
   one that fits what the other direction says in full: a Data-Out that answers an R2T by its tags
   and range, a command whose length fits its CDB and that was answered, a Data-In within a command's range."""

import collections

import header_walker
from common import (COMMAND, DATA_IN, DATA_OUT, NO_TAG, R2T, RESPONSE, Program, Verdict, captures, figure,
                    packed_path, unpack)
from pcap import Pcap

SNAP = 128
ENOUGH = 0.99
TIMES = ("time_ns", "complete_ns", "delivered_ns", "frame", "last_frame", "delivered_frame")
BLOCKS = {0x28: (7, 9), 0x2A: (7, 9), 0x88: (10, 14), 0x8A: (10, 14), 0xA8: (6, 10), 0xAA: (6, 10)}  # CDB fields


def key(pdu):
    return pdu["frame"], pdu["opcode"], NO_TAG if pdu["itt"] is None else pdu["itt"], pdu["data_length"]


def header_key(h):
    return h.frame, h.opcode, h.itt, h.data_length


def share(found, of):
    return found / of if of else 1.0


def check_cut(program, verdict, name):
    full = Pcap(unpack(name))
    ports = header_walker.listening_ports(full)
    digests = name.startswith(("e_", "digests"))
    headers, stops = header_walker.walk(full, ports, digests, digests)
    verdict.expect(not stops, f"{name}: the walker stopped in a full capture")
    content = full.cut_to(SNAP)
    readers = {k: flow.reader() for k, flow in header_walker.flows(Pcap(content), ports).items()}
    visible = collections.Counter(header_key(h) for h in headers if readers[h.key](h.offset))
    true = collections.Counter(map(header_key, headers))

    rows = [r for r in program.rows("pdus", program.file(content)) if r["header_bytes"] == 48]
    found = collections.Counter(map(key, rows))
    missed, false = visible - found, found - true
    verdict.expect(not false, f"{name} cut: PDUs that are not there (frame, opcode, ITT, length): {list(false)[:3]}")
    got = visible.total() - missed.total()
    verdict.expect(share(got, visible.total()) >= ENOUGH,
                   f"{name} cut: {missed.total()} of {visible.total()} not found: {list(missed)[:5]}")
    whole = {key(r): r for r in program.rows("pdus", packed_path(name))}
    for row in rows:
        if key(row) in whole:
            for column in TIMES:
                verdict.expect(row[column] == whole[key(row)][column], f"{name} cut: frame {row['frame']}: {column} "
                               f"{row[column]}, {whole[key(row)][column]} in the full capture")
    figure(f"{name} cut to {SNAP}: {got} of {visible.total()} visible headers found "
           f"({100 * share(got, visible.total()):.2f} %; {len(headers)} in the full capture), {false.total()} false")
    return visible.total(), got


class Fits:
    """Whether a header fits what was seen whole in the other direction."""

    def __init__(self, headers):
        word = header_walker.word
        self.r2ts = {(h.itt, word(h.raw, 20)): (word(h.raw, 40), word(h.raw, 44)) for h in headers if h.opcode == R2T}
        self.commands = {h.itt for h in headers if h.opcode == COMMAND}
        self.answered = {h.itt for h in headers if not h.to_target}
        self.tags = {(h.opcode, h.itt) for h in headers}

    def __call__(self, h):
        word = header_walker.word
        if h.to_target != (h.opcode < 0x20) or h.raw[4] != 0:
            return False
        if h.opcode == DATA_OUT:
            offset, desired = self.r2ts.get((h.itt, word(h.raw, 20)), (0, 0))
            return h.data_length > 0 and offset <= word(h.raw, 40) and \
                word(h.raw, 40) + h.data_length <= offset + desired
        if h.opcode == COMMAND:
            return h.itt in self.answered and self.length_fits(h) and h.data_length <= word(h.raw, 20)
        window = (word(h.raw, 32) - word(h.raw, 28)) % 2**32  # MaxCmdSN, ExpCmdSN
        if h.opcode == DATA_IN:
            return h.itt in self.commands and word(h.raw, 20) == NO_TAG and h.data_length > 0 and window < 1024
        # A NOP, Logout or task management whose other half was seen.
        if h.opcode & 0x1F in (0x00, 0x02, 0x06) and (h.opcode ^ 0x20, h.itt) in self.tags:
            return h.data_length == 0
        return h.opcode == RESPONSE and h.data_length == 0 and window < 1024 and h.itt in self.commands

    @staticmethod
    def length_fits(h):
        field = BLOCKS.get(h.raw[32])
        return field is not None and \
            int.from_bytes(h.raw[32 + field[0]:32 + field[1]], "big") * 512 == header_walker.word(h.raw, 20)


def check_taken_cut(program, verdict, name):
    capture = Pcap(unpack(name))
    ports = header_walker.listening_ports(capture)
    known = Fits(header_walker.walk(capture, ports)[0])
    # One direction of these captures is seen whole; a second pass lets each side confirm the other.
    known = Fits(header_walker.walk(capture, ports, resume=known)[0])
    headers, stops = header_walker.walk(capture, ports, resume=known)
    visible = collections.Counter(map(header_key, headers))
    found = collections.Counter(key(r) for r in program.rows("pdus", packed_path(name)) if r["header_bytes"] == 48)
    missed, beyond = visible - found, found - visible
    got = visible.total() - missed.total()
    verdict.expect(share(got, visible.total()) >= ENOUGH,
                   f"{name}: {missed.total()} of {visible.total()} not found: {list(missed)[:5]}")
    verdict.expect(not beyond, f"{name}: {beyond.total()} PDUs that the walker does not know: {list(beyond)[:5]}")
    figure(f"{name}: {got} of {visible.total()} visible headers found ({100 * share(got, visible.total()):.2f} %; "
           f"{len(stops)} cut headers stepped over), {beyond.total()} false")


def main():
    program, verdict = Program(), Verdict()
    visible = found = 0
    for name in captures():
        verdict.begin()
        if name.startswith(("h_", "n_")):
            check_taken_cut(program, verdict, name)
        else:
            v, f = check_cut(program, verdict, name)
            visible, found = visible + v, found + f
    figure(f"header-only: {found} of {visible} visible headers of captures cut to {SNAP} found, "
           f"{verdict.failures} differences")
    verdict.finish()


main()
