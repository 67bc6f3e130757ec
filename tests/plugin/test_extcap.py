#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iscsiscope-extcap: each call of extcap's protocol, values that are wrong, and runs in tshark and through a FIFO:
packets come while they are made, tagged by the plugin, and nothing is left however a run ends."""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import extcap_tools
import plugin_tools
from extcap_tools import HANG, INTERFACE, GrowingCapture, end, live, sentences

FOR_INTERFACE = ("--extcap-interface", INTERFACE)


class ExtcapTestCase(unittest.TestCase):
    longMessage = True

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="iscsiscope-extcap-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.laboratory = extcap_tools.Laboratory(cls.folder)

    def answer(self, *arguments, **environment):
        code, out, errors = self.laboratory.run(*arguments, **environment)
        self.assertEqual((code, errors), (0, ""), arguments)
        return sentences(out)

    def refused(self, message, *arguments, **environment):
        code, out, errors = self.laboratory.run(*arguments, **environment)
        self.assertNotEqual(code, 0, arguments)
        self.assertIn(message, errors, arguments)
        self.assertNotIn("Traceback", errors)
        self.assertEqual(out, "", arguments)
        self.assertLess(len(errors), 1024, "Wireshark shows no more of a message")


class Protocol(ExtcapTestCase):
    def test_interfaces(self):
        for version in ((), ("--extcap-version=4.0",)):
            lines = self.answer("--extcap-interfaces", *version)
            self.assertEqual([word for word, _ in lines], ["extcap", "interface"])
            self.assertRegex(lines[0][1]["version"], r"^\d+\.\d+\.\d+$")
            self.assertEqual(lines[1][1], {"value": INTERFACE, "display": "iSCSI testbed"})

    def test_link_type(self):
        self.assertEqual(self.answer("--extcap-dlts", *FOR_INTERFACE),
                         [("dlt", {"number": "1", "name": "EN10MB", "display": "Ethernet"})])

    def test_configuration(self):
        lines = self.answer("--extcap-config", *FOR_INTERFACE)
        arguments = [facts for word, facts in lines if word == "arg"]
        self.assertEqual([a["call"] for a in arguments],
                         ["--scenario", "--file", "--tap", "--duration", "--once", "--delay", "--loss", "--rate",
                          "--set", "--testbed"])
        self.assertEqual([a["number"] for a in arguments], [str(i) for i in range(len(arguments))])
        for argument in arguments:
            self.assertTrue(argument["tooltip"] and argument["display"] and argument["group"], argument)
        scenarios = [facts for word, facts in lines if word == "value" and facts["arg"] == "0"]
        bundled = os.path.join(plugin_tools.SOURCE, "sample-captures", "scenarios")
        files = {os.path.relpath(os.path.join(root, name), bundled)[:-len(".toml")]
                 for root, _, names in os.walk(bundled) for name in names if name.endswith(".toml")}
        self.assertEqual({s["value"] for s in scenarios}, files)
        self.assertEqual([s["value"] for s in scenarios if s["default"] == "true"], ["plain-read"])
        self.assertEqual(self.places(lines), ["initiator", "target", "wan"])

    @staticmethod
    def places(lines):
        return [facts["value"] for word, facts in lines if word == "value" and facts["arg"] == "2"]

    def test_places_of_another_scenario(self):
        reload = ("--extcap-config", "--extcap-reload-option", "tap", *FOR_INTERFACE)
        self.assertEqual(self.places(self.answer(*reload, "--scenario", "mirror-unequal")),
                         ["initiator", "near", "far", "short", "long"])
        own = os.path.join(plugin_tools.SOURCE, "tests", "plugin", "large-pdus.toml")
        shutil.copy(own, self.folder)
        own = os.path.join(self.folder, "large-pdus.toml")
        os.chmod(own, 0o644)
        self.assertIn("initiator", self.places(self.answer(*reload, "--file", own)))

    def test_capture_filter(self):
        """Wireshark takes any output as the reason why a filter is refused."""
        ask = ("--extcap-capture-filter", "tcp port 3260", *FOR_INTERFACE)
        self.assertEqual(self.laboratory.run(*ask), (0, "", ""))
        code, out, errors = self.laboratory.run("--extcap-capture-filter", "tcp prot 3260", *FOR_INTERFACE)
        self.assertEqual((code, errors), (0, ""))
        self.assertIn('capture filter "tcp prot 3260": ', out)

    def test_wrong_calls(self):
        self.refused('no interface "eth0"', "--extcap-dlts", "--extcap-interface", "eth0")
        self.refused("--capture needs --fifo", "--capture", *FOR_INTERFACE)
        self.refused("unrecognized arguments: --speed 3", "--capture", *FOR_INTERFACE, "--fifo", "x", "--speed", "3")
        self.refused("/nowhere is not a program", "--extcap-config", *FOR_INTERFACE, ISCSISCOPE_TESTBED="/nowhere")
        self.refused("/dev/null is not a program", "--extcap-config", *FOR_INTERFACE, "--testbed", "/dev/null")
        self.refused("was not found", "--extcap-config", *FOR_INTERFACE, ISCSISCOPE_TESTBED="", PATH="/nowhere")

    def test_wrong_values(self):
        fifo = self.laboratory.fifo()
        reader = GrowingCapture(fifo)  # as dumpcap, which is let go when nothing is to come
        self.addCleanup(reader.close)
        start = ("--capture", *FOR_INTERFACE, "--fifo", fifo)
        for option, value, message in (
                ("--delay", "5", 'delay "5" is not understood: a time with its unit'),
                ("--delay", "5ms extra", "not understood"),
                ("--delay", "-5ms", "expected one argument"),
                ("--loss", "2", "a share from 0 to 1"),
                ("--loss", "200%", "loss"),
                ("--rate", "fast", 'rate "fast" is not understood'),
                ("--duration", "ten", "duration"),
                ("--duration", "5", "duration"),
                ("--set", "wan.delay", "KEY=VALUE"),
                ("--set", "link.wan.dely=1ms", "unknown key (did you mean delay?)"),
                ("--set", "host.initiator.mtu=one", "mtu"),
                ("--tap", "nowhere", 'no host, tap or link "nowhere"; it has initiator, target, wan'),
                ("--scenario", "no-such", 'no bundled scenario "no-such"'),
                ("--file", "/no/such.toml", "/no/such.toml"),
                ("--extcap-capture-filter", "tcp prot 3", 'capture filter "tcp prot 3"')):
            self.refused(message, *start, option, value)
        self.refused("No such file", "--capture", *FOR_INTERFACE, "--fifo", os.path.join(self.folder, "none"))
        self.refused("is not a FIFO", "--capture", *FOR_INTERFACE, "--fifo", self.laboratory.testbed)
        self.assertEqual(self.laboratory.processes(), [])


class Runs(ExtcapTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fifo = cls.laboratory.fifo()
        process = cls.laboratory.capture(fifo, "--duration", "100ms")
        capture = GrowingCapture(fifo)
        capture.read()
        capture.close()
        code, errors = end(process, 0)
        if "private network" in errors:
            print("SKIPPED: runs of the interface: no private network here: " + errors.splitlines()[0], flush=True)
            raise unittest.SkipTest("no private network")
        if code != 0 or not capture.packets:
            raise AssertionError("%d packets, exit code %d: %s" % (len(capture.packets), code, errors))

    def tearDown(self):
        try:
            self.assertEqual(self.laboratory.left_behind(), [])
        finally:
            self.laboratory.end_what_runs()

    def tshark(self, *arguments, **settings):
        options = [word for key, value in settings.items()
                   for word in ("-o", "extcap.iscsi_testbed.%s:%s" % (key, value))]
        return self.laboratory.start(self.laboratory.tshark + ["-i", INTERFACE, *options, *arguments])

    def rows(self, *arguments, fields, **settings):
        """Of a run to its own end."""
        wanted = [word for field in fields for word in ("-e", field)]
        process = self.tshark("-T", "fields", *wanted, *arguments, **settings)
        out, errors = process.communicate(timeout=HANG)
        self.assertEqual(process.returncode, 0, errors)
        self.assertNotIn(b"rror", errors)
        return [line.split("\t") for line in out.decode().splitlines()]

    def test_packets_come_while_they_are_made(self):
        def attempt(_):
            fifo = self.laboratory.fifo()
            # So few packets that a buffer of ordinary size takes seconds to fill.
            process = self.laboratory.capture(fifo, "--duration", "0", "--scenario", "slow-target", "--delay", "10ms")
            capture = GrowingCapture(fifo)
            self.addCleanup(capture.close)
            capture.read(packets=300)
            self.assertIsNone(process.poll(), "the run goes on")
            self.assertEqual(capture.links, [1], "Ethernet, as announced")
            self.assertGreaterEqual(len(capture.packets), 300)
            late = sorted(capture.lateness)
            middle, worst = late[len(late) // 2] / 1e6, late[-1] / 1e6
            print("FIGURE: extcap: %d packets through the FIFO, %.1f ms late at the median, %.1f ms at most"
                  % (len(late), middle, worst), flush=True)
            self.assertEqual(end(process), (0, ""))
            return [] if middle < 100 else ["%.1f ms late at the median" % middle]

        self.assertEqual(live.judge("extcap: packets come while they are made", attempt), [])

    def test_tshark_shows_cycles_while_they_are_made(self):
        process = self.tshark("-l", "-Y", "iscsiscope.cycle.response_time", "-T", "fields", "-e", "frame.time_epoch",
                              "-e", "iscsiscope.cycle.type", "-e", "iscsiscope.cycle.response_time", duration="0")
        try:
            times, lateness, until, rest = [], [], time.monotonic() + HANG, b""
            while time.monotonic() < until and len(times) <= 20:
                if not select.select([process.stdout], [], [], 0.1)[0]:
                    continue
                rest += os.read(process.stdout.fileno(), 65536)
                *lines, rest = rest.split(b"\n")
                for made, kind, response in (line.decode().split("\t") for line in lines):
                    self.assertRegex(kind, r"^\d+(,\d+)*$", "a number for each cycle")
                    lateness.append(time.time() - float(made))
                    times.append(float(response.split(",")[0]))
                    if len(times) == 1:
                        self.assertTrue(self.laboratory.processes(), "the run goes on")
            self.assertTrue(self.laboratory.processes(), "the run goes on")
            self.assertGreater(len(times), 20)
            self.assertGreater(sorted(times)[len(times) // 2], 0.001, "two times the delay of the scenario")
            lateness.sort()
            print("FIGURE: extcap: %d cycles in tshark, shown %.0f ms after the packet at the median, "
                  "%.0f ms at most" % (len(times), lateness[len(lateness) // 2] * 1e3, lateness[-1] * 1e3), flush=True)
        finally:
            code, errors = end(process, signal.SIGINT)
        self.assertEqual(code, 0, errors)
        self.assertNotIn("Error", errors)

    def test_settings_reach_the_run(self):
        def attempt(_):
            rows = self.rows("-Y", "iscsiscope.cycle.type == \"write\" && iscsiscope.cycle.response_time",
                             scenario="plain-write", delay="20ms", duration="1s",
                             fields=["iscsiscope.cycle.response_time"])
            for times, in rows:
                self.assertGreater(float(times.split(",")[0]), 0.040)
            return [] if len(rows) > 3 else ["%d Writes in a second" % len(rows)]

        self.assertEqual(live.judge("extcap: settings reach the run", attempt), [])

    def test_capture_filter_and_tap(self):
        rows = self.rows("-f", "src host 10.77.0.2", once="true", tap="wan", scenario="plain-read",
                         fields=["ip.src", "frame.protocols", "frame.interface_name"])
        self.assertGreater(len(rows), 100)
        self.assertEqual({row[0] for row in rows}, {"10.77.0.2"})
        self.assertTrue(all(row[1].startswith("eth:ethertype:ip") for row in rows))

    def test_mistakes_reach_the_user(self):
        process = self.tshark(tap="nowhere")
        _, errors = process.communicate(timeout=HANG)
        self.assertIn(b'no host, tap or link "nowhere"', errors)

    def started(self, *arguments):
        fifo = self.laboratory.fifo()
        process = self.laboratory.capture(fifo, "--duration", "0", *arguments)
        capture = GrowingCapture(fifo)
        capture.read(packets=50)
        self.assertGreaterEqual(len(capture.packets), 50)
        self.assertTrue(self.laboratory.namespaces(), "there are namespaces to leave behind")
        return process, capture

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process, capture = self.started()
            self.assertEqual(end(process, number), (0, ""), number)
            capture.close()
            self.assertEqual(self.laboratory.left_behind(), [])

    def test_reader_closes(self):
        process, capture = self.started()
        capture.close()
        self.assertEqual(end(process, 0), (0, ""))

    def test_reader_stands_still(self):
        process, capture = self.started()
        time.sleep(1)  # the pipe is full long since
        begin = time.monotonic()
        self.assertEqual(end(process), (0, ""))  # while the reader is there, and still does not read
        print("FIGURE: extcap: end of a run whose reader has stalled: %.2f s" % (time.monotonic() - begin), flush=True)
        capture.close()

    def test_killed(self):
        process, capture = self.started()
        end(process, signal.SIGKILL)
        capture.close()

    def test_nobody_reads(self):
        def attempt(_):
            process = self.laboratory.capture(self.laboratory.fifo())
            time.sleep(0.5)  # until it handles signals
            found = end(process)
            return [] if found == (0, "") else ["exit code %d: %s" % found]

        self.assertEqual(live.judge("extcap: nobody reads", attempt), [])

    def test_tshark_is_killed(self):
        process = self.tshark(duration="0")
        live.at_its_time(lambda: len(self.laboratory.processes()) > 2)
        time.sleep(0.5)
        self.assertGreater(len(self.laboratory.processes()), 2)
        end(process, signal.SIGKILL)


def main():
    plugin_tools.need_tools()
    for program in (extcap_tools.EXTCAP, extcap_tools.TESTBED):
        if not program or not os.path.exists(program):
            plugin_tools.skip("iscsiscope-extcap or the testbed is not built")
    if subprocess.run(["tshark", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        plugin_tools.skip("tshark does not run")
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=2)


if __name__ == "__main__":
    main()
