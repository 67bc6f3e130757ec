#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile "iSCSI cycles": its filters are valid, its columns are fields of the plugin and show them, and its colours
put failures first. Environment: plugin_tools.py."""

import csv
import os
import re
import shutil
import unittest

from plugin_tools import SOURCE, PluginTestCase, need_tools, rows

FOLDER = os.path.join(SOURCE, "plugin", "profile")
PROFILE = "iSCSI cycles"


def lines(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return [line for line in file.read().splitlines() if line and not line.startswith("#")]


def records(name):
    """Lines of Wireshark's tables: quoted cells, a quote in them as \\x22."""
    return [[cell.replace("\\x22", '"') for cell in row] for row in csv.reader(lines(name))]


def colour_rules():
    """Name, filter and colours of each rule, in their order."""
    for line in lines("colorfilters"):
        _, name, dfilter, colours = line.split("@")
        yield name, dfilter, colours


def columns():
    """Title and field (or code) of each column of the packet list."""
    cells = re.findall(r'"([^"]*)"', "\n".join(lines("preferences")))
    return list(zip(cells[::2], cells[1::2]))


class ProfileTest(PluginTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        to = os.path.join(cls.folder, "home", ".config", "wireshark", "profiles", PROFILE)
        shutil.copytree(FOLDER, to)
        cls.tshark.open_up()

    def capture(self, part):
        for name, path in self.captures.items():
            if part in name:
                return path
        return self.skipTest("no capture " + part)

    def test_filters(self):
        path = next(iter(self.captures.values()), None) or self.skipTest("no captures")
        filters = [rule[1] for rule in colour_rules()]
        filters += [row[2] for row in records("dfilter_buttons")] + [row[2] for row in records("io_graphs")]
        self.assertGreater(len(filters), 20)
        for dfilter in filters:
            with self.subTest(filter=dfilter):
                self.tshark.run("-r", path, "-c", "1", "-Y", dfilter)  # a mistake in it is an error
        # A name that is not there would be one, if the field is an enumeration; so each name is looked up, too.
        with open(os.path.join(SOURCE, "docs/glossary.md"), encoding="utf-8") as file:
            glossary = file.read()
        for name in set(re.findall(r'"([a-z_]+)"', " ".join(filters))):
            self.assertIn(name, glossary)

    def test_columns(self):
        known = {line.split("\t")[2] for line in self.tshark.run("-G", "fields").splitlines() if line[:2] == "F\t"}
        titles = [title for title, _ in columns()]
        self.assertEqual(len(titles), len(set(titles)))
        self.assertIn(("Protocol", "%p"), columns())
        ours = [(title, code.split(":")[1]) for title, code in columns() if code.startswith("%Cus:")]
        for title, field in ours:
            self.assertIn(field, known)
            self.assertTrue(title.startswith("iSCSI "), title + " does not stand alone")
        graphed = {row[6] for row in records("io_graphs")}
        self.assertLessEqual(graphed, known)
        # Each column has its width, in the same order.
        widths = re.findall(r'"?(%[^",]+)"?, (\d+)', "\n".join(lines("recent")))
        self.assertEqual([name for name, _ in widths], [re.sub(r":\d+:R$", "", code) for _, code in columns()])

    def test_cells(self):
        path = self.capture("b_write_4MiB_256K_5ms_r2t64k.ini")
        text = self.tshark.run("-C", PROFILE, "-r", path, "-2", "-Y", "iscsiscope.cycle.response_time", "-T", "tabs")
        titles = [title for title, _ in columns()]
        # tshark puts an arrow between source and destination.
        shown = [dict(zip(titles, (cell for cell in line.split("\t") if cell not in ("→", "->"))))
                 for line in text.splitlines()]
        wanted = [row for row in rows("cycles", path) if row["response_time_ns"]]
        self.assertGreater(len(wanted), 10)
        ends = {frame["No."].strip(): frame for frame in shown}
        for row in wanted:
            frame = ends[row["end_frame"]]
            self.assertIn(row["cycle"], frame["iSCSI cycle"].split(","))
            self.assertIn("%d.%09d" % divmod(int(row["response_time_ns"]), 10**9),
                          frame["iSCSI response time"].split(","))
            self.assertIn(row["type"], frame["iSCSI type"].split(","))

    def coloured(self, path):
        """By frame: the number of the rule that coloured it."""
        rules = [name for name, _, _ in colour_rules()]
        text = self.tshark.run("-C", PROFILE, "-r", path, "-2", "--color", "-T", "fields", "-e", "frame.number", "-e",
                               "frame.coloring_rule.name")
        pairs = (line.split("\t") for line in text.splitlines())
        return {int(frame): rules.index(name) for frame, name in pairs if name}

    def test_colours(self):
        """Each frame has the colour of the first rule whose filter selects it."""
        checked, used = 0, set()
        for part in ("d_write_4MiB_loss0.5_reno.ini", "b_write_4MiB_256K_5ms_r2t64k.ini"):
            path = self.capture(part)
            wanted = {}
            for number, (_, dfilter, _) in enumerate(colour_rules()):
                for frame in self.frames(path, dfilter, "-2"):
                    wanted.setdefault(frame, number)
            self.assertEqual(self.coloured(path), wanted, part)
            checked += len(wanted)
            used |= set(wanted.values())
        self.assertGreater(len(used), 5)
        print("FIGURE: plugin, profile: %d frames have the colours of %d rules" % (checked, len(used)), flush=True)

    def test_failures_first(self):
        order = [re.match(r"\w+", name)[0] for name, _, _ in colour_rules()]
        self.assertLess(max(i for i, name in enumerate(order) if name == "Failed"), order.index("Loss"))
        self.assertLess(max(i for i, name in enumerate(order) if name == "Loss"), order.index("Gap"))
        self.assertEqual(records("dfilter_buttons")[0][1], "Findings")
        colours = [colour for _, _, colour in colour_rules()]
        self.assertEqual(len(colours), len(set(colours)), "two rules have the same colours")


if __name__ == "__main__":
    need_tools()
    unittest.main(verbosity=2)
