# SPDX-License-Identifier: GPL-2.0-or-later
"""What the network between two taps did, from the packets at both. The two taps must have one clock.

In: the Tap at the initiator and the Tap at the target. Out: `between(ini, tgt)` gives the Way to the target and the Way
to the initiator, each with the packet pairs and `.json()`; `round_trip(ways)` as plain data.
Units: nanoseconds in the objects, milliseconds in the plain data.

A packet has the same key at both taps: addresses, ports, IP ID, sequence and acknowledgement number, flags, length. Where
there is no IP ID (IPv6, or an ID of 0) the timestamps option stands in for it. Where an offload makes other
segments at the two taps, the delay is taken from the stream: the time from the first sending of a byte to its arrival.
"""
from bisect import bisect_right
from collections import Counter, defaultdict

from figures import spread

FIRST = 8
OTHER_SEGMENTS = 0.2    # This share of arrived data packets that nobody sent in that form means an offload.
NEAR = 2_000_000_000    # A damaged packet is looked for among those sent within this time before.


def fields(packet):
    """The fields that name a packet, without the timestamps."""
    return (packet.src, packet.sport, packet.dst, packet.dport, packet.ident, packet.seq, packet.ack, packet.flags,
            packet.length)


def key(packet):
    return fields(packet) + ((packet.options.get('timestamps'),) if packet.ident in (None, 0) else ())


