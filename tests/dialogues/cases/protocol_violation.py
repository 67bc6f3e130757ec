# SPDX-License-Identifier: GPL-2.0-or-later
"""Broken rules and what the other end did: protocol_violation, and what is none."""
import scsi
from case import case
from iscsi_script import NO_TAG, Session
from rule_dialogues import session
from script import ms, seconds, us

KIB = 1024


def writes_too_much(s):
    """128 KiB of unsolicited data where 64 KiB are allowed; gives the header of the command back."""
    t = s.command(scsi.write10(0, 256), write=128 * KIB, final=False)
    s.data_out(t, 0, 64 * KIB, final=False, ttt=NO_TAG)
    s.data_out(t, 64 * KIB, 64 * KIB, ttt=NO_TAG)
    return t


@case(first="protocol_violation", severity="problem",
      say=["FirstBurstLength", "131,072 bytes where 65,536 are allowed", "Reject 0x04, protocol error",
           "3 connections were lost"], absent=["connection_reset", "command_errors", "outage"])
def first_burst_rejected(c):
    """The target rejects the Write and closes, three times."""
    for _ in range(3):
        s = session(c)
        s.read()
        t = writes_too_much(s)
        s.reject(4, t.header)
        s.tcp.close("target")
        c.wait(seconds(2))
    session(c).logout()


@case(first="protocol_violation", say=["FirstBurstLength", "closed the connection"], absent=["connection_reset"])
def first_burst_closed_without_reject(c):
    """The target closes without a word; IPv6, the tap at the target, the initiator answers with RST."""
    s = Session(c.connect(c.host("2001:db8::10"), c.host("2001:db8::50"), tap=1, rtt=ms(4)))
    s.login()
    s.read()
    writes_too_much(s)
    s.tcp.fin("target")
    s.tcp.rst("initiator")


@case(first="protocol_violation", say=["command window", r"CmdSN \d+ at MaxCmdSN \d+, the first of \d", "RST", "Update the initiator"],
      absent=["connection_reset", "command_window"])
def command_window_reset(c):
    """The initiator sends forty commands at once in a window of 32; the target resets."""
    s = session(c, window=32)
    s.read()
    for _ in range(40):
        s.command(scsi.test_unit_ready())
    s.tcp.rst("target")


@case(first="protocol_violation", say=["NOP-Out", "ExpStatSN", "Reject 0x04"], absent=["connection_reset"])
def answer_to_a_ping_rejected(c):
    """The answer to the target's ping acknowledges a StatSN that was not used."""
    s = session(c)
    s.read()
    c.wait(seconds(5))
    s.nop_in(ttt=7)
    s.reject(4, s.nop_out(ttt=7, exp_stat_sn=s.exp_stat_sn + 1))
    s.tcp.close("target")
    c.wait(seconds(2))
    session(c).logout()


@case(first="protocol_violation", say=["target.{0,40}broke", "MaxRecvDataSegmentLength|longer than the initiator"],
      absent=["connection_reset"])
def target_sends_too_long_data(c):
    """A Data-In longer than the initiator declared; the initiator resets with the Read open."""
    s = session(c, {"MaxRecvDataSegmentLength": "8192"})
    s.read(blocks=8)
    t = s.command(scsi.read10(0, 64), read=32 * KIB)
    s.data_in(t, 0, 16 * KIB, final=False)
    s.tcp.rst("initiator")


@case(first="protocol_violation", severity="problem", say=["no answer", "given up after"])
def ignored_command_is_aborted(c):
    """A command beyond the window, which the target ignores as it must; aborted after 15 s."""
    s = session(c, window=4)
    s.read()
    tasks = [s.command(scsi.test_unit_ready()) for _ in range(4)]
    beyond = s.command(scsi.read10(0, 8), read=4 * KIB)
    s.exp_cmd_sn -= 1
    for t in tasks:
        s.response(t)
    c.wait(seconds(15))
    s.task_management(1, beyond)
    s.task_management_response(1)


@case(first="protocol_violation", severity="problem", say=["UNEXPECTED UNSOLICITED DATA|ABORTED COMMAND"])
def sense_data_says_so(c):
    """Unsolicited data beyond FirstBurstLength end with 0B/0C/0C."""
    s = session(c)
    s.read()
    s.response(writes_too_much(s), scsi.CHECK_CONDITION, sense=scsi.sense(0x0B, 0x0C, 0x0C))
    s.read()
    s.logout()


@case(absent=["protocol_violation"], ruled_out={"protocol_violation": "rule of RFC 7143 was broken, but no PDU"})
def borne(c):
    """The target takes the data and answers GOOD each time; then the capture's session ends by a logout."""
    s = session(c)
    for _ in range(5):
        s.response(writes_too_much(s))
    s.logout()


@case(absent=["protocol_violation"], any_first=True,
      ruled_out={"protocol_violation": "rule of RFC 7143 was broken, but no PDU"})
def closed_for_another_reason(c):
    """The target bore the violation and closes ten seconds later, with a Read open."""
    s = session(c)
    s.response(writes_too_much(s))
    c.wait(seconds(10))
    s.command(scsi.read10(0, 8), read=4 * KIB)
    s.tcp.rst("target")


@case(absent=["protocol_violation"], any_first=True, ruled_out={"protocol_violation": "none was broken"})
def command_not_supported(c):
    """A Reject with reason 5 states what the target cannot do."""
    s = session(c)
    s.reject(5, s.task_management(5))
    s.wait(us(10))
    s.read()
    s.logout()


@case(absent=["protocol_violation"], any_first=True)
def ping_before_the_capture(c):
    """The target's ping is in no frame: its answer breaks nothing, and the target's close is not because of it."""
    s = session(c)
    s.read()
    s.tcp.skip("target", bytes(48))
    s.nop_out(ttt=7)
    s.tcp.fin("target")
    s.tcp.fin("initiator")
