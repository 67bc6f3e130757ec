# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules on pings, task management, text, logout, SNACK, Reject and Async Message: each broken once, and all of them
kept."""
import scsi
from case import rules_case
from iscsi_script import NO_TAG
from rule_dialogues import breaks, finish, session

ABORT_TASK, LUN_RESET = 1, 5


@rules_case(broken=[], kept=[
    "nop_out_immediate", "nop_out_answer", "nop_in_answer", "nop_in_tags", "ping_data", "management_function",
    "management_tag", "management_ref_cmd_sn", "management_answer", "management_response", "text_answer", "logout_codes",
    "logout_answer", "request_after_logout", "reject_reason", "reject_header", "async_event", "text_format",
    "continue_bit"])
def kept(c):
    """A ping each way, one with data; an abort; a text; an event; a Reject; a logout."""
    s = session(c)
    s.nop_out(data=b"x" * 100)
    s.nop_in(itt=s.tag, data=b"x" * 100)
    s.nop_in(ttt=7)
    s.nop_out(ttt=7)
    t = s.command(scsi.read10(0, 8), read=4096)
    s.task_management(ABORT_TASK, t)
    s.task_management_response()
    s.text_request({"MaxRecvDataSegmentLength": "65536"})
    s.text_response({"MaxRecvDataSegmentLength": "65536"})
    s.async_message(0, scsi.sense(6, 0x3F, 0x0E))
    s.reject(5, s.nop_out())
    finish(s)


@rules_case(broken=[], kept=["snack_level"])
def snack_kept(c):
    """A SNACK of ErrorRecoveryLevel 1: the target sends a status again."""
    s = session(c, {"ErrorRecoveryLevel": "1"})
    s.read()
    s.pdu("initiator", 0x10, flags=0x81, itt=NO_TAG, ttt=NO_TAG, exp_stat_sn=s.exp_stat_sn, word40=s.stat_sn, word44=1)
    s.logout()


@breaks()
def nop_out_immediate(s):
    """A NOP-Out that wants no answer and is not immediate."""
    s.pdu("initiator", 0x00, flags=0x80, itt=NO_TAG, ttt=NO_TAG, cmd_sn=s.cmd_sn, exp_stat_sn=s.exp_stat_sn)
    s.cmd_sn += 1
    s.exp_cmd_sn += 1


@breaks()
def nop_out_answer(s):
    """An answer to a ping that the target did not send."""
    s.read()
    s.nop_out(ttt=0x4444)


@breaks()
def nop_in_answer(s):
    """An answer to a ping that the initiator did not send."""
    s.read()
    s.nop_in(itt=0x4444)


@breaks()
def nop_in_tags(s):
    """The answer to a ping asks for an answer itself."""
    s.nop_out()
    s.nop_in(itt=s.tag, ttt=9)
    s.nop_out(ttt=9)


@breaks()
def ping_data(s):
    """100 bytes of ping data, of which 50 come back."""
    s.nop_out(data=b"x" * 100)
    s.nop_in(itt=s.tag, data=b"x" * 50)


@breaks()
def management_function(s):
    """Function 60."""
    s.read()
    s.task_management(60)
    s.task_management_response(5)


@breaks()
def management_tag(s):
    """ABORT TASK without a tag."""
    s.task_management(ABORT_TASK)
    s.task_management_response(1)


@breaks()
def management_ref_cmd_sn(s):
    """ABORT TASK with another RefCmdSN than its task's CmdSN."""
    t = s.command(scsi.read10(0, 8), read=4096)
    s.task_management(ABORT_TASK, t, ref_cmd_sn=t.cmd_sn + 3)
    s.task_management_response()


@breaks()
def management_answer(s):
    """A response to no request."""
    s.read()
    s.task_management_response(itt=0x4444)


@breaks()
def management_response(s):
    """Response 60."""
    s.task_management(LUN_RESET)
    s.task_management_response(60)


@breaks()
def text_answer(s):
    """A Text Response to no request."""
    s.read()
    s.text_response({"MaxRecvDataSegmentLength": "65536"}, itt=0x4444)


@breaks(logs_out=False)
def logout_codes(s):
    """Response 60 to a logout."""
    s.read()
    s.logout_request()
    s.logout_response(60)
    s.tcp.close()


@breaks()
def logout_answer(s):
    """A Logout Response to no request."""
    s.read()
    s.logout_tag = 0x4444
    s.logout_response(2)


@breaks(logs_out=False)
def request_after_logout(s):
    """A command after the Logout Request."""
    s.read()
    s.logout_request()
    t = s.command(scsi.test_unit_ready())
    s.response(t)
    s.logout_tag = t.itt - 1
    s.logout_response()
    s.tcp.close()


@breaks()
def snack_level(s):
    """A SNACK at ErrorRecoveryLevel 0."""
    s.read()
    s.pdu("initiator", 0x10, flags=0x81, itt=NO_TAG, ttt=NO_TAG, exp_stat_sn=s.exp_stat_sn, word40=s.stat_sn, word44=1)


@breaks()
def reject_reason(s):
    """A Reject with reason 60."""
    s.reject(60, s.nop_out())


@breaks()
def reject_header(s):
    """A Reject with 16 bytes of the rejected PDU."""
    s.reject(5, s.nop_out()[:16])


@breaks()
def async_event(s):
    """Event 60."""
    s.read()
    s.async_message(60)


@breaks()
def text_format(s):
    """A Text Request without an equals sign."""
    s.pdu("initiator", 0x04, b"Nonsense\0", flags=0x80, itt=s._new_tag(), ttt=NO_TAG, cmd_sn=s.cmd_sn,
          exp_stat_sn=s.exp_stat_sn)
    s.cmd_sn += 1
    s.exp_cmd_sn += 1
    s.text_response({})


@breaks()
def continue_bit(s):
    """A Text Request with C and F."""
    s.text_request({"MaxRecvDataSegmentLength": "65536"}, flags=0xC0)
    s.text_response({"MaxRecvDataSegmentLength": "65536"})