class Way:
    """One direction of the network between the taps.

    `pairs`: (sent packet, arrived packet). `lost`: sent and never arrived, in frames of the sender's file. `twice`:
    (arrived packet, its copy). `overtaken`: pairs that arrived after a packet of the same connection that was sent later.
    `damaged`: (sent packet, arrived damaged packet). `not_captured`: sent before the other file begins or after it ends.
    """

    def __init__(self, sender, receiver, servers, to_target):
        def mine(packet):
            end = (packet.dst, packet.dport) if to_target else (packet.src, packet.sport)
            return packet.kind == 'tcp' and end in servers
        self.sender, self.receiver, self.to_target = sender, receiver, to_target
        self.sent = [packet for packet in sender.packets if mine(packet) and not packet.damaged]
        self.arrived = [packet for packet in receiver.packets if mine(packet) and not packet.damaged]
        self.pairs, self.lost, self.twice, self.overtaken, self.damaged = [], [], [], [], []
        self.not_captured, self.byte_delays, self.how = [], [], 'packets'
        unsent = self._pair()
        data = sum(packet.length > 0 for packet in self.arrived)
        if data and sum(packet.length > 0 for packet in unsent) > OTHER_SEGMENTS * data:
            self.how = 'bytes'
            self._follow_bytes()
        self._sort_lost()
        self._find_overtaken()
        for first, second in self.pairs:
            held = min(len(first.payload), len(second.payload))
            if first.payload[:held] != second.payload[:held]:
                self.damaged.append((first, second))

    def _pair(self):
        """Pairs the packets by key; gives the arrived ones that nobody sent."""
        places, unsent = defaultdict(lambda: ([], [])), []
        for packet in self.sent:
            places[key(packet)][0].append(packet)
        for packet in self.arrived:
            places[key(packet)][1].append(packet)
        for sent, arrived in places.values():
            if not sent:
                unsent += arrived
            elif len(arrived) >= len(sent):
                self.pairs += zip(sent, arrived)
                self.twice += [(arrived[0], copy) for copy in arrived[len(sent):]]
            else:                       # Some were lost: each arrival belongs to the last sending before it.
                free = list(sent)
                for packet in arrived:
                    before = [one for one in free if one.time <= packet.time] or free[:1]
                    self.pairs.append((before[-1], packet))
                    free.remove(before[-1])
                self.lost += free
        self.pairs.sort(key=lambda pair: pair[0].frame)
        return unsent

    def _follow_bytes(self):
        """Delays of bytes that were sent once: from their first sending to their arrival."""
        def streams(tap):
            return {(c.name, c.client.isn, c.server.isn): c.client if self.to_target else c.server
                    for c in tap.connections}
        arrived = streams(self.receiver)
        for name, sent in streams(self.sender).items():
            again = sorted((repeat.start, repeat.end) for repeat in sent.facts.repeats)
            starts = [start for start, _ in again]
            for piece in arrived[name].pieces if name in arrived else ():
                last = piece.end - 1
                at = bisect_right(starts, last)
                if any(end > last for _, end in again[max(0, at - 8):at]):
                    continue
                source = sent.seen_first(last)
                if source:
                    self.byte_delays.append(piece.time - source.time)

    def _sort_lost(self):
        """Takes from the lost packets those that arrived damaged and those that the other file cannot show."""
        missing, self.lost = sorted(self.lost, key=lambda packet: packet.frame), []
        if self.how == 'bytes':
            missing = [packet for packet in missing if not packet.length]
        for bad in self.receiver.damaged:
            near = [packet for packet in missing if 0 <= bad.time - packet.time <= NEAR] if bad.kind == 'tcp' else ()
            best = max(near, key=lambda one: sum(a == b for a, b in zip(fields(one), fields(bad))), default=None)
            if best and sum(a == b for a, b in zip(fields(best), fields(bad))) >= 8:
                self.damaged.append((best, bad))
                missing.remove(best)
        shortest = min(self.delays, default=0)
        seen = self.receiver.packets
        for packet in missing:
            outside = not seen or packet.time + shortest > seen[-1].time or packet.time + shortest < seen[0].time
            (self.not_captured if outside else self.lost).append(packet)

    def _find_overtaken(self):
        latest = {}
        for sent, arrived in self.pairs:
            name = fields(sent)[:4]
            if arrived.frame < latest.get(name, 0):
                self.overtaken.append((sent, arrived))
            latest[name] = max(latest.get(name, 0), arrived.frame)

    @property
    def delays(self):
        return self.byte_delays + [arrived.time - sent.time for sent, arrived in self.pairs]

    def paths(self):
        """The delays by the addresses of sender and receiver."""
        found = defaultdict(list)
        for sent, arrived in self.pairs:
            found[f'{sent.src}>{sent.dst}'].append(arrived.time - sent.time)
        return found

    def json(self):
        """The facts as plain data.

        Where `how` is bytes, `lost` counts only packets without payload; `bytes_sent` less `bytes_arrived` (payload,
        repeats included, damaged packets not) then tells how much data was lost, less what was delivered twice.
        """
        return {
            'how': self.how, 'packets': len(self.sent), 'bytes_sent': sum(packet.length for packet in self.sent),
            'bytes_arrived': sum(packet.length for packet in self.arrived), 'one_way': spread(self.delays),
            'one_way_by_path': {path: spread(delays) for path, delays in self.paths().items()},
            'lost': len(self.lost), 'lost_sender_frames': [packet.frame for packet in self.lost[:FIRST]],
            'lost_sizes': {str(size): n for size, n in Counter(p.length for p in self.lost).most_common(FIRST)},
            'not_captured': len(self.not_captured),
            'delivered_twice': len(self.twice),
            'delivered_twice_receiver_frames': [[one.frame, copy.frame] for one, copy in self.twice[:FIRST]],
            'overtaken': len(self.overtaken),
            'overtaken_frames': [[sent.frame, arrived.frame] for sent, arrived in self.overtaken[:FIRST]],
            'damaged': len(self.damaged),
            'damaged_frames': [[sent.frame, arrived.frame] for sent, arrived in self.damaged[:FIRST]]}


def between(ini, tgt):
    """(Way to the target, Way to the initiator)"""
    servers = {(c.server.address, c.server.port) for tap in (ini, tgt) for c in tap.connections}
    return Way(ini, tgt, servers, True), Way(tgt, ini, servers, False)


def round_trip(ways):
    """The sums of the two one-way medians and of the two minima, in ms; None where a direction has no packet."""
    one, other = (spread(way.delays) for way in ways)
    if not one['n'] or not other['n']:
        return {'of_medians_ms': None, 'of_minima_ms': None}
    return {'of_medians_ms': round(one['p50_ms'] + other['p50_ms'], 6),
            'of_minima_ms': round(one['min_ms'] + other['min_ms'], 6)}
