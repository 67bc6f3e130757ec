# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin's tests share: tshark with the plugin as an ordinary user, what it shows, the command line's rows.

Environment: ISCSISCOPE (the command line program), ISCSISCOPE_PLUGIN (iscsiscope.so as it was built),
ISCSISCOPE_SOURCE_DIR, ISCSISCOPE_CAPTURES (default: ../shared/captures beside the source folder),
ISCSISCOPE_PRELOAD (the sanitizer's library that a plugin built with it needs)."""

import csv
import glob
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import odd_captures

SOURCE = os.environ.get("ISCSISCOPE_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", ".."))
CAPTURES = os.environ.get("ISCSISCOPE_CAPTURES", os.path.join(SOURCE, "..", "shared", "captures"))
PROGRAM = os.environ.get("ISCSISCOPE", "iscsiscope")
PLUGIN = os.environ.get("ISCSISCOPE_PLUGIN", "")
PRELOAD = os.environ.get("ISCSISCOPE_PRELOAD", "")
NOBODY = "65534"
PREFIX = "iscsiscope."


def skip(why):
    print("SKIPPED: " + why, flush=True)
    sys.exit(77)


class Tshark:
    """Runs tshark with the plugin (or without) and an empty home. Root would silently get no plugin at all."""

    def __init__(self, folder, program="tshark", plugin=True, leaks=False):
        self.folder = folder
        version = os.path.basename(os.path.dirname(os.path.dirname(PLUGIN)))
        epan = os.path.join(folder, "plugins" if plugin else "no-plugins", version, "epan")
        os.makedirs(os.path.join(folder, "home"), exist_ok=True)
        os.makedirs(epan, exist_ok=True)
        no_extcap = os.path.join(folder, "no-extcap")
        os.makedirs(no_extcap, exist_ok=True)
        if plugin:
            shutil.copy(PLUGIN, epan)
        self.open_up()
        self.command = ["env", "HOME=" + os.path.join(folder, "home"),
                        "WIRESHARK_PLUGIN_DIR=" + os.path.dirname(os.path.dirname(epan)),
                        # Its capture helpers are of no use here, and androiddump hangs under libasan as it ends.
                        "WIRESHARK_EXTCAP_DIR=" + no_extcap]
        if plugin and PRELOAD:
            # What Wireshark itself leaks is printed, too: leaks_of_ours() takes out what is not ours.
            self.command += ["LD_PRELOAD=" + PRELOAD, "ASAN_OPTIONS=exitcode=99:detect_leaks=%d" % leaks,
                             "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=99"]
            if leaks:
                self.command.append("LSAN_OPTIONS=exitcode=0")
        self.command.append(program)
        if os.geteuid() == 0:
            os.chown(os.path.join(folder, "home"), int(NOBODY), int(NOBODY))
            self.command = ["setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY,
                            "--clear-groups"] + self.command

    def open_up(self):
        os.chmod(self.folder, 0o755)
        for root, folders, files in os.walk(self.folder):
            for name in folders + files:
                os.chmod(os.path.join(root, name), 0o755)

    def run(self, *arguments):
        done = subprocess.run(self.command + list(arguments), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=900)
        if done.returncode != 0:
            raise AssertionError("tshark %s: %d\n%s" % (arguments, done.returncode, done.stderr.decode()))
        return done.stdout.decode()


def leaks_of_ours(said):
    """Of what the sanitizer said: the leaks with a call of the plugin's own code next to the allocation, and the rest
    of the text without any. (All that the plugin does is called by Wireshark, and Wireshark and GLib leave hundreds
    of blocks behind without it; so a suppression by module cannot distinguish them, since it looks at all callers.)"""
    rest, leaks = [], []
    for part in re.split(r"(?m)^(?=(?:Direct|Indirect) leak of )", said):
        if part.startswith(("Direct", "Indirect")):
            part, _, behind = part.partition("\n\n")
            if "iscsiscope.so" in part:
                leaks.append(part)
            part = behind
        rest.append(re.sub(r"=+\s*==\d+==ERROR: LeakSanitizer: detected memory leaks|"
                           r"SUMMARY: AddressSanitizer: \d+ byte\(s\) leaked.*", "", part))
    return leaks, "".join(rest)


def rows(command, capture):
    text = subprocess.run([PROGRAM, command, "--quiet", capture], stdout=subprocess.PIPE, check=True).stdout
    return list(csv.DictReader(io.StringIO(text.decode())))


def nanoseconds(text):
    """Seconds as Wireshark writes relative times, "0.001234567" -> "1234567"."""
    seconds, _, fraction = text.partition(".")
    return str(int(seconds) * 10**9 + int(fraction.ljust(9, "0")))


