#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The text report as a reader meets it: the verdict first, short, within the line, its filters usable as they stand."""
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import unittest

from program import Base, PROGRAM, REAL, SAMPLE, SOURCE, report, run

ZOO = sorted(glob.glob(os.path.join(REAL, "zoo", "*.pcap.zst")))


def lines(*arguments, columns=None):
    env = {"COLUMNS": str(columns)} if columns else None
    code, out, err = run("report", "--quiet", *arguments, env=env)
    assert code == 0, err
    return out.splitlines()


class Text(Base):
    def test_begins_with_the_verdict_and_four_numbers(self):
        text = lines(SAMPLE)
        self.assertEqual(text[0], "VERDICT")
        self.assertTrue(text[1].startswith("  "))
        for name in ("Throughput", "Response time", "In flight", "Busy time", "Outcome"):
            self.assertTrue(any(line.startswith(f"  {name} ") for line in text[:text.index("CAPTURE")]), name)
        self.assertLess(text.index(next(t for t in text if t.startswith("FINDINGS"))), 20)  # on the first screen

    def test_brief_ends_behind_the_findings_and_all_has_every_section(self):
        heads = {option: [line.split("  ")[0] for line in lines(SAMPLE, *option) if line[:1].isupper()]
                 for option in ((), ("--brief",), ("--all",))}
        self.assertEqual(heads["--brief",], ["VERDICT", "FINDINGS"])
        self.assertEqual(heads[()][:3], ["VERDICT", "FINDINGS", "CAPTURE"])
        for section in ("TIMES OF READS", "IDLE GAPS", "TCP", "COMMANDS", "RULED OUT"):
            self.assertIn(section, heads["--all",])
            self.assertNotIn(section, heads[()])
        self.assertEqual(run("report", SAMPLE, "--brief", "--all")[0], 2)

    def test_the_readme_shows_what_the_program_prints(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            page = file.read()
        block = re.search(r"^    \$ iscsiscope report (sample-captures/\S+)\n((?:    .*\n|\n)+)", page, re.M)
        printed = subprocess.run([PROGRAM, "report", "--quiet", block[1]], cwd=SOURCE, check=True, capture_output=True,
                                 text=True).stdout
        parts = re.sub(r"^    ", "", block[2], flags=re.M).split("  …\n")  # what the page leaves out
        self.assertEqual(len(parts), 2)
        self.assertTrue(printed.startswith(parts[0]))
        self.assertIn(parts[1].strip("\n"), printed)

    def test_lines_fit_the_width(self):
        for file in [SAMPLE, *ZOO[::9]]:
            for columns in (60, 80, 120):
                for option in ((), ("--brief",), ("--all",)):
                    with self.subTest(file=os.path.basename(file), columns=columns, option=option):
                        # A word longer than the line stands alone; a bar and a path are not broken.
                        wide = [line for line in lines(file, *option, columns=columns)
                                if len(line) > max(columns, 72) and len(line.split()) > 2]
                        self.assertEqual(wide, [])

    def test_width_of_a_pipe_is_eighty_and_a_wrong_one_is_ignored(self):
        for columns in ("wide", "0", "-5", ""):
            self.assertEqual(lines(SAMPLE, columns=columns), lines(SAMPLE, columns=80))

    def test_small_findings_need_all(self):
        for file in ZOO:
            small = [f for f in report(file)["findings"][1:]
                     if f["severity"] != "problem" and 0 < f["share"] < 0.02]
            if not small:
                continue
            ordinary, everything = "\n".join(lines(file)), "\n".join(lines(file, "--all"))
            for finding in small:
                self.assertNotIn(f"[{finding['kind']}]", ordinary)
                self.assertIn(f"[{finding['kind']}]", everything)
            self.assertRegex(ordinary, r"\d+ findings? of less than 2 % of the busy time: --all")
            return
        self.skipTest("no capture with a small finding")

    def test_filter_selects_the_evidence(self):
        if shutil.which("tshark") is None:
            self.skipTest("tshark is not installed")
        found = report(SAMPLE)["findings"]
        filters = re.findall(r"Filter: (.*)", "\n".join(lines(SAMPLE, columns=160)))
        self.assertTrue(filters)
        wanted = [sorted(set(f["evidence"])) for f in found if f["evidence"]]
        for text in filters:
            done = subprocess.run(["tshark", "-r", SAMPLE, "-Y", text, "-T", "fields", "-e", "frame.number"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn([int(n) for n in done.stdout.split()], wanted)

    def test_numbers_stay_with_their_units(self):
        for file in [SAMPLE, *ZOO[::5]]:
            for columns in range(60, 90, 3):
                text = lines(file, columns=columns)
                apart = [b for a, b in zip(text, text[1:])
                         if re.search(r"\d$", a) and re.match(r"\s+(?:[mµn]?s|[kMG]?B(?:/s)?|%|IOPS)\b", b)]
                self.assertEqual(apart, [], (file, columns))

    def test_findings_are_named_by_their_kind(self):
        for file in ZOO[::5]:
            text = " ".join(" ".join(lines(file, "--all", columns=60)).split())
            for finding in report(file)["findings"]:
                self.assertIn(f"[{finding['kind']}]", text)

    def test_zoo_is_short(self):
        if not ZOO:
            self.skipTest(f"no captures in {REAL}")
        for option, bar in (((), 60), (("--brief",), 20)):
            lengths = [len(lines(file, *option)) for file in ZOO]
            print(f"FIGURE: median lines of {len(ZOO)} captures, {' '.join(option) or 'default'}: "
                  f"{statistics.median(lengths)}, at most {max(lengths)}")
            self.assertLess(statistics.median(lengths), bar)

    def test_equal_keys_stand_once(self):
        several = [f for f in ZOO if "incast_6" in f]
        if not several:
            self.skipTest(f"no captures in {REAL}")
        text = lines(several[0])
        self.assertEqual(sum("Keys in force" in line for line in text), 1)
        everything = "\n".join(lines(several[0], "--all"))
        self.assertEqual(everything.count("negotiated key "), 1)
        self.assertEqual(everything.count("the keys are those of session 0"), 5)


if __name__ == "__main__":
    unittest.main()
