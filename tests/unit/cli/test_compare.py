#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare and predict: what they say against the reports that they come from."""
import json
import os
import re
import sys
import unittest

from program import Base, REAL, SAMPLE, SOURCE, bundled, report, run


class CompareAndPredict(Base):
    def test_a_capture_differs_from_itself_in_nothing(self):
        code, out, err = run("compare", SAMPLE, SAMPLE, "--format", "json")
        self.assertEqual(code, 0, err)
        c = json.loads(out)
        self.assertGreater(len(c["differences"]), 30)
        self.assertEqual({d["before"] == d["after"] for d in c["differences"]}, {True})
        self.assertEqual(c["settings"], [])
        self.assertLessEqual({f["change"] for f in c["findings"]}, {"both"})

    def test_figures_are_those_of_the_reports(self):
        a, b = (bundled(f"read-16ms-{n}-gaps.initiator.pcapng.zst") for n in ("four", "two"))
        c = json.loads(run("compare", a, b, "--format", "json")[1])
        x, y = report(a), report(b)
        got = {(d["group"], d["name"]): d for d in c["differences"]}
        for name in ("response_time", "status_wait", "first_data_wait"):
            d = got.get(("read", name + ".p50"))
            if d is None:
                continue
            for side, j in (("before", x), ("after", y)):
                self.assertEqual(d[side], j["cycles"]["read"]["times"][name]["quantiles_ns"]["0.5"])
            self.assertAlmostEqual(d["change"], (d["after"] - d["before"]) / d["before"], places=12)
        for side, j in (("before", x), ("after", y)):
            owners = j["owners"]["all"]
            self.assertEqual(got["time", "busy"][side], owners["busy_ns"])
            for owner in ("transfer", "network", "target", "host", "unknown"):
                self.assertEqual(got["owners", "owner." + owner][side], owners[owner + "_ns"])
            self.assertAlmostEqual(sum(d[side] for (group, name), d in got.items()
                                       if group == "owners" and name.endswith(".share")), 1, places=12)
        kinds = {f["kind"]: f["change"] for f in c["findings"]}
        self.assertEqual(kinds.get("nagle"), "gone", kinds)
        shares = {f["kind"]: f["share_before"] for f in c["findings"]}
        lost = sum(f["lost_time_ns"] for f in x["findings"] if f["kind"] == "nagle")
        self.assertAlmostEqual(shares["nagle"], lost / x["owners"]["all"]["busy_ns"], places=9)
        text = run("compare", a, b)[1]
        self.assertRegex(text, r"FINDINGS +share of the connections' busy time\n")
        self.assertRegex(text, r"response_time.p50 .*better")
        self.assertRegex(text, r"BUSY TIME BY OWNER\n *figure .*\n *owner.transfer ")
        self.assertIn("gone", text)

    def test_throughput_is_not_compared_where_tasks_are_missing(self):
        lost = os.path.join(REAL, "n_cwnd_write_reno_20mbit.ini.pcap.zst")
        if not os.path.exists(lost):
            self.skipTest(f"no captures in {REAL}")
        whole = bundled("plain-write.initiator.pcapng.zst")
        for pair, word in (((lost, whole), "the capture before holds"), ((whole, lost), "the capture after holds"),
                           ((lost, lost), "both captures hold")):
            self.assertEqual(json.loads(run("compare", *pair, "--format", "json")[1])["sentence"],
                             f"The throughput cannot be compared: {word} tasks that were not found.")
        self.assertNotIn("not found", json.loads(run("compare", whole, whole, "--format", "json")[1])["sentence"])

    def test_predict(self):
        path = bundled("r2t-ping-pong.initiator.pcapng.zst")
        code, out, err = run("predict", path, "--set", "MaxBurstLength=1MiB", "--format", "json")
        self.assertEqual(code, 0, err)
        write = next(p for p in json.loads(out)["predictions"] if p["type"] == "write")
        self.assertGreater(write["predicted"], 1.2 * write["measured"])
        self.assertTrue(write["low"] <= write["predicted"] <= write["high"])
        keys = {k["key"]: k for k in write["keys"]}
        self.assertTrue(keys["MaxBurstLength"]["binds"], keys)
        text = run("predict", path, "--set", "MaxBurstLength=1MiB")[1]
        for words in ("Measured", "Modelled", "Predicted", "MaxBurstLength"):
            self.assertIn(words, text)

    def test_every_key_that_help_and_man_page_name_is_taken(self):
        path = bundled("plain-write.initiator.pcapng.zst")
        told = run("predict", "--help")[1].split("Keys, ")[1].split(":", 1)[1]
        examples = [e.strip() for e in told.split(",")]
        self.assertGreater(len(examples), 10)
        code, out, err = run("predict", path, "--format", "json", *sum((["--set", e] for e in examples), []))
        self.assertEqual(code, 0, err)
        changes = json.loads(out)["predictions"][0]["changes"]
        self.assertEqual({e.split("=")[0] for e in examples}, set(changes))
        with open(os.path.join(SOURCE, "analyzer", "cli", "iscsiscope.1"), encoding="utf-8") as page:
            manual = page.read().split(".SS Of predict")[1].split("May be given")[0].split("KEY=VALUE")[1]
        named = re.findall(r"[A-Za-z0-9_]+(?:-[a-z]+)?", re.sub(r"\([^)]*\)", "", manual).replace("\\-", "-"))
        self.assertEqual(set(named), set(changes))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
