# SPDX-License-Identifier: GPL-2.0-or-later
"""Questions in SQL against the reports of the single captures; forms of answers; the HTML page."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from iscsiscope_fleet.database import open_output
from iscsiscope_fleet.page import words
from iscsiscope_fleet.views import VIEWS

import answers
import lab
from conftest import Fleet


@pytest.fixture(scope="module")
def single_reports(small_fleet: Fleet, tmp_path_factory: pytest.TempPathFactory) -> answers.Answers:
    folder = tmp_path_factory.mktemp("single")
    found = answers.Answers()
    for path in small_fleet.good:
        tables = folder / path.name
        subprocess.run(
            [lab.PROGRAM, "report", "--format", "csv", "--hash", "--quiet", "-o", tables, path], check=True, timeout=300
        )
        found.add(str(path), tables)
    return found


@pytest.mark.parametrize("question", answers.statements())
def test_the_fleet_answers_as_the_single_reports(
    question: str, small_fleet: Fleet, single_reports: answers.Answers
) -> None:
    base, _ = open_output(str(small_fleet.out))
    began = time.process_time()  # of all threads: what does not depend on who else runs
    found = base.execute(answers.statements()[question]).fetchall()
    seconds = time.process_time() - began
    assert answers.ordered(found) == answers.ordered(single_reports.of(question))
    assert found, "no capture of the test answers it"
    assert seconds < 1


def test_there_are_ten_questions() -> None:
    assert len(answers.statements()) == 10


def test_every_view_has_rows_and_is_listed(small_fleet: Fleet) -> None:
    base, _ = open_output(str(small_fleet.out))
    listed = lab.fleet("query", small_fleet.out)
    page = (answers.grow.SOURCE / "docs" / "fleet.md").read_text(encoding="utf-8")
    for view in VIEWS:
        assert base.execute(f"SELECT count(*) FROM {view.name}").fetchall()[0][0] > 0, view.name
        assert f"\n  {view.name}: " in listed.out and f"`{view.name}`" in page
    assert "\n  cycles: cycle, session," in listed.out


def test_copies_count_once(small_fleet: Fleet) -> None:
    base, _ = open_output(str(small_fleet.out))
    copies = base.execute("SELECT path, duplicate_of FROM captures WHERE duplicate_of IS NOT NULL").fetchall()
    assert len(copies) == 2
    twice = base.execute("SELECT capture FROM busy_time WHERE session IS NULL GROUP BY capture HAVING count(*) > 1")
    assert twice.fetchall() == []


def test_answers_without_compaction_are_the_same(dask: str, small_fleet: Fleet, tmp_path: Path) -> None:
    command = ("run", small_fleet.captures, "-o", tmp_path / "out", "--scheduler", dask, "--no-compact", "--quiet")
    done = lab.fleet(*command)
    assert (done.code, done.err) == (0, "")
    compact, loose = (open_output(str(out))[0] for out in (small_fleet.out, tmp_path / "out"))
    for question, sql in answers.statements().items():
        assert compact.execute(sql).fetchall() == loose.execute(sql).fetchall(), question


def test_forms(small_fleet: Fleet) -> None:
    sql = "SELECT 1 AS n, NULL AS x, true AS b, '=1+1' AS t, 2.5 AS r, TIMESTAMP '2026-01-02 03:04:05' AS at"
    text = lab.fleet("query", small_fleet.out, sql).out
    assert text.split() == ["n", "x", "b", "t", "r", "at", "1", "true", "=1+1", "2.5", "2026-01-02", "03:04:05"]
    (row,) = csv.DictReader(io.StringIO(lab.fleet("query", small_fleet.out, sql, "--format", "csv").out))
    assert row == {"n": "1", "x": "", "b": "true", "t": "'=1+1", "r": "2.5", "at": "2026-01-02 03:04:05"}
    row = json.loads(lab.fleet("query", small_fleet.out, sql, "--format", "jsonl").out)
    assert row["x"] is None and row["b"] is True and row["t"] == "=1+1"


@pytest.mark.parametrize(
    ("arguments", "words_of_it"),
    [
        (("query", "OUT", "SELECT nothing"), "nothing"),
        (("query", "OUT", "SELEC 1"), "syntax error"),
        (("query", "/nowhere", "SELECT 1"), "/nowhere is not an output of `iscsiscope-fleet run`"),
        (("query", "OUT", "SELECT 1", "-o", "/nowhere/x"), "cannot write /nowhere/x: No such file"),
        (("report", "/nowhere", "-o", "/tmp/x.html"), "is not an output"),
    ],
)
def test_mistakes_are_named(small_fleet: Fleet, arguments: tuple[str, ...], words_of_it: str) -> None:
    done = lab.fleet(*(small_fleet.out if a == "OUT" else a for a in arguments))
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("iscsiscope-fleet: ") and words_of_it in done.err and "Traceback" not in done.err


def test_a_reader_may_close_the_pipe(small_fleet: Fleet) -> None:
    command = " ".join(
        [*lab.FLEET, "query", str(small_fleet.out), "'FROM cycles'", "| head -n 1; echo ${PIPESTATUS[0]}"]
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "0" and done.stderr == ""


class Balanced(HTMLParser):
    """Opened and closed elements; addresses of anything outside of the page."""

    VOID = ("meta", "br", "link", "img", "line", "circle", "rect", "path")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe"), tag
        if tag not in self.VOID or ((tag == "circle" or tag == "rect") and not self.get_starttag_text().endswith("/>")):
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.add(str(value))
            elif name == "href":
                self.links.append(str(value))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_is_whole_and_says_what_the_views_say(small_fleet: Fleet, tmp_path: Path) -> None:
    page = tmp_path / "fleet.html"
    done = lab.fleet("report", small_fleet.out, "-o", page, "--title", "Fleet <&> of a test")
    assert (done.code, done.err) == (0, "")
    content = page.read_text(encoding="utf-8")
    parser = Balanced()
    parser.feed(content)
    parser.close()
    assert parser.open == []
    assert all(link.startswith("#") and link[1:] in parser.ids for link in parser.links)
    assert "http" not in re.sub(r'http-equiv="[^"]*"', "", content)
    text = re.sub(r"\s+", " ", " ".join(parser.text))
    assert "Fleet <&> of a test" in text
    base, _ = open_output(str(small_fleet.out))
    assert "38 of 42 captures read" in text
    for path in small_fleet.bad:
        assert str(path) in text
    p99 = base.execute("SELECT quantile_disc(response_time_ns, 0.99) FROM cycles WHERE type = 'read'").fetchall()[0][0]
    assert f"Reads, p99 {words.duration(p99)}" in text
    kinds = [r[0] for r in base.execute("SELECT DISTINCT kind FROM findings").fetchall()]
    assert all(kind in text for kind in kinds)


def test_a_fleet_without_captures_that_could_be_read(dask: str, tmp_path: Path) -> None:
    (tmp_path / "x.pcap").write_bytes(b"nothing")
    done = lab.fleet("run", tmp_path / "x.pcap", "-o", tmp_path / "out", "--scheduler", dask, "--strict")
    assert done.code == 1 and "1 could not be read" in done.err
    assert lab.fleet("query", tmp_path / "out", "FROM cycles", "--format", "jsonl").out == ""
    assert lab.fleet("query", tmp_path / "out", "FROM worst_sessions").code == 0
    assert lab.fleet("report", tmp_path / "out", "-o", tmp_path / "p.html").code == 0
    assert "No capture could be read." in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_figures_have_three_digits_and_a_unit() -> None:
    times = [0, 999, 1000, 12_345, 1_234_567, 12e9, 119e9, 3600e9, 7500e9, None]
    assert [words.duration(t) for t in times] == [
        "0 ns", "999 ns", "1.00 µs", "12.3 µs", "1.23 ms", "12.0 s", "119 s", "60 min 00 s", "2 h 05 min", "-",
    ]  # fmt: skip
    assert [words.size(n) for n in (0, 512, 4200, 4.2e9)] == ["0 B", "512 B", "4.20 kB", "4.20 GB"]
    assert [words.share(s) for s in (0, 0.0001, 0.0123, 0.5)] == ["0 %", "<0.1 %", "1.23 %", "50 %"]
