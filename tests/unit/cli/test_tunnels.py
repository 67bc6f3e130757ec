#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture wrapped in each encapsulation that the decoder knows has the same cycles, to the nanosecond, as without.
What is around packets, what a mirror dropped and what cannot be read are named."""
import os
import struct
import subprocess
import sys
import unittest

from program import Base, REAL, SOURCE, ethernet_tcp, pcap, report, run

sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
from wrappings import WRAPPINGS, ethernet, frames, ipv4, ipv6, udp, wrapped, wrapped_frames, written  # noqa: E402

COMPARED = "cycles", "bursts", "gaps", "connections"


class Tunnels(Base):
    def captures(self):
        yield "k_ipv6", os.path.join(REAL, "zoo", "k_ipv6_port13260_read.ini.pcap.zst")
        yield "write", os.path.join(REAL, "zoo", "z01_clean_write.ini.pcap.zst")
        yield "loss", os.path.join(REAL, "zoo", "z07_rto_tail_loss.tgt.pcap.zst")

    def contents(self):
        """Name and content of each capture; ends the test where there are none."""
        there = [(name, path) for name, path in self.captures() if os.path.exists(path)]
        if not there:
            self.skipTest(f"no captures in {REAL}")
        for name, path in there:
            yield name, subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout

    def rows(self, name, content):
        path = self.file(name, content)
        return {command: run(command, path, "--quiet")[1] for command in COMPARED}

    def test_cycles_are_the_same_in_every_wrapping(self):
        compared = 0
        for name, content in self.contents():
            wanted = self.rows(f"{name}.pcap", content)
            self.assertGreater(len(wanted["cycles"].splitlines()), 40)
            for wrapping, wrap in WRAPPINGS.items():
                with self.subTest(capture=name, wrapping=wrapping):
                    self.assertEqual(self.rows("wrapped.pcap", wrapped(content, wrap)), wanted)
                    compared += 1
        print(f"FIGURE: {compared} captures in tunnels have the cycles, bursts, gaps and connections of those without")

    def test_cut_captures_are_the_same_in_every_wrapping(self):
        """Cut so that the same bytes of each inner frame are left: behind 128 bytes, and inside the TCP header."""
        compared = 0
        for name, content in self.contents():
            head, found = frames(content)
            for snap in (128, 40):
                cut = [(s, f, frame[:snap], len(frame)) for s, f, frame in found]
                wanted = self.rows(f"{name}.pcap", written(head, cut))
                if snap == 128:
                    self.assertGreater(len(wanted["cycles"].splitlines()), 20)
                for wrapping, wrap in WRAPPINGS.items():
                    records = []
                    for (s, f, frame), (_, _, other) in zip(found, wrapped_frames(found, wrap)):
                        records.append((s, f, other[:len(other) - max(0, len(frame) - snap)], len(other)))
                    with self.subTest(capture=name, wrapping=wrapping, snap=snap):
                        self.assertEqual(self.rows("wrapped.pcap", written(head, records)), wanted)
                        compared += 1
        print(f"FIGURE: {compared} cut captures in tunnels have the rows of those without")


# How each wrapping is shown.
SHOWN = {"gre": "GRE", "gre with a key, of frames": "GRE", "gre, all fields": "GRE", "erspan 1": "ERSPAN I",
         "erspan 2": "ERSPAN II session 5", "erspan 3": "ERSPAN III session 5",
         "erspan 3, subheader, of a VLAN in a VLAN": "ERSPAN III session 5 > VLAN 5 > VLAN 6", "ip in ip": "IP in IP",
         "ip in ipv6": "4in6", "vxlan": "VXLAN 42", "geneve": "Geneve 42", "mpls": "MPLS",
         "mpls pseudowire": "MPLS pseudowire", "mpls pseudowire without control word": "MPLS pseudowire",
         "pppoe": "PPPoE", "pppoe in a vlan, in vxlan": "VXLAN 42 > VLAN 7 > PPPoE", "ah": "IP in IP"}


def said(path, *more):
    """The text report, its lines joined."""
    code, out, err = run("report", path, *more)
    assert code == 0, err
    return " ".join(out.split())


def finding(found, kind):
    return next((f for f in found["findings"] if f["kind"] == kind), None)


class Named(Base):
    """What the report says of encapsulations, mirrors and traffic that it cannot read."""

    def capture(self, part="z01_clean_write.ini"):
        path = os.path.join(REAL, "zoo", part + ".pcap.zst")
        if not os.path.exists(path):
            self.skipTest(f"no captures in {REAL}")
        return frames(subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout)

    def test_encapsulation(self):
        head, found = self.capture()
        found = found[:300]
        plain = self.file("plain.pcap", written(head, found))
        self.assertEqual(report(plain)["capture"]["encapsulations"], [])
        self.assertNotIn("Encapsulation", said(plain))
        self.assertEqual(SHOWN.keys(), WRAPPINGS.keys())
        for wrapping, wrap in WRAPPINGS.items():
            with self.subTest(wrapping=wrapping):
                path = self.file("wrapped.pcap", written(head, wrapped_frames(found, wrap)))
                capture = report(path)["capture"]
                ip = sum(frame[12:14] in (b"\x08\x00", b"\x86\xdd") for _, _, frame in found)
                self.assertEqual(capture["encapsulations"], [{"encapsulation": SHOWN[wrapping], "packets": ip}])
                self.assertIn(f"Encapsulation {SHOWN[wrapping]} ({ip} packets)", said(path))
                numbered = "erspan" in wrapping and wrapping != "erspan 1"
                self.assertEqual(capture["dropped_by_mirror"], 0 if numbered else None)

    def test_rows_of_csv(self):
        head, found = self.capture()
        path = self.file("wrapped.pcap", written(head, wrapped_frames(found[:300], WRAPPINGS["erspan 2"])))
        folder = os.path.join(self.folder, "tables")
        self.assertEqual(run("report", path, "--format", "csv", "-o", folder)[0], 0)
        self.assertIn("ERSPAN II session 5,300", self.table(folder, "encapsulations"))
        self.assertEqual(self.table(folder, "mirror_sessions"),
                         ["mirror,mirror_session,packets,dropped_by_mirror", "10.255.0.1,5,300,0"])
        self.assertEqual(self.table(folder, "not_read"), ["traffic,packets,connections"])
        hidden = report(path, "--anonymize")["capture"]["mirror_sessions"]
        self.assertEqual([m["packets"] for m in hidden], [300])
        self.assertNotIn("10.255.0.1", str(hidden))

    @staticmethod
    def table(folder, name):
        with open(os.path.join(folder, name + ".csv"), encoding="utf-8") as file:
            return file.read().splitlines()

    def mirrored(self, part, gone, first=1, order=lambda records: records):
        """The capture in ERSPAN II with sequence numbers from `first` on, without the frames whose index is in
        `gone`: the report as JSON and as text."""
        head, found = self.capture(part)
        records = []
        for index, (s, f, frame) in enumerate(found):
            if index not in gone:
                wrapped_frame = ethernet(0x0800, ipv4(47, struct.pack(
                    "!HHI", 0x1000, 0x88be, (first + index) % 2**32) + struct.pack("!HHI", 0x1001, 5, 0) + frame))
                records.append((s, f, wrapped_frame))
        path = self.file("mirrored.pcap", written(head, order(records)))
        return report(path), said(path)

    def test_mirror_that_drops(self):
        payload = [i for i, (_, _, frame) in enumerate(self.capture()[1]) if len(frame) > 1000]
        gone = set(payload[200:203]) | {payload[500], payload[-300]}
        whole, words = self.mirrored("z01_clean_write.ini", set())
        self.assertEqual(whole["capture"]["dropped_by_mirror"], 0)
        self.assertIn("Mirror dropped 0 of", words)
        self.assertIsNone(finding(whole, "capture_quality"))
        some, words = self.mirrored("z01_clean_write.ini", gone)
        self.assertEqual(some["capture"]["dropped_by_mirror"], 5)
        self.assertGreater(some["coverage"]["unseen_bytes"], 0)
        total = whole["capture"]["packets"]
        self.assertIn(f"Mirror dropped 5 of {total:,} packets, by the sequence numbers of ERSPAN: the network did not "
                      "lose them", words)
        quality = finding(some, "capture_quality")
        self.assertEqual(quality["title"], "Packets are missing from the capture: the mirror dropped them")
        self.assertIn(f"he mirror dropped 5 of {total:,} packets", quality["sentence"])
        self.assertIn("the network did not lose them", quality["sentence"])
        self.assertIn("Have the mirror send less", quality["remedy"])
        self.assertIn({"name": "dropped_by_mirror", "value": 5, "unit": ""}, quality["figures"])
        self.assertIsNone(finding(some, "packet_loss"))

    def test_drops_of_the_network_are_not_those_of_the_mirror(self):
        """A capture with losses keeps them, and gets no drop of the mirror; with drops it keeps them as well."""
        payload = [i for i, (_, _, frame) in enumerate(self.capture("z07_rto_tail_loss.tgt")[1]) if len(frame) > 1000]
        head, found = self.capture("z07_rto_tail_loss.tgt")
        plain = report(self.file("plain.pcap", written(head, found)))
        whole, _ = self.mirrored("z07_rto_tail_loss.tgt", set())
        some, _ = self.mirrored("z07_rto_tail_loss.tgt", {payload[40], payload[41]})
        self.assertEqual(whole["capture"]["dropped_by_mirror"], 0)
        self.assertEqual(some["capture"]["dropped_by_mirror"], 2)

        def losses(found):
            return [sum(d[c] for d in found["tcp"]) for c in
                    ("lost_before_tap", "lost_behind_tap", "lost_unknown_place", "timeouts")]
        self.assertGreater(sum(losses(plain)), 0)
        self.assertEqual(losses(whole), losses(plain))
        self.assertEqual(losses(some), losses(plain))

    def test_numbers_wrap_and_packets_overtake(self):
        def overtaking(records):
            for i in range(10, len(records) - 1, 50):  # the mirror's path swaps two; their times keep their order
                (s, f, a), (t, g, b) = records[i:i + 2]
                records[i:i + 2] = [(s, f, b), (t, g, a)]
            return records
        for first, order in ((2**32 - 200, lambda records: records), (1, overtaking), (2**32 - 200, overtaking)):
            found, words = self.mirrored("z01_clean_write.ini", set(), first, order)
            self.assertEqual(found["capture"]["dropped_by_mirror"], 0)
            self.assertIn("Mirror dropped 0 of", words)

    def unread(self, added, expected, connections=None, kinds=None):
        """A capture of these frames alone, and one in which they follow iSCSI, name them and call nothing damaged."""
        alone = self.file("alone.pcap", pcap(added))
        found, words = report(alone), said(alone)
        self.assertEqual(found["capture"]["not_read"],
                         [{"traffic": expected, "packets": len(added), "connections": connections}])
        self.assertEqual(found["coverage"]["connections"], 0)
        self.assertEqual(found["coverage"]["anomalies"], {})
        self.assertIn("NO iSCSI THAT CAN BE READ This is", words)
        self.assertNotIn("NO iSCSI IN THIS CAPTURE", words)
        self.assertIn(f"{len(added)} packets", words)
        self.assertNotIn("damage", words)
        self.assertIn("no iSCSI that can be read, but", run("cycles", alone)[2])
        return words

    def test_roce(self):
        words = self.unread([bytes(12) + b"\x89\x15" + bytes(100)] * 7, "roce_v1")
        self.assertIn("This is RoCE v1, RDMA over Ethernet: 7 packets. iSCSI over RDMA is iSER: it is not TCP, and is "
                      "not readable here.", words)
        words = self.unread([ethernet(0x0800, ipv4(17, udp(4791, bytes(100))))] * 5, "roce_v2")
        self.assertIn("This is RoCE v2, RDMA over UDP: 5 packets.", words)

    def test_ipsec(self):
        words = self.unread([ethernet(0x0800, ipv4(50, bytes([1]) * 100))] * 4 +
                            [ethernet(0x86dd, ipv6(50, bytes([1]) * 100))] * 2 +
                            [ethernet(0x0800, ipv4(17, udp(4500, b"\0\0\0\7" + bytes(100))))] * 3, "ipsec")
        self.assertIn("This is IPsec (ESP): 9 packets. It is encrypted", words)

    def test_macsec(self):
        words = self.unread([bytes(12) + b"\x88\xe5" + bytes([0x2c]) * 100] * 3, "macsec")
        self.assertIn("This is MACsec (IEEE 802.1AE): 3 packets. It is encrypted from port to port", words)

    def conversation(self, pieces, port=3260):
        """TCP segments with these (to the target, payload), without handshake."""
        numbers, made = {True: 1000, False: 5000}, []
        for forward, payload in pieces:
            ports = (40000, port) if forward else (port, 40000)
            frame = bytearray(ethernet_tcp(*ports, numbers[forward], payload))
            if not forward:
                frame[26:34] = frame[30:34] + frame[26:30]
            made.append(bytes(frame))
            numbers[forward] += len(payload)
        return made

    @staticmethod
    def record(kind, payload):
        return struct.pack("!BHH", kind, 0x0303, len(payload)) + payload

    def test_tls(self):
        noise = bytes(i * 73 % 256 for i in range(4000))
        hello = self.record(22, struct.pack("!B3sH", 1, (200).to_bytes(3, "big"), 0x0303) + noise[:198])
        answer = self.record(22, struct.pack("!B3sH", 2, (90).to_bytes(3, "big"), 0x0303) + noise[:88])
        data = [(i % 2 == 0, self.record(23, noise[i:i + 1000])) for i in range(30)]
        words = self.unread(self.conversation([(True, hello), (False, answer), *data]), "tls", 1)
        self.assertIn("This is TLS on a port of iSCSI: 32 packets of 1 connection. It is encrypted", words)
        # Captured from its middle: records that follow each other, two to a segment as well.
        pairs = [(True, self.record(23, noise[i:i + 500]) + self.record(23, noise[i:i + 90])) for i in range(30)]
        self.unread(self.conversation(pairs), "tls", 1)
        # On another port it is none of ours, unless --port says so.
        other = self.file("web.pcap", pcap(self.conversation([(True, hello), (False, answer), *data], 443)))
        self.assertEqual(report(other)["capture"]["not_read"], [])
        self.assertIn("NO iSCSI IN THIS CAPTURE", said(other))
        self.assertEqual(report(other, "--port", "443")["capture"]["not_read"][0]["traffic"], "tls")

    def test_no_tls_in_iscsi(self):
        head, found = self.capture()
        self.assertEqual(report(self.file("plain.pcap", written(head, found)))["capture"]["not_read"], [])
        # Payload that begins as records do, but is followed by none.
        looks = [(True, self.record(23, bytes([9]) * 100) + bytes([7]) * 300)] * 40
        self.assertEqual(report(self.file("looks.pcap", pcap(self.conversation(looks))))["capture"]["not_read"], [])

    def test_iwarp(self):
        noise = bytes(i * 73 % 256 for i in range(4000))
        pieces = [(True, b"MPA ID Req Frame" + bytes(4)), (False, b"MPA ID Rep Frame" + bytes(4))]
        pieces += [(i % 2 == 0, struct.pack("!H", 300) + noise[i:i + 302]) for i in range(20)]
        for port in (3260, 20049):
            words = self.unread(self.conversation(pieces, port), "iwarp", 1)
            self.assertIn("This is iWARP, RDMA over TCP: 22 packets of 1 connection. iSCSI over RDMA is iSER", words)

    def test_login_that_goes_over_to_iser(self):
        head, found = self.capture()
        agreed, over = 0, []
        for s, f, frame in found:
            frame = bytearray(frame)
            at = 14 + (frame[14] & 15) * 4
            at += (frame[at + 12] >> 4) * 4
            payload = bytes(frame[at:14 + struct.unpack_from("!H", frame, 16)[0]])
            old, new = b"IFMarker=No\0OFMarker=No\0", b"RDMAExtensions=Yes\0X=11\0"
            if old in payload:
                agreed += 1
                payload = payload.replace(old, new)
            elif agreed == 2 and payload:
                noise = bytes(i * 73 % 251 for i in range(len(payload)))
                payload = (b"MPA ID Req Frame" + noise)[:len(payload)] if len(payload) >= 16 else noise
            frame[at:at + len(payload)] = payload
            over.append((s, f, with_checksum(bytes(frame))))
        self.assertEqual(agreed, 2)
        path = self.file("iser.pcap", written(head, over[:2000]))
        found, words = report(path), said(path)
        quality = finding(found, "capture_quality")
        self.assertEqual(quality["title"], "The session switched to iSER, which cannot be read")
        self.assertIn("1 connection switched to iSER after the login (RDMAExtensions=Yes): this is RDMA, which cannot "
                      "be read here, and not damage", quality["sentence"])
        self.assertIn("The session switched to iSER, which cannot be read", words)
        self.assertEqual([u["traffic"] for u in found["capture"]["not_read"]], ["iwarp"])
        hidden = report(path, "--anonymize")
        self.assertEqual(finding(hidden, "capture_quality")["title"], quality["title"])
        self.assertNotIn("X=11", str(hidden))
        # With No from one end nothing changes.
        refused = [(s, f, frame.replace(b"RDMAExtensions=Yes", b"RDMAExtensions=No\0")) for s, f, frame in over[:2000]]
        path = self.file("refused.pcap", written(head, refused))
        self.assertNotIn("iSER, which", said(path))


def with_checksum(frame):
    """The frame, of IPv4 and TCP, with the right TCP checksum."""
    at = 14 + (frame[14] & 15) * 4
    end = 14 + struct.unpack_from("!H", frame, 16)[0]
    if frame[12:14] != b"\x08\x00" or frame[23] != 6:
        return frame
    tcp = frame[at:at + 16] + b"\0\0" + frame[at + 18:end]
    whole = frame[26:34] + struct.pack("!HH", 6, len(tcp)) + tcp + bytes(len(tcp) % 2)
    total = sum(struct.unpack(f"!{len(whole) // 2}H", whole))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return frame[:at + 16] + struct.pack("!H", ~total & 0xffff) + frame[at + 18:]


if __name__ == "__main__":
    unittest.main()
