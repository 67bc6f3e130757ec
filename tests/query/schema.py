#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The JSON report of each capture is valid by the schema. ISCSISCOPE_ALL_CAPTURES=1: of all captures at hand."""
import json
import os
import sys

import query_common as tables

jsonschema = tables.module("jsonschema", "reports are not held against their schema")
if jsonschema is None:
    sys.exit(tables.SKIP_CODE)
with open(os.path.join(tables.SOURCE, "analyzer", "report", "json", "report.schema.json"), encoding="utf-8") as text:
    schema = json.load(text)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
verdict = tables.Verdict()
paths = tables.captures()
for path in paths:
    report = json.loads(tables.run("report", path, "--format", "json", "--quiet"))
    errors = [f"{e.json_path}: {e.message[:200]}" for e in validator.iter_errors(report)]
    verdict.expect(not errors, f"{path}: {errors[:3]}")
verdict.finish(f"schema: reports of {len(paths)} captures")