# Field of the plugin -> column of the command line, and how to read the field.
CYCLE_FACTS = {"cycle.type": ("type", str), "cycle.itt": ("itt", lambda s: str(int(s, 0))),
               "cycle.lun": ("lun", str), "cycle.lba": ("lba", str),
               "cycle.bytes": ("bytes_expected", str), "cycle.outstanding": ("queue_depth", str),
               "cycle.opcode": ("opcode", lambda s: str(int(s, 0))),
               "cycle.command_frame": ("command_frame", str),
               "cycle.first_data_frame": ("first_data_frame", str),
               "cycle.last_data_frame": ("last_data_frame", str), "cycle.status_frame": ("status_frame", str),
               "cycle.end_frame": ("end_frame", str), "cycle.outcome": ("outcome", str),
               "cycle.bytes_moved": ("bytes_moved", str), "cycle.r2t_count": ("r2t_count", str),
               "session.id": ("session", str), "session.cid": ("cid", str), "stream": ("stream", str)}
CYCLE_TIMES = {"cycle." + n: (n + "_ns", nanoseconds)
               for n in ("response_time", "command", "first_data_wait", "data", "unsolicited", "r2t_wait",
                         "burst_response", "burst_data", "status_wait")}
PHASES = CYCLE_TIMES.keys() - {"cycle.response_time"}
CYCLE_LATE = {"cycle.time": ("cycle_time_ns", nanoseconds),
              "cycle.next_command_wait": ("next_command_wait_ns", nanoseconds),
              "cycle.target_service": ("target_service_ns", nanoseconds),
              "cycle.idle": ("idle_ns", nanoseconds),
              "cycle.retransmitted_segments": ("retransmitted_segments", str)}
BURST = {"burst.r2tsn": ("r2t_sn", str), "burst.offset": ("offset", str), "burst.length": ("desired_bytes", str),
         "burst.sent": ("sent_bytes", str), "burst.r2t_frame": ("r2t_frame", str),
         "burst.first_frame": ("first_frame", str), "burst.last_frame": ("last_frame", str),
         "burst.wait": ("r2t_wait_ns", nanoseconds), "burst.response": ("burst_response_ns", nanoseconds),
         "burst.time": ("burst_data_ns", nanoseconds)}
TCP = {"tcp.flight": ("flight_bytes", str),
       "tcp.flight_low": ("flight_low_bytes", str), "tcp.flight_high": ("flight_high_bytes", str),
       "tcp.cwnd_estimate": ("cwnd_bytes", str), "tcp.cwnd_low": ("cwnd_low_bytes", str),
       "tcp.cwnd_high": ("cwnd_high_bytes", str), "tcp.receive_window": ("receive_window_bytes", str),
       "tcp.rtt": ("rtt_ns", nanoseconds), "tcp.state": ("state", str), "tcp.limit": ("limit", str)}
GAP = {"gap.time": ("length_ns", nanoseconds), "gap.kind": ("kind", str), "gap.cycle": ("cycle", str),
       "gap.before_frame": ("before_frame", str),
       "gap.after_frame": ("after_frame", str)}
# Of the entries of the ledger, which stand in their gap.
LEDGER = {"ledger.owner": ("owner", str), "ledger.cause": ("cause", str), "ledger.time": ("length_ns", nanoseconds),
          "ledger.cycle": ("cycle", str), "gap.kind": ("gap", str), "gap.before_frame": ("before_frame", str),
          "gap.after_frame": ("after_frame", str)}
# Of the JSON report's findings, of which those without connection time have no lost time to show.
PIECES = ("finding.sentence", "finding.remedy")
FINDING = {"finding.title": ("title", str), "finding.kind": ("kind", str), "finding.lost_time": ("lost_time_ns", lambda s: int(nanoseconds(s))),
           "finding.sentence": ("sentence", str), "finding.remedy": ("remedy", str)}


# One element of PDML. Wireshark escapes quotes and angle brackets within values.
ELEMENT = re.compile(r'<field name="([^"]*)"(?:[^>]*? show="([^"]*)")?[^>]*?(/?)>|</field>')


# By field, the prefix taken off: the name of each number of an enumeration. Filled by pdml(), in each process anew.
ENUMERATIONS = {}


def read_enumerations(tshark):
    """Of all the plugin's fields but that of the operation code, which the command line shows as a number too."""
    for line in tshark.run("-G", "values").splitlines():
        cells = line.split("\t")
        if cells[0] == "V" and cells[1].startswith(PREFIX) and cells[1] != PREFIX + "cycle.opcode":
            ENUMERATIONS.setdefault(cells[1][len(PREFIX):], {})[str(int(cells[2], 0))] = cells[3]


