#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs a part of the fleet's tests in the environment of install.sh. Exit code 77: nothing could be run.
# Arguments: style, wheel, or test files and options of pytest.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
package=$here/../../analyzer/fleet
venv=${ISCSISCOPE_FLEET_VENV:?the folder that tests/fleet/install.sh makes}
export PYTHONDONTWRITEBYTECODE=1

if [ ! -x "$venv/bin/python" ]; then
    echo "SKIPPED: $venv is not there (tests/fleet/install.sh needs a package index): iscsiscope-fleet is not tested"
    exit 77
fi
case ${1:?style, wheel or arguments of pytest} in
    style)
        cd "$package"
        "$venv/bin/ruff" check --no-cache . "$here"
        "$venv/bin/ruff" format --no-cache --check . "$here"
        "$venv/bin/mypy" --cache-dir /dev/null
        ;;
    wheel) # what users install: whole, and of the version of the project
        folder=$(mktemp -d)
        trap 'rm -rf "$folder"' EXIT
        "$venv/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$folder" "$package"
        wheel=$(echo "$folder"/*.whl)
        python3 -m zipfile -l "$wheel" | awk 'NR > 1 { print $1 }' >"$folder/list"
        (cd "$package" && find iscsiscope_fleet -type f -not -path '*/__pycache__/*') | while read -r file; do
            grep -qxF "$file" "$folder/list" || { echo "the wheel lacks $file"; exit 1; }
        done
        version=$(sed -n 's/^project(iscsiscope VERSION \([0-9.]*\).*/\1/p' "$here/../../CMakeLists.txt")
        [ "$(basename "$wheel")" = "iscsiscope_fleet-$version-py3-none-any.whl" ]
        echo "FIGURE: fleet: $(basename "$wheel"), $(stat -c %s "$wheel") bytes"
        ;;
    *)
        cd "$here"
        # What workers that the tests kill leave in the temporary folder goes with it.
        TMPDIR=$(mktemp -d)
        export TMPDIR
        trap 'rm -rf "$TMPDIR"' EXIT
        # 5: no test ran, which is a mistake here; a test that skips itself says why.
        "$venv/bin/python" -m pytest -q -s -rs -p no:cacheprovider "$@"
        ;;
esac
