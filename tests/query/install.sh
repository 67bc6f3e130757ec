#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a virtual environment for the tests in tests/query: with DuckDB, which Debian does not have, and with pandas,
# the system's if the interpreter finds it. Without a package index the tests skip what is missing.
# Argument: the folder to make.
set -euo pipefail

folder=${1:?usage: tests/query/install.sh FOLDER}
has() { "$folder/bin/python" -c "import $1" 2>/dev/null; }
if has duckdb && has pandas; then
    echo "packages: duckdb and pandas are in $folder"
    exit 0
fi
python3 -m venv --system-site-packages "$folder"
for package in duckdb pandas; do
    has $package || "$folder/bin/pip" install -q --disable-pip-version-check $package ||
        echo "packages: $package could not be installed; the tests of tests/query run without it"
done
