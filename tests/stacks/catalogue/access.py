# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may log in and where to, which path is in use, who may write: CHAP with wrong names, secrets and algorithms,
redirected logins, target port groups that change their state (ALUA), COMPARE AND WRITE that finds other data."""

from catalogue import evidence as ev
from catalogue.fault import ALWAYS, KERNEL, LIBISCSI, fault, of
from catalogue.plan import SECRET, KiB
from catalogue.session import failing, few_reads, refusals

STRONG = {"strengths": ("clean", "strong"), "views": False, **ALWAYS}
OF_TARGET = ["stacks-target", "stacks-secret-02"]    # the name and secret by which the target answers
INFO = {"severity": {"mild": "info", "strong": "info"}, "also": {"mild": ["notice"], "strong": ["notice"]}}
NOTICE = {"severity": {"mild": "notice", "strong": "notice"}, "also": {"mild": ["info"], "strong": ["problem"]}}


@fault("wrong_chap_name", "the initiator's CHAP name is one that the target does not have", ["login_trouble"],
       of(KERNEL + LIBISCSI, "lio", "tgtd", "istgt"), **STRONG)
def wrong_chap_name(plan):
    plan.way(0.3, 8)
    plan.d["target"]["chap"] = SECRET
    plan.d["initiator"]["chap"] = ["nobody-here" if plan.faulty else SECRET[0], SECRET[1]]
    few_reads(plan)
    if plan.faulty:
        failing(plan)


@wrong_chap_name.shows
def _(e, d):
    return refusals(e, "0201", "0200")


@fault("wrong_target_secret", "CHAP both ways, and the target answers with another secret than the initiator has for it",
       ["login_trouble"], of(KERNEL, "lio"), **STRONG)
def wrong_target_secret(plan):
    plan.way(0.3, 8)
    plan.d["target"] |= {"chap": SECRET, "chap_of_target": OF_TARGET}
    plan.d["initiator"] |= {"chap": SECRET,
                            "chap_of_target": [OF_TARGET[0], "another-secret-03" if plan.faulty else OF_TARGET[1]]}
    few_reads(plan)
    if plan.faulty:
        failing(plan)


@wrong_target_secret.shows
def _(e, d):
    ended = [c for c in ev.connections(e) if c["login_final"] != "0000" or not c["commands"]]
    return bool(ended) and not ev.refused(e), f"{len(ended)} connections ended in the login, none refused by the target"


@fault("no_common_algorithm", "the initiator offers CHAP with SHA-256 alone, the target knows MD5", ["login_trouble"],
       of(KERNEL, "istgt"), **STRONG)
def no_common_algorithm(plan):
    plan.way(0.3, 8)
    plan.d["target"]["chap"] = SECRET
    plan.d["initiator"]["chap"] = SECRET
    few_reads(plan)
    if plan.faulty:
        plan.setting("node.session.auth.chap_algs", "SHA256")
        failing(plan)


@no_common_algorithm.shows
def _(e, d):
    ended = [c for c in ev.connections(e) if not c["commands"]]
    return bool(ended), f"{len(ended)} connections without a command, login statuses that refuse: {ev.refused(e)}"


@fault("redirect", "the portal sends the login to another portal of the same target", ["target_moved"],
       of(KERNEL + LIBISCSI, "tgtd"), strengths=("clean", "strong"), views=False, **INFO)
def redirect(plan):
    plan.way(0.3, 8, plain=True)
    plan.d["target"]["paths"] = plan.d["paths"] = 2
    plan.d["network"] |= {"to_target2": plan.queue(0), "to_initiator2": plan.queue(1)}
    if plan.faulty:
        plan.d["target"]["redirect"] = [2, plan.pick("reason", "Temporary", "Permanent")]
    few_reads(plan)


@redirect.shows
def _(e, d):
    found = ev.refused(e)
    return any(status.startswith("01") for status in found), f"login statuses other than success: {found}"


@fault("redirect_loop", "the portal sends the login to itself", ["target_moved"], of(LIBISCSI, "tgtd"),
       strengths=("clean", "strong"), views=False, allowed=["login_trouble"], **ALWAYS)
def redirect_loop(plan):
    plan.way(0.3, 8, plain=True)
    few_reads(plan)
    if plan.faulty:
        plan.d["target"]["redirect"] = [1, "Temporary"]


@redirect_loop.shows
def _(e, d):
    found = ev.refused(e)
    return len(found) > 1, f"login statuses other than success: {found}"


@fault("dead_portal", "the first of two portals never answers; the host gives it up and uses the second",
       ["portal_unreachable"], of(KERNEL, "lio"), strengths=("clean", "strong"), views=False, **ALWAYS)
def dead_portal(plan):
    plan.way(0.3, 8, plain=True)
    plan.d["network"] |= {"to_target2": plan.queue(0), "to_initiator2": plan.queue(1)}
    plan.d["target"]["paths"] = plan.d["paths"] = 2
    plan.d["initiator"]["sessions"] = [{"path": 1, "dead": plan.faulty}, {"path": 2}]
    if plan.faulty:
        plan.d["network"]["to_target"] = "netem loss 100%"
        plan.setting("node.session.initial_login_retry_max", 1)
        plan.setting("node.conn[0].timeo.login_timeout", 7)
    plan.io("randread", 4 * KiB, 1, seconds=0.7, session=1)


@dead_portal.shows
def _(e, d):
    syns = [len(c["from_initiator"]["syn"]) for c in ev.connections(e) if not c["commands"]]
    return sum(syns) >= 2, f"{sum(syns)} SYNs without an answer"


@fault("path_states", "two paths in turns; the port group of the first goes to standby for two seconds (ALUA)",
       ["access_trouble"], of(KERNEL, "lio"), strengths=("clean", "strong"), views=False,
       allowed=["command_errors", "path_imbalance"], **ALWAYS | {"also": {"mild": [], "strong": ["notice"]}})
def path_states(plan):
    plan.way(0.5, 3, plain=True)
    plan.d["target"]["paths"] = plan.d["paths"] = plan.d["target"]["groups"] = 2
    plan.d["network"] |= {"to_target2": plan.queue(0), "to_initiator2": plan.queue(1)}
    plan.d["initiator"]["sessions"] = [{"path": 1}, {"path": 2}]
    plan.d["multipath"] = {"run_length": 1}
    plan.d["work"] = [{"rw": "randread", "block": 8 * KiB, "depth": 4, "rate": plan.pick("rate", 60, 90), "seconds": 5}]
    plan.event(0.5, "command", words="sg_rtpg {disk0-0}")
    if plan.faulty:
        plan.event(1.5, "port_group", group=1, state="standby")
        plan.event(1.9, "command", words="sg_rtpg {disk1-0}")
        plan.event(3.5, "port_group", group=1, state="active")
        plan.event(3.7, "command", words="sg_rtpg {disk1-0}")
        plan.event(3.8, "command", words="dmsetup message --noudevsync paths 0 reinstate_path {disk0-0}")


@path_states.shows
def _(e, d):
    states = sum(n for c in ev.connections(e) for sense, n in c["senses_in_work"].items()
                 if sense.startswith(("2/4/", "6/2a/6", "6/2a/06")))
    return states >= 1, f"{states} commands with sense data of a port group's state"


@fault("compare_and_write", "COMPARE AND WRITE (a host's lock on a block) finds other data than its host expects",
       ["access_trouble"], of(KERNEL, "lio"), strengths=("clean", "strong"), views=False, **NOTICE)
def compare_and_write(plan):
    plan.way(0.5, 5, plain=True)
    plan.io("randread", 4 * KiB, 1, seconds=1.5)
    plan.d["initiator"]["sessions"] = [{}, {"initiator_name": "iqn.2026-11.lab.stacks:other"}]
    blocks = "/dev/zero"    # 512 bytes to compare, 512 to write
    for i in range(12):
        plan.event(0.4 + 0.1 * i, "command",
                   words=f"sg_compare_and_write --in={blocks} --lba={64 + i} --xferlen=1024 {{disk{i % 2}-0}}")
    if plan.faulty:
        plan.d["before_work"] = ["dd if=/dev/urandom of={disk0-0} bs=512 seek=64 count=12 oflag=direct"]


@compare_and_write.shows
def _(e, d):
    count = sum(n for c in ev.connections(e) for sense, n in c["senses_in_work"].items() if sense.startswith("14/"))
    count += sum(n for c in ev.connections(e) for sense, n in c["senses_in_work"].items() if sense.startswith("e/"))
    return count >= 5, f"{count} miscompares"
