#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whole JSON reports of small bundled captures, field by field against tests/unit/cli/golden. A figure that changes on
purpose is accepted with tests/approve, and reviewed as the difference of these files.

They hold figures and structure. Prose, by the keys of PROSE, stands there as PLACE: that there is a text is compared,
its wording is not. The wording of findings is that of tests/unit/findings/words, of which one test a kind is.

Numbers with a fraction may differ by a billionth: compilers may round sums differently."""
import json
import math
import os
import subprocess
import sys
import unittest

PROGRAM = os.environ["ISCSISCOPE"]
SOURCE = os.environ["ISCSISCOPE_SOURCE_DIR"]
GOLDEN = os.path.join(SOURCE, "tests", "unit", "cli", "golden")
# Keys whose texts are sentences, or parts of them, made for a reader.
PROSE = {"findings_cover", "left_out", "reason", "remedy", "sentence", "status_words", "title", "why_not", "words"}
PLACE = "\u2026"
CAPTURES = ("command-window.target", "delayed-ack.initiator", "loss-timeout.target", "r2t-ping-pong.initiator")


def report(capture):
    path = os.path.join("sample-captures", "bundle", capture.split(".")[0], capture + ".pcapng.zst")
    done = subprocess.run([PROGRAM, "report", "--quiet", "--format", "json", path], cwd=SOURCE, check=True,
                          stdout=subprocess.PIPE, timeout=120)
    made = without_wording(json.loads(done.stdout))
    del made["tool"]
    return made


def without_wording(value, key=None):
    """The report with PLACE for each text of prose; an empty one remains, as do numbers and null."""
    if isinstance(value, dict):
        return {name: without_wording(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [without_wording(inner, key) for inner in value]
    return PLACE if isinstance(value, str) and value and key in PROSE else value


def golden_file(capture):
    return os.path.join(GOLDEN, capture + ".json")


def differences(path, wanted, made):
    """Sentences, each with the way to the field."""
    if isinstance(wanted, dict) and isinstance(made, dict):
        for key in sorted(wanted.keys() | made.keys()):
            if key not in made or key not in wanted:
                yield "%s.%s: %s" % (path, key, "gone" if key not in made else "new")
            else:
                yield from differences("%s.%s" % (path, key), wanted[key], made[key])
    elif isinstance(wanted, list) and isinstance(made, list):
        if len(wanted) != len(made):
            yield "%s: %d elements, were %d" % (path, len(made), len(wanted))
        for number, pair in enumerate(zip(wanted, made)):
            yield from differences("%s[%d]" % (path, number), *pair)
    elif isinstance(wanted, float) and isinstance(made, float):
        if not math.isclose(wanted, made, rel_tol=1e-9, abs_tol=1e-12):
            yield "%s: %r, was %r" % (path, made, wanted)
    elif wanted != made or type(wanted) is not type(made):
        yield "%s: %r, was %r" % (path, made, wanted)


class Golden(unittest.TestCase):
    def test_reports(self):
        for capture in CAPTURES:
            with self.subTest(capture=capture):
                with open(golden_file(capture), encoding="utf-8") as file:
                    found = list(differences("report", json.load(file), report(capture)))
                self.assertFalse(found, "%d fields differ (tests/approve accepts them):\n  %s" %
                                 (len(found), "\n  ".join(found[:40])))

    def test_wording_is_no_difference(self):
        def made(sentence, title, share):
            return without_wording({"findings": [{"kind": "nagle", "title": title, "sentence": sentence, "share": share}],
                                    "left_out": [sentence]})

        self.assertEqual(made("Data waited.", "Waits", 0.5), made("Data stalled.", "Pauses", 0.5))
        self.assertEqual(made("Data waited.", "Waits", 0.5)["findings"][0]["kind"], "nagle")
        for other in (made("", "Waits", 0.5), made(None, "Waits", 0.5), made("Data waited.", "Waits", 0.6)):
            self.assertNotEqual(made("Data waited.", "Waits", 0.5), other)

    def test_a_difference_is_found(self):
        wanted = {"a": [1, {"b": 2.0}], "c": None, "d": 1}
        self.assertEqual(list(differences("", wanted, {"a": [1, {"b": 2.0 + 1e-12}], "c": None, "d": 1})), [])
        for made in ({"a": [1, {"b": 2.1}], "c": None, "d": 1}, {"a": [1], "c": None, "d": 1},
                     {"a": [1, {"b": 2.0}], "c": 0, "d": 1}, {"a": [1, {"b": 2.0}], "d": 1},
                     {"a": [1, {"b": 2.0}], "c": None, "d": True}):
            self.assertEqual(len(list(differences("", wanted, made))), 1, made)


def approve():
    os.makedirs(GOLDEN, exist_ok=True)
    for capture in CAPTURES:
        with open(golden_file(capture), "w", encoding="utf-8") as file:
            json.dump(report(capture), file, indent=1, ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--approve"]:
        approve()
    else:
        unittest.main(verbosity=2)
