#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# metadata.sh FOLDER: desktop file, AppStream metadata, MIME types and man page are valid.
set -euo pipefail
cd "$1"
ran=0
if command -v desktop-file-validate >/dev/null; then
    desktop-file-validate ./*.desktop
    ran=1
else
    echo 'SKIPPED: no desktop-file-validate'
fi
if command -v appstreamcli >/dev/null; then
    appstreamcli validate --no-net ./*.metainfo.xml
    ran=1
else
    echo 'SKIPPED: no appstreamcli'
fi
python3 - <<'P'
import glob, xml.dom.minidom
for name in glob.glob('*.xml') + glob.glob('*.svg') + glob.glob('*.qrc'):
    xml.dom.minidom.parse(name)
P
if command -v update-mime-database >/dev/null; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    mkdir -p "$scratch/mime/packages"
    cp ./*.mime.xml "$scratch/mime/packages/iscsiscope.xml"
    update-mime-database "$scratch/mime"
    grep -q 'application/x-pcapng:\*.pcapng' "$scratch/mime/globs"
fi
[ $ran -eq 1 ] || exit 77
