# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules on CmdSN, ExpCmdSN, MaxCmdSN, StatSN and ExpStatSN: each broken once, and all of them kept."""
import scsi
from case import rules_case
from rule_dialogues import breaks, finish, session


@rules_case(broken=[], kept=[
    "command_window", "stat_sn_gap", "cmd_sn_order", "cmd_sn_immediate", "exp_stat_sn_ahead", "exp_stat_sn_back",
    "exp_cmd_sn_ahead", "exp_cmd_sn_back", "max_cmd_sn_low", "stat_sn_repeated", "stat_sn_not_next"])
def kept(c):
    """Commands up to the window's end, a ping each way, R2Ts."""
    s = session(c, window=4)
    tasks = [s.command(scsi.test_unit_ready()) for _ in range(3)]
    for t in tasks:
        s.response(t)
    s.nop_out()
    s.nop_in(itt=s.tag)
    s.nop_in(ttt=7)
    s.nop_out(ttt=7)
    s.write(blocks=256)
    finish(s)


@rules_case(broken=["command_window"])
def command_window(c):
    """Six commands at once in a window of four; the target answers all."""
    s = session(c, window=4)
    s.response(s.command(scsi.test_unit_ready()))
    tasks = [s.command(scsi.test_unit_ready()) for _ in range(6)]
    for t in tasks:
        s.response(t)
    s.logout()


@breaks()
def cmd_sn_order(s):
    """A CmdSN left out."""
    s.read()
    s.cmd_sn += 1
    s.response(s.command(scsi.test_unit_ready()))


@breaks()
def cmd_sn_immediate(s):
    """A ping with the CmdSN after the next."""
    s.read()
    s.nop_out(cmd_sn=s.cmd_sn + 1)
    s.nop_in(itt=s.tag)


@breaks()
def exp_stat_sn_ahead(s):
    """A command that acknowledges a status not sent."""
    s.read()
    s.response(s.command(scsi.test_unit_ready(), exp_stat_sn=s.exp_stat_sn + 1))


@breaks()
def exp_stat_sn_back(s):
    """A command whose ExpStatSN is that of the command before the last."""
    s.read()
    s.read()
    s.response(s.command(scsi.test_unit_ready(), exp_stat_sn=s.exp_stat_sn - 2))


@breaks()
def exp_cmd_sn_ahead(s):
    """A status that acknowledges a command not sent."""
    s.read()
    s.response(s.command(scsi.test_unit_ready()), exp_cmd_sn=s.exp_cmd_sn + 2)


@breaks()
def exp_cmd_sn_back(s):
    """A status with the ExpCmdSN of the one before the last."""
    s.read()
    s.read()
    s.response(s.command(scsi.test_unit_ready()), exp_cmd_sn=s.exp_cmd_sn - 2)


@breaks()
def max_cmd_sn_low(s):
    """MaxCmdSN two below ExpCmdSN."""
    s.read()
    s.response(s.command(scsi.test_unit_ready()), max_cmd_sn=s.exp_cmd_sn - 2)


@breaks()
def stat_sn_gap(s):
    """A StatSN left out."""
    s.read()
    s.stat_sn += 1
    s.read()


@breaks()
def stat_sn_repeated(s):
    """The StatSN of the answer before."""
    s.read()
    s.stat_sn -= 1
    s.response(s.command(scsi.test_unit_ready()))


@breaks()
def stat_sn_not_next(s):
    """An R2T with the StatSN 0."""
    s.read()
    t = s.command(scsi.write10(0, 8), write=4096)
    s.r2t(t, 0, 4096, stat_sn=s.stat_sn + 5)
    s.data_out(t, 0, 4096)
    s.response(t)
