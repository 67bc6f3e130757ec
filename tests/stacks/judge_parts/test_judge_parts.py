#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the judges of parts and pairs on made-up reports: what is right counts, what is wrong does not."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, HERE + "/../judge", HERE + "/../../support"]

import finding_times  # noqa: E402
import pairs  # noqa: E402
import parts  # noqa: E402

SECOND = 10**9
KINDS = [["packet_loss", "retransmission_timeout"], ["outage", "retransmission_timeout"]]


def times(throughout, *of):
    return {"throughout": throughout, "parts": [{"from": a * SECOND, "to": b * SECOND} for a, b in of]}


def of_kinds(*kinds):
    return [{"kind": kind} for kind in kinds]


class Times(unittest.TestCase):
    def right(self, said, first, last):
        return finding_times.right(said, int(first * SECOND), int(last * SECOND), 0, 8 * SECOND)

    def test_within_half_a_second(self):
        self.assertTrue(self.right(times(False, (3, 5)), 3.4, 4.6))
        self.assertFalse(self.right(times(False, (3, 5)), 3.6, 5))
        self.assertFalse(self.right(times(False, (3, 5)), 3, 5.6))

    def test_first_and_last_of_several(self):
        self.assertTrue(self.right(times(False, (1, 2), (6, 7)), 1, 7))
        self.assertFalse(self.right(times(False, (1, 2), (6, 7)), 1, 2))

    def test_throughout(self):
        self.assertTrue(self.right(times(True, (0, 8)), 0.2, 7.8))
        self.assertFalse(self.right(times(True, (0, 8)), 3, 8))
        self.assertFalse(self.right(times(False), 0, 8))

    def test_one_of_two_findings_is_enough(self):
        self.assertTrue(finding_times.best([False, True]))
        self.assertFalse(finding_times.best([False]))
        self.assertIsNone(finding_times.best([None, True]))


class Which(unittest.TestCase):
    FINDING = {"lun": None, "where": "The connection from 10.10.2.1:40000 only.", "stream": None,
               "place": {"lun": None, "type": "write"}}

    def test_names(self):
        report = {"connections": []}
        self.assertTrue(parts.names(self.FINDING, {"portal": "10.20.2.2"}, report))
        self.assertFalse(parts.names(self.FINDING, {"portal": "10.20.1.2"}, report))
        self.assertTrue(parts.names(self.FINDING, {"type": "write"}, report))
        self.assertFalse(parts.names(self.FINDING, {"type": "read"}, report))
        self.assertFalse(parts.names(self.FINDING, {"lun": 1}, report))
        self.assertTrue(parts.names({**self.FINDING, "lun": "1"}, {"lun": 1}, report))


class Pairs(unittest.TestCase):
    def test_one_finding_is_not_both(self):
        self.assertFalse(pairs.both_shown(of_kinds("retransmission_timeout"), KINDS))
        self.assertTrue(pairs.both_shown(of_kinds("outage", "retransmission_timeout"), KINDS))
        self.assertFalse(pairs.both_shown(of_kinds("packet_loss", "slow_target"), KINDS))

    def test_the_costlier_is_first(self):
        self.assertTrue(pairs.first_right(of_kinds("outage"), KINDS, [1, 2]))
        self.assertFalse(pairs.first_right(of_kinds("packet_loss"), KINDS, [1, 2]))
        self.assertTrue(pairs.first_right(of_kinds("packet_loss"), KINDS, [1, 1.4]))
        self.assertFalse(pairs.first_right([], KINDS, [1, 2]))


if __name__ == "__main__":
    unittest.main()
