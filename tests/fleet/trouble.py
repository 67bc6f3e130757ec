# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of what no bundled capture shows, so that each question of docs/fleet.md has an answer without the given
captures: commands that fail, made packet by packet, and packets that were cut, out of a bundled capture."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "stacks" / "walker"))
import made

CHECK_CONDITION, BUSY = 0x02, 0x08  # SAM-5 section 5.3.1
# Fixed format, SPC-4 section 4.5.3, behind its length: ILLEGAL REQUEST, LOGICAL BLOCK ADDRESS OUT OF RANGE.
SENSE = bytes([0, 18, 0x70, 0, 0x05, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0])
NAMES = b"InitiatorName=iqn.2026-11.example:init00\0TargetName=iqn.2026-11.example:disk00\0SessionType=Normal\0"
SNAP = 200  # bytes a packet that a cut capture keeps: with each header, without most of the data
TRANSITION = 0x87  # RFC 7143 section 11.12: T, CSG and NSG of a login of one exchange
READ, FINAL_READ = 0x28, 0xC1


def failing() -> bytes:
    """A session in which a Read ends with sense data, one with BUSY, and the others well. As a pcap file."""
    talk = made.Talk()
    talk.open()
    talk.send(0, 20, made.pdu(0x43, TRANSITION, 0, NAMES))
    talk.send(1, 30, made.pdu(0x23, TRANSITION, 0, b"TargetPortalGroupTag=1\0"))
    at = 50.0
    for number in range(1, 13):
        talk.send(0, at, made.command(number, number, made.cdb10(READ, 8 * number, 1), 512, FINAL_READ))
        answer = made.data_in(number, bytes(512))
        if number == 4:
            answer = made.answer(number, CHECK_CONDITION, SENSE)
        elif number == 8:
            answer = made.answer(number, BUSY)
        talk.send(1, at + 11, answer)
        at += 20
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        talk.file(file.name, 0)
        return Path(file.name).read_bytes()
