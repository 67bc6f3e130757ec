# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands aborted, and what the target answers to that."""
import scsi
from case import case
from iscsi_script import Session
from script import seconds

ABORT_TASK, LUN_RESET = 1, 5


def session(c):
    s = Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")))
    s.login()
    for n in range(20):
        s.read(lba=64 * n)
    return s


def timed_out(s, response):
    """A Read without an answer for 30 s, and its ABORT TASK."""
    t = s.command(scsi.read10(4096, 64), read=32768)
    s.wait(seconds(30))
    s.task_management(ABORT_TASK, t)
    s.task_management_response(response)
    return t


@case(first="abort_storm", severity="problem", say=["does not support", "each timeout becomes a reset"])
def abort_task_not_supported(c):
    """ABORT TASK is answered with 5; the host resets the LUN."""
    s = session(c)
    for _ in range(2):
        timed_out(s, 5)
        s.task_management(LUN_RESET)
        s.task_management_response(0)
        s.read()
    s.logout()


@case(first="abort_storm", say=["no such command", "packet loss or a restart"])
def task_does_not_exist(c):
    """The target does not know the command (1): it, or its answer, was lost."""
    s = session(c)
    for _ in range(3):
        timed_out(s, 1)
        s.read()
    s.logout()


@case(first="abort_storm", say=["function rejected", "target's log"])
def rejected(c):
    """The target rejects the function (255)."""
    s = session(c)
    for _ in range(3):
        timed_out(s, 255)
    s.logout()


@case(first="abort_storm", say=["Find what delayed"], not_say=["the target answered"])
def aborted_as_asked(c):
    """The target aborts the commands: what delayed them is the question."""
    s = session(c)
    for _ in range(3):
        timed_out(s, 0)
        s.read()
    s.logout()


@case(absent=["abort_storm"], ruled_out={"abort_storm": "no task was aborted"})
def none(c):
    """Nothing is aborted."""
    session(c).logout()


@case(first="abort_storm", say=["does not support task management", "6 requests"], not_say=[r"\(ABORT TASK\)"])
def nothing_supported(c):
    """ABORT TASK, LUN and target reset are answered with 5; the host logs in anew."""
    s = session(c)
    t = s.command(scsi.read10(4096, 64), read=32768)
    for _ in range(2):
        s.wait(seconds(15))
        for function, task in ((ABORT_TASK, t), (LUN_RESET, None), (6, None)):
            s.task_management(function, task)
            s.task_management_response(5)
    s.tcp.rst("initiator")
