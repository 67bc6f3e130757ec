#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The glossary has an entry for every name that the program prints, each is one sentence on a page that exists, and
docs/glossary.md is made from it. Enumerations of the engine are asked of in tests/unit/report/test_glossary.cpp."""
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["ISCSISCOPE"]
SOURCE = os.environ["ISCSISCOPE_SOURCE_DIR"]
SCHEMA = os.path.join(SOURCE, "analyzer", "report", "json", "report.schema.json")
UNITS = {None, "ns", "s", "bytes", "bytes/s", "MB/s", "share", "count", "frame", "frames", "text", "name", "flag",
         "ns since 1970"}
# The schema's definitions and arrays of rows stand in the glossary under the name of their table.
ALIAS = {("connection",): ("connections",), ("tcp",): ("tcp_directions",), ("slowest",): ("cycles",),
         ("session_analysis", "logins", "logins"): ("login",)}
# Objects whose keys are themselves names of kinds: what stands in them is looked up without that key.
BY_KIND = {"by_outcome", "phases", "times", "time_shares", "phase_shares", "kinds", "cycles"}


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, timeout=120).stdout.decode()


def bundled(name):
    return os.path.join(SOURCE, "sample-captures", "bundle", name.split(".")[0], name + ".pcapng.zst")


# A key that is the name of a kind stands in the glossary under the context of its enumeration.
KIND_OF = {"by_outcome": "outcome", "control": "type", "read": "type", "write": "type"}
ENTRIES = {e["term"]: e for e in json.loads(run("explain", "--format", "json"))}


def known(*path):
    name = ".".join(path)
    while name not in ENTRIES:
        if "." not in name:
            return False
        name = name.split(".", 1)[1]
    return True


def schema_names(node, path):
    """Every property of the schema with the properties around it."""
    path = ALIAS.get(path, path)
    for key, value in node.get("properties", {}).items():
        context = KIND_OF.get(key) or KIND_OF.get(path[-1] if path else "")
        yield (context, key) if context else (*path, key)
        of_kind = path and path[-1] in BY_KIND or key in ("read", "write", "control") or path[-1:] == ("pdu_counts",)
        yield from schema_names(value, path if of_kind else (*path, key))
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            yield from schema_names(node[key], path)
    for value in node.get("anyOf", []):
        yield from schema_names(value, path)


def json_keys(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from json_keys(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from json_keys(inner, path)


class Glossary(unittest.TestCase):
    def unknown_anywhere(self, names):
        """Names whose context is not asked for."""
        ends = {term[i:] for term in ENTRIES for i in range(len(term)) if i == 0 or term[i - 1] == "."}
        self.assertEqual(sorted(set(names) - ends), [], "no entry in analyzer/base/glossary/glossary.txt")

    def unknown(self, names):
        missing = sorted({".".join(name) for name in names if not known(*name)})
        self.assertEqual(missing, [], "no entry in analyzer/base/glossary/glossary.txt")

    def test_entries_are_sentences_with_a_page(self):
        self.assertGreater(len(ENTRIES), 500)
        headings = {}
        for e in ENTRIES.values():
            with self.subTest(term=e["term"]):
                self.assertIn(e["unit"], UNITS)
                self.assertTrue(e["meaning"].endswith("."), e["meaning"])
                self.assertLessEqual(len(e["meaning"]), 240)
                page, _, part = e["page"].partition("#")
                path = os.path.join(SOURCE, "docs", page)
                if page not in headings:
                    with open(path, encoding="utf-8") as lines:
                        headings[page] = {re.sub(r"[^\w\s-]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
                                          for line in lines if line.startswith("#")}
                self.assertTrue(not part or part in headings[page], e["page"])

    def test_columns(self):
        for table in ("pdus", "cycles", "bursts", "gaps", "ledger", "connections", "tcp"):
            header = next(csv.reader(io.StringIO(run(table, bundled("plain-read.initiator")))))
            self.unknown((table, column) for column in header)

    def test_schema(self):
        with open(SCHEMA, encoding="utf-8") as text:
            schema = json.load(text)
        names = list(schema_names({k: v for k, v in schema.items() if k != "$defs"}, ()))
        for name, definition in schema["$defs"].items():
            names += schema_names(definition, (name,))
        self.assertGreater(len(names), 400)
        self.unknown(names)
        print("FIGURE: glossary: %d entries; %d names of the JSON schema have one" % (len(ENTRIES), len(names)))

    def test_keys_of_real_output(self):
        plain = re.compile(r"[a-z][a-z_0-9.]*$")  # keys of protocol and of the user's own are names of another sort
        for arguments in (("report", "--format", "json", bundled("mcs-unequal.initiator")),
                          ("report", "--format", "json", bundled("mirror-unequal.initiator")),
                          ("predict", "--set", "depth=8", "--format", "json", bundled("plain-read.initiator")),
                          ("compare", "--format", "json", bundled("plain-read.initiator"), bundled("digests.initiator")),
                          ("compare", "--ends", "--same-clock", "--format", "json", bundled("plain-read.initiator"),
                           bundled("plain-read.target"))):
            keys = [path[-1] for path in json_keys(json.loads(run(*arguments, "--quiet")))]
            self.unknown_anywhere(key for key in keys if plain.match(key))

    def test_tables_and_views_of_the_data_base(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.sqlite")
            run("report", "--format", "sqlite", "-o", path, "--quiet", bundled("mcs-unequal.initiator"))
            base = sqlite3.connect(path)
            tables = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
            self.unknown((table,) for table in tables)
            for table in tables:
                context = "tcp" if table == "tcp_samples" else table
                self.unknown((context, column[1]) for column in base.execute("PRAGMA table_info('%s')" % table))
            base.close()

    def test_page_is_made_from_it(self):
        with open(os.path.join(SOURCE, "docs", "glossary.md"), encoding="utf-8") as page:
            self.assertEqual(page.read(), run("explain", "--format", "markdown"),
                             "make it anew: iscsiscope explain --format markdown -o docs/glossary.md")

    def test_explain(self):
        self.assertIn("delivery of the status", run("explain", "response_time_ns"))
        self.assertIn("finding.delayed_ack", run("explain", "delayed_ack"))
        wrong = subprocess.run([PROGRAM, "explain", "respone_time_ns"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn(b"response_time_ns", wrong.stderr)
        self.assertEqual(wrong.stdout, b"")

    def test_help_explains_columns(self):
        self.assertIn(ENTRIES["cycles.queue_depth" if "cycles.queue_depth" in ENTRIES else "queue_depth"]["meaning"][:40],
                      run("cycles", "--help"))

    def test_manual_page(self):
        page = run("explain", "--format", "man")
        self.assertTrue(page.startswith(".\\\" SPDX"))
        self.assertEqual(page.count("\n.TP\n"), len(ENTRIES))


if __name__ == "__main__":
    unittest.main()
