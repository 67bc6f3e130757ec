# SPDX-License-Identifier: GPL-2.0-or-later
"""Transfers after a pause: with the congestion window that the sender had, or with a new one."""
from case import case
from dialogue import Dialogue, Path, ms, us

SIZE, PAUSE = 524288, ms(1500)


def runs(c, cwnd, tap=0.0, write=False, stamps=True, pause=PAUSE, count=5, size=SIZE, depth=1):
    """Runs of four transfers each, with a pause between runs, over 20 ms."""
    round_trip = ms(20)
    d = Dialogue(Path(1e9, round(round_trip / 2 * tap) + 1000, round(round_trip / 2 * (1 - tap)) + 1000))
    s = d.session(cwnd=cwnd, stamps=stamps, depth=depth)
    for _ in range(count):
        for _ in range(4):
            if write:
                s.write(size=size, service=us(300), burst=262144, outstanding=4, r2t_service=us(20))
            else:
                s.read(size=size, service=us(300))
        s.think(pause)
    d.run()
    for time, data in d.packets():
        c.add(time, data)


IDLE = {"say": [r"idle", r"net\.ipv4\.tcp_slow_start_after_idle=0", r"flights of 10, "],
        "not_say": [r"raise the send buffer"], "absent": ["small_send_buffer"]}


@case(first="slow_start", severity="problem", **IDLE)
def reads_after_pauses_at_the_initiator(c):
    """Reads of 512 KiB after 1.5 s of silence begin with flights of 10, 20, 40 segments."""
    runs(c, "anew")


@case(first="slow_start", severity="problem", **IDLE)
def reads_after_pauses_at_the_target_without_timestamps(c):
    """The same where the data is sent."""
    runs(c, "anew", tap=1, stamps=False)


@case(first="slow_start", severity="problem", **IDLE)
def reads_after_pauses_in_the_middle_without_timestamps(c):
    """The same half way."""
    runs(c, "anew", tap=0.5, stamps=False)


@case(first="slow_start", severity="problem", say=[r"the initiator .* anew", r"tcp_slow_start_after_idle"],
      absent=["small_send_buffer"])
def writes_after_pauses(c):
    """The initiator's window begins anew; the data is Data-Out."""
    runs(c, "anew", write=True)


@case(first="slow_start", severity="problem", say=[r"idle"], absent=["small_send_buffer"])
def a_window_halved_for_each_timeout(c):
    """As Linux does: after 1.5 s a sixty-fourth of the window, at least ten segments, is left."""
    runs(c, "halved")


@case(first="queue_depth", severity="problem", not_say=["after idleness"], absent=["small_send_buffer"])
def a_window_that_is_kept_over_pauses(c):
    """Only the first Reads of the connection wait for the window to grow."""
    runs(c, "kept", count=40)


@case(absent=["small_send_buffer"], not_say=["after idleness"])
def the_first_reads_of_a_connection(c):
    """Four Reads on a new connection: what its initial window costs is ordinary."""
    runs(c, "kept", count=1)


@case(first="queue_depth", severity="problem", ruled_out={"slow_start": "too little"})
def pauses_shorter_than_a_timeout(c):
    """100 ms of silence take nothing from the window."""
    runs(c, "anew", pause=ms(100), count=60)


@case(any_first=True, ruled_out={"slow_start": "no sender waited flight by flight"})
def a_target_that_pauses_in_its_data(c):
    """After each silence the target's own pauses, nearly a round trip long, divide the data into pieces of one size."""
    d = Dialogue(Path(1e9, 1000, ms(10)))
    s = d.session()
    for _ in range(30):
        s.read(size=131072, service=us(300), pauses=[(n * 16384, ms(17)) for n in range(1, 5)])
        s.think(PAUSE)
    d.run()
    for time, data in d.packets():
        c.add(time, data)