class Shown:
    """What the plugin showed of one capture, out of its PDML: each subtree's fields by name, the prefix taken off,
    all values of each, enumerations by name. (A parser of XML takes eight times as long.)"""

    def __init__(self, pdml):
        self.cycles, self.bursts, self.gaps, self.senders, self.findings = {}, {}, [], {}, []
        self.entries = []  # of the ledger
        self.inferred = {}  # by the frame that confirmed the PDUs
        self.results = self.burst_results = 0  # how often a result stands
        self.frame = None
        trees = []  # open ones: name, fields
        for element in ELEMENT.finditer(pdml):
            name, show, closed = element.groups()
            if name is None:
                self.read_tree(*trees.pop(), trees)
                continue
            if name == "num" and not trees:
                self.frame = show
            if trees and name.startswith(PREFIX):
                field, value = name[len(PREFIX):], html.unescape(show)
                value = ENUMERATIONS[field][value] if field in ENUMERATIONS else value
                trees[-1][1].setdefault(field, []).append(value)
            if not closed:
                trees.append((name, {}))

    def read_tree(self, name, fields, around):
        if name == PREFIX + "cycle.phases":
            around[-1][1].update(fields)
        elif name == PREFIX + "cycle" and "cycle.outcome" in fields:
            # The result stands here; shown again: the last one holds.
            self.results += 1
            self.cycles[fields["cycle.id"][0]] = fields
        elif name == PREFIX + "burst" and "burst.sent" in fields:
            self.burst_results += 1
            self.bursts[around[-1][1]["cycle.id"][0], fields["burst.number"][0]] = fields
        elif name == PREFIX + "gap":
            self.gaps.append(fields)
            self.entries += [{**picked({**fields, **entry}, LEDGER), "trouble": "ledger.trouble" in entry}
                             for entry in fields.pop("entries", [])]
        elif name == PREFIX + "ledger":
            around[-1][1].setdefault("entries", []).append(fields)
        elif name == PREFIX + "inferred":
            self.inferred[self.frame] = fields
        elif name == PREFIX + "tcp":
            self.senders[self.frame] = fields
        elif name == PREFIX + "finding":
            # Wireshark cuts lines off, so that sentence and remedy stand in pieces.
            fields = {**fields, **{name: [" ".join(fields.get(name, []))] for name in PIECES}}
            self.findings.append({**picked(fields, FINDING), "frame": int(self.frame),
                                  "evidence": fields["finding.evidence"][0],
                                  "others": [int(f) for f in fields.get("finding.frame", [])]})


def pdml(tshark, path, *more, dfilter="iscsiscope"):
    if not ENUMERATIONS:
        read_enumerations(tshark)
    return tshark.run("-r", path, "-Y", dfilter, "-T", "pdml", "-J", "iscsiscope", *more)


def json_findings(path):
    return json.loads(subprocess.run([PROGRAM, "report", "--quiet", "--format", "json", path],
                                     stdout=subprocess.PIPE, check=True).stdout)["findings"]


def findings(path):
    """The report's findings, one for each frame of evidence."""
    return [{**{column: f[column] for column, _ in FINDING.values()},
             "lost_time_ns": f["lost_time_ns"] if e is f["evidence_words"][0] and f["lost_time_ns"] else "",
             "frame": e["frame"], "evidence": e["words"],
             "others": [other["frame"] for other in f["evidence_words"] if other is not e]}
            for f in json_findings(path) for e in f["evidence_words"]]


def picked(shown, names):
    return {column: read(shown[field][0]) if field in shown else "" for field, (column, read) in names.items()}


def expected(row, names):
    """A phase that took no time is left out."""
    return {column: "" if field in PHASES and row[column] == "0" else row[column]
            for field, (column, _) in names.items()}


def unpacked_captures(folder):
    """Every capture that is at hand, unpacked into the folder: path by name."""
    found = glob.glob(os.path.join(CAPTURES, "*.pcap*.zst")) + glob.glob(
        os.path.join(CAPTURES, "zoo", "*.pcap*.zst")) + glob.glob(
        os.path.join(SOURCE, "sample-captures", "bundle", "*", "*.pcap*.zst")) + glob.glob(
            os.path.join(SOURCE, "tests", "plugin", "captures", "*.pcap*.zst"))
    captures = {}
    for path in sorted(found):
        name = os.path.basename(path)[:-len(".zst")]
        captures[name] = os.path.join(folder, name)
        subprocess.run(["zstd", "-qdf", path, "-o", captures[name]], check=True)
    if not any("z01_clean_read" in name for name in captures):
        print("SKIPPED: the shared captures are not at " + CAPTURES, flush=True)
    return captures


def need_tools():
    if not PLUGIN or not os.path.exists(PLUGIN):
        skip("the plugin is not built")
    for tool in ("tshark", "zstd") + (("setpriv",) if os.geteuid() == 0 else ()):
        if shutil.which(tool) is None:
            skip(tool + " is not installed")


class PluginTestCase(unittest.TestCase):
    """tshark with the plugin and all captures, those made wrong on purpose included, in a folder of their own."""

    longMessage = True

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="iscsiscope-plugin-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.tshark = Tshark(cls.folder)
        cls.captures = unpacked_captures(cls.folder)
        cls.captures.update(odd_captures.make(cls.folder, cls.captures))
        cls.tshark.open_up()
        # Wireshark passes over a plugin that does not load, and then nothing of ours would be tested.
        listed = cls.tshark.run("-G", "plugins")
        if "iscsiscope.so" not in listed:
            raise AssertionError("the plugin was not loaded; there are:\n" + listed)

    def frames(self, path, dfilter, *more):
        text = self.tshark.run("-r", path, *more, "-Y", dfilter, "-T", "fields", "-e", "frame.number")
        return [int(line) for line in text.split()]
