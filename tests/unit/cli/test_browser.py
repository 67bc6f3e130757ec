#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The HTML report in a real browser: no script error, no network request, plots drawn, quick to open.

Only with ISCSISCOPE_BROWSER=1 (tests/run.sh --browser), since Chromium is a large package.
"""
import base64
import glob
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import Base, PROGRAM, REAL, SAMPLE, SOURCE, bundled, report, run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
EVIDENT = SAMPLE  # its findings name frames
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

    def with_style(self, text, more):
        """The page with more in its style sheet, and the policy that allows this one."""
        digest = lambda style: base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        style = re.search(r"<style>(.*?)</style>", text, re.S).group(1)
        self.assertIn(digest(style), text)
        return text.replace(digest(style), digest(style + more), 1).replace(style + "</style>", style + more + "</style>", 1)

    def run_in(self, page, script, *more):
        """What a script returns that runs in the page behind its own ones: the page's policy names it, too."""
        script = ("(async function () { try { document.documentElement.dataset.result = JSON.stringify(await (async function () {" + script +
                  "})()); } catch (e) { document.documentElement.dataset.result = JSON.stringify(String(e)); } })();")
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        with open(page) as f:
            text = f.read()
        self.assertEqual(text.count("; script-src"), 1)
        path = os.path.join(self.folder, "with-script.html")
        with open(path, "w") as f:
            f.write(text.replace("; script-src", f"; script-src 'sha256-{digest}'").replace("</body>", f"<script>{script}</script></body>"))
        dom, console, _ = self.open(path, "--virtual-time-budget=5000", *more)
        self.assertEqual(console, [])
        return json.loads(html.unescape(re.search(r'<html[^>]* data-result="([^"]*)"', dom).group(1)))

    def index(self):
        bad = self.file("bad.pcap", b"not a capture at all, only words")
        out = os.path.join(self.folder, "reports")
        files = sorted(glob.glob(os.path.join(SOURCE, "sample-captures", "bundle", "*", "*.pcapng.zst")))[:12]
        self.assertEqual(run("report", bad, *files, "--format", "html", "--quiet", "-o", out + "/")[0], 2)
        return os.path.join(out, "index.html"), len(files) + 1

    def test_copy_buttons(self):
        """A finding's evidence as a display filter, the range of the charts as an option; also without access to the clipboard."""
        page = self.page(EVIDENT)
        frames = next(f for f in report(EVIDENT)["findings"] if f["evidence"])["evidence"]
        wanted = "frame.number in {" + ", ".join(map(str, sorted(set(frames)))) + "}"
        clicks = """
            var results = [], buttons = [document.querySelector(".finding button.copy"), document.getElementById("range")];
            for (var button of buttons) {
              button.click();
              await new Promise(function (done) { setTimeout(done, 50); });
              results.push(copied, button.textContent);
            }
            await new Promise(function (done) { setTimeout(done, 2500); });
            return results.concat(buttons.map(function (b) { return b.textContent; }));"""
        for way in ("Object.defineProperty(navigator, 'clipboard', { value: { writeText: function (t) { copied = t; return Promise.resolve(); } } });",
                    "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
                    "document.execCommand = function () { copied = document.activeElement.value; return true; };",
                    "Object.defineProperty(navigator, 'clipboard', { value: { writeText: function () { return Promise.reject(new Error('no')); } } });"
                    "document.execCommand = function () { copied = document.activeElement.value; return true; };"):
            got = self.run_in(page, "var copied = ''; " + way + clicks)
            self.assertEqual(got[:2], [wanted, "Copied"])
            self.assertRegex(got[2], r"^--range [0-9.]+\.\.[0-9.]+$")
            self.assertEqual(got[3:], ["Copied", "Copy filter", "Copy as --range"])
            self.assertEqual(run("report", EVIDENT, *got[2].split(" "), "--format", "json")[0], 0)

    def test_findings_on_the_charts(self):
        """Each finding with evidence has its number on each chart that is shown, and a title where there is room."""
        page = self.page(EVIDENT)
        with_evidence = [i + 1 for i, f in enumerate(report(EVIDENT)["findings"]) if f["evidence"]]
        script = """
            var shown = Array.from(document.querySelectorAll(".plot")).filter(function (p) { return p.offsetParent; });
            return shown.map(function (p) { return Array.from(p.querySelectorAll(".mark")).map(function (m) {
              var r = m.getBoundingClientRect();
              return { text: m.textContent, target: Boolean(document.querySelector(m.getAttribute("href"))), from: r.left, to: r.right }; }); });"""
        for width in (600, 1280):
            got = self.run_in(page, script, f"--window-size={width},2000")
            self.assertGreater(len(got), 3)
            for marks in got:
                self.assertEqual(sorted({int(m["text"].split()[0]) for m in marks}), with_evidence, width)
                self.assertTrue(all(m["target"] for m in marks))
                self.assertEqual(any(len(m["text"].split()) > 1 for m in marks), width > 700)
                marks.sort(key=lambda m: m["from"])
                self.assertTrue(all(a["to"] <= b["from"] for a, b in zip(marks, marks[1:])), marks)

    def test_pointer_on_a_chart(self):
        """The legend has the time, values with their unit, and a dash alone where nothing is drawn."""
        page = self.page(EVIDENT)
        got = self.run_in(page, """
            var plot = document.getElementById("plot-throughput"), box = plot.getBoundingClientRect(), texts = [];
            for (var i = 8; i < 100; i += 4) {
              plot.querySelectorAll("canvas").forEach(function (canvas) {
                canvas.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: box.left + box.width * i / 100, clientY: box.top + 120 }));
              });
              texts.push(Array.from(plot.nextElementSibling.querySelectorAll(".value")).map(function (v) { return v.textContent; }));
            }
            return texts;""")
        for *values, time in got:
            self.assertRegex(time, r"^at [0-9.]+ s$")
            self.assertTrue(all(re.match(r"^(–|[0-9.,]+ MB/s)?$", v) for v in values), values)
        self.assertTrue(any(v.endswith(" MB/s") for values in got for v in values))

    def test_index_sorts(self):
        page, rows = self.index()
        got = self.run_in(page, """
            function column(name) {
              var at = Array.from(document.querySelectorAll("th")).findIndex(function (th) { return th.textContent === name; });
              return Array.from(document.querySelectorAll("tbody tr")).map(function (tr) {
                var cell = tr.cells[at]; return cell ? cell.dataset.key === undefined ? cell.textContent : +cell.dataset.key : null; });
            }
            function click(name) { Array.from(document.querySelectorAll("th button")).find(function (b) { return b.textContent === name; }).click(); return column(name); }
            return [click("throughput"), click("throughput"), click("p99"), click("capture"), document.querySelectorAll("th[aria-sort=ascending]").length];""")
        for values in got[:3]:
            self.assertEqual(len(values), rows)
            self.assertIsNone(values[-1])  # what could not be read
        known = [[v for v in values if isinstance(v, (int, float))] for values in got[:3]]
        self.assertGreater(len(set(known[0])), 5)
        self.assertEqual(known[0], sorted(known[0], reverse=True))
        self.assertEqual(known[1], sorted(known[1]))
        self.assertEqual(known[2], sorted(known[2], reverse=True))
        self.assertEqual(len(got[3]), rows)
        self.assertEqual(got[3][0], "bad.pcap")
        self.assertEqual(got[4], 1)

    def test_widths(self):
        """No page scrolls sideways, no part of the index is cut off, and no line is too long to read."""
        measure = """return { width: innerWidth, page: document.documentElement.scrollWidth,
            wide: Array.from(document.querySelectorAll(".index")).map(function (t) { return t.parentElement.scrollWidth - t.parentElement.clientWidth; }),
            line: Math.max.apply(null, Array.from(document.querySelectorAll("p:not(.controls):not(.filter):not(.legend)")).map(function (p) { return p.clientWidth / parseFloat(getComputedStyle(p).fontSize); })) };"""
        pages = [self.page(EVIDENT), self.index()[0]]
        for page in pages:
            for width in (600, 760, 901, 1000, 1400, 2560):
                got = self.run_in(page, measure, f"--window-size={width},1200")
                self.assertEqual(got["width"], width)
                self.assertLessEqual(got["page"], width, page)
                self.assertTrue(all(w <= 0 for w in got["wide"]), (page, width, got))
                self.assertLess(got["line"], 75, (page, width))  # of the font's size; a letter takes half of it

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
            f.write(self.with_style(text, "canvas { visibility: hidden; }"))
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
