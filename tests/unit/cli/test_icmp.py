#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What ICMP says of packets of iSCSI is in the report of every format, and says why a portal is not reached."""
import os
import struct
import unittest

from program import Base, pcap, report, run

INITIATOR, PORTAL, ROUTER = "10.0.0.1", "10.0.9.2", "10.0.0.254"


def address(text):
    return bytes(map(int, text.split(".")))


def ip(protocol, source, destination, payload):
    return (struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 7, 0x4000, 64, protocol, 0) +
            address(source) + address(destination) + payload)


def syn(port=40001, to=3260):
    return ip(6, INITIATOR, PORTAL, struct.pack(">HHIIBBHHH", port, to, 1000, 0, 0x50, 2, 64240, 0, 0))


def icmp(kind, code, about, mtu=0):
    return ip(1, ROUTER, INITIATOR, struct.pack(">BBHHH", kind, code, 0, 0, mtu) + about[:28])


def ethernet(packet):
    return bytes(12) + b"\x08\x00" + packet


class Icmp(Base):
    def capture(self, *packets):
        return self.file("icmp.pcap", pcap([ethernet(p) for p in packets]))

    def portal(self, path, *more):
        found = report(path, *more)
        return found, next((f for f in found["findings"] if f["kind"] == "portal_unreachable"), None)

    def test_a_single_syn_without_an_answer_proves_nothing(self):
        found, finding = self.portal(self.capture(syn()))
        self.assertIsNone(finding)
        self.assertEqual(found["capture"]["icmp_errors"], [])

    def test_the_message_says_why_the_portal_is_not_reached(self):
        for code, words, remedy in ((13, "a filter prohibits these packets", f"the filter of {ROUTER}"),
                                    (1, f"host {PORTAL} cannot be reached", f"Check that host {PORTAL} runs"),
                                    (0, f"there is no route to {PORTAL}", f"Give {ROUTER} a route to {PORTAL}"),
                                    (3, "a firewall rejects these packets (port unreachable; a host would answer with a RST)",
                                     f"firewall rules of {ROUTER}")):
            with self.subTest(code=code):
                found, finding = self.portal(self.capture(syn(), icmp(3, code, syn())))
                self.assertIn(f"{ROUTER} says by ICMP that {words} (1 message).", finding["sentence"])
                self.assertIn("did not answer 1 SYN of 1 connection attempt", finding["sentence"])
                self.assertIn(remedy, finding["remedy"])
                self.assertEqual(finding["title"], "A portal cannot be reached")
                self.assertIn(2, finding["evidence"])
                row, = found["capture"]["icmp_errors"]
                self.assertEqual((row["type"], row["code"], row["messages"], row["first_frame"]), (3, code, 1, 2))

    def test_of_other_attempts_and_services_it_says_nothing(self):
        found, finding = self.portal(self.capture(syn(40001), icmp(3, 13, syn(40002))))
        self.assertIsNone(finding)
        self.assertEqual(len(found["capture"]["icmp_errors"]), 1)
        found, finding = self.portal(self.capture(syn(40001, 8080), icmp(3, 13, syn(40001, 8080))))
        self.assertIsNone(finding)
        self.assertEqual(found["capture"]["icmp_errors"], [])

    def test_attempts_that_are_refused_do_not_wait_for_icmp(self):
        def rst(port):
            return ip(6, PORTAL, INITIATOR, struct.pack(">HHIIBBHHH", 3260, port, 0, 1001, 0x50, 0x14, 0, 0, 0))
        packets = [p for port in range(40001, 40006) for p in (syn(port), rst(port))]
        _, finding = self.portal(self.capture(*packets, icmp(3, 1, syn(40001))))
        self.assertEqual(finding["title"], "A portal refuses connections")
        self.assertNotIn("ICMP", finding["sentence"])

    def test_messages_of_all_attempts_count(self):
        packets = [p for port in range(40001, 40005) for p in (syn(port), icmp(3, 13, syn(port)))]
        _, finding = self.portal(self.capture(*packets))
        self.assertIn("4 SYNs of 4 connection attempts", finding["sentence"])
        self.assertIn("(4 messages)", finding["sentence"])

    def test_a_traceroute_by_syns_is_no_failure(self):
        packets = [p for port in range(40001, 40004) for p in (syn(port), icmp(11, 0, syn(port)))]
        later = [ip(6, PORTAL, INITIATOR, struct.pack(">HHIIBBHHH", 3260, 40009, 0, 1001, 0x50, 0x14, 0, 0, 0))] * 5000
        for more in ((), later):  # the capture goes on for 5 s, and has packets of the portal
            _, finding = self.portal(self.capture(*packets, *more))
            self.assertIsNone(finding)

    def test_that_packets_are_too_large_is_no_refusal(self):
        found, finding = self.portal(self.capture(syn(), icmp(3, 4, syn(), 1400)))
        self.assertIsNone(finding)
        self.assertEqual(found["capture"]["icmp_errors"][0]["mtu"], 1400)

    def test_tables_and_addresses(self):
        path = self.capture(syn(), icmp(3, 4, syn(), 1400), icmp(3, 4, syn(), 1400))
        folder = os.path.join(self.folder, "tables")
        self.assertEqual(run("report", path, "--format", "csv", "-o", folder)[0], 0)
        with open(os.path.join(folder, "icmp_errors.csv"), encoding="utf-8") as f:
            self.assertEqual(f.read().splitlines(), [
                "reason,type,code,sender,source,destination,mtu,largest_packet,messages,first_frame,last_frame",
                f"too_big,3,4,{ROUTER},{INITIATOR}:40001,{PORTAL}:3260,1400,40,2,2,3"])
        _, out, _ = run("report", path)
        self.assertIn(f"{ROUTER} says by ICMP that packets of more than 1,400 bytes do not pass", " ".join(out.split()))
        hidden = str(report(path, "--anonymize"))
        for real in (INITIATOR, PORTAL, ROUTER):
            self.assertNotIn(real, hidden)


if __name__ == "__main__":
    unittest.main()
