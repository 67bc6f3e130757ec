# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules on Data-In, R2T and Data-Out: each broken once, and all of them kept."""
import scsi
from case import rules_case
from iscsi_script import NO_TAG, Session
from rule_dialogues import breaks, finish, session

KIB = 1024


@rules_case(broken=[], kept=[
    "first_burst_length", "max_burst_length_out", "max_burst_length_in", "beyond_r2t", "max_recv_to_target",
    "max_recv_to_initiator", "data_sn_order", "data_offset_order", "max_outstanding_r2t", "residual",
    "unsolicited_not_allowed", "immediate_not_allowed", "r2t_of_nothing", "r2t_beyond_command", "r2t_order",
    "r2t_without_write", "r2t_tag", "data_in_without_read", "data_in_beyond_command", "status_without_final",
    "error_in_data_in", "acknowledge_bit", "data_out_without_write", "data_out_beyond_command", "data_out_after_final",
    "data_out_offset", "data_out_tag", "r2t_answered_short"])
def kept(c):
    """A Read in two sequences; a Write with immediate, unsolicited and solicited data up to every limit."""
    s = session(c, {"MaxBurstLength": "131072"})
    t = s.command(scsi.read10(0, 512), read=256 * KIB)
    for at in range(0, 256, 64):
        s.data_in(t, at * KIB, 64 * KIB, final=at in (64, 192))
    s.response(t)
    t = s.command(scsi.read10(0, 8), read=4 * KIB)
    s.data_in(t, 0, 4 * KIB, status=0)
    t = s.command(scsi.write10(0, 512), write=256 * KIB, immediate=32 * KIB, final=False)
    s.data_out(t, 32 * KIB, 32 * KIB, ttt=NO_TAG)
    s.r2t(t, 64 * KIB, 128 * KIB)
    s.data_out(t, 64 * KIB, 64 * KIB, final=False)
    s.data_out(t, 128 * KIB, 64 * KIB)
    s.r2t(t, 192 * KIB, 64 * KIB)
    s.data_out(t, 192 * KIB, 64 * KIB)
    s.response(t)
    finish(s)


@breaks()
def first_burst_length(s):
    """128 KiB of unsolicited data at FirstBurstLength=64 KiB."""
    t = s.command(scsi.write10(0, 256), write=128 * KIB, final=False)
    s.data_out(t, 0, 64 * KIB, final=False, ttt=NO_TAG)
    s.data_out(t, 64 * KIB, 64 * KIB, ttt=NO_TAG)
    s.response(t)


@breaks(keys={"MaxBurstLength": "65536"})
def max_burst_length_out(s):
    """An R2T for 128 KiB at MaxBurstLength=64 KiB."""
    t = s.command(scsi.write10(0, 256), write=128 * KIB)
    s.r2t(t, 0, 128 * KIB)
    s.data_out(t, 0, 64 * KIB, final=False)
    s.data_out(t, 64 * KIB, 64 * KIB)
    s.response(t)


@breaks(keys={"MaxBurstLength": "65536"})
def max_burst_length_in(s):
    """128 KiB of Data-In in one sequence at MaxBurstLength=64 KiB."""
    t = s.command(scsi.read10(0, 256), read=128 * KIB)
    s.data_in(t, 0, 64 * KIB, final=False)
    s.data_in(t, 64 * KIB, 64 * KIB)
    s.response(t)


@breaks("residual")
def beyond_r2t(s):
    """8 KiB of Data-Out for an R2T of 4 KiB."""
    t = s.command(scsi.write10(0, 32), write=16 * KIB)
    s.r2t(t, 0, 4 * KIB)
    s.data_out(t, 0, 8 * KIB)
    s.r2t(t, 4 * KIB, 12 * KIB)
    s.data_out(t, 4 * KIB, 12 * KIB)
    s.response(t)


@breaks(keys={"MaxRecvDataSegmentLength": "8192"})
def max_recv_to_target(s):
    """12 KiB of immediate data for a target that takes 8 KiB."""
    t = s.command(scsi.write10(0, 24), write=12 * KIB, immediate=12 * KIB)
    s.response(t)


