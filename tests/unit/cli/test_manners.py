#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Mistyped commands and options, a reader that leaves early, Ctrl-C on a pipe, what a folder got, explain, and help."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import unittest

from program import HANG, Base, COLUMNS, PROGRAM, SAMPLE, live, run, waiting

COMMANDS = ("report", "pdus", "cycles", "bursts", "gaps", "ledger", "connections", "tcp", "compare", "predict", "explain")


class Mistyped(Base):
    def refused(self, *arguments):
        """The message, without the line that leads to --help."""
        code, out, err = run(*arguments)
        self.assertEqual((code, out), (2, ""), arguments)
        message, more = err.split("\n", 1)
        self.assertRegex(more, r"^`iscsiscope( [a-z]+)? --help` [a-z ]+\.\n$", arguments)
        return message.removeprefix("iscsiscope: ")

    def test_commands(self):
        self.assertEqual(self.refused("reprot"), "no command 'reprot'; the nearest is 'report'")
        self.assertEqual(self.refused("reprot", SAMPLE, "--format", "json"), "no command 'reprot'; the nearest is 'report'")
        self.assertEqual(self.refused("Cycle", "report"), "no command 'Cycle'; the nearest is 'cycles'")
        for far in ("frobnicate", "", "x"):
            self.assertEqual(self.refused(far), f"no command '{far}'")
        self.assertIn("\\x1B[2J", self.refused("\x1b[2J"))  # it does not control the terminal

    def test_a_file_instead_of_a_command(self):
        for name in ("trace.pcap", "a/b.pcapng", "x.pcapng.gz", "x.pcap.zst"):
            self.assertEqual(self.refused(name, "--format", "json"),
                             f"{name} is the name of a file, not a command; `iscsiscope report {name}` reads it")
        path = self.file("it's one", self.sample_bytes()[:100])
        words = self.refused(path)
        self.assertIn("is a file, not a command", words)
        offered = words.split("`")[1].removeprefix("iscsiscope report ")
        self.assertEqual(subprocess.run(["sh", "-c", "printf %s " + offered], stdout=subprocess.PIPE).stdout.decode(), path)
        self.assertIn("`iscsiscope report -`", self.refused("-"))
        self.assertNotIn("file", self.refused(self.folder))

    def test_options(self):
        nearest = "report has no option '--formt'; the nearest is '--format'"
        for arguments in (("report", SAMPLE, "--formt", "json"), ("report", SAMPLE, "--formt=json"),
                          ("report", "--formt=json"), ("report", "--formt", "json")):
            self.assertEqual(self.refused(*arguments), nearest)
        self.assertEqual(self.refused("cycles", "--colunms", "itt", SAMPLE),
                         "cycles has no option '--colunms'; the nearest is '--columns'")
        self.assertEqual(self.refused("--versoin"), "no option '--versoin'; the nearest is '--version'")
        self.assertEqual(self.refused("gaps", SAMPLE, "-quiet"), "gaps has no option '-quiet'; the nearest is '--quiet'")
        for far in ("--nonsense", "-q"):
            self.assertEqual(self.refused("report", SAMPLE, far), f"report has no option '{far}'")
        self.assertEqual(self.refused("report", SAMPLE, "--json"), "report has no option '--json'; did you mean `--format json`?")
        self.assertIn("is given after the command, `iscsiscope report --quiet`", self.refused("--quiet", "report", SAMPLE))
        self.assertEqual(self.refused("predict", SAMPLE, "second.pcap"), "'second.pcap' is an argument too many")
        self.assertIn("several files are read as one with --join", self.refused("cycles", SAMPLE, "second.pcap"))
        self.assertEqual(self.refused("report", SAMPLE, "--range"), "--range needs a value: FROM..TO")
        self.assertEqual(self.refused("report"), "FILE is required")

    def test_no_command(self):
        code, out, err = run()
        self.assertEqual((code, out), (2, ""))
        self.assertTrue(err.startswith("iscsiscope: no command is given\n"), err)
        for command in COMMANDS:
            self.assertRegex(err, rf"\n  {command} ")

    def test_names_of_commands_are_no_commands_behind_one(self):
        code, out, _ = run("explain", "cycles", "gaps", "report")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"(?m)^gaps \(")


