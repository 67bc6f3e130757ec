#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs the Debian packages that the build, the tests and the benchmarks need. Does nothing when all
# are there. Needs root, or sudo. Arguments: further packages.
set -euo pipefail

packages=(
    # compilers and build
    build-essential cmake ninja-build ccache pkg-config git ca-certificates
    clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev
    # engine and command line
    libpcap-dev zlib1g-dev libzstd-dev libcli11-dev libfmt-dev nlohmann-json3-dev libtomlplusplus-dev
    libsqlite3-dev libjs-dygraphs
    # testbed
    libasio-dev nettle-dev iproute2 ethtool
    # desktop program
    qt6-base-dev qt6-svg-dev libqcustomplot-dev libgl-dev libxkbcommon-dev
    xvfb openbox x11-apps xdotool imagemagick desktop-file-utils appstream
    # Wireshark plugin
    wireshark-dev
    # tests and benchmarks
    catch2 librapidcheck-dev libbenchmark-dev python3 zstd
    tshark wireshark-common tcptrace tcpdump
    # completions in all three shells, manual pages
    zsh fish groff
    # independent iSCSI peers
    tgt qemu-utils qemu-block-extra libiscsi-bin
    # reports against their schema; tables as other programs read them (tests/query/install.sh adds DuckDB)
    python3-jsonschema python3-pandas python3-venv
    # the papers' studies
    python3-matplotlib python3-numpy
    "$@"
)

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "packages: all ${#packages[@]} are installed"
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "packages: these are missing and neither root nor sudo is at hand: ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "packages: installing ${missing[*]}"
"${as_root[@]}" apt-get update -q
# env, because sudo drops the caller's environment.
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
