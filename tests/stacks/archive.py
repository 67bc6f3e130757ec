# SPDX-License-Identifier: GPL-2.0-or-later
"""Keeps the files of a run. In: a file, a folder, zstd's level. Out: FILE.zst in that folder; the file is gone."""

import os
import subprocess


def compress(path, folder, level=3):
    subprocess.run(["zstd", "-q", f"-{level}", "-f", "--rm", path, "-o", f"{folder}/{os.path.basename(path)}.zst"],
                   check=True)
