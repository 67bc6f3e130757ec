#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that the program writes: whole or absent, with the modes and links that were there, at any signal."""
import glob
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from program import HANG, Base, PROGRAM, SAMPLE, live, run


class OutputFiles(Base):
    def test_output_files_are_whole_or_absent(self):
        path = os.path.join(self.folder, "rows.csv")
        self.assertEqual(run("cycles", SAMPLE, "-o", path)[:2], (0, ""))
        with open(path, newline="") as f:
            self.assertEqual(f.read(), run("cycles", SAMPLE)[1])
        before = os.listdir(self.folder)
        code, _, err = run("cycles", os.path.join(self.folder, "absent"), "-o", path)
        self.assertEqual((code, os.listdir(self.folder)), (2, before))
        code, _, err = run("report", SAMPLE, "-o", os.path.join(self.folder, "no", "report.txt"))
        self.assertEqual(code, 2)
        self.assertIn("cannot write", err)

    def test_a_capture_is_not_written_over(self):
        """Neither by its name, nor by another one."""
        path, content = self.file("a.pcapng", self.sample_bytes()), self.sample_bytes()
        other, link = self.file("b.pcapng", content), os.path.join(self.folder, "link")
        os.symlink(path, link)
        for arguments in (("cycles", path), ("report", path), ("report", path, "--format", "sqlite"),
                          ("report", other, path), ("report", "--join", other, path), ("compare", other, path),
                          ("predict", path)):
            for output in (path, link):
                code, out, err = run(*arguments, "-o", output)
                self.assertEqual((code, out), (2, ""), arguments)
                self.assertIn("not written over", err)
                with open(path, "rb") as f:
                    self.assertEqual(f.read(), content, arguments)
        inside = self.file("b.pcapng.txt", content)  # where the other one's report would go
        code, _, err = run("report", other, inside, "-o", self.folder)
        self.assertEqual(code, 2)
        self.assertIn("not written over", err)
        with open(inside, "rb") as f:
            self.assertEqual(f.read(), content)

    def test_links_and_modes_of_outputs_stay(self):
        os.mkdir(os.path.join(self.folder, "far"))
        kept = self.file("far/kept.csv", b"old")
        os.chmod(kept, 0o640)
        for name, target in (("relative", "far/kept.csv"), ("absolute", kept), ("chain", "relative")):
            link = os.path.join(self.folder, name)
            os.symlink(target, link)
            with open(kept, "w") as f:
                f.write("old")
            self.assertEqual(run("cycles", SAMPLE, "-o", link)[0], 0)
            self.assertEqual(os.readlink(link), target)
            with open(kept, newline="") as f:
                self.assertEqual(f.read(), run("cycles", SAMPLE)[1])
            self.assertEqual(os.stat(kept).st_mode & 0o7777, 0o640)
        db = os.path.join(self.folder, "relative")
        self.assertEqual(run("report", SAMPLE, "--format", "sqlite", "-o", db)[0], 0)
        self.assertEqual((os.readlink(db), os.stat(kept).st_mode & 0o7777), ("far/kept.csv", 0o640))
        dangling = os.path.join(self.folder, "dangling")  # its target is yet to be
        os.symlink("far/fresh.csv", dangling)
        self.assertEqual(run("cycles", SAMPLE, "-o", dangling)[0], 0)
        self.assertEqual(os.readlink(dangling), "far/fresh.csv")
        fresh = os.path.join(self.folder, "far", "fresh.csv")
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(os.stat(fresh).st_mode & 0o7777, 0o666 & ~mask)
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "far"))), ["fresh.csv", "kept.csv"])
        loop = os.path.join(self.folder, "loop")
        os.symlink("loop", loop)
        code, _, err = run("cycles", SAMPLE, "-o", loop)
        self.assertEqual(code, 2)
        self.assertIn("cannot write", err)
        with open(os.path.join(self.folder, "out"), "wb") as out:  # a link of /proc, which leads to no path
            self.assertEqual(subprocess.run([PROGRAM, "cycles", SAMPLE, "-o", "/dev/stdout"], stdout=subprocess.PIPE,
                                            timeout=HANG).stdout.decode(), run("cycles", SAMPLE)[1])

    def test_a_folder_of_tables_is_replaced_whole(self):
        folder = os.path.join(self.folder, "tables")
        csv_report = ("report", SAMPLE, "--format", "csv", "-o")
        self.assertEqual(run(*csv_report, folder)[0], 0)
        names = sorted(os.listdir(folder))
        self.file("tables/cycles.csv", b"old")
        os.chmod(folder, 0o750)
        os.symlink("tables", os.path.join(self.folder, "link"))
        self.assertEqual(run(*csv_report, os.path.join(self.folder, "link") + "/")[0], 0)
        self.assertEqual(sorted(os.listdir(folder)), names)
        with open(os.path.join(folder, "cycles.csv"), newline="") as f:
            self.assertEqual(f.read(), run("cycles", SAMPLE)[1])
        self.assertEqual(os.stat(folder).st_mode & 0o7777, 0o750)
        # What is no table of a report is not removed, and nothing is mixed with it.
        for other, content in (("notes.txt", b"mine"), ("budget.csv", b"mine")):
            path = self.file("tables/" + other, content)
            self.file("tables/cycles.csv", b"old")
            code, _, err = run(*csv_report, folder)
            self.assertEqual(code, 2)
            self.assertIn("cannot make the folder", err)
            with open(os.path.join(folder, "cycles.csv"), "rb") as f:
                self.assertEqual(f.read(), b"old")
            os.unlink(path)
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "tables"])

    def test_a_folder_of_tables_is_whole_at_any_signal(self):
        begin = time.monotonic()
        folder = os.path.join(self.folder, "tables")
        run("report", SAMPLE, "--format", "csv", "-o", folder)
        whole, names = time.monotonic() - begin, sorted(os.listdir(folder))
        seen = set()
        for n in range(60):
            subprocess.run(["rm", "-rf", folder], check=True)
            child = subprocess.Popen([PROGRAM, "report", SAMPLE, "--format", "csv", "-o", folder])
            if n == 59:  # however long that takes today
                live.at_its_time(lambda: os.path.exists(folder))
            else:
                time.sleep(whole * (0.2 + n / 50) if n else 0)
            child.send_signal((signal.SIGTERM, signal.SIGKILL)[n % 2])
            ended = child.wait(timeout=HANG)
            there = sorted(os.listdir(folder)) if os.path.exists(folder) else []
            self.assertIn(there, ([], names), n)
            seen.add(bool(there))
            if ended != -signal.SIGKILL:
                self.assertEqual(os.listdir(self.folder), ["tables"] if there else [], n)
            else:  # nothing of its own name is half done; a temporary folder may stay
                self.assertLessEqual({x for x in os.listdir(self.folder) if not x.endswith(".part")}, {"tables"})
                subprocess.run(["sh", "-c", 'rm -rf "$0"/.iscsiscope-*', self.folder], check=True)
        self.assertEqual(seen, {False, True})
        print("FIGURE: tables at 60 signals: whole or absent")

    def test_tables_keep_their_modes_and_are_private_until_complete(self):
        folder = os.path.join(self.folder, "tables")
        csv_report = ("report", SAMPLE, "--format", "csv", "-o", folder)
        mask = os.umask(0o027)
        try:
            self.assertEqual(run(*csv_report)[0], 0)
            mode = lambda path: os.stat(path).st_mode & 0o7777
            self.assertEqual({mode(os.path.join(folder, n)) for n in os.listdir(folder)}, {0o640})
            self.assertEqual(mode(folder), 0o750)
            os.chmod(os.path.join(folder, "cycles.csv"), 0o600)
            os.chmod(folder, 0o2770)
            self.assertEqual(run(*csv_report)[0], 0)
            self.assertEqual((mode(folder), mode(os.path.join(folder, "cycles.csv"))), (0o2770, 0o600))
            self.assertEqual(mode(os.path.join(folder, "gaps.csv")), 0o640)
            child = subprocess.Popen([PROGRAM, "cycles", "-", "-o", os.path.join(self.folder, "out.csv")],
                                     stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
            found = lambda: glob.glob(os.path.join(self.folder, ".iscsiscope-*"))
            live.at_its_time(found)
            self.assertEqual([mode(path) for path in found()], [0o600])
            child.communicate(timeout=HANG)
        finally:
            os.umask(mask)

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_a_folder_that_could_not_be_removed_is_not_replaced(self):
        os.chmod(self.folder, 0o777)
        folder = os.path.join(self.folder, "tables")
        # Copies: the tree may lie where only root gets.
        reachable = tempfile.mkdtemp(prefix="iscsiscope-cli-")
        self.addCleanup(shutil.rmtree, reachable)
        os.chmod(reachable, 0o755)
        program, sample = shutil.copy(PROGRAM, reachable), shutil.copy(SAMPLE, reachable)
        csv_report = [program, "report", sample, "--format", "csv", "-o", folder]
        nobody = {"user": 65534, "capture_output": True, "timeout": 60}
        self.assertEqual(subprocess.run(csv_report, **nobody).returncode, 0)
        os.chmod(folder, 0o500)
        done = subprocess.run(csv_report, **nobody)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"tables: Permission denied", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["tables"])

    def test_full_disk_and_closed_pipe(self):
        for command in ("report", "pdus"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, command, SAMPLE], stdout=full, stderr=subprocess.PIPE, timeout=HANG)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"No space left", done.stderr)
            read_end, write_end = os.pipe()
            os.close(read_end)
            done = subprocess.run([PROGRAM, command, SAMPLE], stdout=write_end, stderr=subprocess.PIPE, timeout=HANG)
            os.close(write_end)
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_help_that_cannot_be_written(self):
        for arguments in (("--help",), ("--version",), ("report", "--help"), ("explain",), ("explain", "r2t_wait_ns")):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=HANG)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(b"cannot write standard output: No space left", done.stderr, arguments)

    def test_closed_standard_streams(self):
        """No file of the program gets the number of a closed stream: messages would go into a report."""
        path = os.path.join(self.folder, "x.csv")
        bad = self.file("cut.pcapng", self.sample_bytes()[:50_000])
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" 0<&- 2>&-', PROGRAM, "cycles", bad, "-o", path], timeout=HANG)
        self.assertEqual(done.returncode, 0)
        with open(path, newline="") as f:
            self.assertEqual(f.read(), run("cycles", bad)[1])
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" 1>&-', PROGRAM, "cycles", SAMPLE], timeout=HANG,
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot write standard output", done.stderr)

    def test_interrupt_leaves_nothing_behind(self):
        path = os.path.join(self.folder, "report.json")
        tables = os.path.join(self.folder, "tables")
        for arguments, signals in itertools.product(
                (("report", "-", "-o", path), ("cycles", "-", "-o", path),
                 ("report", "-", "--format", "csv", "-o", tables)),
                ((signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGINT, signal.SIGINT))):
            self.ends_by_signal(arguments, self.sample_bytes()[:5000], signals)

    def test_an_interrupt_at_the_end_is_an_interrupt(self):
        """Whenever the signal comes, the program ends by it or as if it had not come."""
        begin = time.monotonic()
        run("gaps", SAMPLE)
        whole = time.monotonic() - begin
        ends = set()
        for n in range(40):
            child = subprocess.Popen([PROGRAM, "gaps", SAMPLE], stdout=subprocess.DEVNULL)
            time.sleep(whole * (0.8 + 0.4 * n / 40))
            child.send_signal(signal.SIGINT)
            ends.add(child.wait(timeout=HANG))
        self.assertLessEqual(ends, {0, -signal.SIGINT})


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
