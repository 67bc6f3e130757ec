#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Installing the plugin: what `cmake --install BUILD --component plugin` puts where, and iscsiscope-plugin-install as an
ordinary user with a new home. Environment: plugin_tools.py, and ISCSISCOPE_BUILD_DIR, ISCSISCOPE_CMAKE,
ISCSISCOPE_WIRESHARK_PLUGINS (the folder in which Wireshark looks for plug-ins)."""

import os
import shutil
import struct
import subprocess
import tempfile
import unittest

from plugin_tools import PLUGIN, PRELOAD, SOURCE, Tshark, need_tools

BUILD = os.environ.get("ISCSISCOPE_BUILD_DIR", "")
CMAKE = os.environ.get("ISCSISCOPE_CMAKE", "cmake")
WHERE = os.environ.get("ISCSISCOPE_WIRESHARK_PLUGINS", "")
VERSION = os.path.basename(os.path.dirname(os.path.dirname(PLUGIN)))
PREFIX = os.path.relpath(WHERE[:WHERE.find("/lib")] or "/", "/")  # Wireshark's
PROFILE = "iSCSI cycles"


def files_below(folder):
    found = []
    for root, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(root, name), folder) for name in names]
    return sorted(found)


def install(*options, **environment):
    return subprocess.run([CMAKE, "--install", BUILD, "--component", "plugin", *options], check=True,
                          env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT).stdout.decode()


class InstallTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="iscsiscope-install-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o755)
        self.prefix = os.path.join(self.folder, "prefix")
        # A user whose Wireshark has no plug-ins of the whole system, whatever this machine has.
        self.user = Tshark(self.folder, plugin=False).command[:-1]
        if PRELOAD:
            self.user += ["LD_PRELOAD=" + PRELOAD, "ASAN_OPTIONS=detect_leaks=0"]
        home = os.path.join(self.folder, "home")
        self.plugin = os.path.join(home, ".local/lib/wireshark/plugins", VERSION, "epan/iscsiscope.so")
        self.profile = os.path.join(home, ".config/wireshark/profiles", PROFILE)

    def opened(self, folder):
        """Readable by everyone, as the user of the tests may be another one."""
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        return folder

    def run_as_user(self, *command, path=None, wanted=0):
        environment = [] if path is None else ["PATH=" + path]
        done = subprocess.run(self.user + environment + list(command), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, wanted, done.stdout.decode())
        return done.stdout.decode()

    def script(self):
        """The installed script, of an installation with a prefix of its own."""
        install("--prefix", self.prefix)
        self.opened(self.prefix)
        return os.path.join(self.prefix, "bin", "iscsiscope-plugin-install")

    def listed(self):
        lines = [line.split("\t") for line in self.run_as_user("tshark", "-G", "plugins").splitlines()]
        return [line[-1] for line in lines if line[0].strip() == "iscsiscope.so"]

    def program(self, name, lines):
        """A program in a folder of its own, which is the answer: to be found in its PATH."""
        folder = tempfile.mkdtemp(dir=self.folder)
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + lines)
        os.chmod(path, 0o755)
        for tool in ("sh", "id", "sed", "head", "dirname", "basename", "realpath", "grep", "cat", "rm", "rmdir", "cp",
                     "mv", "cmp", "mkdir", "chmod"):
            os.symlink(shutil.which(tool), os.path.join(folder, tool))
        return self.opened(folder)

    def test_system(self):
        """Below DESTDIR, with the default prefix and with Wireshark's: where Wireshark looks."""
        for options in ([], ["--prefix", "/usr/local"], ["--prefix", "/usr"]):
            with self.subTest(options=options):
                stage = tempfile.mkdtemp(dir=self.folder)
                install(*options, DESTDIR=stage)
                shared = os.path.join(os.path.relpath(WHERE, "/"), "epan/iscsiscope.so")
                profiles = os.path.join(PREFIX, "share/wireshark/profiles", PROFILE)
                wanted = {os.path.join(profiles, name) for name in os.listdir(os.path.join(SOURCE, "plugin/profile"))}
                found = set(files_below(stage))
                self.assertEqual({name for name in found if name.endswith(".so")}, {shared})
                self.assertEqual({name for name in found if PROFILE in name}, wanted)
                self.assertTrue(any(name.endswith("bin/iscsiscope-plugin-install") for name in found), found)

    def test_where_tshark_looks(self):
        """The folder of CMake's Wireshark package is the one of tshark here."""
        folders = subprocess.run(["env", "-u", "WIRESHARK_PLUGIN_DIR", "tshark", "-G", "folders"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode()
        said = dict(line.split(":", 1) for line in folders.splitlines() if ":" in line)
        self.assertEqual(said["Global Plugins"].strip(), WHERE)
        self.assertEqual(said["Global configuration"].strip(), os.path.join("/", PREFIX, "share/wireshark"))

    def test_one_user(self):
        script = self.script()
        self.assertEqual(self.listed(), [])
        said = self.run_as_user(script)
        self.assertIn("has loaded it", said)
        self.assertEqual(self.listed(), [self.plugin])
        self.assertEqual(files_below(self.profile), sorted(os.listdir(os.path.join(SOURCE, "plugin/profile"))))
        empty = os.path.join(self.folder, "empty.pcap")
        with open(empty, "wb") as file:
            file.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        os.chmod(empty, 0o644)
        self.run_as_user("tshark", "-C", PROFILE, "-r", empty)
        self.run_as_user("tshark", "-C", "no such profile", "-r", empty, wanted=1)
        # Again: nothing changes. With a profile that the user has changed: it is kept.
        self.assertNotIn("(before)", self.run_as_user(script))
        with open(os.path.join(self.profile, "colorfilters"), "a", encoding="utf-8") as file:
            file.write("# mine\n")
        self.assertIn("(before)", self.run_as_user(script))
        with open(os.path.join(self.profile + " (before)", "colorfilters"), encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("# mine\n"))
        shutil.rmtree(self.profile + " (before)")
        # All of it goes, and nothing else of the user's.
        mine = os.path.join(os.path.dirname(self.plugin), "mine.so.txt")
        with open(mine, "w", encoding="utf-8"):
            pass
        self.assertIn(self.plugin, self.run_as_user(script, "--uninstall"))
        self.assertEqual(self.listed(), [])
        self.assertFalse(os.path.exists(self.profile))
        self.assertTrue(os.path.exists(mine))
        self.assertIn("Nothing is installed", self.run_as_user(script, "--uninstall"))
        print("FIGURE: plugin: installed for one user, listed by tshark, its profile loaded, removed", flush=True)

    def test_build_folder(self):
        """The script of the build folder, in a copy that the user can read, takes what lies beside it."""
        copy = os.path.join(self.folder, "build", "plugin")
        os.makedirs(os.path.join(copy, "CMakeFiles"))
        shutil.copy(os.path.join(BUILD, "plugin/iscsiscope-plugin-install"), copy)
        shutil.copytree(os.path.join(BUILD, "plugin/profile"), os.path.join(copy, "profile"))
        folder = os.path.join(copy, "wireshark-plugins", VERSION, "epan")
        os.makedirs(folder)
        script = os.path.join(self.opened(copy), "iscsiscope-plugin-install")
        self.assertIn("build it first", self.run_as_user(script, wanted=1))
        shutil.copy(PLUGIN, folder)
        self.opened(copy)
        self.run_as_user(script)
        self.assertEqual(self.listed(), [self.plugin])

    def test_refusals(self):
        script = self.script()
        other = self.program("tshark", "echo 'TShark (Wireshark) 3.9.1 (Git)'\n")
        said = self.run_as_user(script, path=other, wanted=1)
        self.assertIn("built for Wireshark %s, but tshark is of version 3.9.1" % VERSION, said)
        self.assertIn("wireshark-dev", said)
        mute = self.program("wireshark", "exit 1\n")
        self.assertIn("does not state the version", self.run_as_user(script, path=mute, wanted=1))
        self.assertIn("neither tshark nor wireshark", self.run_as_user(script, path=self.program("x", ""), wanted=1))
        self.assertIn("usage:", self.run_as_user(script, "--no-such-option", wanted=2))
        self.assertIn("usage:", self.run_as_user(script, "--help"))
        self.assertFalse(os.path.exists(self.plugin))
        if os.geteuid() == 0:
            done = subprocess.run([script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                  env={**os.environ, "HOME": self.folder})
            self.assertEqual(done.returncode, 1)
            self.assertIn("does not read the plug-ins of root", done.stdout.decode())

    def test_without_tshark(self):
        """wireshark alone is asked for its version only: all else would open a window."""
        script = self.script()
        real = self.run_as_user("tshark", "--version").splitlines()[0].replace("TShark (Wireshark)", "Wireshark")
        alone = self.program("wireshark", "[ \"$*\" = --version ] || exit 3\necho '%s'\n" % real.replace("'", ""))
        said = self.run_as_user(script, path=alone)
        self.assertIn("About Wireshark", said)
        self.assertEqual(self.listed(), [self.plugin])
        self.run_as_user(script, "--uninstall", path=alone)
        self.assertEqual(self.listed(), [])

    def test_plugin_for_all_users(self):
        script = self.script()
        everyone = os.path.join(self.folder, "no-plugins", VERSION, "epan")
        shutil.copy(PLUGIN, everyone)
        self.opened(self.folder)
        self.assertIn("for all users already", self.run_as_user(script))
        with open(os.path.join(everyone, "iscsiscope.so"), "ab") as file:
            file.write(b"\0")
        self.assertIn("another plugin is installed for all users", self.run_as_user(script, wanted=1))
        self.assertFalse(os.path.exists(self.plugin))


if __name__ == "__main__":
    need_tools()
    unittest.main(verbosity=2)