class ReaderGone(Base):
    ALL = [(c, SAMPLE) for c in (*COLUMNS, "report", "predict")] + [
        ("pdus", SAMPLE, "--format", "jsonl"), ("report", SAMPLE, "--format", "json"), ("compare", SAMPLE, SAMPLE),
        ("report", SAMPLE, "--format", "html"), ("report", SAMPLE, SAMPLE), ("compare", SAMPLE, SAMPLE, "--format", "json"),
        ("report", SAMPLE, SAMPLE, "--format", "json", "--jobs", "2"), ("compare", SAMPLE, SAMPLE, "--ends"),
        ("predict", SAMPLE, "--format", "json"), ("explain",), ("explain", "cwnd"), ("explain", "--format", "json"),
        ("explain", "--format", "man"), ("--help",), ("tcp", "--help"), ("--version",)]

    def into(self, stream, *arguments):
        done = subprocess.run([PROGRAM, *arguments], stdout=stream, stderr=subprocess.PIPE, timeout=HANG)
        return done.returncode, done.stderr.decode()

    def test_a_reader_that_leaves_ends_the_program_silently(self):
        for arguments in self.ALL:
            read_end, write_end = os.pipe()
            os.close(read_end)
            self.assertEqual(self.into(write_end, *arguments), (0, ""), arguments)
            os.close(write_end)

    def test_other_errors_of_standard_output_are_errors(self):
        for arguments in self.ALL:
            with open("/dev/full", "wb") as full:
                code, err = self.into(full, *arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn("cannot write standard output: No space left", err, arguments)

    def test_a_named_pipe_whose_reader_leaves_is_an_error(self):
        fifo = os.path.join(self.folder, "fifo")
        os.mkfifo(fifo)
        for command in ("pdus", "report"):
            child = subprocess.Popen([PROGRAM, command, SAMPLE, "-o", fifo], stderr=subprocess.PIPE)
            os.close(os.open(fifo, os.O_RDONLY))
            err = child.communicate(timeout=HANG)[1].decode()
            self.assertEqual(child.returncode, 2)
            self.assertIn("Broken pipe", err)
        self.assertEqual(os.listdir(self.folder), ["fifo"])

    def test_what_was_found_before_still_counts(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        bad = self.file("bad.pcap", b"no")
        self.assertEqual(self.into(write_end, "report", SAMPLE, "--fail-on", "tasks > 0")[0], 1)
        self.assertEqual(self.into(write_end, "report", bad, SAMPLE)[0], 2)
        os.close(write_end)

    def test_no_further_capture_is_read(self):
        """The second one is a pipe that never ends."""
        fifo = os.path.join(self.folder, "fifo")
        os.mkfifo(fifo)
        read_end, write_end = os.pipe()
        os.close(read_end)
        self.assertEqual(self.into(write_end, "report", SAMPLE, fifo), (0, ""))
        os.close(write_end)


class Interrupt(Base):
    """SIGINT while a pipe is read. What depends on the second for which the writer is still read is judged only where the
    machine lets both run."""

    def start(self, *arguments, stdin=subprocess.PIPE):
        self.errors, self.output = [], []
        child = subprocess.Popen([PROGRAM, *arguments], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.readers = [threading.Thread(target=lambda: self.output.append(child.stdout.read())),
                        threading.Thread(target=lambda: self.errors.append(child.stderr.read()))]
        for reader in self.readers:
            reader.start()
        return child

    def feed(self, child, content):
        child.stdin.write(content)
        child.stdin.flush()
        self.assertTrue(live.at_its_time(lambda: waiting(child.stdin) == 0), "the program takes all of it")

    def end(self, child):
        code = child.wait(timeout=HANG)
        for reader in self.readers:
            reader.join(timeout=HANG)
        if not child.stdin.closed:
            try:
                child.stdin.close()
            except BrokenPipeError:
                pass
        child.stdout.close()
        child.stderr.close()
        return code, self.output[0].decode(), self.errors[0].decode()

    def test_it_ends_the_capture_and_the_report_follows(self):
        """A part of a packet that was under way is neither damage nor a loss."""
        for where in ("-", "/dev/stdin"):
            child = self.start("report", where, "--format", "json", "--strict")
            self.feed(child, self.sample_bytes()[:200_001])
            child.send_signal(signal.SIGINT)  # the pipe stays open: it is the signal that ends the capture
            code, out, err = self.end(child)
            self.assertEqual(code, 0, err)
            whole = json.loads(out)
            self.assertTrue(whole["capture"]["complete"])
            self.assertGreater(whole["capture"]["packets"], 100)
            self.assertNotIn("file_cut_short", whole["coverage"]["anomalies"])
            self.assertRegex(err, r"^iscsiscope: [a-z/ ]+: ended by an interrupt; \d+ frames were read\n$")

    def test_what_the_writer_still_flushes_is_read(self):
        """As tcpdump does, which gets the same signal."""
        content = self.sample_bytes()
        half = len(content) // 2
        path = self.file("whole.pcapng", content)
        def flushed(command, expected):
            child = self.start(command, "-", "--quiet")
            self.feed(child, content[:half])
            child.send_signal(signal.SIGINT)
            time.sleep(0.2)
            try:
                self.feed(child, content[half:])
                child.stdin.close()
            except BrokenPipeError:
                pass  # the second was over
            return self.end(child), (0, expected, "")

        for command in ("cycles", "pdus", "tcp"):
            expected = run(command, path)[1]
            self.judged(lambda: flushed(command, expected))

    def test_a_writer_that_goes_on_is_read_for_a_second(self):
        content = self.sample_bytes()
        child = self.start("gaps", "-")
        self.feed(child, content[:100_000])
        child.send_signal(signal.SIGINT)
        begin, at = time.monotonic(), 100_000
        try:  # the writer never ends by itself
            while child.poll() is None and time.monotonic() - begin < HANG:
                child.stdin.write(content[at:at + 50])
                child.stdin.flush()
                at = 100_000 + (at + 50) % 100_000
                time.sleep(0.02)
        except BrokenPipeError:
            pass
        print(f"FIGURE: a writer that goes on is read for {time.monotonic() - begin:.1f} s")
        self.assertTrue(live.at_its_time(lambda: child.poll() is not None), "the program ends before its writer")
        code, out, _ = self.end(child)
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith("stream,"))

    def test_a_second_one_ends_at_once_and_leaves_nothing(self):
        def twice():
            path = os.path.join(self.folder, "rows.csv")
            child = self.start("cycles", "-", "-o", path)
            self.feed(child, self.sample_bytes()[:200_000])
            self.assertTrue(os.listdir(self.folder))
            child.send_signal(signal.SIGINT)
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            ended = self.end(child)
            left = os.listdir(self.folder)
            for name in left:
                os.unlink(os.path.join(self.folder, name))
            return (*ended, left), (-signal.SIGINT, "", "", [])

        self.judged(twice)

    def test_one_that_is_sent_twice_at_once_is_one(self):
        """timeout(1) signals the program, and then its group."""
        def twice():
            child = self.start("cycles", "-")
            self.feed(child, self.sample_bytes()[:200_000])
            child.send_signal(signal.SIGINT)
            time.sleep(0.01)
            child.send_signal(signal.SIGINT)
            return self.end(child)[0], 0

        self.judged(twice)

    def test_a_writer_that_ends_by_the_same_signal(self):
        """The end of its output may be seen before the signal is."""
        for n in range(20):
            child = self.start("connections", "-")
            self.feed(child, self.sample_bytes()[:200_000])
            child.stdin.close()
            time.sleep(n / 10_000)
            child.send_signal(signal.SIGINT)
            self.assertEqual(self.end(child)[0], 0, n)

    def test_a_file_is_no_pipe(self):
        with open(self.file("long.pcapng", self.sample_bytes() * 20), "rb") as stdin:
            child = subprocess.Popen([PROGRAM, "cycles", "-", "-o", os.path.join(self.folder, "x.csv")], stdin=stdin,
                                     stderr=subprocess.PIPE)
            time.sleep(0.05)
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=HANG)
            self.assertIn(child.returncode, (-signal.SIGINT, 0))
        self.assertEqual([n for n in os.listdir(self.folder) if n.startswith(".")], [])

    def test_nothing_was_written_yet(self):
        def interrupted():  # once it reads its pipe
            child = self.start("report", "-")
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            code, out, err = self.end(child)
            return (code, out, "is empty" in err), (2, "", True)

        self.judged(interrupted)

    def test_compressed(self):
        with open(SAMPLE, "rb") as f:
            packed = f.read()
        child = self.start("report", "-", "--format", "json")
        self.feed(child, packed[:len(packed) // 2])
        child.send_signal(signal.SIGINT)
        code, out, _ = self.end(child)
        self.assertEqual(code, 0)
        self.assertTrue(json.loads(out)["capture"]["complete"])


class Folders(Base):
    def test_what_was_written(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        other, bad = self.file("other.pcapng", self.sample_bytes()[:300_000]), self.file("bad.pcap", b"no")
        for arguments, words in (
                ((SAMPLE, other, "--format", "html", "-o", "pages"), "wrote 2 reports and index.html to pages/"),
                ((SAMPLE, other, "--format", "csv", "-o", "tables"), "wrote 2 reports and index.html to tables/"),
                ((SAMPLE, bad, "--format", "sqlite", "-o", "db//"), "wrote 1 of 2 reports and index.html to db/"),
                ((SAMPLE, "-o", "texts/"), "wrote tgt-qemu.pcapng.zst.txt to texts/")):
            self.assertEqual(run("report", *arguments, "--quiet")[2].count("wrote"), 0)
            err = run("report", *arguments)[2]
            self.assertIn(f"iscsiscope: {words}\n", err)
            self.assertEqual(err.count("wrote"), 1)
        err = run("report", SAMPLE, "--format", "csv", "-o", "one")[2]
        self.assertEqual(err, f"iscsiscope: wrote {len(os.listdir('one'))} tables to one/\n")
        for arguments in (("--format", "html", "-o", "x.html"), ("--format", "sqlite", "-o", "x.db"), ("-o", "x.txt")):
            self.assertEqual(run("report", SAMPLE, *arguments), (0, "", ""))
        err = run("report", bad, "--format", "csv", "-o", "none")[2]
        self.assertNotIn("wrote", err)


class Explain(Base):
    def test_several_terms(self):
        code, out, err = run("explain", "cwnd", "r2t_wait_ns", "cwnd")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.count("congestion window, the"), 1)
        self.assertIn("r2t_wait_ns (", out)
        code, out, err = run("explain", "cwdn", "r2t_wait_ns")
        self.assertEqual((code, err), (2, "iscsiscope: no term 'cwdn'; the nearest is 'cwnd'\n"))
        self.assertIn("r2t_wait_ns (", out)
        self.assertEqual([e["term"] for e in json.loads(run("explain", "itt", "lba", "--format", "json")[1])],
                         ["itt", "lba"])

    def test_near_terms(self):
        for written, meant in (("CWND", "cwnd"), ("maxburstlength", "MaxBurstLength"), ("delayed-ack", "delayed_ack")):
            self.assertEqual(run("explain", written)[::2],
                             (2, f"iscsiscope: no term '{written}'; the nearest is '{meant}'\n"))

    def test_width(self):
        for columns, most in (("40", 40), ("132", 132), (None, 80), ("no number", 80), ("-5", 80), ("", 80)):
            env = {**os.environ}
            env.pop("COLUMNS", None)
            if columns is not None:
                env["COLUMNS"] = columns
            for term in ([], ["r2t_wait_ns"]):
                out = subprocess.run([PROGRAM, "explain", *term], env=env, stdout=subprocess.PIPE).stdout.decode()
                widths = [len(x) for x in out.splitlines() if " " in x.strip()]
                self.assertLessEqual(max(widths), most, (columns, term))
                self.assertGreater(max(widths), most * 3 // 5, (columns, term))

    def test_width_of_a_terminal(self):
        env = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
        for columns, most in ((60, 60), (300, 160)):
            outer, inner = pty.openpty()
            fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
            subprocess.run([PROGRAM, "--help"], stdout=inner, env=env, timeout=HANG, check=True)
            os.close(inner)
            shown = b""
            while select.select([outer], [], [], 0.5)[0]:
                try:
                    shown += os.read(outer, 65536)
                except OSError:
                    break
            os.close(outer)
            prose = shown.decode().replace("\r", "").split("Examples:")[0].splitlines()
            self.assertLessEqual(max(map(len, prose)), most)
            self.assertGreater(max(map(len, prose)), min(most, 85) - 20)


class Help(Base):
    def test_lines_fit(self):
        for columns in (80, 60, 120):
            for command in ((), *((c,) for c in COMMANDS)):
                code, out, err = run(*command, "--help", env={"COLUMNS": str(columns)})
                self.assertEqual((code, err), (0, ""))
                head, *rest = re.split(r"(?m)^Examples:\n((?:.+\n)+)", out)
                self.assertEqual(len(rest), 2, command)
                for line in (head + rest[1]).splitlines():
                    self.assertTrue(len(line) <= columns, line)
                for line in rest[0].splitlines():
                    self.assertLessEqual(len(line), 80, line)

    def test_examples_are_accepted(self):
        """Each one, with a capture in the place of its own ones, is no usage error."""
        for name in ("trace.pcap", "trace.pcapng", "trace.pcapng.zst", "a.pcap", "b.pcap", "before.pcap", "after.pcap",
                     "monday.pcap", "tuesday.pcap", "host.pcap", "array.pcap", "ring_1.pcap", "ring_2.pcap",
                     "nightly.pcap", "tx.pcap", "rx.pcap"):
            self.file(name, self.sample_bytes()[:100_000])
        names = os.path.join(self.folder, "bin")
        os.mkdir(names)
        os.symlink(os.path.abspath(PROGRAM), os.path.join(names, "iscsiscope"))
        self.file("bin/tcpdump", b"#!/bin/sh\nexec cat trace.pcap\n")
        os.chmod(os.path.join(names, "tcpdump"), 0o755)
        env = {**os.environ, "PATH": names + os.pathsep + os.environ["PATH"]}
        seen, piped = 0, 0
        for command in ((), *((c,) for c in COMMANDS)):
            text = run(*command, "--help")[1]
            block = re.search(r"(?m)^Examples:\n((?:.+\n)+)", text)[1].replace("\\\n", " ")
            for example in block.splitlines():
                done = subprocess.run(["sh", "-c", example.strip()], cwd=self.folder, env=env, capture_output=True,
                                      timeout=HANG)
                self.assertIn(done.returncode, (0, 1), (example, done.stderr))
                self.assertNotIn(b"no command", done.stderr)
                seen, piped = seen + 1, piped + ("tcpdump" in example and "-" in example.split())
        self.assertGreater(seen, 25)
        self.assertGreaterEqual(piped, 3)

    def test_values_and_defaults(self):
        text = run("report", "--help")[1]
        self.assertRegex(text, r"(?m)^  --jobs N +Read .*1 to 256 \(default: 1\)$")
        self.assertRegex(text, r"(?m)^  FILE\.\.\. +Captures")
        for noise in ("REQUIRED", "TEXT", ":INT", "=text", "POSITIVE", "Needs"):
            for command in COMMANDS:
                self.assertNotIn(noise, run(command, "--help")[1], command)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
