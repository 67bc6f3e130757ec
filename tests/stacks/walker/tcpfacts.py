# SPDX-License-Identifier: GPL-2.0-or-later
"""What TCP did in one direction of a connection, as seen at one tap.

In: the packets of the side that sends (`see`), with the Segment that streams.Direction.add made of the payload.
Out: the attributes of Facts, and `summary(direction, work)` as plain data.
Units: integer nanoseconds in the attributes; milliseconds and seconds, as the names say, in the summary; bytes.
"""
from bisect import bisect_left, bisect_right

from figures import quantile
from packets import ACK, FIN, RST, SYN

SILENCE = 150_000_000   # A repeat after more silence than this is called late.


class Segment:
    """One packet with payload. `new` counts the bytes not seen before; `first` is the Segment that it repeats."""
    __slots__ = ('frame', 'time', 'start', 'end', 'ident', 'new', 'late', 'first', 'silence', 'mixed', 'same_packet')

    def __init__(self, packet, start, end):
        self.frame, self.time, self.start, self.end, self.ident = packet.frame, packet.time, start, end, packet.ident
        self.new, self.late, self.first, self.silence, self.mixed, self.same_packet = 0, False, None, 0, False, False

    @property
    def size(self):
        return self.end - self.start


class Facts:
    """The facts of one direction; "own" are the packets of the side that sends it, "other" those of its peer."""

    def __init__(self):
        self.segments = []          # All own packets with payload.
        self.repeats = []           # Those of them that carry at least one byte again.
        self.out_of_order = []      # Frames whose bytes all lie below the top but were not seen before.
        self.syn, self.rst, self.fin = [], None, None    # (frame, time); of RST and FIN the first.
        self.mss = self.wscale = None
        self.sack_permitted = self.timestamps = False
        self.windows = []           # (frame, time, bytes) advertised in own packets, scaled.
        self.zero_spans = []        # [first frame, from, until]: until is the last packet seen if it never opened.
        self.zero_frames = []
        self.duplicate_acks, self.dsacks = [], []        # Frames.
        self.acks = []              # (frame, time, offset): each rise of what own packets acknowledge.
        self.max_in_flight = 0
        self._last_data = None
        self._last_ack = None

    def see(self, packet, segment, own, other):
        """Takes one own packet. `own` and `other` are the two Directions."""
        if packet.flags & SYN:
            self.syn.append((packet.frame, packet.time))
            self.mss, self.wscale = packet.options.get('mss'), packet.options.get('wscale')
            self.sack_permitted = 'sack_permitted' in packet.options
            self.timestamps = 'timestamps' in packet.options
            return
        if packet.flags & RST:
            self.rst = self.rst or (packet.frame, packet.time)
            return
        if packet.flags & FIN:
            self.fin = self.fin or (packet.frame, packet.time)
        window = packet.window
        if self.wscale is not None and other.facts.wscale is not None:
            window <<= self.wscale
        self._see_window(packet, window)
        if packet.flags & ACK and other.base is not None:
            self._see_ack(packet, window, other)
        if segment:
            self._see_data(packet, segment, own)

    def _see_window(self, packet, window):
        self.windows.append((packet.frame, packet.time, window))
        open_span = self.zero_spans[-1] if len(self.windows) > 1 and self.windows[-2][2] == 0 else None
        if open_span:
            open_span[2] = packet.time
        if window == 0:
            self.zero_frames.append(packet.frame)
            if not open_span:
                self.zero_spans.append([packet.frame, packet.time, packet.time])

    def _see_ack(self, packet, window, other):
        offset = other.offset(packet.ack)
        blocks = [(other.offset(low), other.offset(high)) for low, high in packet.options.get('sack', ())]
        if blocks and (blocks[0][1] <= offset or
                       (len(blocks) > 1 and blocks[1][0] <= blocks[0][0] and blocks[0][1] <= blocks[1][1])):
            self.dsacks.append(packet.frame)
        same = self._last_ack and self._last_ack[0] == offset and (self._last_ack[1] == window or blocks)
        if same and not packet.length and not packet.flags & FIN and other.top > offset:
            self.duplicate_acks.append(packet.frame)
        self._last_ack = offset, window
        if other.acked < offset < other.top + (1 << 30):
            other.acked = offset
            self.acks.append((packet.frame, packet.time, offset))

    def _see_data(self, packet, segment, own):
        segment.silence = packet.time - (self._last_data or packet.time)
        self._last_data = packet.time
        self.segments.append(segment)
        if segment.first:
            segment.same_packet = packet.ident not in (None, 0) and packet.ident == segment.first.ident \
                and segment.size == segment.first.size
            self.repeats.append(segment)
        elif segment.late:
            self.out_of_order.append(packet.frame)
        self.max_in_flight = max(self.max_in_flight, own.top - own.acked)


