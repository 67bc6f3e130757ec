# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules on commands, their tags and their status: each broken once, and all of them kept."""
import scsi
from case import rules_case
from iscsi_script import NO_TAG
from rule_dialogues import breaks, finish, session

SENSE = scsi.sense(6, 0x29, 0)


@rules_case(broken=[], kept=[
    "command_flags", "command_direction", "immediate_without_write", "task_attribute", "tag_in_use", "tag_reserved",
    "unknown_task", "after_status", "residual_bits", "sense_missing", "response_code"])
def kept(c):
    """Commands of each kind, one that fails with sense data, tags used again after their status."""
    s = session(c)
    s.failed(scsi.test_unit_ready(), SENSE)
    for _ in range(3):
        s.response(s.command(scsi.test_unit_ready(), itt=0x77))
    finish(s)


@breaks()
def command_flags(s):
    """A Read with neither W nor F."""
    t = s.command(scsi.read10(0, 8), read=4096, flags=0x41)
    s.data_in(t, 0, 4096)
    s.response(t)


@breaks()
def command_direction(s):
    """A command that expects 4 KiB and has neither R nor W."""
    t = s.command(scsi.test_unit_ready(), edtl=4096)
    s.response(t, residual=4096)


@breaks()
def immediate_without_write(s):
    """Immediate data of a Read."""
    t = s.command(scsi.read10(0, 8), read=4096, immediate=512)
    s.data_in(t, 0, 4096)
    s.response(t)


@breaks()
def task_attribute(s):
    """A command with task attribute 6."""
    s.response(s.command(scsi.test_unit_ready(), flags=0x86))


@breaks()
def tag_in_use(s):
    """A tag used again before the status of its task."""
    s.command(scsi.test_unit_ready(), itt=0x77)
    t = s.command(scsi.test_unit_ready(), itt=0x77)
    s.response(t)


@breaks()
def tag_reserved(s):
    """A command with the tag 0xffffffff."""
    s.response(s.command(scsi.test_unit_ready(), itt=NO_TAG))


@breaks()
def unknown_task(s):
    """A SCSI Response with a tag of no command."""
    t = s.command(scsi.test_unit_ready())
    t.itt, right = 0x123456, t.itt
    s.response(t)
    t.itt = right
    s.response(t)


@breaks()
def after_status(s):
    """A second SCSI Response to the same command."""
    t = s.command(scsi.test_unit_ready())
    s.response(t)
    s.response(t)


@breaks()
def residual_bits(s):
    """Overflow and underflow at once."""
    s.response(s.command(scsi.test_unit_ready()), flags=0x86)


@breaks()
def sense_missing(s):
    """CHECK CONDITION without sense data."""
    s.response(s.command(scsi.test_unit_ready()), scsi.CHECK_CONDITION)


@breaks()
def response_code(s):
    """The reserved response code 0x40."""
    s.response(s.command(scsi.test_unit_ready()), response=0x40)
