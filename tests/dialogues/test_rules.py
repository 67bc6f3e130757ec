#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of RFC 7143, their page and their captures: each rule of analyzer/sessions/figures/conformance.h has a row of
docs/conformance.md that says the same, a case in which it is broken, which has its name, and one in which it is tested
and kept. What the report says on these cases is judge_cases.py's."""
import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE / "cases")]

import judge_cases  # noqa: E402

RULE = re.compile(r'X\((\w+), "([\d.]+)", (\w+), "([^"]*)"\)')
ROW = re.compile(r"^\| `(\w+)` \| ([\d.]+) \| (?:the )?(\w+)(?: end)? \| (.*?) \| `(\w+\.\w+)` \|$", re.M)


def of_code():
    text = (TREE / "analyzer/sessions/figures/conformance.h").read_text()
    return {name: rest for name, *rest in RULE.findall(re.sub(r"\s*\\\n\s*", " ", text))}


def of_page():
    text = (TREE / "docs/conformance.md").read_text()
    return {name: rest for name, *rest in ROW.findall(text)}


class Rules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.code, cls.page = of_code(), of_page()
        cls.cases = {c.name: c for c in judge_cases.load() if c.name.startswith("rules_")}

    def test_the_list_is_found(self):
        self.assertGreaterEqual(len(self.code), 40)

    def test_the_page_says_what_the_code_says(self):
        self.assertEqual(list(self.code), list(self.page))
        for rule, (section, offender, words) in self.code.items():
            self.assertEqual([section, offender, words], self.page[rule][:3], rule)

    def test_each_rule_has_a_capture_that_breaks_it(self):
        for rule, row in self.page.items():
            self.assertIn(row[3], self.cases, rule)
            self.assertIn(rule, self.cases[row[3]].broken, row[3])

    def test_each_rule_has_a_capture_that_keeps_it(self):
        kept = {rule for c in self.cases.values() for rule in c.kept}
        self.assertEqual([], [rule for rule in self.code if rule not in kept])


if __name__ == "__main__":
    unittest.main()
