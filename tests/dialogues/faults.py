# SPDX-License-Identifier: GPL-2.0-or-later
"""Random dialogues in which something goes wrong, or in which what goes wrong is ordinary.

make(seed, number) gives a Scene: a Dialogue of ordinary work, whose truth is that of the ledger, and beside it captures
of other hosts, scripted frame by frame. `first` states the kinds of which one has to be the first finding that is a
notice or a problem: that of the largest loss that is not ordinary, as the design of the findings has it; empty: nothing
may be a problem. Where two things go wrong, `also` states the kinds of the other, of which one has to be shown, and
either may be first. Each fault is a function below; what it draws is its variety.
"""
import random

import pdus
import scsi
import wire
from dialogue import Dialogue, Path, ms, us
from iscsi_script import NO_TAG, Session
from random_dialogues import Habits, spread
from script import Capture, seconds

FAULTS = []  # (kinds, function)


def fault(*kinds, elsewhere=False):
    """elsewhere: on connections of other hosts than those of the main session."""
    def add(function):
        function.elsewhere = elsewhere
        FAULTS.append((kinds, function))
        return function
    return add


class Ordinary(Habits):
    """What ends do on a network and with a target in which nothing is wrong."""

    def __init__(self, draw):
        super().__init__(draw)
        self.size, self.mixed = draw.choice((4096, 8192, 16384, 32768)), False
        self.service = {key: spread(draw, us(150), us(1_500)) for key in self.service}
        self.width = draw.choice((0, 0.2))
        self.r2t_service, self.late = spread(draw, us(5), us(50)), us(5)
        self.pauses, self.losses, self.closes = 0, 0, 0
        self.think, self.think_time = draw.choice((0, 0.1)), spread(draw, us(20), us(5_000))
        self.immediate, self.unsolicited, self.burst, self.outstanding = 65536, 0, 262144, 4


