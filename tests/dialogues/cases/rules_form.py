# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules on the form of PDUs and on digests: each broken once, and all of them kept."""
import scsi
from case import rules_case
from iscsi_script import NO_TAG, header
from rule_dialogues import breaks, finish, session

CRC = {"HeaderDigest": "CRC32C", "DataDigest": "CRC32C"}


@rules_case(broken=[], kept=["final_bit", "immediate_bit", "additional_header", "no_data_segment", "header_digest",
                             "data_digest"])
def kept(c):
    """A session with digests, and a PDU of each form."""
    s = session(c, CRC)
    for side in ("initiator", "target"):
        s.set_digests(side, "right", "right")
    s.nop_out(data=b"x" * 8)
    s.nop_in(itt=s.tag, data=b"x" * 8)
    s.write(blocks=256)
    finish(s)


@breaks()
def final_bit(s):
    """A NOP-Out without the F bit."""
    s.read()
    s.nop_out(flags=0)
    s.nop_in(itt=s.tag)


@breaks()
def immediate_bit(s):
    """A Data-Out with the I bit."""
    t = s.command(scsi.write10(0, 8), write=4096)
    s.r2t(t, 0, 4096)
    s.data_out(t, 0, 4096, immediate=True)
    s.response(t)


@breaks()
def additional_header(s):
    """A NOP-Out with an additional header segment of 4 bytes."""
    s.read()
    tag = s._new_tag()
    head = header(0x40, flags=0x80, total_ahs=1, itt=tag, ttt=NO_TAG, cmd_sn=s.cmd_sn, exp_stat_sn=s.exp_stat_sn)
    s.tcp.send("initiator", head + bytes(4))
    s.nop_in(itt=tag)


@breaks()
def no_data_segment(s):
    """A task management request with data."""
    s.read()
    s.pdu("initiator", 0x42, b"data", flags=0x85, itt=s._new_tag(), ref_tag=0xFFFFFFFF, cmd_sn=s.cmd_sn,
          exp_stat_sn=s.exp_stat_sn)
    s.task_management_response()


@rules_case(broken=["header_digest"], absent=["protocol_violation"])
def header_digest(c):
    """One header digest of the target is wrong."""
    wrong_digest(c, "wrong", "right")


@rules_case(broken=["data_digest"], absent=["protocol_violation"])
def data_digest(c):
    """One data digest of the target is wrong."""
    wrong_digest(c, "right", "wrong")


def wrong_digest(c, header, data):
    s = session(c, CRC)
    for side in ("initiator", "target"):
        s.set_digests(side, "right", "right")
    s.read()
    t = s.command(scsi.read10(0, 8), read=4096)
    s.set_digests("target", header, data)
    s.data_in(t, 0, 4096)
    s.set_digests("target", "right", "right")
    s.response(t)
    finish(s)
