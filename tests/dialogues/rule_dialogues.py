# SPDX-License-Identifier: GPL-2.0-or-later
"""What the cases of rules have in common: a session that keeps every rule but one."""
import case
from iscsi_script import Session


def session(c, keys=None, target_keys=None, **how):
    """Logged in; keys: what both ends agree on beside the usual."""
    s = Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")), **how)
    s.login(keys, {**(keys or {}), **(target_keys or {})})
    return s


def finish(s):
    """Further work, to show that the ends went on, and a logout."""
    s.read()
    s.write()
    s.logout()


def breaks(*also, keys=None, logs_out=True):
    """A case named after the rule that its session breaks; also: the other rules that the same PDU breaks."""
    def add(make):
        def run(c):
            s = session(c, keys)
            make(s)
            if logs_out:
                finish(s)
        run.__name__, run.__module__, run.__doc__ = make.__name__, make.__module__, make.__doc__
        case.rules_case(broken=[make.__name__, *also], absent=["protocol_violation"])(run)
        return make
    return add
