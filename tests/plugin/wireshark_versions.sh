#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the plugin with the Wireshark of each Debian release and runs all of its tests there, each in a clean root
# folder that debootstrap makes (about 2 GB) and that stays for the next time, with what was built. The same source and
# no other settings; warnings are errors. Needs root (or sudo), unshare and Debian's archive.
set -euo pipefail

all=(bookworm trixie sid)
usage() {
    cat <<'TEXT'
usage: tests/plugin/wireshark_versions.sh [options] [RELEASE…]
  RELEASE          of Debian: bookworm (Wireshark 4.0), trixie (4.4), sid (the newest); default: these three
  --roots FOLDER   where the root folders are, or are to be made (default: build/roots)
  --mirror URL     Debian's packages (default: where this machine takes them from)
  --update         take the archive's present packages into roots that are there already
  --packages       make the root folders and install their packages; build and test nothing
  --only REGEX     only the tests whose name matches (default: ^plugin)
  --run COMMAND    instead of building and testing, run this in each root (source in /source, build in /build)
  -j N             parallel jobs (default: the number of processors)
TEXT
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
given=("$@") releases=()
roots=$top/build/roots mirror='' jobs=$(nproc) update=0 what=test only='^plugin' command=''
while [ $# -gt 0 ]; do
    case $1 in
        --roots | --mirror | --only | --run | -j)
            [ $# -ge 2 ] || { usage >&2; exit 2; }
            case $1 in
                --roots) roots=$(realpath -m "$2") ;;
                --mirror) mirror=$2 ;;
                --only) only=$2 ;;
                --run) what=run command=$2 ;;
                -j) jobs=$2 ;;
            esac
            shift
            ;;
        --update) update=1 ;;
        --packages) what=packages ;;
        -h | --help) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) releases+=("$1") ;;
    esac
    shift
done
[ ${#releases[@]} -gt 0 ] || releases=("${all[@]}")
if [ "$(id -u)" -ne 0 ]; then
    exec sudo env ISCSISCOPE_CAPTURES="${ISCSISCOPE_CAPTURES:-}" "$0" "${given[@]}"
fi
captures=$(realpath -m "${ISCSISCOPE_CAPTURES:-$top/../shared/captures}")

# shellcheck source-path=SCRIPTDIR/../..
. "$top/packaging/clean_roots.sh"
need_debootstrap
mirror=${mirror:-$(archive_of_this_machine)}

# What runs in a root folder. Its log ends with a line "RESULT: …", of which the last words are CTest's.
packages="build-essential cmake ninja-build ccache pkg-config libpcap-dev zlib1g-dev libzstd-dev libcli11-dev libfmt-dev
    nlohmann-json3-dev nettle-dev libasio-dev libtomlplusplus-dev libsqlite3-dev wireshark-dev tshark wireshark-common
    catch2 python3 zstd util-linux"
build='
tshark=$(tshark --version 2>/dev/null | sed -n "1s/^TShark (Wireshark) \([0-9]*\.[0-9]*\.[0-9]*\).*/\1/p")
echo "Wireshark $tshark, $(g++ --version | head -n 1)"
cmake -S /source -B /build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" \
    -DISCSISCOPE_WERROR=ON >/build/configure.log || { cat /build/configure.log; exit 1; }
cmake --build /build -j "$jobs" --target iscsiscope iscsiscope_plugin
cd /build
code=0
ctest -R "$only" -V --no-tests=error >/build/tests.log 2>&1 || code=$?
sed -n "s/^[0-9]*: .*\(FIGURE: .*\|SKIPPED: .*\)/    \1/p; /^ *[0-9]*\/[0-9]* Test /p" /build/tests.log
[ $code -eq 0 ] || cat /build/tests.log
echo "RESULT: Wireshark $tshark, g++ $(g++ -dumpfullversion): $(grep "% tests passed" /build/tests.log || echo no tests run)"
exit $code'

# Runs the lines in the root folder of the release.
in_root() { # in_root RELEASE LINES
    mkdir -p "$roots/$1/build"
    inside "$roots/$1" "$2" "$top:/source" "$captures:/captures" ISCSISCOPE_CAPTURES=/captures CCACHE_DIR=/build/ccache \
        jobs="$jobs" update="$update" packages="$packages" only="$only"
}

results=() failed=0
for release in "${releases[@]}"; do
    log=$roots/$release.log
    echo "== $release =="
    make_root "$roots" "$release" "$mirror"
    in_root "$release" "$install_lines" >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
    [ "$what" != packages ] || continue
    if [ "$what" = run ]; then
        in_root "$release" "$command" || failed=1
        continue
    fi
    code=0
    in_root "$release" "$build" 2>&1 | tee "$log" || code=$?
    [ $code -eq 0 ] || failed=1
    results+=("FIGURE: plugin on $release: $(sed -n 's/^RESULT: //p' "$log" | grep . || echo 'not built')")
done
[ ${#results[@]} -eq 0 ] || printf '%s\n' "${results[@]}"
exit $failed
