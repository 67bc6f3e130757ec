# SPDX-License-Identifier: GPL-2.0-or-later
"""Logins refused, each status with its remedy, and logins without an answer."""
from case import case
from iscsi_script import Session
from script import seconds

NO_PORTALS = "portals that do not answer"


def security_stage(s, keys, answer, status=0, transit=False):
    """A request of the security stage and its answer."""
    s.login_request(keys, flags=0x81 if transit else 0)
    s.login_response(answer, flags=0x81 if transit else 0, status=status)


def chap(s, status=0):
    """CHAP up to the answer to CHAP_R."""
    security_stage(s, [("InitiatorName", "iqn.2001-04.com.example:host"), ("SessionType", "Normal"),
                       ("TargetName", "iqn.2001-04.com.example:disk"), ("AuthMethod", "CHAP,None")],
                   [("AuthMethod", "CHAP")])
    security_stage(s, [("CHAP_A", "5")], [("CHAP_A", "5"), ("CHAP_I", "7"), ("CHAP_C", "0x0123456789abcdef")])
    security_stage(s, [("CHAP_N", "user"), ("CHAP_R", "0x" + "ab" * 16)], [], status, transit=True)


def session(c):
    return Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")))


@case(first="login_trouble", severity="problem", say=["out of resources", "CHAP had been accepted", "limit of sessions"],
      not_say=[NO_PORTALS, "Check the CHAP name"])
def out_of_resources_after_chap(c):
    """The target accepts CHAP and refuses the login in the operational stage: 03/02."""
    for _ in range(3):
        s = session(c)
        chap(s)
        s.login_request({"InitiatorName": None, "TargetName": None, "SessionType": None})
        s.login_response(status=0x0302)
        s.tcp.close()
        c.wait(seconds(2))


@case(first="login_trouble", say=["refused CHAP name user", "Check the CHAP name"], not_say=["had been accepted"])
def chap_refused(c):
    """The target refuses CHAP_R: 02/01."""
    s = session(c)
    chap(s, status=0x0201)
    s.tcp.close()


def refused(c, status):
    s = session(c)
    s.login_request()
    s.login_response(status=status)
    s.tcp.close()


@case(first="login_trouble", say=["not allowed to this target", "access list"], not_say=[NO_PORTALS])
def not_allowed(c):
    """02/02."""
    refused(c, 0x0202)


@case(first="login_trouble", say=["too many connections", "MaxConnections"], not_say=[NO_PORTALS, "target name"])
def too_many_connections(c):
    """02/06."""
    refused(c, 0x0206)


@case(first="login_trouble", say=["missing parameter", "InitiatorName"], not_say=[NO_PORTALS])
def missing_parameter(c):
    """02/07."""
    refused(c, 0x0207)


@case(first="login_trouble", say=["session type not supported", "Discover at another portal"], not_say=[NO_PORTALS])
def session_type(c):
    """02/09."""
    refused(c, 0x0209)


@case(first="login_trouble", say=["session does not exist", "TSIH 0"], not_say=[NO_PORTALS])
def session_does_not_exist(c):
    """02/0A."""
    refused(c, 0x020A)


@case(first="login_trouble", say=["invalid request during login"], not_say=[NO_PORTALS])
def invalid_during_login(c):
    """02/0B."""
    refused(c, 0x020B)


@case(first="login_trouble", say=["service unavailable", "enabled on this portal"], not_say=[NO_PORTALS])
def service_unavailable(c):
    """03/01."""
    refused(c, 0x0301)


@case(first="login_trouble", say=["no answer", "later request"])
def silent_in_the_second_stage(c):
    """The target answers the first request of the login and no more; the initiator gives up after 15 s."""
    s = session(c)
    security_stage(s, None, [("AuthMethod", "None")], transit=True)
    s.login_request({"InitiatorName": None, "TargetName": None, "SessionType": None})
    c.wait(seconds(15))
    s.tcp.close()


@case(absent=["login_trouble"], ruled_out={"login_trouble": "1 login accepted, none refused"})
def accepted_with_chap(c):
    """A login with CHAP that is accepted."""
    s = session(c)
    chap(s)
    s.login({"InitiatorName": None, "TargetName": None, "SessionType": None})
    for n in range(5):
        s.read(lba=64 * n)
    s.logout()


@case(first="login_trouble", say=["4 logins were refused, 3 alike", "not allowed", "access list"])
def several_statuses(c):
    """One login ends with 03/01, three with 02/02: the more frequent status is named."""
    for status in (0x0301, 0x0202, 0x0202, 0x0202):
        refused(c, status)
        c.wait(seconds(2))
