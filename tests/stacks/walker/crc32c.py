# SPDX-License-Identifier: GPL-2.0-or-later
"""CRC32C as the digests of iSCSI use it (RFC 7143, 11.1 of the keys HeaderDigest and DataDigest).

In: bytes. Out: the 32 bit value as an integer; on the wire it stands with its low byte first.
"""


def _table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
        table.append(value)
    return tuple(table)


TABLE = _table()


def crc32c(data):
    """The CRC32C of `data`."""
    value, table = 0xffffffff, TABLE
    for byte in data:
        value = table[(value ^ byte) & 255] ^ value >> 8
    return value ^ 0xffffffff
