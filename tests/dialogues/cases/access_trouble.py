# SPDX-License-Identifier: GPL-2.0-or-later
"""Path states (ALUA) and LUNs that change hands."""
import scsi
from case import case
from iscsi_script import Session
from script import ms, seconds
from usual import work

TRANSITION, STATE_CHANGED = scsi.sense(2, 4, 0x0A), scsi.sense(6, 0x2A, 6)


def session(c, host="192.0.2.10", portal="192.0.2.50", name="iqn.2001-04.com.example:host", **how):
    s = Session(c.connect(c.host(host), c.host(portal), **how))
    s.login({"InitiatorName": name})
    return s


@case(first="access_trouble", severity="problem", say=["ALUA transition: LUN 0 refused commands for 25.0 s", "in transition",
                                                       "then it answered again"], absent=["command_errors"])
def a_transition_of_25_s(c):
    """25 s of 02/04/0A with a retry every 500 ms, behind a UNIT ATTENTION 2A/06."""
    s = session(c)
    work(s, 40)
    s.failed(scsi.read10(0, 8), STATE_CHANGED, read=4096)
    for _ in range(50):
        s.failed(scsi.read10(0, 8), TRANSITION, read=4096)
        s.wait(ms(499.7))
    work(s, 40)
    s.logout()


@case(first="access_trouble", say=["for 3.\\d+ s", "shows no end"])
def a_transition_that_does_not_end(c):
    """TEST UNIT READY and Reads of LUN 2 end with 02/04/0A in descriptor format until the capture ends."""
    s = session(c, tap=1)
    work(s, 20, lun=2)
    for n in range(10):
        s.failed(scsi.test_unit_ready() if n % 2 else scsi.read10(0, 8), scsi.descriptor_sense(2, 4, 0x0A), lun=2,
                 read=0 if n % 2 else 4096)
        s.wait(ms(400))


@case(first="access_trouble", say=["Two gateways take LUN 0 from each other", "changed hands 8 times", "300 ms"],
      not_say=["lower the (initiators' )?queue depth"])
def two_gateways_take_a_lun_from_each_other(c):
    """Two hosts on two portals write by turns; at each change four BUSY, then a first Write of 300 ms."""
    sessions = [session(c, "192.0.2.10", "192.0.2.50", "iqn.2001-04.com.example:a"),
                session(c, "192.0.2.11", "192.0.2.51", "iqn.2001-04.com.example:b")]
    for turn in range(10):
        s = sessions[turn % 2]
        for _ in range(4):
            task = s.command(scsi.write10(0, 8), write=4096, immediate=4096)
            s.response(task, scsi.BUSY)
            s.wait(ms(5))
        s.write(service=ms(300))
        work(s, 15)


@case(absent=["access_trouble"], ruled_out={"access_trouble": "no reservation conflict and no change"})
def a_busy_target_serves_both_hosts(c):
    """Both hosts write all the time; now and then one gets BUSY."""
    sessions = [session(c, "192.0.2.10", "192.0.2.50", "iqn.2001-04.com.example:a"),
                session(c, "192.0.2.11", "192.0.2.51", "iqn.2001-04.com.example:b")]
    for n in range(20):
        for s in sessions:
            work(s, 4)
        if n % 5 == 0:
            s = sessions[n // 5 % 2]
            s.response(s.command(scsi.write10(0, 8), write=4096, immediate=4096), scsi.BUSY)
            s.wait(ms(1))


@case(absent=["access_trouble"], ruled_out={"access_trouble": "no reservation conflict and no change"})
def a_unit_that_becomes_ready(c):
    """02/04/01 for a second is no path state."""
    s = session(c)
    for _ in range(3):
        s.failed(scsi.test_unit_ready(), scsi.sense(2, 4, 1))
        s.wait(seconds(0.3))
    work(s, 20)
    s.logout()
