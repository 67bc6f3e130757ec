#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the steps of packaging/Containerfile where no container program is: each stage in a fresh copy of a clean root
# of the Debian release that its FROM line names, then the image's program as its user, without any privilege, on a
# bundled capture. Needs root (or sudo), unshare, overlayfs and Debian's archive.
#   packaging/try_container.sh [--roots FOLDER] [--ccache]
# --ccache: what packaging/build.sh has compiled for that release is taken from its cache.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
given=("$@") roots=$top/build/roots cache=0
while [ $# -gt 0 ]; do
    case $1 in
        --roots) roots=$(realpath -m "$2") && shift ;;
        --ccache) cache=1 ;;
        *) sed -n 's/^# \{0,1\}//; 3,7p' "$0" >&2 && exit 2 ;;
    esac
    shift
done
[ "$(id -u)" -eq 0 ] || exec sudo "$0" "${given[@]}"
# shellcheck source-path=SCRIPTDIR/..
. "$top/packaging/clean_roots.sh"
need_debootstrap
mirror=$(archive_of_this_machine)

# The steps, a line each: continued lines joined, comments left out.
mapfile -t steps < <(sed -e '/^ *#/d' "$top/packaging/Containerfile" | sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' | grep .)

release='' stage=0 lines='' user='' program=()
run_stage() { # what was gathered since the last FROM
    [ $stage -gt 0 ] || return 0
    make_base "$roots" "$release" "$mirror"
    # A mirror that is not updated will do.
    local first="echo 'Acquire::Check-Valid-Until false;' >/etc/apt/apt.conf.d/90test;" environment=()
    if [ $cache -eq 1 ] && [ $stage -eq 1 ]; then
        first+='apt-get update && apt-get install -y --no-install-recommends ccache;'
        environment=(CCACHE_DIR=/cache CCACHE_READONLY=1 CCACHE_TEMPDIR=/tmp
            CXXFLAGS=-ffile-prefix-map=/packages/source/=)
    fi
    FRESH=$roots/container.$stage inside "$roots/$release.base" "$first $lines" "${environment[@]}" \
        "$roots/container.source:/packages/source" "$roots/container.given:/given" \
        "$roots/container.1/changes/installed:/copied" "$roots/$release/build/ccache:/cache"
}
rm -rf "$roots"/container.*
mkdir -p "$roots/container.source" "$roots/container.given"
cp "$top/sample-captures/bundle/tgt-qemu/tgt-qemu.pcapng.zst" "$roots/container.given/"
tree=$(git -C "$top" stash create)
git -C "$top" archive "${tree:-HEAD}" | tar -x -C "$roots/container.source"

for step in "${steps[@]}"; do
    words=${step#* }
    case $step in
        FROM\ *)
            run_stage
            release=${words#debian:} release=${release%%-slim*} stage=$((stage + 1)) lines=''
            ;;
        RUN\ *) lines+="$words"$'\n' ;;
        'COPY . source') ;; # shown there, read only: a build that writes into it fails
        'COPY --from=build /installed/ /')
            lines+='cp -a /copied/. /'$'\n'
            ;;
        USER\ *) user=$words ;;
        WORKDIR\ *) lines+="mkdir -p $words; cd $words"$'\n' ;;
        ENTRYPOINT\ *) mapfile -t program < <(tr -d '[]",' <<<"$words" | tr ' ' '\n') ;;
        CMD\ *) ;;
        *) echo "try_container.sh: no step like this is known: $step" >&2; exit 2 ;;
    esac
done
as="setpriv --reuid $user --regid $user --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all"
lines+="
$as ${program[*]} --version
$as ${program[*]} report - </given/tgt-qemu.pcapng.zst >/report.txt
$as ${program[*]} report /given/tgt-qemu.pcapng.zst --format html -o - --quiet >/report.html
grep -q '^VERDICT' /report.txt
grep -q dygraph /report.html
echo \"FIGURE: container: a report of \$(wc -l </report.txt) lines and a page of \$(stat -c %s /report.html) bytes, as $user\"
"
run_stage
echo "FIGURE: container: $(du -sm "$roots/container.$stage/changes" | cut -f1) MB above the release's base, with apt's lists removed"
rm -rf "$roots"/container.*
