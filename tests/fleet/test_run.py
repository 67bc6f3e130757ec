# SPDX-License-Identifier: GPL-2.0-or-later
"""`run`: each capture once, whatever happens to workers, captures, disk and program."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client
from iscsiscope_fleet.compaction import read_contents
from iscsiscope_fleet.database import open_output
from iscsiscope_fleet.store import Store

import grow
import lab
from conftest import Fleet

CAPTURE = next(p for p in grow.sources() if "digests.initiator" in p.name)


def check_whole(out: Path, good: list[Path], bad: list[Path]) -> None:
    """A row each, a partition each of those that were read, nothing twice, nothing half written."""
    found = lab.rows(out)
    assert sorted(str(r["path"]) for r in found) == sorted(map(str, good + bad))
    by_path = {r["path"]: r for r in found}
    for path in bad:
        row = by_path[str(path)]
        assert (row["outcome"], row["exit_code"]) == ("unreadable", 2) and row["messages"], row
    hashes = sorted(str(by_path[str(p)]["capture"]) for p in good)
    assert {by_path[str(p)]["outcome"] for p in good} == {"read"}
    assert lab.partitions(out, "busy_time") == sorted(set(hashes))
    for table in (p.name for p in out.iterdir() if p.is_dir() and p.name not in ("captures", "compact", "fresh")):
        assert set(lab.partitions(out, table)) <= set(hashes), table
    assert lab.unfinished(out) == []
    base, _ = open_output(str(out))
    twice = "SELECT capture FROM busy_time WHERE session IS NULL GROUP BY capture HAVING count(*) > 1"
    assert base.execute(twice).fetchall() == []


def times(out: Path) -> dict[str, int]:
    return {str(p): p.stat().st_mtime_ns for p in out.rglob("part.parquet")}


def test_a_small_folder(small_fleet: Fleet) -> None:
    copies = sorted(small_fleet.captures.rglob("copy-of-*"))
    check_whole(small_fleet.out, small_fleet.good + copies, small_fleet.bad)
    contents = read_contents(Store(str(small_fleet.out)))
    assert (contents.fresh, contents.loose(), contents.stale(), len(contents.compacted.parts)) == ([], [], set(), 1)


def test_nothing_is_done_twice_and_a_new_capture_alone(dask: str, small_fleet: Fleet, tmp_path: Path) -> None:
    captures, out = tmp_path / "captures", tmp_path / "out"
    captures.mkdir()
    for number, path in enumerate(small_fleet.good[:6]):
        shutil.copy2(path, captures / f"{number}.pcap")
    first = lab.fleet("run", captures, "-o", out, "--scheduler", dask)
    assert first.code == 0 and "6 captures in " in first.err
    before = times(out)
    again = lab.fleet("run", captures, "-o", out, "--scheduler", dask)
    assert (again.code, times(out)) == (0, before)
    assert "nothing to do: 6 captures done before" in again.err

    shutil.copy2(small_fleet.good[7], captures / "new.pcap")
    added = lab.fleet("run", captures, "-o", out, "--scheduler", dask)
    assert added.code == 0 and "1 capture in " in added.err and "6 done before" in added.err
    now = times(out)
    assert {p: t for p, t in now.items() if p in before} == before
    assert len([p for p in now if p not in before and "/captures/" in p]) == 1

    # A file with other content: what it was goes, and what it is comes; the copy keeps what it is.
    shutil.copy2(captures / "0.pcap", captures / "copy.pcap")
    lab.fleet("run", captures, "-o", out, "--scheduler", dask, "--quiet")
    for name in ("0.pcap", "1.pcap"):
        shutil.copy(small_fleet.good[8], captures / name)
    changed = lab.fleet("run", captures, "-o", out, "--scheduler", dask)
    assert changed.code == 0 and "2 captures in " in changed.err and "6 done before" in changed.err
    check_whole(out, sorted(captures.iterdir()), [])
    base, _ = open_output(str(out))
    assert base.execute("SELECT count(DISTINCT capture) FROM busy_time").fetchall() == [(7,)]


def test_many_runs_make_few_parts(
    dask: str, small_fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parts are merged: rows stay, parts and their files do not pile up."""
    monkeypatch.setattr("iscsiscope_fleet.compaction.MAX_PARTS", 2)
    for number, path in enumerate(small_fleet.good[:5]):
        done = lab.fleet("run", path, "-o", tmp_path / "out", "--scheduler", dask, "--quiet")
        assert (done.code, done.err) == (0, ""), number
    contents = read_contents(Store(str(tmp_path / "out")))
    assert len(contents.compacted.parts) <= 2 and contents.loose() == []
    folders = {p.name for p in (tmp_path / "out" / "compact").iterdir()}
    assert folders == {*contents.compacted.parts, contents.compacted.captures}
    check_whole(tmp_path / "out", small_fleet.good[:5], [])