@breaks(keys={"MaxRecvDataSegmentLength": "8192"})
def max_recv_to_initiator(s):
    """A Data-In of 12 KiB for an initiator that takes 8 KiB."""
    t = s.command(scsi.read10(0, 24), read=12 * KIB)
    s.data_in(t, 0, 12 * KIB)
    s.response(t)


@breaks()
def data_sn_order(s):
    """The second Data-In has DataSN 2."""
    t = s.command(scsi.read10(0, 16), read=8 * KIB)
    s.data_in(t, 0, 4 * KIB, final=False)
    s.data_in(t, 4 * KIB, 4 * KIB, data_sn=2)
    s.response(t)


@breaks()
def data_offset_order(s):
    """The second half of a Read comes first."""
    t = s.command(scsi.read10(0, 16), read=8 * KIB)
    s.data_in(t, 4 * KIB, 4 * KIB, final=False)
    s.data_in(t, 8 * KIB, 0)
    s.response(t, residual=4 * KIB)


@breaks()
def max_outstanding_r2t(s):
    """Two R2Ts at MaxOutstandingR2T=1."""
    t = s.command(scsi.write10(0, 16), write=8 * KIB)
    s.r2t(t, 0, 4 * KIB)
    s.r2t(t, 4 * KIB, 4 * KIB)
    s.data_out(t, 0, 4 * KIB, ttt=0x500)
    s.data_out(t, 4 * KIB, 4 * KIB, ttt=0x501, data_sn=0)
    s.response(t)


@breaks()
def residual(s):
    """A Read of 8 KiB ends with 4 KiB and without residual."""
    t = s.command(scsi.read10(0, 16), read=8 * KIB)
    s.data_in(t, 0, 4 * KIB)
    s.response(t)


@breaks(keys={"InitialR2T": "Yes"})
def unsolicited_not_allowed(s):
    """Unsolicited Data-Out at InitialR2T=Yes."""
    t = s.command(scsi.write10(0, 8), write=4 * KIB, final=False)
    s.data_out(t, 0, 4 * KIB, ttt=NO_TAG)
    s.response(t)


@rules_case(broken=["immediate_not_allowed"], absent=["protocol_violation"])
def immediate_not_allowed(c):
    """Immediate data at ImmediateData=No."""
    s = session(c, {"ImmediateData": "No"})
    s.write()
    s.read()
    s.logout()


@breaks()
def r2t_beyond_command(s):
    """An R2T for 8 KiB of a Write of 4 KiB."""
    t = s.command(scsi.write10(0, 8), write=4 * KIB)
    s.r2t(t, 0, 8 * KIB)
    s.data_out(t, 0, 4 * KIB, final=False)
    s.response(t)


@breaks()
def r2t_order(s):
    """The R2T for the first half comes after that for the second."""
    t = s.command(scsi.write10(0, 16), write=8 * KIB)
    s.r2t(t, 4 * KIB, 4 * KIB)
    s.data_out(t, 4 * KIB, 4 * KIB)
    s.r2t(t, 0, 4 * KIB)
    s.data_out(t, 0, 4 * KIB)
    s.response(t)


@breaks()
def r2t_without_write(s):
    """An R2T for a Read."""
    t = s.command(scsi.read10(0, 8), read=4 * KIB)
    s.r2t(t, 0, 4 * KIB)
    t.data_sn = 0
    s.data_in(t, 0, 4 * KIB)
    s.response(t)


@breaks()
def r2t_tag(s):
    """An R2T with the tag 0xffffffff."""
    t = s.command(scsi.write10(0, 8), write=4 * KIB)
    s.r2t(t, 0, 4 * KIB, ttt=NO_TAG)
    s.response(t, residual=4 * KIB)


@breaks()
def r2t_of_nothing(s):
    """An R2T for no byte."""
    t = s.command(scsi.write10(0, 8), write=4 * KIB)
    s.r2t(t, 0, 0)
    s.response(t, residual=4 * KIB)


@breaks("residual")
def data_in_without_read(s):
    """Data-In for a Write."""
    t = s.command(scsi.write10(0, 8), write=4 * KIB, immediate=4 * KIB)
    s.data_in(t, 0, 512)
    s.response(t)


