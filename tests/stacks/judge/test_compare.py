#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Unit checks of pdus.py and figures.py with made-up evidence and reports.

In: nothing. Out: unittest's output and exit code. Units are those of the modules.
"""

import unittest

import figures
import pdus
from made_up import made_report


def connection(port, statuses, partial=0, walkable=True):
    return {"tuple": f"10.0.0.1:{port}>[fe80::2]:3260", "login_statuses": statuses, "pdus": {"Login Request": 1},
            "partial_pdus": partial, "walkable": walkable, "reason": None}


class Pdus(unittest.TestCase):
    COUNTS = {"SCSI Command": 5, "SCSI Response": 2, "Data-In": 3}
    LOGINS = (False, 2, 1), (True, 0, 0)

    def tap(self, *statuses, **more):
        return {"pdus": self.COUNTS, "connections": [connection(50000 + i, s, **more) for i, s in enumerate(statuses)]}

    def differences(self, tap, counts, logins):
        return pdus.compare_pdus(tap, made_report(counts=counts, logins=logins))

    def test_equal(self):
        tap = self.tap(["0000", "0201"], ["0000"])
        self.assertEqual(self.differences(tap, {"SCSI Command": 5}, self.LOGINS), [])

    def test_counts_differ(self):
        found = self.differences(self.tap(), {"SCSI Command": 4, "NOP-Out": 1}, ())
        self.assertEqual(found, ["NOP-Out: the report counts 1, the walk 0.",
                                 "SCSI Command: the report counts 4, the walk 5."])

    def test_partial_pdu_may_be_counted(self):
        self.assertEqual(self.differences(self.tap(["0000"], partial=1), {"SCSI Command": 6}, [(True, 0, 0)]), [])
        self.assertTrue(self.differences(self.tap(["0000"], partial=1), {"SCSI Command": 7}, [(True, 0, 0)]))
        self.assertTrue(self.differences(self.tap(["0000"], partial=1), {"SCSI Command": 4}, [(True, 0, 0)]))

    def test_outcomes_differ(self):
        tap = self.tap(["0000", "0201"], ["0201"], ["0000"], [])
        found = self.differences(tap, {"SCSI Command": 5}, [(False, 0, 0), (False, 0, 0), None, (False, 0, 0)])
        self.assertEqual(found, ["2 logins: not finished in the report, refused with 02/01 in the walk.",
                                 "1 login: absent in the report, accepted in the walk."])

    def test_login_that_was_given_up(self):
        tap = self.tap(["0000"])
        tap["connections"][0]["pdus"]["Login Request"] = 2  # the second has no answer
        self.assertEqual(self.differences(tap, {"SCSI Command": 5}, [(False, 0, 0)]), [])

    def test_login_that_the_initiator_ended_after_a_success(self):
        tap = self.tap(["0000"])
        tap["connections"][0]["login_over"] = False
        self.assertEqual(self.differences(tap, {"SCSI Command": 5}, [(False, 0, 0)]), [])
        self.assertTrue(self.differences(tap, {"SCSI Command": 5}, [(True, 0, 0)]))

    def test_walk_that_does_not_cover_the_capture(self):
        self.assertTrue(pdus.comparable(self.tap(["0000"])))
        self.assertFalse(pdus.comparable(self.tap(["0000"], walkable=False)))


class Figures(unittest.TestCase):
    def rows(self, evidence, answer):
        return {r.name: r for r in figures.compare_figures(evidence, answer)}

    def test_busiest_connection_and_missing_truth(self):
        rows = self.rows({}, made_report(reads=4000000, service=3000000, logins=((True, 0, 0), None)))
        self.assertEqual(tuple(rows), figures.NAMES)
        self.assertAlmostEqual(rows[figures.ROUND_TRIP].reported, 2.001)
        self.assertAlmostEqual(rows[figures.READ].reported, 3.0)
        self.assertAlmostEqual(rows[figures.THROUGHPUT].reported, 4.0)
        self.assertAlmostEqual(rows[figures.TARGET_SHARE].reported, 0.5)
        self.assertIsNone(rows[figures.WRITE].reported)
        self.assertTrue(all(r.truth is None and r.ratio is None for r in rows.values()))

    def test_truth(self):
        evidence = {
            "between": {"to_target": {"one_way": {"p50_ms": 9.0},
                                      "one_way_by_path": {"10.0.0.1>fe80::2": {"p50_ms": 1.0}}},
                        "to_initiator": {"one_way": {"p50_ms": 3.0}, "one_way_by_path": {}}},
            "services": [{"cdb": "READ16", "n": 3, "to_first_answer": {"p50_ms": 2.0}},
                         {"cdb": "READ10", "n": 2, "to_first_answer": {"p50_ms": 7.0}},
                         {"cdb": "READ CAPACITY10", "n": 9, "to_first_answer": {"p50_ms": 8.0}},
                         {"cdb": "WRITE10", "n": 1, "to_first_r2t": {"p50_ms": 1.0},
                          "last_data_to_response": {"p50_ms": 4.0}}],
            "throughput": {"both": {"MB_per_s": 8.0}}, "owners": {"target_share": 0.25},
            "tgt": {"connections": [{"max_outstanding": 1}]}}
        rows = self.rows(evidence, made_report(reads=4000000, service=3000000, logins=[None]))
        self.assertEqual([rows[name].truth for name in figures.NAMES], [4.0, 2.0, 5.0, 8.0, 0.25])
        self.assertEqual([rows[name].ratio for name in figures.NAMES], [0.5, 1.5, None, 0.5, 2.0])

    def test_median_is_not_taken_of_a_small_group(self):
        groups = [{"cdb": "READ10", "n": 1, "to_first_answer": {"p50_ms": i}} for i in range(2)]
        alone = {"connections": [{"max_outstanding": 1}, {"max_outstanding": 0}]}
        self.assertIsNone(figures.true_service_ms({"services": groups, "tgt": alone}, "READ"))
        self.assertEqual(figures.true_service_ms({"services": groups[1:], "tgt": alone}, "READ"), 1)

    def test_service_is_not_known_behind_earlier_answers(self):
        group = {"cdb": "READ10", "n": 1, "to_first_answer": {"p50_ms": 1}}
        for connections in ([], [{"max_outstanding": 2}], [{"max_outstanding": 1}, {"max_outstanding": None}]):
            self.assertIsNone(figures.true_service_ms({"services": [group], "tgt": {"connections": connections}}, "READ"))

    def test_report_without_connections(self):
        self.assertIsNone(figures.round_trip_ms(made_report()))


if __name__ == "__main__":
    unittest.main()
