#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the kernel of the virtual laboratory: Debian's source of Linux 6.12 with kernel.patch and kernel.config, as an
# ordinary program (user-mode Linux). In: the package's version, the program to write. Out: that program. The source
# (1.6 GB) lies in a folder beside it and goes when the program is there. Needs apt's sources and a compiler.
# usage: kernel.sh VERSION PROGRAM
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -eq 2 ] || { echo "usage: tests/stacks/virtual/kernel.sh VERSION PROGRAM" >&2; exit 2; }
version=$1 program=$(realpath -m "$2")
work=$program.work
rm -rf "$work"
mkdir -p "$work/package" "$work/source"
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download -q "linux-source-6.12=$version"
dpkg-deb -x linux-source-6.12_*.deb package
tar -xJf package/usr/src/linux-source-6.12.tar.xz -C source --strip-components=1
cd source
patch -p1 <"$here/kernel.patch"

# These go into the kernel's version string, and with it into the pool of its random numbers.
export KBUILD_BUILD_TIMESTAMP=2026-01-01 KBUILD_BUILD_VERSION=1 KBUILD_BUILD_USER=iscsiscope KBUILD_BUILD_HOST=iscsiscope
export ARCH=um
make allnoconfig
scripts/kconfig/merge_config.sh -m -O . .config "$here/kernel.config"
make olddefconfig
for name in $(sed -n 's/^\(CONFIG_[A-Za-z0-9_]*\)=y$/\1/p' "$here/kernel.config"); do
    grep -q "^$name=y$" .config || { echo "kernel.sh: $name did not hold" >&2; exit 1; }
done
make -j "$(nproc)" linux
strip -o "$program" linux
