#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The HTML report in a real browser: no script error, no network request, plots drawn, quick to open.

Only with ISCSISCOPE_BROWSER=1 (tests/run.sh --browser), since Chromium is a large package.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import Base, PROGRAM, REAL, SAMPLE, SOURCE, bundled, run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
GROW = os.environ.get("ISCSISCOPE_GROW", "")


class Browser(Base):
    def page(self, capture):
        path = os.path.join(self.folder, "page.html")
        code, _, err = run("report", capture, "--format", "html", "-o", path, "--quiet")
        self.assertEqual(code, 0, err)
        return path

    def open(self, page, *more):
        """What Chromium says of the page: DOM, console lines, requests."""
        profile, log = tempfile.mkdtemp(dir=self.folder), os.path.join(self.folder, "net.json")
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--window-size=1280,2000",
             "--enable-logging=stderr", "--v=0", "--disable-background-networking", "--disable-component-update",
             "--no-first-run", f"--log-net-log={log}", *more, "--dump-dom", "file://" + page],
            capture_output=True, timeout=120)
        dom, errors = done.stdout.decode(), done.stderr.decode(errors="replace")
        with open(log) as f:
            text = f.read()
        urls = set(re.findall(r'"url":"([^"]+)"', text))
        return dom, [line for line in errors.splitlines() if "CONSOLE" in line], urls

    def check(self, capture):
        page = self.page(capture)
        dom, console, urls = self.open(page)
        self.assertEqual(console, [], capture)
        asked = {u for u in urls if not re.match(r"(file|data|chrome|blob|about)", u)
                 and not re.search(r"google|gstatic|gvt1", u)}  # the browser's own
        self.assertEqual(asked, set(), capture)
        charts = len(json.loads(re.search(r'id="chart-data">(.*?)</script>', dom, re.S).group(1)))
        drawn = int(re.search(r'<html[^>]* data-plots="(\d+)"', dom).group(1))
        self.assertEqual(drawn, charts, capture)
        self.assertGreaterEqual(dom.count("<canvas"), 2 * charts)
        seconds = int(re.search(r'<html[^>]* data-ready="(\d+)"', dom).group(1)) / 1e3
        return page, seconds, charts

    def test_bundled_captures(self):
        for path in (SAMPLE, bundled("mcs-unequal.initiator.pcapng.zst")):
            _, seconds, charts = self.check(path)
            print(f"FIGURE: {os.path.basename(path)} in Chromium: {charts} charts drawn, no error, no request, drawn after {seconds:.1f} s")

    def paper(self, page, *more):
        """The pages as Chromium prints them: (width, height, grey pixels) each."""
        pdf, picture = os.path.join(self.folder, "page.pdf"), os.path.join(self.folder, "paper")
        subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,2000", "--no-first-run",
                        f"--user-data-dir={tempfile.mkdtemp(dir=self.folder)}", "--no-pdf-header-footer", *more,
                        f"--print-to-pdf={pdf}", "file://" + page], capture_output=True, timeout=120, check=True)
        for old in glob.glob(picture + "*"):
            os.unlink(old)
        subprocess.run(["pdftoppm", "-r", "50", "-gray", pdf, picture], check=True, timeout=120)
        pages = []
        for name in sorted(glob.glob(picture + "*.pgm")):
            with open(name, "rb") as f:
                head = re.match(rb"P5\s(\d+) (\d+)\s\d+\s", f.read(64))
                f.seek(head.end())
                data = f.read()
            pages.append((int(head.group(1)), int(head.group(2)), data))
        return pages

    @unittest.skipUnless(shutil.which("pdftoppm"), "pdftoppm is not installed")
    def test_paper(self):
        """On paper: plots drawn, nothing beyond the margins, black on white in dark mode too."""
        page = self.page(bundled("mcs-unequal.initiator.pcapng.zst"))
        with open(page) as f:
            text = f.read()
        without = os.path.join(self.folder, "without.html")
        with open(without, "w") as f:
            f.write(text.replace("</style>", "canvas { visibility: hidden; }</style>", 1))
        # Those of senders that are not chosen are not shown.
        charts = len(re.findall(r'class="chart"(?! data-group)', text)) + len(
            re.findall(r'class="chart" data-group="senders" data-choice="sender-0"', text))
        pages, blank = self.paper(page), self.paper(without)
        self.assertEqual(len(pages), len(blank))
        drawn = sum(sum(a != b for a, b in zip(x[2], y[2])) for x, y in zip(pages, blank))
        self.assertGreater(drawn, 500 * charts)
        for width, height, data in pages:
            margin = width * 8 // 216  # of 12 mm, 8 are surely white
            self.assertTrue(all(data[y * width + x] == 255 for y in range(height) for x in [*range(margin), *range(width - margin, width)]))
        self.assertEqual([p[2] for p in self.paper(page, "--blink-settings=preferredColorScheme=0")], [p[2] for p in pages])
        print(f"FIGURE: on paper: {len(pages)} pages, {charts} plots drawn, {drawn // charts} dots each at 50 dpi; the same in dark mode")

    def test_a_hundred_thousand_cycles(self):
        small = glob.glob(os.path.join(REAL, "i_randread_4K_qd8.ini.pcap.zst"))
        if not small or not os.path.exists(GROW):
            self.skipTest("no capture to grow")
        plain = os.path.join(self.folder, "small.pcap")
        subprocess.run(["zstd", "-dq", small[0], "-o", plain], check=True)
        one = json.loads(run("report", plain, "--format", "json")[1])["tasks"]["count"]
        large = os.path.join(self.folder, "large.pcap")
        subprocess.run([GROW, "--copies", str(100_000 // one + 1), large, plain], check=True,
                       capture_output=True)
        tasks = json.loads(run("report", large, "--format", "json")[1])["tasks"]["count"]
        self.assertGreaterEqual(tasks, 100_000)
        page, seconds, _ = min((self.check(large) for _ in range(2)), key=lambda x: x[1])
        size = os.path.getsize(page)
        print(f"FIGURE: page of {tasks} cycles: {size / 1e6:.2f} MB, all plots drawn {seconds:.1f} s after "
              f"it was asked for")
        self.assertLess(size, 10_000_000)
        self.assertLess(seconds, 3)


if __name__ == "__main__":
    if not os.environ.get("ISCSISCOPE_BROWSER"):
        print("SKIPPED: tests/run.sh --browser opens the HTML report in Chromium")
        sys.exit(77)
    if CHROMIUM is None:
        print("SKIPPED: Chromium is not installed")
        sys.exit(77)
    sys.exit(unittest.main(verbosity=1))