class Scene:
    """draw: the random numbers. The main session's script is in `session`; `count` is what it has to do."""

    def __init__(self, draw):
        self.draw, self.first, self.also, self.what = draw, (), (), ""
        self.captures, self._hosts = [], 0
        self.begins, self.snap = 0, None  # the first instant of the capture; bytes of a packet that it holds
        round_trip = spread(draw, us(60), us(2_000))
        place = draw.choice((0, 1, draw.random()))
        self.dialogue = Dialogue(Path(draw.choice((10e9, 25e9)), *(max(us(1), round(round_trip / 2 * part)) for part in
                                                                 (place, 1 - place, 1 - place, place))))
        self.habits = Ordinary(draw)
        self.options = {"depth": draw.randint(2, 8), "acks": draw.choice(("each", "push")), "stamps": draw.random() < 0.7,
                        "mss": draw.choice((1460, 1460, 8960)), "window": 64,
                        "pdu_size": draw.choice((65536, 262144))}
        self.session = self.dialogue.session(**self.options)

    def work(self, count):
        """Ordinary tasks of the main session."""
        for _ in range(count):
            self.habits.task(self.session)
            if self.draw.random() < self.habits.think:
                self.session.think(self.habits.about(self.habits.think_time))

    def between(self, times, act, apart=(1, 6)):
        """So many acts with ordinary tasks between them."""
        for n in range(times):
            self.work(self.draw.randint(*apart))
            act(n)

    def sense(self, key, asc, ascq):
        form = self.draw.choice((scsi.sense, scsi.descriptor_sense))
        return form(key, asc, ascq)

    def fails(self, kind, sense, lun=None, size=None, service=None):
        """One command that ends so."""
        draw, lun = self.draw, self.habits.luns[0] if lun is None else lun
        what = {"lun": lun, "sense": sense, "service": service or us(draw.randint(20, 200))}
        if kind == pdus.CONTROL:
            self.session.control(**what)
            return
        size = size or draw.choice((4096, 8192, 65536))
        what.update(size=size, lba=8 * draw.randrange(1 << 20))
        if kind == pdus.READ:
            self.session.read(**what)
        else:
            self.session.write(immediate=min(size, 8192), **what)

    # Other hosts, frame by frame.
    def elsewhere(self, tap=None):
        """A capture of other hosts, with (connect(initiator, target), initiator, target)."""
        c = Capture()
        c.wait(round(self.draw.uniform(ms(50), ms(100))))
        self._hosts += 10
        six = self.draw.random() < 0.25
        name = "2001:db8::%d" if six else "198.51.100.%d"
        self.captures.append(c)
        self.names = {"InitiatorName": "iqn.2001-04.com.example:other%d" % self._hosts,
                      "TargetName": "iqn.2001-04.com.example:store%d" % self._hosts}
        self.how = {"rtt": sum((self.dialogue.path.to_tap, self.dialogue.path.to_target)) * 2,
                    "tap": self.draw.choice((0.05, 0.5, 0.95)) if tap is None else tap}
        return c, c.host(name % (self._hosts + 1)), c.host(name % (self._hosts + 5), ttl=self.draw.choice((63, 64, 255)))

    def login(self, c, host, disk, **how):
        s = Session(c.connect(host, disk, **self.how), isid=b"\x80\0\0\0\x01\x01", **how)
        s.login(self.names)
        return s

    def some(self, s, count=None):
        """Ordinary Reads and Writes of a scripted session."""
        for _ in range(count or self.draw.randint(5, 30)):
            lba = 8 * self.draw.randrange(1 << 16)
            (s.read if self.draw.random() < 0.6 else s.write)(lba=lba, blocks=self.draw.choice((8, 16)))
            s.wait(us(self.draw.randint(20, 2_000)))

    def packets(self):
        """What the tap sees, from where the capture begins."""
        every = list(self.dialogue.packets())
        for c in self.captures:
            every += c.frames()
        return sorted((p for p in every if p[0] >= self.begins), key=lambda p: p[0])

    def write(self, name):
        wire.write_pcap(name, self.packets(), self.snap)

    def run(self):
        """Some captures begin in the middle of the main session, and some have cut packets: headers, keys and sense data
        are whole."""
        self.dialogue.run()
        if self.draw.random() < 0.15:
            frames = self.session.frames
            self.begins = min(frames[len(frames) // 8].tap, ms(50))
        if self.draw.random() < 0.15 and self.session.cwnd is None:  # else PDUs begin anywhere in a segment
            self.snap = self.draw.choice((640, 1024))


# --- In the main session: the truth of the ledger holds.

@fault("lun_missing")
def lun_not_mapped(scene):
    lun, sense = 9, scene.sense(5, 0x25, 0)
    kinds = scene.draw.choice(((pdus.READ,), (pdus.READ, pdus.WRITE), (pdus.READ, pdus.CONTROL)))
    scene.between(scene.draw.randint(3, 30), lambda n: scene.fails(kinds[n % len(kinds)], sense, lun))


@fault("space_exhausted")
def pool_full(scene):
    sense = scene.sense(7, 0x27, 7)
    scene.between(scene.draw.randint(3, 30), lambda n: scene.fails(pdus.WRITE, sense))


@fault("config_changes", "command_errors")
def inventory_changes(scene):
    senses = [scene.sense(6, *code) for code in scene.draw.choice((((0x2A, 9),), ((0x3F, 0x0E),), ((0x2A, 9), (0x3F, 0x0E)),
                                                                 ((0x2A, 1), (0x3F, 0x0E)), ((0x3F, 3),)))]
    scene.between(scene.draw.randint(12, 50),
                  lambda n: scene.fails(scene.draw.choice((pdus.READ, pdus.WRITE)), senses[n % len(senses)]))


@fault("access_trouble")
def alua_transition(scene):
    scene.work(20)
    every = ms(scene.draw.choice((200, 500, 1000)))
    for _ in range(max(4, round(seconds(scene.draw.randint(3, 20)) / every))):
        scene.fails(scene.draw.choice((pdus.READ, pdus.WRITE)), scene.sense(2, 4, 0x0A))
        scene.session.think(every)
    scene.work(20)


@fault("command_errors")
def medium_error(scene):
    sense = scene.sense(*scene.draw.choice(((3, 0x11, 0), (4, 0x44, 0), (3, 0x11, 1))))
    scene.between(scene.draw.randint(4, 15), lambda n: scene.fails(pdus.READ, sense))


@fault("short_data")
def reads_that_give_less(scene):
    def less(_):
        size = scene.draw.choice((8192, 65536))
        scene.session.read(lun=scene.habits.luns[0], size=size, gives=size - 512 * scene.draw.randint(1, 8),
                           lba=8 * scene.draw.randrange(1 << 16), service=us(100))
    scene.between(scene.draw.randint(5, 20), less)


@fault("slow_start")
def window_begins_anew(scene):
    draw = scene.draw
    round_trip, place = spread(draw, ms(4), ms(40)), draw.choice((0, 0.5, 1))
    scene.dialogue.path = Path(10e9, *(max(us(1), round(round_trip / 2 * part))
                                       for part in (place, 1 - place, 1 - place, place)))
    scene.dialogue.sessions = []
    scene.session = s = scene.dialogue.session(cwnd=draw.choice(("anew", "halved")), **scene.options)
    size, write = draw.choice((131072, 262144, 524288)), draw.random() < 0.3
    for _ in range(draw.randint(4, 10)):
        for _ in range(draw.randint(1, 3)):
            if write:
                s.write(size=size, immediate=65536, unsolicited=size - 65536, service=us(100))
            else:
                s.read(size=size, service=us(100))
        s.think(round(spread(draw, ms(1500), ms(4000))))


@fault("slow_target")
def slow_lun(scene):
    slow = ms(scene.draw.randint(20, 80))
    kind = scene.draw.choice((pdus.READ, pdus.WRITE))
    def act(_):
        what = {"lun": 5, "size": 8192, "service": scene.habits.about(slow)}
        if kind == pdus.READ:
            scene.session.read(**what)
        else:
            scene.session.write(immediate=8192, **what)
    scene.between(scene.draw.randint(12, 25), act)


@fault("retransmission_timeout", "packet_loss")
def tails_lost(scene):
    def act(_):
        size = scene.draw.choice((8192, 65536))
        scene.session.read(lun=scene.habits.luns[0], size=size, service=us(100),
                           lose=[("data", size - 1, scene.draw.choice(("before", "behind")))])
        scene.session.think(us(100))
    scene.options["depth"] = 1
    scene.session.depth = 1
    scene.between(scene.draw.randint(4, 8), act)


# --- On connections of other hosts.

@fault("target_closed", elsewhere=True)
def target_closes(scene):
    c, host, disk = scene.elsewhere()
    for _ in range(scene.draw.randint(3, 6)):
        s = scene.login(c, host, disk)
        scene.some(s)
        if scene.draw.random() < 0.5:
            s.command(scsi.read10(0, 8), read=4096)
        else:
            s.wait(seconds(scene.draw.randint(1, 20)))
        s.tcp.fin("target")
        if scene.draw.random() < 0.5:
            s.tcp.rst("initiator")
        else:
            s.tcp.fin("initiator")
        c.wait(seconds(scene.draw.randint(1, 3)))
    scene.some(scene.login(c, host, disk))


def without_answer(scene, s, silence):
    s.command(scsi.read10(640, 8), read=4096, lost=True)
    waited, timeout = 0, ms(250)
    while waited + timeout < silence:
        s.wait(timeout)
        s.tcp.resend("initiator", lost=True)
        waited, timeout = waited + timeout, 2 * timeout
    s.wait(silence - waited)


@fault("target_restart", elsewhere=True)
def target_restarts(scene):
    c, host, disk = scene.elsewhere()
    s = scene.login(c, host, disk)
    scene.some(s)
    without_answer(scene, s, seconds(scene.draw.randint(3, 12)))
    s.tcp.rst("target")
    for _ in range(scene.draw.randint(2, 8)):
        c.wait(seconds(scene.draw.choice((1, 3))))
        t = c.connection(host, disk, **scene.how)
        t.syn("initiator")
        t.refuse()
    c.wait(seconds(2))
    s = scene.login(c, host, disk)
    s.failed(scsi.test_unit_ready(), scene.sense(6, 0x29, scene.draw.choice((0, 1, 2, 4))))
    scene.some(s)


@fault("duplicate_initiator", elsewhere=True)
def two_hosts_of_one_name(scene):
    c, host, disk = scene.elsewhere()
    clone = c.host("2001:db8::99" if len(host.address) == 16 else "198.51.100.99")
    old = None
    for n in range(2 * scene.draw.randint(2, 6)):
        s = scene.login(c, (host, clone)[n % 2], disk)
        if old is not None:
            old.tcp.fin("target")
            old.tcp.fin("initiator")
        scene.some(s, scene.draw.randint(3, 10))
        c.wait(ms(scene.draw.randint(500, 3_000)))
        old = s


@fault("failover", elsewhere=True)
def another_path_takes_over(scene):
    c, host, disk = scene.elsewhere()
    six = len(host.address) == 16
    host2, disk2 = (c.host(("2001:db8:1::%d" if six else "203.0.113.%d") % n) for n in (1, 5))
    one = scene.login(c, host, disk)
    two = Session(c.connect(host2, disk2, **scene.how), isid=b"\x80\0\0\0\x01\x02", tsih=2)
    two.login(scene.names)
    for _ in range(scene.draw.randint(3, 8)):
        scene.some(one, 2)
        scene.some(two, 2)
    lba = 8 * scene.draw.randrange(1 << 16)
    one.command(scsi.read10(lba, 8), read=4096, lost=True)
    for timeout in (0.3, 0.6, 1.2, 2.4):
        one.wait(seconds(timeout))
        one.tcp.resend("initiator", lost=True)
    if scene.draw.random() < 0.6:
        one.nop_out(lost=True)
    c.wait(seconds(scene.draw.randint(5, 25)))
    two.read(lba=lba, blocks=8)
    scene.some(two)
    if scene.draw.random() < 0.5:
        one.tcp.rst("initiator")


@fault("protocol_violation", elsewhere=True)
def beyond_first_burst(scene):
    c, host, disk = scene.elsewhere()
    for _ in range(scene.draw.randint(1, 4)):
        s = scene.login(c, host, disk)
        scene.some(s)
        head = s.command(scsi.write10(0, 256), write=131072, immediate=65536, final=False)
        s.data_out(head, 65536, 65536, ttt=NO_TAG)
        s.reject(4, head.header)
        closed(scene, c, s)
    scene.some(scene.login(c, host, disk))


@fault("protocol_violation", elsewhere=True)
def wrong_ping(scene):
    c, host, disk = scene.elsewhere()
    for _ in range(scene.draw.randint(1, 4)):
        s = scene.login(c, host, disk)
        scene.some(s)
        s.nop_in(ttt=7)
        head = s.nop_out(**scene.draw.choice(({"ttt": 7, "exp_stat_sn": s.exp_stat_sn + 50}, {"ttt": 8})))
        s.reject(4, head)
        closed(scene, c, s)
    scene.some(scene.login(c, host, disk))


@fault("protocol_violation", elsewhere=True)
def beyond_the_command_window(scene):
    c, host, disk = scene.elsewhere()
    for _ in range(scene.draw.randint(1, 4)):
        s = scene.login(c, host, disk)
        scene.some(s)
        s.command(scsi.read10(0, 8), read=4096, cmd_sn=s.cmd_sn + s.window + scene.draw.randint(1, 9), lost=False)
        closed(scene, c, s)
    scene.some(scene.login(c, host, disk))


def closed(scene, c, s):
    """The target ends the connection, and the host waits before it comes back."""
    s.tcp.fin("target")
    if scene.draw.random() < 0.5:
        s.tcp.rst("initiator")
    else:
        s.tcp.fin("initiator")
    c.wait(seconds(scene.draw.randint(1, 3)))


@fault("short_data", elsewhere=True)
def data_never_sent(scene):
    c, host, disk = scene.elsewhere()
    s = scene.login(c, host, disk)
    for _ in range(scene.draw.randint(3, 12)):
        scene.some(s, 3)
        t = s.command(scsi.read10(8 * scene.draw.randrange(1 << 16), 64), read=32768)
        gap = scene.draw.choice((8192, 16384))
        s.tcp.can_answer("target")
        s.data_in(t, 0, 8192, final=False)
        s.data_in(t, 8192 + gap, 32768 - 8192 - gap)
        s.response(t)
    scene.some(s, 3)


@fault("discovery_trouble", "login_trouble", elsewhere=True)
def discovery_unanswered(scene):
    c, host, disk = scene.elsewhere()
    for _ in range(scene.draw.randint(1, 3)):
        s = Session(c.connect(host, disk, **scene.how))
        s.login({"SessionType": "Discovery", "InitiatorName": scene.names["InitiatorName"], "TargetName": None})
        s.text_request({"SendTargets": "All"})
        c.wait(seconds(scene.draw.randint(10, 30)))
        s.tcp.fin("initiator")
        s.tcp.fin("target")
        c.wait(seconds(1))


@fault("login_trouble", elsewhere=True)
def login_refused(scene):
    c, host, disk = scene.elsewhere()
    status = scene.draw.choice((0x0201, 0x0202, 0x0203, 0x0206, 0x0300, 0x0301, 0x0302))
    for _ in range(scene.draw.randint(2, 8)):
        s = Session(c.connect(host, disk, **scene.how))
        s.login_request(scene.names)
        s.login_response(status=status)
        s.tcp.fin("target")
        s.tcp.fin("initiator")
        c.wait(seconds(scene.draw.randint(1, 3)))


@fault("address_conflict", elsewhere=True)
def another_machine(scene):
    c, host, disk = scene.elsewhere()
    for _ in range(scene.draw.randint(2, 5)):
        s = scene.login(c, host, disk)
        scene.some(s)
        s.command(scsi.read10(0, 8), read=4096)
        s.tcp.rst("target", mac=bytes((2, 0, 0, 9, 9, 9)), ttl=scene.draw.choice((disk.ttl, 128)), at_once=True)
        c.wait(seconds(scene.draw.randint(1, 3)))
    scene.some(scene.login(c, host, disk))


# --- What is ordinary beside, or instead of, a fault.

def after_login(scene):
    """One UNIT ATTENTION for each of two LUNs, as after each login."""
    for lun in scene.habits.luns[:2]:
        scene.fails(pdus.CONTROL, scene.sense(6, 0x29, 0), lun)


def scan(scene):
    """An INQUIRY that gives less than its buffer holds, and a page that is not there."""
    scene.session.control(lun=0, size=96, gives=64, service=us(50))
    scene.fails(pdus.CONTROL, scene.sense(5, 0x24, 0))


def one_cold_command(scene):
    scene.session.read(lun=scene.habits.luns[0], size=4096, service=ms(8))


def one_change(scene):
    """A LUN was resized once."""
    scene.fails(pdus.READ, scene.sense(6, 0x2A, 9))


def discovery(scene):
    c, host, disk = scene.elsewhere()
    s = Session(c.connect(host, disk, **scene.how))
    s.login({"SessionType": "Discovery", "InitiatorName": scene.names["InitiatorName"], "TargetName": None})
    s.text_request({"SendTargets": "All"})
    s.text_response([("TargetName", scene.names["TargetName"]), ("TargetAddress", "198.51.100.5:3260,1")])
    s.logout()


def second_host(scene):
    """A host of another name works, and logs out."""
    c, host, disk = scene.elsewhere()
    s = Session(c.connect(host, disk, **scene.how), isid=b"\x80\0\0\0\x02\x02")
    s.login(scene.names)
    scene.some(s)
    s.logout()


ORDINARY = (after_login, scan, one_cold_command, one_change, discovery, second_host)


def make(seed, number):
    """The scene of that number; the same one again from the same seed."""
    draw = random.Random("faults/%s/%s" % (seed, number))
    scene = Scene(draw)
    after_login(scene)
    scene.work(draw.randint(20, 40))
    acts = []
    if draw.random() < 0.8:
        scene.first, act = draw.choice(FAULTS)
        acts = [act]
        scene.also, other = draw.choice(FAULTS)
        # Two of one sort may be one story; a second one in the main session would change what the first one is of.
        if draw.random() < 0.15 and other.elsewhere and not act.elsewhere and act is not window_begins_anew:
            acts.append(other)
        else:
            scene.also = ()
    beside = draw.sample(ORDINARY[1:], draw.randint(0, 2))
    for function in beside:
        function(scene)
    for act in acts:
        act(scene)
    if not acts:
        scene.work(draw.randint(20, 60))
    scene.what = " and ".join(a.__name__ for a in acts) or "healthy: " + ", ".join(f.__name__ for f in beside)
    scene.run()
    return scene
