# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Clean root folders of Debian releases, for the scripts that source this file: tests/plugin/wireshark_versions.sh and
# packaging/build.sh. In a folder of roots (both scripts: --roots) there is of each RELEASE
#   RELEASE.base  what debootstrap makes, with nothing added; never run, only copied and laid under
#   RELEASE       the same with the packages that builds need, and what was built there; stays for the next time
# The calls need root, debootstrap and Debian's archive; they return an error after a message on standard error.

# Installs debootstrap where it is not.
need_debootstrap() {
    command -v debootstrap >/dev/null && return
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends debootstrap
}

# Prints the archive that this machine takes its packages from.
archive_of_this_machine() {
    local found
    # shellcheck disable=SC2016 # the names in $() are apt's, not the shell's
    found=$(apt-get indextargets --format '$(SITE) $(CODENAME)' |
        awk '$2 ~ /^(bookworm|trixie|forky|sid)$/ {print $1; exit}')
    echo "${found:-http://deb.debian.org/debian}"
}

# The folders ROOTS/RELEASE.base and ROOTS/RELEASE. One whose making was interrupted is made again.
make_base() { # make_base ROOTS RELEASE MIRROR
    local base=$1/$2.base
    [ ! -e "$base/usr/bin/apt-get" ] || [ -d "$base/debootstrap" ] || return 0
    rm -rf "$base"
    mkdir -p "$base"
    debootstrap --variant=minbase --include=ca-certificates "$2" "$base" "$3" >"$1/$2.log" ||
        { tail -n 20 "$1/$2.log" >&2; return 1; }
}
make_root() { # make_root ROOTS RELEASE MIRROR
    [ ! -e "$1/$2/usr/bin/apt-get" ] || [ -d "$1/$2/debootstrap" ] || return 0
    make_base "$@" || return 1
    rm -rf "${1:?}/$2" "$1/$2.new"
    cp -a "$1/$2.base" "$1/$2.new"
    mv "$1/$2.new" "$1/$2"
}

# Lines for `inside` that install the packages named in $packages where they are not, or, with $update 1, the
# archive's present state of everything. A mirror that is not updated will do.
# shellcheck disable=SC2016,SC2034 # expanded in the root; used by the scripts that source this file
install_lines='
apt_get() { apt-get -q -y -o Acquire::Check-Valid-Until=false "$@"; }
if [ "${update:-0}" -eq 1 ] || ! dpkg-query -W $packages >/dev/null 2>&1; then
    apt_get update
    [ "${update:-0}" -eq 0 ] || apt_get dist-upgrade
    apt_get install --no-install-recommends $packages
    apt_get clean
fi'

# Runs LINES with bash in the root folder as the root of a mount namespace of its own, where programs may make further
# namespaces, in an environment of the NAME=VALUE words alone. FOLDER:PLACE is shown read only at PLACE in the root; one
# that does not exist is left out. Mounts end with their namespace, whatever happens.
#
# With FRESH, a folder, instead of ROOT's own files a copy of them is used, of which only what differs is stored, in
# FRESH; what was there before is removed.
inside() { # inside ROOT LINES [FOLDER:PLACE | NAME=VALUE]…
    local root=$1 lines=$2 word shown=() values=()
    shift 2
    for word in "$@"; do
        case $word in
            /*:/*) [ ! -d "${word%%:*}" ] || shown+=("$word") ;;
            *) values+=("$word") ;;
        esac
    done
    # shellcheck disable=SC2016 # expanded in the namespace
    fresh=${FRESH:-} unshare --mount --propagation private bash -euo pipefail -c '
root=$1 lines=$2 count=$3
shift 3
if [ -n "$fresh" ]; then
    rm -rf "$fresh"
    mkdir -p "$fresh/changes" "$fresh/work" "$fresh/root"
    mount -t overlay overlay -o "lowerdir=$root,upperdir=$fresh/changes,workdir=$fresh/work" "$fresh/root"
    root=$fresh/root
else
    mount --bind "$root" "$root"
fi
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
for shown in "${@:1:count}"; do
    mkdir -p "$root${shown##*:}"
    mount --bind "${shown%%:*}" "$root${shown##*:}"
    mount -o remount,bind,ro "$root${shown##*:}"
done
shift "$count"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
cd "$root"
pivot_root . mnt
umount -l /mnt
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PYTHONDONTWRITEBYTECODE=1 "$@" bash -euo pipefail -c "$lines"' \
        inside "$root" "$lines" "${#shown[@]}" "${shown[@]}" "${values[@]}"
}
