# SPDX-License-Identifier: GPL-2.0-or-later
"""Congestion controls that the kernel of virtual time has (virtual/kernel.config)."""

CONTROLS = ("cubic", "reno", "bbr", "dctcp", "westwood", "vegas")
KEY, ALLOWED = "net.ipv4.tcp_congestion_control", "net.ipv4.tcp_allowed_congestion_control"


def settings(control):
    """{host: sysctls} that give both hosts a control."""
    return {"initiator": {ALLOWED: " ".join(CONTROLS), KEY: control}, "target": {KEY: control}}


def draw_control(plan, random):
    """Gives half of the plans that choose none another control than Linux's own."""
    control = random.choice(CONTROLS[1:]) if random.random() < 0.5 else CONTROLS[0]
    if any(KEY in values for values in plan["sysctl"].values()):
        return
    for host, values in settings(control).items():
        plan["sysctl"][host] = {**plan["sysctl"][host], **values}
    plan["drawn"]["control"] = control
