# SPDX-License-Identifier: GPL-2.0-or-later
"""Hosts with one initiator name and ISID."""
from case import case
from iscsi_script import Session
from script import ms, seconds, us

ADDRESSES = ("192.0.2.10", "192.0.2.11")


def log_in_in_turn(c, times, end, addresses=ADDRESSES, target="192.0.2.50"):
    """Each login makes the target end the connection before it, by `end`; reads in between."""
    disk, before = c.host(target), None
    hosts = [c.host(a) for a in addresses]
    for n in range(times):
        s = Session(c.connect(hosts[n % len(hosts)], disk), tsih=0)
        s.login_request()
        if before and end == "fin_before_answer":
            before.tcp.fin("target")
        s.login_response()
        if before and end == "fin":
            before.tcp.fin("target")
            before.tcp.fin("initiator")
        if before and end == "rst":
            before.tcp.rst("target")
        for k in range(10):
            s.read(lba=64 * k)
            s.wait(ms(1))
        s.wait(seconds(2))
        before = s


@case(first="duplicate_initiator", say=[r"192\.0\.2\.10 and 192\.0\.2\.11", "iqn.2001-04.com.example:host", "5 times"],
      not_say=["spanning tree"], absent=["outage", "target_closed", "connection_reset"])
def fin_after_the_login(c):
    """Two hosts log in in turn; the target sends the other one FIN behind the login answer."""
    log_in_in_turn(c, 6, "fin")


@case(first="duplicate_initiator", say=["192.0.2.11"], absent=["outage", "target_closed"])
def fin_before_the_answer(c):
    """The FIN comes before the login is answered."""
    log_in_in_turn(c, 5, "fin_before_answer")


@case(first="duplicate_initiator", say=["2001:db8::11"], absent=["connection_reset", "target_closed"])
def rst_over_ipv6(c):
    """The target sends RST, over IPv6."""
    log_in_in_turn(c, 4, "rst", ("2001:db8::10", "2001:db8::11"), "2001:db8::50")


@case(first="duplicate_initiator", say=["192.0.2.12"])
def three_hosts(c):
    """Three hosts in turn."""
    log_in_in_turn(c, 7, "fin", ("192.0.2.10", "192.0.2.11", "192.0.2.12"))


@case(first="target_closed", ruled_out={"duplicate_initiator": "changed its address"})
def host_that_changed_its_address(c):
    """One takeover, after which the new address works on."""
    log_in_in_turn(c, 2, "fin")


@case(ruled_out={"duplicate_initiator": "no login took over"})
def one_name_and_two_isids(c):
    """Two paths of one host: one name, two ISIDs."""
    disk = c.host("192.0.2.50")
    sessions = [Session(c.connect(c.host(a), disk), isid=bytes((0x80, 0, 0, 0, 0, n)))
                for n, a in enumerate(ADDRESSES)]
    for s in sessions:
        s.login()
    for k in range(20):
        for s in sessions:
            s.read(lba=64 * k)
            s.wait(us(300))
    for s in sessions:
        s.logout()
