# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules on the login and its keys: each broken once, and all of them kept."""
import case
from case import rules_case
from iscsi_script import INITIATOR_KEYS, KEYS, Session
from rule_dialogues import finish

SECURITY = 0x81  # the T bit, from the security stage to the operational stage
NAMES = {"InitiatorName": "iqn.2001-04.com.example:host", "SessionType": "Normal",
         "TargetName": "iqn.2001-04.com.example:disk"}


def broken(*also, finishes=True):
    def add(make):
        def run(c):
            s = Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")))
            make(s)
            if finishes:
                finish(s)
        run.__name__, run.__module__, run.__doc__ = make.__name__, make.__module__, make.__doc__
        case.rules_case(broken=[make.__name__, *also], absent=["protocol_violation"])(run)
        return make
    return add


def two_steps(s, first=None, answer=None, **how):
    """A login by the security stage."""
    s.login_request(list({**NAMES, "AuthMethod": "None", **(first or {})}.items()), flags=SECURITY)
    s.login_response(list({"AuthMethod": "None", "TargetPortalGroupTag": "1", **(answer or {})}.items()),
                     flags=SECURITY, **how)


@rules_case(broken=[], kept=[
    "login_only", "login_turns", "login_constant", "login_echo", "login_stage", "login_transit", "login_version",
    "login_tsih", "login_length", "initiator_name", "target_name", "text_format", "key_repeated", "key_sender",
    "key_phase", "key_value", "key_unanswered", "key_answer", "first_burst_agreed"])
def kept(c):
    """A login by both stages, and one of a second connection."""
    s = Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")))
    two_steps(s, tsih=0)
    s.login_request(list(KEYS.items()))
    s.login_response(list(KEYS.items()))
    finish(s)


@broken()
def login_only(s):
    """A NOP-Out before the login is done."""
    two_steps(s, tsih=0)
    s.nop_out()
    s.login_request(list(KEYS.items()))
    s.login_response(list(KEYS.items()))


@broken()
def login_turns(s):
    """Two Login Requests without an answer between."""
    s.login_request(list({**NAMES, "AuthMethod": "None"}.items()), flags=0)
    s.login_request([], flags=SECURITY)
    s.login_response([("AuthMethod", "None")], flags=0, tsih=0)
    s.login_response([], flags=SECURITY, tsih=0)
    s.login_request(list(KEYS.items()))
    s.login_response(list(KEYS.items()))


@broken()
def login_constant(s):
    """The second request has another CID."""
    two_steps(s, tsih=0)
    s.login_request(list(KEYS.items()), cid=9)
    s.login_response(list(KEYS.items()))


@broken()
def login_echo(s):
    """The answer has another ISID."""
    s.login_request()
    s.login_response(isid=b"\x80\0\0\0\0\x99")


@broken("login_transit", "key_phase")
def login_stage(s):
    """The request stays in its stage, the answer is of another."""
    s.login_request(list({**NAMES, "AuthMethod": "None"}.items()), flags=0)
    s.login_response([("AuthMethod", "None")], flags=0x87)


@broken()
def login_transit(s):
    """The answer goes on although the request did not ask for it."""
    s.login_request(flags=0x07)
    s.login_response(flags=0x87)


@broken()
def login_version(s):
    """Active version 3 where the initiator has 0."""
    s.login_request()
    s.login_response(byte3=3)


@broken()
def login_tsih(s):
    """An accepted login with TSIH 0."""
    s.login_request()
    s.login_response(tsih=0)


@broken()
def login_length(s):
    """10 KiB of text."""
    s.login_request({"X-com.example.note%d" % i: "x" * 200 for i in range(45)})
    s.login_response()


@broken(finishes=False)
def initiator_name(s):
    """A login without InitiatorName."""
    s.login_request({"InitiatorName": None})
    s.login_response(status=0x0207)
    s.tcp.close("target")


@broken(finishes=False)
def target_name(s):
    """A normal session without TargetName."""
    s.login_request({"TargetName": None})
    s.login_response(status=0x0207)
    s.tcp.close("target")


@broken()
def key_repeated(s):
    """ImmediateData twice."""
    s.login_request([*INITIATOR_KEYS.items(), *KEYS.items(), ("ImmediateData", "Yes")])
    s.login_response()


@broken()
def key_sender(s):
    """TargetAlias of the initiator."""
    s.login_request({"TargetAlias": "mine"})
    s.login_response()


@broken()
def key_phase(s):
    """MaxBurstLength in the security stage."""
    two_steps(s, {"MaxBurstLength": "262144"}, {"MaxBurstLength": "262144"}, tsih=0)
    rest = [(k, v) for k, v in KEYS.items() if k != "MaxBurstLength"]
    s.login_request(rest)
    s.login_response(rest)


@broken()
def key_value(s):
    """ErrorRecoveryLevel=7, rejected."""
    s.login_request({"ErrorRecoveryLevel": "7"})
    s.login_response({"ErrorRecoveryLevel": "Reject"})


@broken()
def key_unanswered(s):
    """HeaderDigest is not answered."""
    s.login_request()
    s.login_response({"HeaderDigest": None})


@broken()
def key_answer(s):
    """MaxOutstandingR2T=1 is answered with 8."""
    s.login_request()
    s.login_response({"MaxOutstandingR2T": "8"})


@broken()
def first_burst_agreed(s):
    """FirstBurstLength 128 KiB at MaxBurstLength 64 KiB."""
    s.login_request({"FirstBurstLength": "131072", "MaxBurstLength": "65536"})
    s.login_response({"FirstBurstLength": "131072", "MaxBurstLength": "65536"})