def test_a_worker_is_killed_and_another_started(tmp_path: Path) -> None:
    made = list(grow.fleet(tmp_path / "captures", 60, 6, max_bytes=400_000))
    with lab.cluster(tmp_path, workers=2) as cluster:
        run = subprocess.Popen(
            [*lab.FLEET, "run", tmp_path / "captures", "-o", tmp_path / "out", "--scheduler", cluster.address],
            stderr=subprocess.PIPE,
            text=True,
        )
        done_so_far = tmp_path / "out" / "captures"
        while run.poll() is None and len(list(done_so_far.glob("*"))) < 20:
            time.sleep(0.02)
        assert run.poll() is None, "the run was over before the worker could be killed"
        cluster.kill("worker0")
        cluster.worker("worker2")
        errors = run.communicate(timeout=300)[1]
    assert run.returncode == 0, errors
    assert "60 captures in " in errors and "54 read, 6 could not be read" in errors
    check_whole(tmp_path / "out", [p for p, ok in made if ok], [p for p, ok in made if not ok])


def wait_for(scheduler: str, workers: int) -> None:
    with Client(scheduler, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=300)


def script(path: Path, text: str) -> Path:
    """A program that stands for iscsiscope; $REAL is the true one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\nREAL='{lab.PROGRAM}'\nLAST=${{!#}}\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_worker_with_another_program_gets_no_captures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iscsiscope_fleet.cluster.SECONDS_TO_ANSWER", 3)
    script(tmp_path / "right" / "iscsiscope", 'exec "$REAL" "$@"')
    script(
        tmp_path / "wrong" / "iscsiscope",
        'if [ "$1" = --version ]; then echo "iscsiscope 9.9.9"; else exec "$REAL" "$@"; fi',
    )
    captures = [shutil.copy(CAPTURE, tmp_path / f"{i}.pcapng.zst") for i in range(6)]
    env = {"PATH": f"{tmp_path}/right:{os.environ['PATH']}"}
    command = ("run", *captures, "-o", tmp_path / "out", "--program", "iscsiscope", "--scheduler")
    with lab.cluster(tmp_path, workers=0) as cluster:
        nobody = lab.fleet(*command, cluster.address, env=env)
        assert nobody.code == 2 and "the Dask scheduler has no worker" in nobody.err
        cluster.worker("wrong", env={"PATH": f"{tmp_path}/wrong:{os.environ['PATH']}"})
        wait_for(cluster.address, 1)
        none = lab.fleet(*command, cluster.address, env=env)
        assert none.code == 2 and "it has iscsiscope 9.9.9, and the output is of iscsiscope" in none.err
        assert "none of 1 worker can do the work" in none.err
        cluster.worker("without", env={"PATH": f"{Path(sys.executable).parent}"})
        cluster.worker("right", env=env)
        wait_for(cluster.address, 3)
        done = lab.fleet(*command, cluster.address, env=env)
        assert done.code == 0, done.err
        assert done.err.count("is not used: ") == 2 and "the program iscsiscope is not there" in done.err
    pids = {str(r["worker"]) for r in lab.rows(tmp_path / "out")}
    assert len(pids) == 1 and len(lab.rows(tmp_path / "out")) == 6


def test_another_program_needs_another_output(dask: str, small_fleet: Fleet, tmp_path: Path) -> None:
    shutil.copytree(small_fleet.out, tmp_path / "out")
    newer = script(
        tmp_path / "newer", 'if [ "$1" = --version ]; then echo "iscsiscope 9.9.9"; else exec "$REAL" "$@"; fi'
    )
    done = lab.fleet("run", CAPTURE, "-o", tmp_path / "out", "--program", newer, "--scheduler", dask)
    assert done.code == 2 and "it has iscsiscope 9.9.9, and the output is of iscsiscope" in done.err
    assert times(tmp_path / "out").keys() == {
        p.replace(str(small_fleet.out), str(tmp_path / "out")) for p in times(small_fleet.out)
    }


@pytest.mark.parametrize(
    ("behaviour", "outcome", "words"),
    [
        (
            '"$REAL" "$@"; code=$?; [ "$1" != report ] || printf x >>"$LAST"; exit $code',
            "changed",
            "changed while it was read",
        ),
        ('[ "$1" != report ] || kill -KILL $$; exec "$REAL" "$@"', "killed", "ended by SIGKILL"),
        ('[ "$1" != report ] || exec sleep 60; exec "$REAL" "$@"', "killed", "took longer than 2 s"),
    ],
)
def test_what_is_not_final_is_done_again(dask: str, tmp_path: Path, behaviour: str, outcome: str, words: str) -> None:
    capture = Path(shutil.copy(CAPTURE, tmp_path / "a.pcapng.zst"))
    program = script(tmp_path / "program", behaviour)
    command = ("run", capture, "-o", tmp_path / "out", "--scheduler", dask, "--program")
    done = lab.fleet(*command, program, "--time-limit", 2 if "2 s" in words else 300)
    assert done.code == 1 and words in done.err and str(capture) in done.err
    (row,) = lab.rows(tmp_path / "out")
    assert row["outcome"] == outcome and words in str(row["messages"])
    assert not (tmp_path / "out" / "busy_time").exists() and lab.unfinished(tmp_path / "out") == []
    shutil.copy(CAPTURE, capture)
    again = lab.fleet(*command, lab.PROGRAM)
    assert again.code == 0 and "1 read" in again.err
    check_whole(tmp_path / "out", [capture], [])


def test_a_capture_that_kills_its_workers_is_a_row_and_no_other_suffers(tmp_path: Path) -> None:
    killer = 'case "$1 $LAST" in report*toxic*) kill -KILL $PPID; sleep 1 ;; esac'
    program = script(tmp_path / "program", f'{killer}\nexec "$REAL" "$@"')
    captures = tmp_path / "captures"
    captures.mkdir()
    for name in ("toxic", *(f"{i}" for i in range(8))):
        shutil.copy(CAPTURE, captures / f"{name}.pcapng.zst")
    done = lab.fleet("run", captures, "-o", tmp_path / "out", "--workers", 2, "--program", program)
    assert done.code == 1
    assert "8 read, 1 lost with their workers" in done.err
    lost = [r for r in lab.rows(tmp_path / "out") if r["outcome"] == "worker_lost"]
    assert [r["path"] for r in lost] == [str(captures / "toxic.pcapng.zst")]
    assert "also when it was read alone" in str(lost[0]["messages"])


def test_missing_captures_and_those_nobody_may_read(dask: str, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f"{tmp_path}/none.pcap\n{CAPTURE}\n")
    done = lab.fleet("run", f"@{tmp_path}/list", "-o", tmp_path / "out", "--scheduler", dask)
    assert done.code == 1 and f"{tmp_path}/none.pcap: No such file or directory" in done.err
    assert {r["outcome"] for r in lab.rows(tmp_path / "out")} == {"missing", "read"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 600 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("SKIPPED: no file system can be mounted here (root?): the full disk is not tried")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_stops_the_run_and_leaves_whole_files(dask: str, small_disk: Path, tmp_path: Path) -> None:
    captures = [shutil.copy(CAPTURE, tmp_path / f"{i}.pcapng.zst") for i in range(3)]
    captures += [p for p, _ in grow.fleet(tmp_path / "captures", 40, 0, max_bytes=300_000)]
    done = lab.fleet("run", *captures, "-o", small_disk / "out", "--scheduler", dask)
    assert done.code == 2 and "No space left on device" in done.err and f"{small_disk}/out/" in done.err
    assert done.err.count("\n") <= 3 and "Traceback" not in done.err
    assert lab.left_unfinished(small_disk / "out") == []
    for path in small_disk.rglob("*.parquet"):
        lab.pq.ParquetFile(path).read()
    # What is done stays done: with room again the run goes on.
    subprocess.run(["mount", "-o", "remount,size=60m", small_disk], check=True)
    before = times(small_disk / "out")
    again = lab.fleet("run", *captures, "-o", small_disk / "out", "--scheduler", dask)
    assert again.code == 0, again.err
    done_before = [p for p in before if "/captures/" in p]
    assert f"{len(done_before)} done before" in again.err or not done_before
    check_whole(small_disk / "out", [Path(p) for p in captures], [])


def test_a_full_scratch_folder_is_no_fault_of_the_capture(dask: str, small_disk: Path, tmp_path: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=20k", small_disk], check=True)
    done = lab.fleet("run", CAPTURE, "-o", tmp_path / "out", "--scheduler", dask, "--scratch", small_disk)
    assert done.code == 2 and "scratch folder" in done.err and "No space left on device" in done.err
    assert lab.rows(tmp_path / "out") == [] and list(small_disk.iterdir()) == []


def test_the_output_or_the_scheduler_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iscsiscope_fleet.cluster.SECONDS_TO_ANSWER", 2)
    (tmp_path / "file").write_bytes(b"")
    for out, words in (
        (tmp_path / "file" / "out", "Not a directory"),
        (tmp_path / "file", "File exists"),
        ("nosuch://bucket/out", "cannot open nosuch://bucket/out"),
    ):
        done = lab.fleet("run", CAPTURE, "-o", out, "--workers", 1)
        assert done.code == 2 and words in done.err and done.err.count("\n") == 1, done.err
    began = time.monotonic()
    done = lab.fleet("run", CAPTURE, "-o", tmp_path / "out", "--scheduler", f"tcp://127.0.0.1:{lab.free_port()}")
    assert done.code == 2 and "no Dask scheduler answers at tcp://127.0.0.1:" in done.err
    assert done.err.count("\n") == 1
    print(f"FIGURE: fleet: no scheduler answers: said after {time.monotonic() - began:.1f} s")


def test_the_scheduler_is_lost_in_the_middle(dask: str, tmp_path: Path) -> None:
    made = [p for p, _ in grow.fleet(tmp_path / "captures", 30, 0, max_bytes=400_000)]
    with lab.cluster(tmp_path, workers=1) as cluster:
        run = subprocess.Popen(
            [*lab.FLEET, "run", tmp_path / "captures", "-o", tmp_path / "out", "--scheduler", cluster.address],
            stderr=subprocess.PIPE,
            text=True,
        )
        while run.poll() is None and len(list((tmp_path / "out" / "captures").glob("*"))) < 5:
            time.sleep(0.02)
        cluster.kill("scheduler")
        errors = run.communicate(timeout=120)[1]
    assert run.returncode == 2 and "the Dask scheduler is lost; what is done stays done" in errors, errors
    again = lab.fleet("run", tmp_path / "captures", "-o", tmp_path / "out", "--scheduler", dask)
    assert again.code == 0 and " done before" in again.err
    check_whole(tmp_path / "out", made, [])


def test_one_run_at_a_time_and_interrupted_by_the_user(tmp_path: Path) -> None:
    slow = script(tmp_path / "slow", '[ "$1" != report ] || sleep 20; exec "$REAL" "$@"')
    command = [*lab.FLEET, "run", str(CAPTURE), "-o", str(tmp_path / "out"), "--workers", "1", "--program", str(slow)]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "out" / "fleet.json").exists():
        time.sleep(0.05)
    other = lab.fleet("run", CAPTURE, "-o", tmp_path / "out", "--workers", 1)
    assert other.code == 2 and "another run writes " in other.err
    run.send_signal(signal.SIGINT)
    errors = run.communicate(timeout=300)[1]
    assert run.returncode == 130 and errors.count("\n") == 1 and "interrupted; what is done stays done" in errors, (
        errors
    )


def test_usage() -> None:
    for arguments in ((), ("run",), ("run", "x.pcap"), ("run", "x", "-o", "y", "--workers", "0"), ("nothing",)):
        assert lab.fleet(*arguments).code == 2
    done = lab.fleet("run", "/nowhere/x.pcap", "-o", "/nowhere/out")
    assert done.code == 2 and "/nowhere/x.pcap: No such file or directory" in done.err
    for command in ("run", "query", "report"):
        text = lab.fleet(command, "--help").out
        assert "example" in text and max(map(len, text.splitlines())) <= 120
    assert lab.fleet("--version").out.startswith("iscsiscope-fleet ")
