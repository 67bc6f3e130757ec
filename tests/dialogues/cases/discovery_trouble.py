# SPDX-License-Identifier: GPL-2.0-or-later
"""Discovery of targets: SendTargets answered, or not."""
from case import case
from iscsi_script import NO_TAG, Session
from script import ms, seconds

TARGETS = [("TargetName", "iqn.2001-04.com.example:disk"), ("TargetAddress", "192.0.2.50:3260,1")]


def discovery(c, host="192.0.2.10", target="192.0.2.50", keys=None, target_keys=None, **how):
    s = Session(c.connect(c.host(host), c.host(target), **how))
    s.login({"SessionType": "Discovery", "TargetName": None, **(keys or {})}, target_keys)
    return s


@case(first="discovery_trouble", severity="problem", say=["SendTargets", "no answer", r"20\.0 s", "DataDigest=None"],
      absent=["login_trouble"])
def no_answer(c):
    """The target acknowledges SendTargets and is silent; the initiator gives up after 20 s, twice."""
    for _ in range(2):
        s = discovery(c)
        s.text_request({"SendTargets": "All"})
        c.wait(seconds(20))
        s.tcp.close()
        c.wait(seconds(1))


@case(first="discovery_trouble", say=["no answer", r"30\.0 s"])
def no_answer_until_the_logout(c):
    """Over IPv6, at the target's tap; the initiator asks for a logout after 30 s, which is not answered either."""
    s = discovery(c, "2001:db8::10", "2001:db8::50", tap=1)
    s.text_request({"SendTargets": "All"})
    c.wait(seconds(30))
    s.logout_request()
    c.wait(seconds(5))
    s.tcp.close()


@case(first="discovery_trouble", say=["no answer"])
def no_answer_in_a_capture_that_begins_later(c):
    """The capture begins within the session; its last frame comes 9 s after SendTargets."""
    s = Session(c.connection(c.host("192.0.2.10"), c.host("192.0.2.50")))
    s.nop_out()
    s.nop_in(itt=s.tag)
    s.text_request({"SendTargets": "All"})
    for _ in range(3):
        c.wait(seconds(3))
        s.nop_in(ttt=9)
        s.nop_out(ttt=9)


@case(first="discovery_trouble", say=["only the beginning of an answer"])
def half_an_answer(c):
    """A long list comes in two parts; the second never does."""
    s = discovery(c)
    s.text_request({"SendTargets": "All"})
    s.text_response(TARGETS, flags=0, ttt=5)
    s.text_request({}, ttt=5, itt=s.tag)
    c.wait(seconds(15))
    s.tcp.close()


@case(first="discovery_trouble", say=["names no target", "admit"])
def no_target(c):
    """The answer is empty: the target shows this initiator nothing."""
    s = discovery(c)
    s.text_request({"SendTargets": "All"})
    s.text_response({})
    s.logout()


@case(first="discovery_trouble", say=["reject", "protocol error"])
def rejected(c):
    """SendTargets is answered with a Reject, and the initiator leaves."""
    s = discovery(c)
    s.reject(4, s.text_request({"SendTargets": "All"}))
    c.wait(ms(10))
    s.logout()


@case(first="discovery_trouble", say=["the target closed the connection"])
def closed_by_the_target(c):
    """The target sends FIN in place of an answer."""
    s = discovery(c)
    s.text_request({"SendTargets": "All"})
    c.wait(ms(300))
    s.tcp.close("target")


@case(first="discovery_trouble", say=["before SendTargets was sent"])
def reset_before_the_request(c):
    """The target resets the session as soon as it has begun."""
    s = discovery(c)
    s.tcp.rst("target")


@case(absent=["discovery_trouble"], ruled_out={"discovery_trouble": "2 answers to SendTargets named 2 targets"})
def answered(c):
    """Two discoveries, one of them with digests, each with its answer and its logout."""
    s = discovery(c)
    s.text_request({"SendTargets": "All"})
    s.text_response(TARGETS)
    s.logout()
    keys = {"HeaderDigest": "CRC32C", "DataDigest": "CRC32C"}
    s = discovery(c, keys=keys, target_keys=keys)
    for side in ("initiator", "target"):
        s.set_digests(side, "right", "right")
    s.text_request({"SendTargets": "All"})
    s.text_response(TARGETS, ttt=NO_TAG)
    s.logout()


@case(absent=["discovery_trouble"], ruled_out={"discovery_trouble": "1 answer .* named 1 target"})
def answered_in_two_parts(c):
    """The list comes in two parts; the second request has no text."""
    s = discovery(c)
    s.text_request({"SendTargets": "All"})
    s.text_response(TARGETS[:1], flags=0, ttt=5)
    s.text_request({}, ttt=5, itt=s.tag)
    s.text_response(TARGETS[1:])
    s.logout()


@case(absent=["discovery_trouble"], ruled_out={"discovery_trouble": "what became of it is not known"})
def cut_by_the_end_of_the_capture(c):
    """The capture ends 100 ms after the request."""
    s = discovery(c)
    s.text_request({"SendTargets": "All"})
    c.wait(ms(100))
    s.nop_in(ttt=9)


@case(first="login_trouble", absent=["discovery_trouble"],
      ruled_out={"discovery_trouble": "no discovery session"})
def login_refused(c):
    """The login of a discovery session is refused: that is of login_trouble."""
    s = Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")))
    s.login_request({"SessionType": "Discovery", "TargetName": None})
    s.login_response(status=0x0209)
    s.tcp.close()


@case(absent=["login_trouble"])
def a_second_portal_without_targets(c):
    """One portal names a target, another none: a notice."""
    s = discovery(c)
    s.text_request({"SendTargets": "All"})
    s.text_response(TARGETS)
    s.logout()
    s = discovery(c, target="192.0.2.51")
    s.text_request({"SendTargets": "All"})
    s.text_response({})
    s.logout()


@case(first="discovery_trouble", severity="notice", say=["no answer"])
def answered_at_the_second_try(c):
    """The first SendTargets gets no answer for 15 s, the second one does."""
    s = discovery(c)
    s.text_request({"SendTargets": "All"})
    c.wait(seconds(15))
    s.tcp.close()
    s = discovery(c)
    s.text_request({"SendTargets": "All"})
    s.text_response(TARGETS)
    s.logout()
