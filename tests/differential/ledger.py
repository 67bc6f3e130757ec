#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of `ledger` are the busy time once, and the report says nothing else: ledger.py PROGRAM [--all] [--seed N]

Over every capture at hand (bundled, given, of the labelled collections beside them) and random dialogues, a tenth of
them without --all; of each the whole, random ranges and random filters, 20 of either with --all, else 2:
  - no entry is empty or negative; by stream they add up to the busy time that `connections` states, to the nanosecond;
  - of the whole and of each range, by session, LUN, type and owner they add up to the owners of the JSON report;
  - the findings' lost times are by owner at most the owners', no share is above 1, and the verdict's owner is the
    largest, where the network has what is `transfer`, too;
  - text and HTML state the same shares of the busy time as the JSON report, the text none above 100 %;
  - of a filter, and of a range with a filter, all of that holds for the entries of the tasks that it picks;
  - a filter that holds for all tasks counts the same tasks; those of Reads, Writes and the others have at most the whole.
Ranges are not judged of captures in which entries overlap: a clock that steps back, or busy time that showed only later.
Such are counted."""
import argparse
import copy
import csv
import glob
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from common import SOURCE, Verdict, figure, given_folder

OWNERS = ("transfer", "network", "target", "host", "unknown")
DIALOGUES = os.path.join(SOURCE, "tests", "dialogues", "random_dialogues.py")


def places():
    """The folders of captures that are there, and those that are not."""
    shared = os.path.dirname(os.path.normpath(given_folder()))
    wanted = [os.path.join(SOURCE, "sample-captures", "bundle", "*"), given_folder(),
              os.path.join(given_folder(), "zoo"), os.path.join(shared, "zoo2"), os.path.join(shared, "field")]
    return [w for w in wanted if glob.glob(w)], [w for w in wanted if not glob.glob(w)]


def captures(everything, dialogues):
    there, missing = places()
    for folder in missing:
        print(f"no captures in {folder}: left out")
    files = sorted(f for folder in there for f in glob.glob(os.path.join(folder, "*.pcap*.zst")))
    files += sorted(glob.glob(os.path.join(dialogues, "*.pcap")))
    return files if everything else files[::10]


class Entries:
    """The rows of one capture."""

    def __init__(self, program, path):
        self.program, self.path = program, path
        self.rows = [(r["stream"], r["session"], r["lun"], r["type"], int(r["start_ns"]), int(r["length_ns"]), r["owner"],
                      r["cycle"]) for r in csv.DictReader(io.StringIO(self.run("ledger")))]
        self.connections = {r["stream"]: r for r in csv.DictReader(io.StringIO(self.run("connections")))}
        # Where only one direction was seen, busy time is not known.
        self.known = [r for r in self.rows if self.connections[r[0]]["busy_ns"]]
        self.overlap = sum(self.overlap_of(s) for s in self.connections)

    def run(self, *arguments):
        command, *more = arguments
        done = subprocess.run([self.program, command, self.path, "--quiet", *more], capture_output=True, text=True, check=False,
                              env={**os.environ, "COLUMNS": "200"})
        if done.returncode:
            raise SystemExit(f"{' '.join(arguments)} {self.path}: exit {done.returncode}\n{done.stderr[-1000:]}")
        return done.stdout

    def of(self, cycles):
        """The same with the entries of these tasks alone."""
        chosen = copy.copy(self)
        chosen.known = [r for r in self.known if r[7] in cycles]
        return chosen

    def overlap_of(self, stream):
        reached, over = -1, 0
        for start, length in sorted((r[4], r[5]) for r in self.known if r[0] == stream):
            over += max(0, min(reached, start + length) - start)
            reached = max(reached, start + length)
        return over

    def sums(self, key, begin=-(1 << 63), end=1 << 63):
        """By key and owner what of the entries lies in [begin, end)."""
        sums = {}
        for row in self.known:
            part = min(row[4] + row[5], end) - max(row[4], begin)
            if part > 0:
                of = sums.setdefault(key(row), dict.fromkeys(OWNERS, 0))
                of[row[6]] += part
        return sums


def owners(of):
    return {o: of[f"{o}_ns"] for o in OWNERS}


def check_report(entries, verdict, words, json_report, begin=-(1 << 63), end=1 << 63):
    said = json_report["owners"]
    none = dict.fromkeys(OWNERS, 0)
    whole = entries.sums(lambda r: 0, begin, end).get(0, none)
    verdict.expect(owners(said["all"]) == whole, f"{words}: owners {owners(said['all'])}, the ledger {whole}")
    by_type = entries.sums(lambda r: r[3], begin, end)
    for kind, of in said["types"].items():
        verdict.expect(owners(of) == by_type.get(kind, none), f"{words}: {kind} {owners(of)}, the ledger {by_type.get(kind)}")
    session = {s: c["session"] for s, c in entries.connections.items()}  # of each connection at its end
    by_session = entries.sums(lambda r: session[r[0]], begin, end)
    for of in said["sessions"]:
        wanted = by_session.get(str(of["session"]), none)
        verdict.expect(owners(of) == wanted, f"{words}: session {of['session']} {owners(of)}, the ledger {wanted}")
    by_lun = entries.sums(lambda r: (session[r[0]], r[2]), begin, end)
    for of in said["luns"]:
        wanted = by_lun.get((str(of["session"]), of["lun"]), none)
        verdict.expect(owners(of) == wanted, f"{words}: LUN {of['lun']} {owners(of)}, the ledger {wanted}")
    check_findings(verdict, words, json_report, whole)


def check_findings(verdict, words, json_report, whole):
    blamed = dict.fromkeys(OWNERS, 0)
    one_sided = json_report["time_shares"]["one_sided_ns"] > 0  # such time is the findings', but has no owner
    for f in json_report["findings"]:
        for o in OWNERS:
            blamed[o] += f["lost_by_owner"][f"{o}_ns"]
        verdict.expect(sum(f["lost_by_owner"].values()) <= f["lost_time_ns"], f"{words}: {f['kind']} has more than its time")
        verdict.expect(0 <= f["share"] <= 1 and 0 <= f["concerned_share"] <= 1, f"{words}: {f['kind']} share {f['share']}")
    for o in OWNERS:
        verdict.expect(one_sided or blamed[o] <= whole[o], f"{words}: findings have {blamed[o]} ns of {o}, which has {whole[o]}")
    said = json_report["verdict"]["owner"]
    of = {"network": whole["network"] + whole["transfer"], "target": whole["target"], "host": whole["host"]}
    verdict.expect(said is None or of[said] == max(of.values()), f"{words}: the verdict's owner is {said} of {of}")


def check_text(entries, verdict, json_report, *options):
    text = entries.run("report", "--all", *options)
    # Not how far a model is off, nor what stands against a mean.
    for share in re.findall(r"(?<![+\d,.])([\d,.]+) %(?! of the mean)", text):
        verdict.expect(float(share.replace(",", "")) <= 100, f"{entries.path}: a share of {share} %")
    line = re.search(r"^  Busy time +(.*?)(?:^  \w|^$)", text, re.M | re.S)
    same_shares(entries, verdict, json_report, "text", line[1] if line else "")
    page = entries.run("report", "--format", "html", *options)
    section = page.partition('<section id="busy-time-by-owner">')[2].partition("</section>")[0]
    same_shares(entries, verdict, json_report, "HTML", re.sub(r"<[^>]*>", " ", re.sub(r'<span class="dim">.*?</span>', "", section)))


def same_shares(entries, verdict, json_report, place, words):
    of = json_report["owners"]["all"]
    for owner, share in re.findall(r"(transfer|network|target|host|unknown)\s+([\d.]+) %", words):
        true = 100 * of[f"{owner}_ns"] / of["busy_ns"]
        digits = len(share.partition(".")[2])
        verdict.expect(abs(true - float(share)) <= 0.5 * 10 ** -digits + 1e-9,
                       f"{entries.path}: {place} {owner} {share} %, JSON {true:.3f} %")


def some_filters(entries, number, dice):
    """Random conditions on tasks, of values that some task has."""
    tasks = list(csv.DictReader(io.StringIO(entries.run("cycles"))))
    times = [r["response_time_ns"] for r in tasks if r["response_time_ns"]] or ["0"]
    every = (lambda: f"type == \"{dice.choice(tasks)['type']}\"", lambda: f"session == {dice.choice(tasks)['session']}",
             lambda: f"lun == \"{dice.choice(tasks)['lun']}\"", lambda: f"stream == {dice.choice(tasks)['stream']}",
             lambda: f"response_time > {dice.choice(times)}ns", lambda: "outcome != \"good\"",
             lambda: f"cycle < {dice.choice(tasks)['cycle']}")
    return [dice.choice(every)() for _ in range(number)] if tasks else []


def check_filter(entries, verdict, condition, begin=-(1 << 63), end=1 << 63, *options):
    options = ("--filter", condition, *options)
    words = f"{os.path.basename(entries.path)} {' '.join(options)}"
    cycles = set(entries.run("cycles", "--columns", "cycle", *options).split()[1:])
    report = json.loads(entries.run("report", "--format", "json", *options))
    verdict.expect(report["tasks"]["count"] == len(cycles), f"{words}: {report['tasks']['count']} tasks of {len(cycles)}")
    check_report(entries.of(cycles), verdict, words, report, begin, end)
    check_text(entries, verdict, report, *options)
    time, busy = report["time_shares"], report["owners"]["all"]["busy_ns"]
    verdict.expect(time["active_ns"] == time["transfer_ns"] + sum(g["time_ns"] for g in time["gaps"].values())
                   and time["active_ns"] == busy + time["one_sided_ns"], f"{words}: busy {busy} ns, of the shares {time}")
    return report


def check_types(entries, verdict, whole):
    """All tasks by a filter, and by three that share none."""
    words = os.path.basename(entries.path)
    every = check_filter(entries, verdict, "cycle >= 0")
    for part in ("tasks", "cycles"):
        drop = ("events", "failed_logins", "pdus") if part == "tasks" else ()
        same = [{k: v for k, v in r[part].items() if k not in drop} for r in (whole, every)]
        verdict.expect(same[0] == same[1], f"{words}: {part} of all tasks differ with a filter")
    parts = [check_filter(entries, verdict, f"type == \"{t}\"") for t in ("read", "write", "control")]
    for o in OWNERS:
        of = [r["owners"]["all"][f"{o}_ns"] for r in (*parts, every, whole)]
        verdict.expect(sum(of[:3]) == of[3] <= of[4], f"{words}: {o} of Reads, Writes, others, all, the whole {of}")


def check(program, path, verdict, ranges, dice):
    entries = Entries(program, path)
    name = os.path.basename(path)
    verdict.expect(all(r[5] > 0 for r in entries.rows), f"{name}: an entry without length")
    by_stream = entries.sums(lambda r: r[0])
    for stream, c in entries.connections.items():
        if c["busy_ns"]:
            total = sum(by_stream.get(stream, {}).values())
            verdict.expect(total == int(c["busy_ns"]), f"{name}: stream {stream} busy {c['busy_ns']}, the ledger {total}")
    whole = json.loads(entries.run("report", "--format", "json"))
    check_report(entries, verdict, name, whole)
    check_text(entries, verdict, whole)
    check_types(entries, verdict, whole)
    for condition in some_filters(entries, ranges, dice):
        check_filter(entries, verdict, condition)
    if entries.overlap or not entries.known:
        return entries
    first = min(r[4] for r in entries.known)
    span = max(r[4] + r[5] for r in entries.known) - first
    zero = whole["capture"]["first_time"]
    for _ in range(ranges):
        a, b = sorted(first + dice.randrange(span + 1) for _ in range(2))
        of_range = json.loads(entries.run("report", "--format", "json", "--range", f"{a - zero}ns..{b - zero}ns"))
        check_report(entries, verdict, f"{name} {a - zero}ns..{b - zero}ns", of_range, a, b)
        for condition in some_filters(entries, 1, dice):
            check_filter(entries, verdict, condition, a, b, "--range", f"{a - zero}ns..{b - zero}ns")
    return entries


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    dice, verdict = random.Random(arguments.seed), Verdict()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, DIALOGUES, folder, "--count", "200", "--seed", "3"], check=True, stdout=subprocess.DEVNULL)
        rows = overlapping = count = 0
        for path in captures(arguments.all, folder):
            verdict.begin()
            entries = check(arguments.program, path, verdict, 20 if arguments.all else 2, dice)
            count += 1
            rows += len(entries.rows)
            overlapping += entries.overlap > 0
    figure(f"ledger: {rows} entries of {count} captures are their busy time; in {overlapping} some overlap")
    verdict.finish()


if __name__ == "__main__":
    main()
