#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the plugin with Wireshark 4.4 and runs its tests there: in a root folder of Debian 13 (trixie) that
# debootstrap makes, about 2 GB. The same source, no other settings. Needs root (or sudo), unshare and Debian's
# mirror; the second run takes the root folder as it is.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/plugin/wireshark44.sh [options]
  --root FOLDER    where the Debian root is, or is to be made (default: build/trixie)
  --mirror URL     Debian's packages (default: where this machine takes them from)
  -j N             parallel jobs (default: the number of processors)
TEXT
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
root=$top/build/trixie mirror='' jobs=$(nproc)
while [ $# -gt 0 ]; do
    case $1 in
        --root | --mirror | -j)
            [ $# -ge 2 ] || { usage >&2; exit 2; }
            case $1 in --root) root=$(realpath -m "$2") ;; --mirror) mirror=$2 ;; -j) jobs=$2 ;; esac
            shift
            ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done
if [ "$(id -u)" -ne 0 ]; then
    exec sudo env ISCSISCOPE_CAPTURES="${ISCSISCOPE_CAPTURES:-}" "$0" --root "$root" --mirror "$mirror" -j "$jobs"
fi
captures=$(realpath -m "${ISCSISCOPE_CAPTURES:-$top/../shared/captures}")

if ! command -v debootstrap >/dev/null; then
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends debootstrap
fi
if [ -z "$mirror" ]; then
    mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME)' | awk '$2 ~ /^(bookworm|trixie)$/ {print $1; exit}')
    mirror=${mirror:-http://deb.debian.org/debian}
fi
if [ ! -e "$root/usr/bin/apt-get" ]; then
    mkdir -p "$root"
    debootstrap --variant=minbase --include=ca-certificates trixie "$root" "$mirror"
fi

# Mounts end with the namespace, whatever happens; the build stays in the root folder for the next time.
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
mkdir -p "$root/source" "$root/captures" "$root/build"
export root top captures jobs
exec unshare --mount --propagation private bash -euo pipefail -c '
mount --bind "$top" "$root/source"
mount -o remount,bind,ro "$root/source"
if [ -d "$captures" ]; then
    mount --bind "$captures" "$root/captures"
    mount -o remount,bind,ro "$root/captures"
fi
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
    ISCSISCOPE_CAPTURES=/captures jobs="$jobs" bash -euo pipefail -c "
packages=\"build-essential cmake ninja-build pkg-config libpcap-dev zlib1g-dev libzstd-dev libcli11-dev libfmt-dev
    nlohmann-json3-dev nettle-dev libasio-dev libtomlplusplus-dev libsqlite3-dev wireshark-dev tshark wireshark-common catch2 python3 zstd util-linux\"
if ! dpkg-query -W \$packages >/dev/null 2>&1; then
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \$packages
fi
tshark --version | head -n 1
g++ --version | head -n 1
cmake -S /source -B /build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=\"-O1 -g1\" >/build/configure.log ||
    { cat /build/configure.log; exit 1; }
grep -i wireshark /build/configure.log
cmake --build /build -j \"\$jobs\" --target iscsiscope iscsiscope_plugin
cd /build
ctest -R \"^plugin$\" -V --no-tests=error
"'
