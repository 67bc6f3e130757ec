#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin under everything that is done to a file: statistics over several passes, stops in the middle, other
files and other preferences in one process (sharkd), the fuzz corpus. With a plugin of the preset asan every run is
under AddressSanitizer. robustness.py [--short]: fewer captures and rounds. Environment: plugin_tools.py;
ISCSISCOPE_FUZZ_CORPUS (default: build/fuzz/corpus)."""

import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest

import fuzz_captures
from plugin_tools import PRELOAD, SOURCE, PluginTestCase, Tshark, leaks_of_ours, need_tools, rows

GONE_WELL = (0, 1, 2)  # tshark says 1 or 2 of a file that it cannot read to its end
SHORT = "--short" in sys.argv
HEAP_IN_USE = os.environ.get("ISCSISCOPE_HEAP_IN_USE", "")
MAX_FILES = 4 if SHORT else int(os.environ.get("ISCSISCOPE_FUZZ_FILES", "40"))
# A third of them before growth is looked at: the third round may still take a step of some MB, once.
ROUNDS = 9
MAX_GROWTH = 10_000  # bytes in use a file, more than without the plugin
FEW = ("b_write_4MiB_256K_5ms_r2t64k.ini", "z13_lun_reset", "mcs-unequal.init")  # captures of the short form
ALL_STATISTICS = [a for z in ("iscsiscope,tree", "iscsiscope,srt", "iscsiscope,summary", "iscsiscope,overview",
                              "iscsiscope,response_times", "iscsiscope,findings", "expert",
                              'iscsiscope,summary,iscsiscope.cycle.type == "read"',
                              "io,stat,0.1,AVG(iscsiscope.cycle.response_time)iscsiscope.cycle.response_time")
                  for a in ("-z", z)]


class Sharkd:
    """One sharkd process; a request at a time."""

    def __init__(self, shark):
        self.heap, self.heap_end = (None, None) if PRELOAD else os.pipe()
        more = {}
        if not PRELOAD:  # a copy, since the ordinary user may not read the build folder
            more = {"LD_PRELOAD": shutil.copy(HEAP_IN_USE, shark.folder), "ISCSISCOPE_HEAP_FD": str(self.heap_end)}
            shark.open_up()
        self.process = subprocess.Popen(shark.command + ["-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=dict(os.environ, **more),
                                        pass_fds=[] if PRELOAD else [self.heap_end])
        self.number = 0

    def ask(self, method, **parameters):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method}
        if parameters:
            request["params"] = parameters
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError("sharkd ended: " + self.process.stderr.read().decode(errors="replace")[-3000:])
            if line.startswith(b"{"):
                answer = json.loads(line)
                if answer.get("id") == self.number:
                    if "error" in answer:
                        raise AssertionError("%s: %s" % (request, answer["error"]))
                    return answer["result"]

    def frames(self, dfilter):
        """sharkd remembers what a filter selected, from one file to the next: no filter is asked twice."""
        return self.ask("frames", filter="%s && frame.number != %d" % (dfilter, 10**9 + self.number))

    def memory(self):
        """Bytes of the heap that are in use; resident ones under a sanitizer. (Wireshark itself keeps some 11 MB with each
        file. Between them lie holes that glibc keeps and uses again, which resident memory counts.)"""
        if PRELOAD:
            with open("/proc/%d/status" % self.process.pid, encoding="ascii") as file:
                return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:"))
        self.process.send_signal(signal.SIGUSR1)
        answer = b""
        while not answer.endswith(b"\n"):
            answer += os.read(self.heap, 64)
        return int(answer)

    def end(self):
        self.process.stdin.close()
        for end in (self.heap, self.heap_end):
            if end is not None:
                os.close(end)
        code = self.process.wait(60)
        said = self.process.stderr.read().decode(errors="replace")
        self.process.stdout.close()
        self.process.stderr.close()
        if code not in GONE_WELL or "Sanitizer" in said or "runtime error" in said:
            raise AssertionError("sharkd: %d\n%s" % (code, said[-3000:]))


class RobustnessTest(PluginTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not cls.captures:
            raise unittest.SkipTest("no captures")
        print("under AddressSanitizer" if PRELOAD else "without a sanitizer", flush=True)

    def run_all(self, argument_lists, tshark=None):
        """Runs tshark with each; none may crash, and none may leak where the sanitizer looks for it."""
        command = (tshark or self.tshark).command

        def one(arguments):
            done = subprocess.run(command + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  check=False, timeout=300)
            return arguments, done.returncode, done.stderr.decode(errors="replace")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for arguments, code, said in pool.map(one, argument_lists):
                with self.subTest(arguments=arguments):
                    self.assertIn(code, GONE_WELL, said[-3000:])
                    leaks, said = leaks_of_ours(said)
                    self.assertFalse(leaks, "".join(leaks[:3]))
                    for word in ("Sanitizer", "runtime error", "Dissector bug", "ERROR:"):
                        self.assertNotIn(word, said)

    def test_statistics_in_two_passes(self):
        captures = [path for name, path in self.captures.items() if not SHORT or any(w in name for w in FEW)]
        self.run_all([["-r", path, "-2", "-q"] + ALL_STATISTICS for path in captures])
        print("FIGURE: plugin, all statistics at once in two passes: %d captures, no crash" % len(captures), flush=True)

    def test_leaks(self):
        if not PRELOAD:
            self.skipTest("without the sanitizer")
        captures = [path for name, path in self.captures.items() if any(w in name for w in FEW)]
        self.run_all([["-r", path, "-q"] + passes + ALL_STATISTICS for path in captures for passes in ([], ["-2"])],
                     Tshark(self.folder, leaks=True))
        print("FIGURE: plugin, LeakSanitizer: %d runs, no leak of the plugin's" % (2 * len(captures)), flush=True)

    def test_fuzz_corpus(self):
        found = fuzz_captures.seeds(SOURCE, os.path.join(self.folder, "seeds"))
        streams = [p for target in fuzz_captures.STREAM_TARGETS for p in found.get(target, [])]
        files = found.get("capture_file", [])
        captures = fuzz_captures.stream_captures(streams, self.folder)
        captures += fuzz_captures.file_captures(files, self.folder, MAX_FILES)
        self.tshark.open_up()
        self.run_all([["-r", path, "-2", "-V", "-n"] for path in captures])
        self.run_all([["-r", path, "-q"] + ALL_STATISTICS for path in captures if "streams" in path])
        print("FIGURE: plugin, fuzz corpus: %d stream seeds in %d captures, %d of %d capture files, no crash" %
              (len(streams), sum("streams" in c for c in captures), min(len(files), MAX_FILES), len(files)),
              flush=True)

    def test_stopped_while_reading(self):
        path = max(self.captures.values(), key=os.path.getsize)
        self.run_all([["-r", path, "-c", count, "-q"] + ALL_STATISTICS for count in ("1", "20", "777")])
        for share in (0.1, 0.5):  # the rest of the pipe never comes
            with open(path, "rb") as file:
                part = file.read(int(os.path.getsize(path) * share))
            process = subprocess.Popen(self.tshark.command + ["-r", "-", "-T", "fields", "-e", "iscsiscope.cycle.id"] +
                                       ALL_STATISTICS, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            process.stdin.write(part)
            process.stdin.flush()
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=120)
            self.assertNotIn(process.returncode, (99, -signal.SIGSEGV, -signal.SIGABRT), said.decode()[-3000:])
            self.assertNotIn(b"Sanitizer", said)

    def rounds(self, shark, paths, plugin):
        """Growth per file opened, in bytes, when the same files are opened again and again and as much is asked."""
        sharkd = Sharkd(shark)
        sizes = []
        for number in range(ROUNDS):
            for path in paths:
                sharkd.ask("load", file=path)
                if plugin:
                    threshold = "8000" if number % 2 else "0"
                    sharkd.ask("setconf", name="iscsiscope.gap_threshold", value=threshold)
                    sharkd.ask("load", file=path)
                    gaps = sharkd.frames("iscsiscope.gap.time")
                    known = {r["after_frame"] for r in self.gaps_of(path)
                             if threshold == "0" or int(r["length_ns"]) > 8_000_000}
                    if threshold == "0":
                        self.assertEqual({str(f["num"]) for f in gaps}, known, path)
                    else:
                        self.assertLess(len(gaps), max(1, len(self.gaps_of(path))), path)
                    sharkd.frames("iscsiscope.cycle.response_time > 0.001")
                    sharkd.ask("tap", tap0="stat:iscsiscope", tap1="srt:iscsiscope", tap2="expert")
                else:  # as many files and filters: sharkd keeps what each filter selected
                    sharkd.ask("load", file=path)
                    sharkd.frames("tcp.len > 0")
                    sharkd.frames("tcp.len > 1")
                    sharkd.ask("tap", tap0="expert")
                for frame in (1, 20, 30):
                    sharkd.ask("frame", frame=frame, proto=True, columns=True)
            sizes.append(sharkd.memory())
        sharkd.end()
        print("FIGURE: plugin, memory in use of one process, %s, after each of %d rounds over %d files: %s MB" % (
            "with it" if plugin else "without", ROUNDS, len(paths), " ".join("%.1f" % (s / 1e6) for s in sizes)),
              flush=True)
        settled = ROUNDS // 3
        return (sizes[-1] - sizes[settled - 1]) / (2 * len(paths) * (ROUNDS - settled))

    known_gaps = {}

    def gaps_of(self, path):
        if path not in self.known_gaps:
            self.known_gaps[path] = [r for r in rows("gaps", path) if r["after_frame"]]
        return self.known_gaps[path]

    def test_one_process_many_files(self):
        if shutil.which("sharkd") is None:
            self.skipTest("sharkd is not installed")
        paths = [p for name, p in self.captures.items()
                 if any(w in name for w in FEW)]
        without = self.rounds(Tshark(self.folder, "sharkd", plugin=False), paths, False)
        with_plugin = self.rounds(Tshark(self.folder, "sharkd"), paths, True)
        print("FIGURE: plugin, growth of a process per file opened again: %.1f kB with it, %.1f kB without" %
              (with_plugin / 1e3, without / 1e3), flush=True)
        if not PRELOAD:  # freed memory waits in its quarantine
            self.assertLess(with_plugin - without, MAX_GROWTH)


if __name__ == "__main__":
    need_tools()
    unittest.main(verbosity=2, argv=[a for a in sys.argv if a != "--short"])
