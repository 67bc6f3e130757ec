# SPDX-License-Identifier: GPL-2.0-or-later
"""The program under test, how to run it, and small captures for it."""
import fcntl
import json
import os
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.dont_write_bytecode = True  # nothing is written into the source tree
sys.path.insert(0, os.path.join(os.environ["ISCSISCOPE_SOURCE_DIR"], "tests", "support"))
import live  # noqa: E402

HANG = 300  # seconds; what takes so long hangs, however busy the machine is
PROGRAM = os.environ["ISCSISCOPE"]
SOURCE = os.environ["ISCSISCOPE_SOURCE_DIR"]


def bundled(file):
    """A bundled capture, by its file's name."""
    return os.path.join(SOURCE, "sample-captures", "bundle", file.split(".")[0], file)


SAMPLE = bundled("tgt-qemu.pcapng.zst")
SCHEMA = os.path.join(SOURCE, "analyzer", "report", "json", "report.schema.json")
REAL = os.environ.get("ISCSISCOPE_CAPTURES", os.path.join(SOURCE, "..", "shared", "captures"))

COLUMNS = {
    "pdus": "frame,last_frame,delivered_frame,stream,direction",
    "cycles": "cycle,session,stream,cid,itt,cmd_sn,type",
    "bursts": "cycle,stream,burst,r2t_sn,ttt,offset",
    "gaps": "stream,cycle,start_ns,length_ns,kind,before_frame,after_frame,proof",
    "connections": "stream,session,cid,initiator_address",
    "tcp": "stream,direction,frame,time_ns,flight_bytes,cwnd_bytes,cwnd_low_bytes,cwnd_high_bytes,state,limit",
}


def run(*arguments, stdin=None, env=None):
    done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, timeout=HANG,
                          env={**os.environ, **(env or {})})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def waiting(pipe):
    """Bytes of a pipe that its reader has not taken."""
    return struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, bytes(4)))[0]


def report(path, *more):
    """The report of a capture as JSON, decoded."""
    code, out, err = run("report", path, "--format", "json", *more)
    assert code == 0, err
    return json.loads(out)


def ethernet_tcp(source_port, destination_port, sequence, payload):
    tcp = struct.pack("!HHIIBBHHH", source_port, destination_port, sequence, 1, 0x50, 0x18, 1000, 0, 0)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 1, 0, 64, 6, 0,
                     bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2]))
    return bytes(12) + b"\x08\x00" + ip + tcp + payload


def pcap(frames):
    out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
    for number, frame in enumerate(frames):
        out += struct.pack("<IIII", 1_700_000_000, number * 1000, len(frame), len(frame)) + frame
    return out


def web_capture():
    """TCP without iSCSI: twenty segments of a web server."""
    return pcap([ethernet_tcp(50000, 80, 1 + 20 * n, b"GET / HTTP/1.1\r\nxxxx") for n in range(20)])


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iscsiscope-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(content)
        return path

    def sample_bytes(self):
        """The sample as a plain file, unpacked by somebody else."""
        return subprocess.run(["zstd", "-dcq", SAMPLE], capture_output=True, check=True).stdout

    def judged(self, attempt):
        """attempt(): what was found, and what should be, where that needs that the machine lets the program run."""
        def wrong(_):
            found, expected = attempt()
            return [] if found == expected else [f"{found} is not {expected}"[:500]]

        self.assertEqual(live.judge(self.id(), wrong), [])

    def ends_by_signal(self, arguments, begin, signals):
        """The program that reads a pipe ends by the last of the signals and leaves nothing in the folder. The first
        SIGINT ends the pipe and not the program: the second has to come within a second of it (test_manners.py)."""
        def attempt():
            child = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE)
            child.stdin.write(begin)
            child.stdin.flush()
            self.assertTrue(live.at_its_time(lambda: os.listdir(self.folder)), "the unfinished file should be there")
            for sent in signals:
                child.send_signal(sent)
                time.sleep(0.3 if len(signals) > 1 else 0)
            code = child.wait(timeout=HANG)
            child.stdin.close()
            left = os.listdir(self.folder)
            if code == -signals[-1]:
                self.assertEqual(left, [])
            for name in left:
                subprocess.run(["rm", "-rf", os.path.join(self.folder, name)], check=True)
            return (code, left), (-signals[-1], [])

        self.judged(attempt)