def within(work, time):
    """Whether a time lies in the work window ((from, to) in nanoseconds; None: always)."""
    return work is None or work[0] <= time <= work[1]


def zero_window_ns(facts, work=None):
    """How long the own window was zero, in the work window."""
    low, high = work or (0, 1 << 63)
    return sum(max(0, min(until, high) - max(since, low)) for _, since, until in facts.zero_spans)


def sizes(direction, other, work=None):
    """{payload size: [sent, acknowledged]} of the segments sent in the work window; `other` is the peer's Direction.

    A segment is counted as acknowledged when an ACK after it first covers it and none of its bytes were sent in a
    segment of another size, because that one may have been what arrived.
    """
    frames, offsets = [ack[0] for ack in other.facts.acks], [ack[2] for ack in other.facts.acks]
    found = {}
    for segment in direction.facts.segments:
        if not within(work, segment.time):
            continue
        entry = found.setdefault(segment.size, [0, 0])
        entry[0] += 1
        covered = bisect_left(offsets, segment.end)
        if not segment.mixed and covered < len(offsets) and covered >= bisect_right(frames, segment.frame):
            entry[1] += 1
    return found


def _repeat(segment):
    return {'frame': segment.frame, 'first_frame': segment.first.frame,
            'ms_since_first': round((segment.time - segment.first.time) / 1e6, 3),
            'ms_silence': round(segment.silence / 1e6, 3), 'offset': segment.start, 'length': segment.size,
            'same_ip_id': segment.same_packet}


def summary(direction, other, work=None):
    """The facts of one direction as plain data; `other` is the peer's Direction."""
    facts = direction.facts
    windows = sorted(window for _, _, window in facts.windows)
    late = [segment for segment in facts.repeats if segment.silence > SILENCE]
    all_sizes, work_sizes = sizes(direction, other), sizes(direction, other, work)
    holes = direction.holes()
    return {
        'segments': len(facts.segments), 'bytes': sum(segment.size for segment in facts.segments),
        'mss': facts.mss, 'wscale': facts.wscale, 'sack_permitted': facts.sack_permitted,
        'timestamps': facts.timestamps, 'syn': [[frame, time / 1e9] for frame, time in facts.syn],
        'rst': facts.rst and [facts.rst[0], facts.rst[1] / 1e9], 'fin': facts.fin and [facts.fin[0], facts.fin[1] / 1e9],
        'window': {'min': windows[0], 'p50': quantile(windows, .5), 'max': windows[-1]} if windows else None,
        'zero_window_frames': len(facts.zero_frames), 'zero_window_first_frames': facts.zero_frames[:8],
        'zero_window_s': round(zero_window_ns(facts) / 1e9, 6),
        'zero_window_s_in_work': round(zero_window_ns(facts, work) / 1e9, 6),
        'repeats': len(facts.repeats), 'repeats_in_work': sum(within(work, s.time) for s in facts.repeats),
        'repeats_same_ip_id': sum(segment.same_packet for segment in facts.repeats),
        'repeats_after_150ms': len(late), 'repeats_after_150ms_in_work': sum(within(work, s.time) for s in late),
        'repeat_examples': [_repeat(segment) for segment in (late or facts.repeats)[:8]],
        'out_of_order': len(facts.out_of_order), 'out_of_order_first_frames': facts.out_of_order[:8],
        'duplicate_acks': len(facts.duplicate_acks), 'dsacks': len(facts.dsacks),
        'max_in_flight': facts.max_in_flight,
        'largest_acked': max((size for size, (_, acked) in all_sizes.items() if acked), default=None),
        'sizes_never_acked': sorted(size for size, (_, acked) in all_sizes.items() if not acked),
        'largest_acked_in_work': max((size for size, (_, acked) in work_sizes.items() if acked), default=None),
        'holes': len(holes), 'hole_bytes': sum(end - start for start, end in holes), 'first_holes': holes[:8]}
