#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a virtual environment with iscsiscope-fleet, from this tree and in place, and with what its tests need, from
# PyPI; with PySpark where Java is. Without a package index nothing is made, and the tests of tests/fleet say so.
# Argument: the folder to make.
set -euo pipefail

folder=${1:?usage: tests/fleet/install.sh FOLDER}
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
made=$folder/made-of # what it was made of: another list of packages makes it anew
of=$(cat "$top/analyzer/fleet/pyproject.toml" "${BASH_SOURCE[0]}")
spark=()
if command -v java >/dev/null; then
    spark=(pandas pyspark)
fi
of+=" ${spark[*]}"

if [ -f "$made" ] && [ "$(cat "$made")" = "$of" ] && "$folder/bin/python" -c 'import iscsiscope_fleet' 2>/dev/null; then
    echo "packages: iscsiscope-fleet and its tests' packages are in $folder"
    exit 0
fi
rm -rf "$folder"
python3 -m venv "$folder"
if "$folder/bin/pip" install -q --disable-pip-version-check -e "$top/analyzer/fleet[test]"; then
    if [ ${#spark[@]} -gt 0 ]; then
        "$folder/bin/pip" install -q --disable-pip-version-check "${spark[@]}" ||
            echo "packages: ${spark[*]} could not be installed; the recipe for Spark is not tried"
    fi
    printf '%s' "$of" >"$made"
else
    echo "packages: those of iscsiscope-fleet could not be installed; its tests are skipped"
    rm -rf "$folder"
fi
