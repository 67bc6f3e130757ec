# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing of a connection gets through for seconds, and then it goes on."""
import scsi
from case import case
from script import ms
from usual import session, work


def silence(c, meanwhile, slow=0):
    """A Read that is sent again five times, the last time with success: 6.2 s. meanwhile(time) passes such a time.
    slow: how many Reads of 25 ms come before it."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    s = session(c, host, disk)
    work(s, 40)
    for n in range(slow):
        s.read(lba=64 * n, service=ms(25))
    meanwhile = meanwhile(host, disk)
    task = s.command(scsi.read10(0, 8), read=4096, lost=True)
    for n in range(5):
        meanwhile(ms(200) << n)
        s.tcp.resend("initiator", lost=n < 4)
    s.data_in(task, 0, 4096, status=0)
    work(s, 10)


@case(first="outage", say=[r"6\.20 s"])
def of_the_only_connection(c):
    """The hosts have no other connection."""
    silence(c, lambda host, disk: c.wait)


@case(first="slow_target", severity="problem", say=[r"25\.\d ms"])
def beside_a_costlier_fault(c):
    """The target takes 25 ms for each of 800 Reads: that costs more than three times what the silence does."""
    silence(c, lambda host, disk: c.wait, slow=800)


@case(first="outage", say=[r"6\.20 s"], absent=["retransmission_timeout"])
def while_a_shell_goes_on(c):
    """A shell between the hosts goes on meanwhile: a firewall that forgot, or another link for it."""
    def shell(host, disk):
        s = c.connect(host, disk, port=22)

        def goes_on(time):
            until = c.now + time
            while c.now < until:
                s.send("initiator", b"x" * 36)
                s.send("target", b"x" * 36)
                c.wait(min(ms(20), max(0, until - c.now)))
        return goes_on
    silence(c, shell)


@case(first="retransmission_timeout", absent=["outage"])
def while_other_storage_goes_on(c):
    """Another session between the hosts goes on without a loss: what failed is not the way between them."""
    def other(host, disk):
        s = session(c, host, disk, isid=b"\x80\0\0\0\0\x02")

        def goes_on(time):
            until = c.now + time
            while c.now < until:
                s.read(lba=64)
                c.wait(min(ms(20), max(0, until - c.now)))
        return goes_on
    silence(c, other)
