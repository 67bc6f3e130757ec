# SPDX-License-Identifier: GPL-2.0-or-later
"""CDBs (SPC-4, SBC-3) and sense data as bytes."""
import struct

BLOCK = 512
GOOD, CHECK_CONDITION, BUSY, RESERVATION_CONFLICT, TASK_SET_FULL, TASK_ABORTED = 0, 2, 8, 0x18, 0x28, 0x40


def read10(lba, blocks):
    return struct.pack("!BBIBHB", 0x28, 0, lba, 0, blocks, 0)


def write10(lba, blocks):
    return struct.pack("!BBIBHB", 0x2A, 0, lba, 0, blocks, 0)


def read16(lba, blocks):
    return struct.pack("!BBQIBB", 0x88, 0, lba, blocks, 0, 0)


def write16(lba, blocks):
    return struct.pack("!BBQIBB", 0x8A, 0, lba, blocks, 0, 0)


def write_same16(lba, blocks, unmap=True):
    return struct.pack("!BBQIBB", 0x93, 8 if unmap else 0, lba, blocks, 0, 0)


def compare_and_write(lba, blocks):
    return struct.pack("!BBQ3xBBB", 0x89, 0, lba, blocks, 0, 0)


def test_unit_ready():
    return bytes(6)


def inquiry(page=None, length=96):
    return struct.pack("!BBBHB", 0x12, 0 if page is None else 1, page or 0, length, 0)


def report_luns(length=256):
    return struct.pack("!BBB3xIBB", 0xA0, 0, 0, length, 0, 0)


def inquiry_data(qualifier=0, kind=0):
    """Standard INQUIRY data of 36 bytes. Qualifier 3 with type 1Fh: no device at this LUN."""
    return struct.pack("!BBBBBBBB", qualifier << 5 | kind, 0, 6, 2, 31, 0, 0, 2) + b"EXAMPLE VIRTUAL DISK    1.00"


def lun_list(luns):
    return struct.pack("!I4x", 8 * len(luns)) + b"".join(struct.pack("!BB6x", 0, lun) for lun in luns)


def sense(key, asc, ascq, information=None, deferred=False):
    """Fixed format, 18 bytes."""
    valid = 0x80 if information is not None else 0
    return struct.pack("!BBBIB4xBBB3x", valid | (0x71 if deferred else 0x70), 0, key, information or 0, 10, asc, ascq, 0)


def descriptor_sense(key, asc, ascq, information=None):
    more = b"" if information is None else struct.pack("!BBBBQ", 0, 10, 0x80, 0, information)
    return struct.pack("!BBBB3xB", 0x72, key, asc, ascq, len(more)) + more