@breaks()
def data_in_beyond_command(s):
    """8 KiB of Data-In for a Read of 4 KiB."""
    t = s.command(scsi.read10(0, 8), read=4 * KIB)
    s.data_in(t, 0, 4 * KIB, final=False)
    s.data_in(t, 4 * KIB, 4 * KIB)
    s.response(t, residual=4 * KIB, overflow=True)


@breaks()
def status_without_final(s):
    """Data-In with the S bit and without the F bit."""
    t = s.command(scsi.read10(0, 8), read=4 * KIB)
    s.data_in(t, 0, 4 * KIB, final=False, status=0)


@breaks()
def error_in_data_in(s):
    """CHECK CONDITION in the last Data-In."""
    t = s.command(scsi.read10(0, 8), read=4 * KIB)
    s.data_in(t, 0, 4 * KIB, status=scsi.CHECK_CONDITION)


@breaks()
def acknowledge_bit(s):
    """Data-In with the A bit at ErrorRecoveryLevel=0."""
    t = s.command(scsi.read10(0, 8), read=4 * KIB)
    s.data_in(t, 0, 4 * KIB, flags=0xC0, ttt=7)
    s.response(t)


@breaks("residual")
def data_out_without_write(s):
    """Data-Out for a Read."""
    t = s.command(scsi.read10(0, 8), read=4 * KIB)
    s.data_out(t, 0, 512, ttt=NO_TAG)
    s.data_in(t, 0, 4 * KIB)
    s.response(t)


@breaks("residual")
def data_out_beyond_command(s):
    """8 KiB of unsolicited data for a Write of 4 KiB."""
    t = s.command(scsi.write10(0, 8), write=4 * KIB, final=False)
    s.data_out(t, 0, 8 * KIB, ttt=NO_TAG)
    s.response(t)


@breaks()
def data_out_after_final(s):
    """Unsolicited Data-Out behind a command with the F bit."""
    t = s.command(scsi.write10(0, 16), write=8 * KIB, immediate=4 * KIB)
    s.data_out(t, 4 * KIB, 4 * KIB, ttt=NO_TAG)
    s.response(t)


@breaks()
def data_out_offset(s):
    """The data of an R2T begin with its second half."""
    t = s.command(scsi.write10(0, 16), write=8 * KIB)
    s.r2t(t, 0, 8 * KIB)
    s.data_out(t, 4 * KIB, 4 * KIB, final=False)
    s.data_out(t, 8 * KIB, 0, final=False)
    s.response(t, residual=4 * KIB)


@breaks()
def data_out_tag(s):
    """Data-Out with the tag of no R2T."""
    t = s.command(scsi.write10(0, 8), write=4 * KIB)
    s.r2t(t, 0, 4 * KIB)
    s.data_out(t, 0, 4 * KIB, ttt=0x9999)
    s.response(t)


@breaks()
def r2t_answered_short(s):
    """2 KiB with the F bit for an R2T of 4 KiB."""
    t = s.command(scsi.write10(0, 8), write=4 * KIB)
    s.r2t(t, 0, 4 * KIB)
    s.data_out(t, 0, 2 * KIB)
    s.response(t, residual=2 * KIB)


@rules_case(broken=["allegiance"], absent=["protocol_violation"])
def allegiance(c):
    """The answer to a Read comes on the other connection of the session."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    a = Session(c.connect(host, disk))
    a.login({"MaxConnections": "2"}, {"MaxConnections": "2"})
    b = Session(c.connect(host, disk), tsih=1, cid=2, cmd_sn=1)
    b.login()
    t = a.command(scsi.read10(0, 8), read=4 * KIB)
    b.exp_cmd_sn = a.exp_cmd_sn
    b.data_in(t, 0, 4 * KIB, status=0)
    a.response(a.command(scsi.test_unit_ready()))


@rules_case(broken=[], kept=["allegiance"])
def allegiance_kept(c):
    """Two connections of one session, each with its own tasks."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    a = Session(c.connect(host, disk))
    a.login({"MaxConnections": "2"}, {"MaxConnections": "2"})
    b = Session(c.connect(host, disk), tsih=1, cid=2, cmd_sn=1)
    b.login()
    a.read()
    b.cmd_sn = b.exp_cmd_sn = a.cmd_sn
    b.tag = 0x100
    b.read()
