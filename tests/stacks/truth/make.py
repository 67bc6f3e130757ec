# SPDX-License-Identifier: GPL-2.0-or-later
"""The truth file of a run from the events that guest/events.py left.

In: a run with its outcome, the folder with its NAME.events and NAME.formats.json. Out: NAME.truth.jsonl in that folder: truth
rows (kernel_rows.py), one JSON object a line; its path."""

import json

from truth.kernel_rows import Rows
from truth.ring_buffer import Format, events

PORT = 3260    # of the target, where the run names none


def rows(events_path, formats_path, port):
    with open(formats_path, encoding="utf-8") as file:
        known = json.load(file)
    with open(events_path, "rb") as file:
        pages = file.read()
    out = Rows(port, known["timer"], Format(known["formats"]["skb/kfree_skb"]).symbols)
    for name, event in events(pages, known["page"], known["formats"].values()):
        out.take(name, event)
    return out.rows


def of_run(run, folder):
    path = f"{folder}/{run['name']}.truth.jsonl"
    found = rows(*(f"{folder}/{file}" for file in run["outcome"]["kernel_events"]), run["network"].get("port", PORT))
    with open(path, "w", encoding="utf-8") as file:
        for row in found:
            file.write(json.dumps(row, separators=(",", ":")) + "\n")
    return path
