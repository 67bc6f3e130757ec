#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Release programs are hardened, as readelf sees it; and the same reading finds a program without that."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["ISCSISCOPE_SOURCE_DIR"]
RELEASE = os.environ.get("ISCSISCOPE_RELEASE", "")
READELF = os.environ.get("READELF", "readelf")


def readelf(option, path):
    return subprocess.run([READELF, "-W", option, path], check=True, capture_output=True, text=True).stdout


def main_begins_with(path, code):
    """Whether these are the first bytes of main(). The note of the whole program would also need landing pads in the
    C library's start files, which some distributions lack."""
    address = next(int(line.split()[1], 16) for line in readelf("-s", path).splitlines() if line.endswith(" main"))
    for line in readelf("-l", path).splitlines():
        if line.split()[:1] == ["LOAD"]:
            offset, begin, _, size = (int(word, 16) for word in line.split()[1:5])
            if begin <= address < begin + size:
                with open(path, "rb") as f:
                    f.seek(address - begin + offset)
                    return f.read(len(code)) == code
    return False


def measures(path):
    """Which measures the program has."""
    segments, dynamic, symbols = readelf("-l", path), readelf("-d", path), readelf("--dyn-syms", path)
    stack = re.search(r"GNU_STACK .* (R\w*) +0x", segments)
    return {
        "position-independent": re.search(r"Type: +DYN", readelf("-h", path)) is not None
                                and re.search(r"\(FLAGS_1\).*\bPIE\b", dynamic) is not None,
        "relocations read-only": "GNU_RELRO" in segments,
        "bound at the start": re.search(r"BIND_NOW|\(FLAGS_1\).*\bNOW\b", dynamic) is not None,
        "stack not executable": stack is not None and stack.group(1) == "RW",
        "stack protector": "__stack_chk_fail" in symbols,
        "checked functions": re.search(r"__\w+_chk\b", symbols.replace("__stack_chk", "")) is not None,
        "landing pads": main_begins_with(path, b"\xf3\x0f\x1e\xfa"),  # ENDBR64
    }


def build(folder, hardening):
    """The small program, with the options of a release or without."""
    binary = os.path.join(folder, "hardened" if hardening else "plain")
    more = ["-DHARDENING=" + os.path.join(SOURCE, "packaging", "hardening.cmake")] if hardening else [
        "-DCMAKE_EXE_LINKER_FLAGS=-no-pie -Wl,-z,norelro,-z,lazy,-z,execstack",
        "-DCMAKE_CXX_FLAGS=-fno-stack-protector -U_FORTIFY_SOURCE -fcf-protection=none"]
    for command in (["cmake", "-S", os.path.join(SOURCE, "tests", "hardening", "small"), "-B", binary,
                     "-DCMAKE_BUILD_TYPE=Release", *more], ["cmake", "--build", binary]):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return os.path.join(binary, "small")


class Hardening(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iscsiscope-hardening-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def expected(self, found):
        return {name: True for name in found if name != "landing pads" or os.uname().machine == "x86_64"}

    def test_release(self):
        path = RELEASE or build(self.folder, True)
        found = measures(path)
        wanted = self.expected(found)
        self.assertEqual({name: found[name] for name in wanted}, wanted, path)
        print(f"FIGURE: hardening: {len(wanted)} measures in {os.path.basename(path)}")

    def test_a_program_without_them_is_found(self):
        found = measures(build(self.folder, False))
        self.assertEqual(set(found.values()), {False}, found)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
