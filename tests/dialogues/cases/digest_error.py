# SPDX-License-Identifier: GPL-2.0-or-later
"""Digests that do not match: computed wrongly by one end, or PDUs damaged."""
from case import case
from iscsi_script import Session
from script import seconds

BOTH = {"HeaderDigest": "CRC32C", "DataDigest": "CRC32C"}
DATA = {"HeaderDigest": "None", "DataDigest": "CRC32C"}


def session(c, keys):
    s = Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")))
    s.login(keys, keys)
    for side in ("initiator", "target"):
        s.set_digests(side, "right" if keys is BOTH else None, "right")
    return s


@case(first="digest_error", severity="problem", say=["target 192.0.2.50 computes its data digests wrongly", "software"],
      not_say=["ethtool"])
def the_targets_are_all_wrong(c):
    """Every data digest of the target is wrong, on two connections; the initiator's are right."""
    for _ in range(2):
        s = session(c, BOTH)
        s.write(lba=0, blocks=8)
        s.set_digests("target", "right", "wrong")
        for n in range(3):
            s.read(lba=64 * n, blocks=8)
        s.tcp.rst("initiator")
        c.wait(seconds(1))


@case(first="digest_error", say=["initiator 192.0.2.10 computes its data digests wrongly", "rejected 3 PDUs"],
      not_say=["ethtool"])
def the_initiators_are_all_wrong(c):
    """The target rejects each Write for a data digest error."""
    s = session(c, DATA)
    s.set_digests("initiator", None, "wrong")
    for n in range(3):
        t = s.command(bytes((0x2A, 0, 0, 0, 0, n, 0, 0, 8, 0)), write=4096, immediate=4096)
        s.reject(2, t.header)
        s.response(t, 2)
        s.read(lba=8 * n)
    s.logout()


@case(first="digest_error", say=["1 of the 20 data digests", "ethtool"], not_say=["computes"])
def one_of_twenty(c):
    """One data digest of twenty is wrong."""
    s = session(c, DATA)
    for n in range(20):
        s.set_digests("target", None, "wrong" if n == 7 else "right")
        s.read(lba=64 * n, blocks=8)
    s.logout()


@case(first="digest_error", say=["right here", "after this capture point", "capture at the target"])
def rejected_although_right_here(c):
    """The target rejects a Write whose digest is right at the tap."""
    s = session(c, DATA)
    for n in range(5):
        s.write(lba=64 * n)
    t = s.command(bytes((0x2A, 0, 0, 0, 9, 0, 0, 0, 8, 0)), write=4096, immediate=4096)
    s.reject(2, t.header)
    s.response(t, 2)
    s.logout()


@case(absent=["digest_error"], ruled_out={"digest_error": "no digest that could be checked was wrong"})
def all_right(c):
    """Digests of both kinds and ends, all right."""
    s = session(c, BOTH)
    for n in range(10):
        s.read(lba=64 * n)
        s.write(lba=64 * n)
    s.logout()


@case(first="digest_error", say=["target 192.0.2.50 computes its header digests wrongly"])
def header_digests_of_the_target(c):
    """Every header digest of the target is wrong; the initiator gives the session up each time."""
    for _ in range(3):
        s = session(c, BOTH)
        s.set_digests("target", "wrong", "right")
        s.read()
        s.tcp.rst("initiator")
        c.wait(seconds(1))


@case(first="digest_error", severity="notice", say=["goes on", "Capture at the other end"], not_say=["computes its"])
def wrong_here_and_taken(c):
    """Every data digest of the target is wrong at this tap, and forty Reads go on: filled in after the tap, or not checked."""
    s = session(c, DATA)
    s.set_digests("target", None, "wrong")
    for n in range(40):
        s.read(lba=64 * n)
    s.logout()
