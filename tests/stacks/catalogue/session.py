# SPDX-License-Identifier: GPL-2.0-or-later
"""Logins that fail, portals that do not answer, connections that break."""

from catalogue import evidence as ev
from catalogue.fault import ALWAYS, KERNEL, LIBISCSI, QEMU, fault, of
from catalogue.plan import NAME, SECRET, KiB, MiB

RUST = tuple(("rust", target) for target in ("lio", "tgtd", "istgt"))
STRONG = {"strengths": ("clean", "strong"), "views": False, **ALWAYS}
AUTHENTICATED = of(KERNEL + QEMU + LIBISCSI + RUST, "lio", "tgtd", "istgt")


def few_reads(plan):
    """Something to do for a session that works."""
    plan.io("randread", 4 * KiB, 1, seconds=0.7)
    plan.d["work"][0]["rust"] = "login_plain_ok"
    plan.d["errors_belong"] = plan.stack[0] == "rust"    # its test logs in, sends NOPs and reads nothing


def failing(plan, tries=(1, 2, 3)):
    """Logins that fail. iscsid tries again by itself, so its own tries are few."""
    plan.d["initiator"]["logins_fail"] = 1 if plan.stack[0] == "open-iscsi" else plan.pick("tries", *tries)
    plan.setting("node.session.initial_login_retry_max", 1)
    plan.setting("node.conn[0].timeo.login_timeout", 4)


def refusals(e, *statuses):
    found = ev.refused(e)
    return len(found) >= 1 and all(status in statuses for status in found), f"login statuses that refuse: {found}"


@fault("wrong_secret", "the initiator's CHAP secret is wrong", ["login_trouble"], AUTHENTICATED, **STRONG)
def wrong_secret(plan):
    plan.way(0.3, 8)
    plan.d["target"]["chap"] = SECRET
    plan.d["initiator"]["chap"] = [SECRET[0], "another-secret-02" if plan.faulty else SECRET[1]]
    few_reads(plan)
    plan.d["work"][0]["rust"] = "login_chap_ok"
    if plan.faulty:
        failing(plan)


@wrong_secret.shows
def _(e, d):
    return refusals(e, "0201", "0200")


@fault("no_credentials", "the target asks for CHAP, the initiator offers none", ["login_trouble"],
       of(QEMU + LIBISCSI + KERNEL, "lio", "tgtd", "istgt"), **STRONG)
def no_credentials(plan):
    plan.way(0.3, 8)
    few_reads(plan)
    if plan.faulty:
        plan.d["target"]["chap"] = SECRET
        failing(plan)


@no_credentials.shows
def _(e, d):
    return refusals(e, "0201", "0200", "0202")


@fault("unknown_target", "the initiator asks for a target name that the portal does not have", ["login_trouble"],
       KERNEL + QEMU + LIBISCSI + RUST, **STRONG)
def unknown_target(plan):
    plan.way(0.3, 8)
    few_reads(plan)
    if plan.faulty:
        plan.d["initiator"]["asks_for"] = NAME + "-gone"
        failing(plan)


@unknown_target.shows
def _(e, d):
    return refusals(e, "0203", "0301", "0200", "0202", "0300")


@fault("closed_portal", "nothing listens at the portal: each SYN is answered by RST", ["portal_unreachable",
       "login_trouble"], of(KERNEL + QEMU + LIBISCSI, "lio"), strengths=("strong",), views=False, **ALWAYS)
def closed_portal(plan):
    plan.way(0.3, 8)
    plan.d["target"]["listens"] = False
    failing(plan)
    plan.setting("node.session.initial_login_retry_max", plan.pick("retries", 2, 4))


@closed_portal.shows
def _(e, d):
    answered = sum(1 for c in ev.connections(e) if c["from_initiator"]["syn"] and c["from_target"]["rst"])
    return answered >= 1 and not e["ini"]["pdus"], f"{answered} SYNs answered by RST"


@fault("silent_portal", "the router drops what goes to the portal: SYNs are never answered", ["portal_unreachable",
       "login_trouble"], of(KERNEL + QEMU + LIBISCSI, "lio"), strengths=("strong",), views=False, **ALWAYS)
def silent_portal(plan):
    plan.way(0.3, 8, plain=True)
    plan.d["network"]["to_target"] = "netem loss 100%"
    failing(plan, (1,))


@silent_portal.shows
def _(e, d):
    syns = sum(len(c["from_initiator"]["syn"]) for c in ev.connections(e))
    return syns >= 2 and not e["tgt"]["connections"], f"{syns} SYNs without an answer"


@fault("reset", "a firewall answers one packet of the target with RST; the initiator logs in again",
       ["connection_reset", "outage"], of(KERNEL, "lio", "tgtd", "istgt"), **STRONG)
def reset(plan):
    plan.way(1, 6, plain=True)
    plan.setting("node.session.timeo.replacement_timeout", 60)
    plan.d["work"] = [{"rw": "randread", "block": 8 * KiB, "depth": 2, "rate": 60, "seconds": 5 if plan.faulty else 2}]
    if plan.faulty:
        plan.event(1.8, "rule", rule="-I FORWARD -s 10.20.1.2 -p tcp --sport 3260 -m length --length 500:1500 "
                                     "-j REJECT --reject-with tcp-reset")
        plan.event(1.9, "clear_rules")


@reset.shows
def _(e, d):
    return ev.resets(e) >= 1, f"{ev.resets(e)} connections ended by RST without a logout"
