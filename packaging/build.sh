#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the packages of Debian releases and tests them: from an archive of the committed tree (with what is changed in
# tracked files, without untracked ones) in a clean root folder of the release; then installs, runs and removes them in
# another that has never seen the source. Needs root (or sudo), unshare, overlayfs and Debian's archive.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: packaging/build.sh [options] RELEASE…
  RELEASE          of Debian: bookworm, trixie, sid (the newest Wireshark)
  -o FOLDER        where the packages go, each release's into a folder of its name (default: build/packages)
  --roots FOLDER   where the root folders are, or are to be made (default: build/roots)
  --mirror URL     Debian's packages (default: where this machine takes them from)
  --update         take the archive's present packages into roots that are there already
  --only-build     do not install, run and remove the packages
  --only-test      only that, with the packages that are there already
  -j N             parallel jobs (default: the number of processors)
Each release ends with a line "FIGURE: packages of RELEASE: …". The exit code is 1 if one of them failed.
TEXT
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
given=("$@") releases=()
out=$top/build/packages roots=$top/build/roots mirror='' jobs=$(nproc) update=0 build=1 try=1
while [ $# -gt 0 ]; do
    case $1 in
        -o | --roots | --mirror | -j)
            [ $# -ge 2 ] || { usage >&2; exit 2; }
            case $1 in
                -o) out=$(realpath -m "$2") ;;
                --roots) roots=$(realpath -m "$2") ;;
                --mirror) mirror=$2 ;;
                -j) jobs=$2 ;;
            esac
            shift
            ;;
        --update) update=1 ;;
        --only-build) try=0 ;;
        --only-test) build=0 ;;
        -h | --help) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) releases+=("$1") ;;
    esac
    shift
done
[ ${#releases[@]} -gt 0 ] || { usage >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || exec sudo "$0" "${given[@]}"

# shellcheck source-path=SCRIPTDIR/..
. "$top/packaging/clean_roots.sh"
need_debootstrap
mirror=${mirror:-$(archive_of_this_machine)}

# What the release is called in the packages' version, so that an upgrade of the system takes the newer one.
release_suffix() {
    case $1 in
        bookworm) echo 1~deb12 ;;
        trixie) echo 1~deb13 ;;
        *) echo 1 ;;
    esac
}

# shellcheck disable=SC2034 # install_lines reads it
packages="build-essential cmake ninja-build ccache pkg-config rpm lintian python3 zstd
    libpcap-dev zlib1g-dev libzstd-dev libcli11-dev libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libsqlite3-dev
    libjs-dygraphs nettle-dev libasio-dev qt6-base-dev qt6-svg-dev libqcustomplot-dev libgl-dev libxkbcommon-dev
    wireshark-dev wireshark-common"

# The sources lie in /packages/source.tar, the packages are left in /packages/out.
# shellcheck disable=SC2016 # expanded in the root
build_lines='
cd /packages
rm -rf source build out
mkdir source build out
tar -xf source.tar -C source
cmake -S source --preset package -B build -DCMAKE_CXX_FLAGS=-ffile-prefix-map=/packages/source/= \
    -DCMAKE_INSTALL_PREFIX=/usr -DISCSISCOPE_DATA_FOLDER=/usr/share/iscsiscope \
    -DISCSISCOPE_COMMIT="$commit" -DISCSISCOPE_PACKAGE_RELEASE="$suffix" | tee configure.log
if grep "Left out\|left out" configure.log; then exit 1; fi
cmake --build build -j "$jobs"
umask 022
for kind in DEB RPM TGZ; do
    (cd build && cpack -G $kind)
done
mv build/packages/*.deb build/packages/*.rpm build/packages/*.tar.gz out/
for package in out/*.rpm; do
    echo "-- $package needs"
    rpm -qp --requires "$package"
done
lintian --version
lintian --allow-root --fail-on error --tag-display-limit 0 out/*.deb | tee out/lintian.txt'

make_packages() { # make_packages RELEASE
    local work=$roots/$1/packages tree
    mkdir -p "$work" "$roots/$1/build/ccache" "$out/$1"
    tree=$(git -C "$top" stash create)
    git -C "$top" archive -o "$work/source.tar" "${tree:-HEAD}"
    inside "$roots/$1" "$build_lines" CCACHE_DIR=/build/ccache CCACHE_SLOPPINESS=pch_defines,time_macros \
        jobs="$jobs" suffix="$(release_suffix "$1")" \
        commit="$(git -C "$top" describe --always --dirty --abbrev=8 '--exclude=*')"
    rm -f "$out/$1"/*.deb "$out/$1"/*.rpm "$out/$1"/*.tar.gz
    cp "$work"/out/* "$out/$1/"
}

# The test's folder is all that the root sees of this machine: packages, one capture, one script.
try_packages() { # try_packages RELEASE
    local handed=$roots/$1.given
    rm -rf "$handed"
    mkdir -p "$handed"
    cp "$out/$1"/*.deb "$out/$1"/*.tar.gz "$top/packaging/try_packages.sh" "$handed/"
    cp "$top/sample-captures/bundle/tgt-qemu/tgt-qemu.pcapng.zst" "$handed/capture.pcapng.zst"
    FRESH=$roots/$1.test inside "$roots/$1.base" 'bash /given/try_packages.sh' "$handed:/given"
    cp "$roots/$1.test/changes/root/screenshot.png" "$out/$1/"
    rm -rf "$roots/$1.test" "$handed"
}

one_release() { # one_release RELEASE
    if [ $build -eq 1 ]; then
        make_root "$roots" "$1" "$mirror"
        inside "$roots/$1" "$install_lines" packages="$packages" update=$update
        make_packages "$1"
    fi
    [ $try -eq 0 ] || { make_base "$roots" "$1" "$mirror" && try_packages "$1"; }
}

mkdir -p "$roots" "$out"
failed=0
for release in "${releases[@]}"; do
    log=$out/$release.log
    echo "== $release: $log =="
    begin=$SECONDS
    # A shell of its own, so that its first error ends it: in the condition of an `if` errors would not count.
    set +e
    (set -e; one_release "$release") >"$log" 2>&1
    code=$?
    set -e
    grep '^FIGURE: ' "$log" | sed 's/^/    /' || true
    if [ $code -ne 0 ]; then
        failed=1
        tail -n 30 "$log"
        echo "FIGURE: packages of $release: FAILED, the reason stands above and in $log"
        continue
    fi
    (cd "$out/$release" && ls -l ./*.deb ./*.rpm ./*.tar.gz) | awk '{ printf "    %9d bytes  %s\n", $5, substr($NF, 3) }'
    warnings=$(grep -c '^W: ' "$out/$release/lintian.txt" || true)
    echo "FIGURE: packages of $release: $(find "$out/$release" -name '*.deb' | wc -l) .deb made$(
        [ $try -eq 0 ] || echo ', installed, run and removed') in $((SECONDS - begin)) s;" \
        "lintian: no error, $warnings warnings"
done
exit $failed
