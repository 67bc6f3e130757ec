#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The program as its user meets it: exit codes, messages, rows, and JSON reports against the schema."""
import csv
import glob
import gzip
import hashlib
import json
import os
import struct
import subprocess
import sys
import unittest

from program import Base, COLUMNS, PROGRAM, REAL, SAMPLE, SCHEMA, bundled, ethernet_tcp, pcap, run, web_capture


class ExitCodes(Base):
    def check_error(self, path, words):
        code, out, err = run("report", path)
        self.assertEqual(code, 2, err)
        self.assertEqual(out, "")
        self.assertIn(path, err)
        self.assertIn(words, err)
        self.assertEqual(run("cycles", path)[0], 2)

    def test_unreadable_input(self):
        self.check_error(os.path.join(self.folder, "absent.pcap"), "no such file")
        self.check_error(self.file("empty.pcap", b""), "empty")
        self.check_error(self.file("notes.pcap", b"Dear diary,\nno packets today.\n" * 20), "not a pcap")
        self.check_error(self.file("noise.pcap", hashlib.sha512(b"x").digest() * 50), "not a pcap")
        self.check_error(self.folder, "directory")

    def test_good_capture(self):
        code, out, err = run("report", SAMPLE, "--all")
        self.assertEqual((code, err), (0, ""))
        for heading in ("CAPTURE", "CYCLES", "SESSION 0", "TROUBLE"):
            self.assertIn(heading, out)
        self.assertNotIn("\x1b", out)  # no colour into a pipe

    def test_cut_capture_is_read_as_far_as_it_goes(self):
        content = self.sample_bytes()
        path = self.file("cut.pcapng", content[:len(content) * 2 // 3 + 1])
        code, out, err = run("report", path)
        self.assertEqual(code, 0)
        self.assertIn("Incomplete", out)
        self.assertIn("cut short", err)
        self.assertEqual(run("report", path, "--strict")[0], 1)
        self.assertEqual(run("report", path, "--quiet")[2], "")
        self.assertEqual(run("gaps", path, "--strict")[0], 1)
        self.assertEqual(run("report", SAMPLE, "--strict")[0], 0)

    def test_a_block_that_hides_the_rest_is_damage(self):
        content = self.sample_bytes()
        at, blocks = 0, []
        while at < len(content):
            kind, length = struct.unpack_from("<II", content, at)
            if kind == 6:
                blocks.append(at)
            at += length
        middle = blocks[len(blocks) // 2]
        for kind, length in ((6, 100_000_000), (6, 8_000_000), (10, 0x7FFFFFFC), (0xBAD, 2_000_000_000)):
            lying = content[:middle] + struct.pack("<II", kind, length) + content[middle + 8:]
            path = self.file("lying.pcapng", lying)
            code, out, err = run("report", path, "--format", "json", "--strict")
            self.assertEqual(code, 1, (kind, length))
            report = json.loads(out)
            self.assertFalse(report["capture"]["complete"])
            self.assertIn("file_damaged", report["coverage"]["anomalies"])
            self.assertIn("damaged", err)
            self.assertEqual(report["capture"]["packets"], len(blocks) - 1)  # all but the one that lies
            done = subprocess.run([PROGRAM, "report", "-", "--strict"], input=lying, capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 1, (kind, length))

    def test_capture_without_iscsi(self):
        path = self.file("web.pcap", web_capture())
        code, out, err = run("report", path)
        self.assertEqual(code, 0)
        self.assertIn("NO iSCSI", out)
        self.assertRegex(out, r"\b80 +20 +100.0 % +HTTP")
        self.assertIn("tcpdump", out)
        code, out, err = run("cycles", path)
        self.assertEqual((code, out.count("\n")), (0, 1))
        self.assertIn("no iSCSI", err)

    def test_one_bad_file_does_not_stop_the_rest(self):
        bad = self.file("bad.pcap", b"no")
        for jobs in ("1", "3"):
            code, out, err = run("report", SAMPLE, bad, SAMPLE, "--jobs", jobs)
            self.assertEqual(code, 2)
            self.assertEqual(out.count("VERDICT"), 2)
            self.assertIn(bad, err)
        code, out, err = run("report", bad, SAMPLE, SAMPLE, "--format", "json", "--jobs", "2")
        self.assertEqual((code, len(json.loads(out))), (2, 2))

    def test_usage_errors(self):
        for arguments, words in (
                ((), "no command"),
                (("report",), "FILE"),
                (("report", SAMPLE, "--nonsense"), "nonsense"),
                (("report", SAMPLE, "--format", "xml"), "xml"),
                (("report", SAMPLE, "--format", "csv"), "-o"),
                (("report", SAMPLE, "--range", "7"), "range"),
                (("report", SAMPLE, "--gap-threshold", "7"), "a time such as"),
                (("report", SAMPLE, "--position", "moon"), "moon"),
                (("report", "-", "--hash"), "--hash"),
                (("report", SAMPLE, "--fail-on", "read.respones_time.p99 > 5ms"), "did you mean"),
                (("cycles", SAMPLE, "--columns", "cycle,typ"), "did you mean type"),
                (("cycles", SAMPLE, "--format", "xml"), "xml"),
                (("report", SAMPLE, "--port", "70000"), "port"),
                (("report", SAMPLE, "--quantiles", "1.5"), "1.5")):
            code, out, err = run(*arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn(words, err, arguments)
            self.assertNotIn("CAPTURE", out)

    def test_columns(self):
        """The description of the columns is of all tables, and each command's header is that."""
        code, out, err = run("columns", "--format", "json")
        self.assertEqual((code, err), (0, ""))
        tables = {t["table"]: t for t in json.loads(out)}
        for command in COLUMNS:
            self.assertTrue(tables[command]["command"], command)
            header = run(command, SAMPLE)[1].splitlines()[0]
            self.assertEqual(header.split(","), [c["name"] for c in tables[command]["columns"]], command)
        for table in tables.values():
            for c in table["columns"]:
                self.assertEqual(list(c), ["name", "type", "unit", "meaning", "since", "values"])
                self.assertIn(c["type"], ("integer", "real", "text", "boolean") + ("any",) * (table["table"] == "report"))
                self.assertTrue(c["meaning"].endswith("."), c)
                self.assertIn(c["since"], ("0.1", "0.2"))
                self.assertFalse(c["name"].endswith("_ns") and c["unit"] not in ("ns", "ns since 1970"), c)
        cycles = {c["name"]: c for c in tables["cycles"]["columns"]}
        self.assertEqual([cycles[n]["since"] for n in ("sense", "command", "inferred", "host_response_time_ns")],
                         ["0.1", "0.2", "0.2", "0.2"])
        self.assertEqual(cycles["type"]["values"], ["read", "write", "control"])
        self.assertEqual((cycles["start_ns"]["unit"], cycles["lun"]["unit"]), ("ns since 1970", None))
        self.assertEqual([t["table"] for t in json.loads(run("columns", "owners", "--format", "json")[1])], ["owners"])
        text = run("columns", "cycles")[1]
        self.assertIn("response_time_ns  (integer, ns; since 0.1)", text)
        code, out, err = run("columns", "cylces")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("did you mean cycles?", err)

    def test_the_wait_of_a_burst_and_the_phase_have_names_of_their_own(self):
        """One report shows both: r2t_wait of a Write is a sum over the task, bursts.r2t_wait is of one burst."""
        text = run("report", bundled("r2t-ping-pong.initiator.pcapng.zst"), "--all")[1]
        table = text[text.index("R2T BURSTS"):].split("\n\n")[0]
        for name in ("r2t_wait", "burst_response", "burst_data"):
            self.assertRegex(table, rf"\n +bursts\.{name} ")
            self.assertNotRegex(table, rf"\n +{name} ")
            self.assertRegex(text, rf"\n +{name} ", "the phase")
        explained = run("explain", "r2t_wait_ns")[1]
        self.assertIn("cycles.r2t_wait_ns", explained)
        self.assertIn("bursts.r2t_wait_ns", explained)

    def test_a_mistake_in_an_expression_is_shown_with_its_place(self):
        code, _, err = run("cycles", SAMPLE, "--filter", "complete and respone_time > 5ms")
        self.assertEqual(code, 2)
        self.assertIn("did you mean response_time?", err)
        self.assertIn("\n  complete and respone_time > 5ms\n               ^\n", err)

    def test_unpacking_is_bounded(self):
        """A small file that unpacks to much: the report says which option raises the bound."""
        frame = bytes(250_000)
        head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
        record = struct.pack("<IIII", 1_700_000_000, 0, len(frame), len(frame)) + frame
        path = os.path.join(self.folder, "bomb.pcap.zst")
        with subprocess.Popen(["zstd", "-q", "-o", path], stdin=subprocess.PIPE) as packer:
            packer.stdin.write(head)
            for _ in range(1200):  # 300 MB
                packer.stdin.write(record)
        self.assertLess(os.path.getsize(path), 100_000)
        for command in ("report", "pdus", "predict"):
            code, _, err = run(command, path, "--unpack-ratio", "2000")
            self.assertEqual(code, 0)
            self.assertIn("unpacks to more than 2000 times its size; read as far as that", err)
            self.assertIn("--unpack-ratio raises the bound", err)
        bounded = ("report", path, "--unpack-ratio", "2000")
        self.assertEqual(run(*bounded, "--strict")[0], 1)
        self.assertIn("more than the bounds of unpacking allow", run(*bounded)[1])
        report = json.loads(run(*bounded, "--format", "json")[1])
        self.assertFalse(report["capture"]["complete"])
        self.assertEqual(list(report["coverage"]["anomalies"]), ["unpacking_stopped"])
        self.assertEqual(run("report", path, "--strict", "--unpack-ratio", "1e6")[0], 0)
        for time_, words in (("1ns", "begin takes too long"), ("5ms", "takes longer than 5")):
            err = run("report", path, "--unpack-ratio", "1e6", "--unpack-time", time_)[2]
            self.assertIn(words, err)
            self.assertIn("--unpack-time raises the bound", err)
        for arguments, words in ((("--unpack-time", "0"), "--unpack-time"), (("--unpack-ratio", "-1"), "--unpack-ratio"),
                                 (("--unpack-time", "soon"), "--unpack-time")):
            code, _, err = run("report", path, *arguments)
            self.assertEqual(code, 2)
            self.assertIn(words, err)

    def test_fail_on(self):
        self.assertEqual(run("report", SAMPLE, "--fail-on", "tasks < 1")[0], 0)
        code, out, err = run("report", SAMPLE, "--fail-on", "tasks > 0 and pdus > 1")
        self.assertEqual(code, 1)
        self.assertIn("CAPTURE", out)
        self.assertIn("--fail-on", err)

    def test_help_and_version(self):
        code, out, _ = run("--version")
        self.assertEqual((code, out.startswith("iscsiscope ")), (0, True))
        for command in ("report", *COLUMNS):
            code, out, _ = run(command, "-h")
            self.assertEqual(code, 0)
            self.assertIn("Examples:", out)


class Output(Base):
    def test_rows(self):
        for command, first in COLUMNS.items():
            code, out, err = run(command, SAMPLE)
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(out.startswith(first), command)
            rows = list(csv.DictReader(out.splitlines()))
            code, lines, _ = run(command, SAMPLE, "--format", "jsonl")
            objects = [json.loads(line) for line in lines.splitlines()]
            self.assertEqual(len(rows), len(objects))
            for row, obj in zip(rows, objects):
                self.assertEqual(list(row), list(obj))
                for name, cell in row.items():
                    value = obj[name]
                    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
                    self.assertEqual(cell, text, (command, name))

    def test_tcp_bounds_hold_the_estimate(self):
        code, out, _ = run("tcp", SAMPLE)
        self.assertEqual(code, 0)
        rows = list(csv.DictReader(out.splitlines()))
        self.assertEqual({r["direction"] for r in rows}, {"to_target", "to_initiator"})
        self.assertEqual(len({r["frame"] for r in rows}), len(rows))
        for r in rows:
            low, high = int(r["cwnd_low_bytes"]), r["cwnd_high_bytes"]
            self.assertTrue(high == "" or low <= int(high), r)
            self.assertTrue(r["cwnd_bytes"] == "" or r["limit"] == "cwnd", r)
            self.assertLessEqual(int(r["flight_low_bytes"]), int(r["flight_high_bytes"]), r)

    def test_filter_agrees_with_filtering_by_hand(self):
        rows = list(csv.DictReader(run("cycles", SAMPLE)[1].splitlines()))
        wanted = [r["cycle"] for r in rows if r["type"] == "read" and int(r["response_time_ns"] or 0) > 100_000]
        self.assertTrue(wanted)
        self.assertLess(len(wanted), len(rows))
        out = run("cycles", SAMPLE, "--filter", "type == 'read' and response_time > 100us", "--columns", "cycle")[1]
        self.assertEqual(out.split()[1:], wanted)

    def test_range_agrees_with_cutting_by_hand(self):
        rows = list(csv.DictReader(run("cycles", SAMPLE)[1].splitlines()))
        first = json.loads(run("report", SAMPLE, "--format", "json")[1])["capture"]["first_time"]
        ends = sorted(int(r["start_ns"]) + int(r["response_time_ns"]) for r in rows if r["response_time_ns"])
        begin, end = ends[len(ends) // 4], ends[len(ends) // 2]
        wanted = [r["cycle"] for r in rows
                  if r["response_time_ns"] and begin <= int(r["start_ns"]) + int(r["response_time_ns"]) < end]
        text = f"{begin - first}ns..{end - first}ns"
        out = run("cycles", SAMPLE, "--range", text, "--columns", "cycle")[1]
        self.assertEqual(out.split()[1:], wanted)
        report = json.loads(run("report", SAMPLE, "--range", text, "--format", "json")[1])
        self.assertEqual(report["tasks"]["count"], len(wanted))
        shares = report["time_shares"]
        self.assertEqual(shares["active_ns"],
                         shares["transfer_ns"] + sum(g["time_ns"] for g in shares["gaps"].values()))
        connections = [c["time_shares"]["active_ns"] for s in report["sessions"] for c in s["connections"]]
        self.assertEqual(shares["active_ns"], sum(connections))
        self.assertLessEqual(max(connections), end - begin)
        self.assertGreater(max(connections), 0)
        # Findings are of the range too, and say so.
        self.assertLessEqual(sum(f["lost_time_ns"] for f in report["findings"]), shares["active_ns"])
        whole = json.loads(run("report", SAMPLE, "--format", "json")[1])
        self.assertNotEqual([f["sentence"] for f in report["findings"]], [f["sentence"] for f in whole["findings"]])
        self.assertIn("in the range only", report["findings_cover"])
        self.assertEqual(whole["findings_cover"], "")
        self.assertIn("in the range only", " ".join(run("report", SAMPLE, "--range", text)[1].split()))
        self.assertIn("Waits and tasks are those of the filter's commands",
                      " ".join(run("report", SAMPLE, "--filter", "type == 'read'")[1].split()))

    def test_standard_input_and_packed_files_give_the_same(self):
        plain = self.sample_bytes()
        expected = run("pdus", SAMPLE)[1]
        self.assertEqual(run("pdus", self.file("a.pcapng", plain))[1], expected)
        self.assertEqual(run("pdus", self.file("a.gz", gzip.compress(plain)))[1], expected)
        self.assertEqual(run("pdus", "-", stdin=plain)[1], expected)

    def test_no_header_without_a_capture(self):
        for command in COLUMNS:
            self.assertEqual(run(command, os.path.join(self.folder, "absent"))[:2], (2, ""))

    def test_fragments_without_an_end_are_told(self):
        whole = ethernet_tcp(50000, 3260, 1, bytes(60))  # 80 bytes behind the IP header
        first = whole[:20] + b"\x20\x00" + whole[22:]  # more fragments (RFC 791 section 3.1)
        report = json.loads(run("report", self.file("fragment.pcap", pcap([first])), "--format", "json")[1])
        self.assertEqual(report["coverage"]["anomalies"]["fragment_lost"]["count"], 1)

    def test_unanswered_tasks_of_a_cut_capture_are_doubted(self):
        path = os.path.join(REAL, "n_cwnd_write_reno_20mbit.ini.pcap.zst")
        if not os.path.exists(path):
            self.skipTest(f"no captures in {REAL}")
        out = " ".join(run("report", path, "--all")[1].split())
        self.assertRegex(out, r"\d+ tasks stand without a command; their commands may lie in the bytes that the snap")
        self.assertNotIn("may lie in the bytes", run("report", SAMPLE, "--all")[1])

    def test_writes_whose_data_are_found_after_their_status(self):
        # 25 s of fio with writes of 256 KiB, cut to 160 bytes a packet: most commands are inferred, and their data
        # are framed only once a later header confirms them.
        path = os.path.join(REAL, "n_cwnd_write_reno_20mbit.ini.pcap.zst")
        if not os.path.exists(path):
            self.skipTest(f"no captures in {REAL}")
        rows = [json.loads(line) for line in run("cycles", path, "--format", "jsonl")[1].splitlines()]
        whole = [row for row in rows if row["type"] == "write" and row["complete"]]
        self.assertGreater(len(whole), 100)
        self.assertEqual({row["bytes_moved"] for row in whole}, {262144})
        report = json.loads(run("report", path, "--format", "json")[1])
        self.assertEqual([size["largest_bytes"] for size in report["cycles"]["write"]["sizes"]], [262144])

    def test_rate_on_the_wire_is_right_where_contents_were_cut(self):
        cut, whole = (os.path.join(REAL, f"{name}.ini.pcap.zst") for name in ("h_read_4MiB_snap128",
                                                                             "a_read_4MiB_512K_16ms"))
        if not os.path.exists(cut):
            self.skipTest(f"no captures in {REAL}")
        of = {path: json.loads(run("report", path, "--format", "json")[1])["rates"] for path in (cut, whole)}
        self.assertEqual(of[cut]["both"]["wire_bytes"], of[whole]["both"]["wire_bytes"])  # the same work
        self.assertEqual(of[cut]["both"]["bytes"], of[whole]["both"]["bytes"])  # every PDU is found in the cut one
        for rates in of.values():
            both = rates["both"]
            self.assertAlmostEqual(both["wire_rate"] * both["data_time_ns"] / 1e9 / both["wire_bytes"], 1, places=9)
            self.assertEqual([row["wire_bytes"] for row in rates["sessions"] if row["type"] == "both"],
                             [both["wire_bytes"]])
            self.assertNotIn("wire_rate", rates["read"])
        # Where commands were missed, the headline's throughput is that of the payload on the wire.
        lost = os.path.join(REAL, "n_cwnd_write_reno_20mbit.ini.pcap.zst")
        self.assertRegex(" ".join(run("report", lost)[1].split()),
                         r"Throughput 96\d kB/s TCP payload over 45.6 s; 1.57 MB/s without pauses")
        self.assertRegex(" ".join(run("report", cut)[1].split()), r"Throughput [\d.]+ MB/s while reading")

    def test_downtime_of_a_session_that_logs_in_again(self):
        path = os.path.join(REAL, "l_blackout_noop_relogin.ini.pcap.zst")
        if not os.path.exists(path):
            self.skipTest(f"no captures in {REAL}")
        # The initiator resets the connection in frame 416 and logs in again with the first request of frame 424;
        # the other reset, of frame 423, follows the first one by 5.45 s.
        first, second = json.loads(run("report", path, "--format", "json")[1])["sessions"]
        self.assertEqual(second["reinstates"], first["session"])
        login = second["connections"][0]["login"]["start"]
        lost = json.loads(run("cycles", path, "--filter", 'outcome == "connection_lost"', "--format", "jsonl")[1])
        self.assertEqual((first["downtime_tasks"], second["downtime_tasks"]), (1, 0))
        self.assertEqual(lost["session"], first["session"])
        pdus = [json.loads(line) for line in run("pdus", path, "--format", "jsonl")[1].splitlines()]
        self.assertEqual(login, next(p["time_ns"] for p in pdus if p["stream"] == 1))
        self.assertAlmostEqual(first["downtime_ns"] / 1e9, 6.06, places=2)
        self.assertEqual(second["downtime_ns"], 0)
        self.assertRegex(run("report", path)[1], r"Downtime +6.06 s without a connection")
        self.assertRegex(run("report", path, "--all")[1], r"Downtime +6.06 s without a connection")
        self.assertIsNone(json.loads(run("report", path, "--range", "0..1e3", "--format", "json")[1])
                          ["sessions"][0]["downtime_ns"])

    def test_csv_report_is_a_folder_of_tables(self):
        folder = os.path.join(self.folder, "tables")
        self.assertEqual(run("report", SAMPLE, "--format", "csv", "-o", folder)[0], 0)
        self.assertEqual(sorted(os.listdir(folder)), sorted(
            f + ".csv" for f in ("cycles", "bursts", "gaps", "connections", "capture", "times", "sizes", "luns", "rates", "wire_rates",
                                 "lun_facts", "time_shares", "busy_time", "owners", "phase_shares", "outcomes", "anomalies",
                                 "encapsulations", "icmp_errors", "mirror_sessions", "not_read", "sessions",
                                 "tcp_directions", "throughput_intervals", "rules", "findings", "evidence", "finding_parts", "ruled_out")))
        with open(os.path.join(folder, "cycles.csv"), newline="") as f:
            self.assertEqual(f.read(), run("cycles", SAMPLE)[1])
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), newline="") as f:
                text = f.read()
            self.assertEqual(text.count("\r\n"), text.count("\n"), name)  # RFC 4180 section 2
            rows = list(csv.reader(text.splitlines()))
            self.assertEqual({len(r) for r in rows}, {len(rows[0])}, name)
        occupied = self.file("occupied", b"")
        self.assertEqual(run("report", SAMPLE, "--format", "csv", "-o", occupied)[0], 2)

    def test_hash(self):
        with open(SAMPLE, "rb") as f:
            expected = hashlib.sha256(f.read()).hexdigest()
        self.assertIn(expected, run("report", SAMPLE, "--hash")[1])
        self.assertEqual(json.loads(run("report", SAMPLE, "--hash", "--format", "json")[1])["capture"]["sha256"],
                         expected)

    def test_hash_of_a_pipe(self):
        """Its bytes can be read once only: a sentence, neither a wait for a second writer nor the hash of nothing."""
        fifo = os.path.join(self.folder, "fifo")
        os.mkfifo(fifo)
        for path in (fifo, "/dev/null"):
            code, out, err = run("report", path, "--hash")
            self.assertEqual((code, out), (2, ""), path)
            self.assertIn("--hash needs a regular file", err)

    def test_quantiles(self):
        report = json.loads(run("report", SAMPLE, "--format", "json", "--quantiles", "0.25,0.95")[1])
        self.assertEqual(list(report["cycles"]["read"]["times"]["response_time"]["quantiles_ns"]), ["0.25", "0.95"])
        self.assertIn("p95", run("report", SAMPLE, "--quantiles", "0.95")[1])


class Schema(Base):
    @classmethod
    def setUpClass(cls):
        try:
            import jsonschema
        except ImportError:
            print("SKIP: python3-jsonschema is not installed; reports are not held against their schema")
            raise unittest.SkipTest("no jsonschema")
        with open(SCHEMA) as f:
            schema = json.load(f)
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def check(self, path):
        code, out, err = run("report", path, "--format", "json", "--quiet")
        self.assertEqual(code, 0, err)
        report = json.loads(out)
        for error in self.validator.iter_errors(report):
            self.fail(f"{path}: {error.json_path}: {error.message}")
        shares = report["time_shares"]
        self.assertEqual(shares["active_ns"],
                         shares["transfer_ns"] + sum(g["time_ns"] for g in shares["gaps"].values()), path)
        phases = report["phase_shares"]
        self.assertEqual(phases["total_ns"], sum(p["time_ns"] for p in phases["phases"].values()), path)
        self.assertEqual(report["tasks"]["count"], sum(report["tasks"]["by_outcome"].values()), path)
        return report

    def test_reports_hold_to_their_schema(self):
        self.check(SAMPLE)
        self.check(self.file("web.pcap", web_capture()))
        captures = sorted(glob.glob(os.path.join(REAL, "*.zst")))
        if not captures:
            print(f"SKIP: no captures in {REAL}")
        for path in captures:
            self.check(path)
        print(f"{2 + len(captures)} reports hold to {os.path.basename(SCHEMA)}")

    def test_the_schema_can_refuse(self):
        report = self.check(SAMPLE)
        for spoil in (lambda r: r.pop("findings"), lambda r: r["coverage"].pop("pdus"),
                      lambda r: r["tasks"].update(count=-1), lambda r: r["cycles"]["read"]["times"].pop("idle"),
                      lambda r: r["time_shares"]["gaps"].update(laziness={"count": 1, "time_ns": 1, "share": 0})):
            spoilt = json.loads(json.dumps(report))
            spoil(spoilt)
            self.assertFalse(self.validator.is_valid(spoilt))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
