#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the laboratory: a folder with the root of a Debian bookworm that a guest (user-mode Linux) starts from, and in
# its /opt/stacks what Debian does not have: jSCSI, a driver for it, iscsi-client-rs. Nothing is built twice: each step
# leaves a stamp with the sum of what it depends on. Needs root and a network; changes nothing outside of FOLDER but
# the host's packages (debootstrap, user-mode-linux, a JDK, Maven, Rust where they are missing).
# With --virtual it also builds the kernel of the guests in virtual time (virtual/kernel.sh), and not what only the
# others need.
# usage: build.sh FOLDER [--virtual]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -eq 1 ] || { [ $# -eq 2 ] && [ "$2" = --virtual ]; } || { echo "usage: tests/stacks/build.sh FOLDER [--virtual]" >&2; exit 2; }
virtual=${2:-}
[ "$(id -u)" -eq 0 ] || { echo "build.sh: the guest's root belongs to root: run this as root" >&2; exit 1; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
case $folder in *[[:space:],]*) echo "build.sh: the kernel's parameters take no blank or comma: $folder" >&2; exit 1 ;; esac
root=$folder/root extra=$folder/root/opt/stacks work=$folder/work
mirror=${ISCSISCOPE_MIRROR:-http://deb.debian.org/debian}
crate=iscsi-client-rs-0.0.9
crate_sum=195ede031b831593f0c89786fcbd2bb127607d1412420f5de536a5f0a5b258ba
guest_packages=open-iscsi,tcpdump,ethtool,fio,iproute2,python3-minimal,libpython3-stdlib,kmod,procps,sg3-utils
guest_packages+=,dmsetup,iptables,tgt,istgt,libiscsi-bin,qemu-utils,qemu-block-extra,openjdk-17-jre-headless

# step NAME DEPENDENCIES... -- COMMAND...: runs the command unless the stamp shows the same dependencies. A dependency
# is a file or a word.
step() {
    local name=$1 sum depends=()
    shift
    while [ "$1" != -- ]; do depends+=("$1"); shift; done
    shift
    sum=$(for d in "${depends[@]}"; do if [ -f "$d" ]; then cat "$d"; else echo "$d"; fi; done | sha256sum | cut -d' ' -f1)
    [ "$(cat "$folder/$name.stamp" 2>/dev/null)" != "$sum" ] || return 0
    local begin=$SECONDS
    echo "laboratory: $name"
    "$@" >"$folder/$name.log" 2>&1 || { tail -n 20 "$folder/$name.log" >&2; echo "build.sh: $name failed" >&2; exit 1; }
    echo "$sum" >"$folder/$name.stamp"
    echo "FIGURE: laboratory: $name took $((SECONDS - begin)) s"
}

host_packages() {
    local packages=(debootstrap curl unzip kmod zstd gcc libc6-dev python3)
    if [ -n "$virtual" ]; then packages+=(flex bison bc make xz-utils patch); else packages+=(user-mode-linux); fi
    command -v javac >/dev/null || packages+=(default-jdk-headless)
    command -v mvn >/dev/null || packages+=(maven)
    # The crate's edition needs Rust 1.85; Debian's rustc is older, its rustc-web is not.
    cargo --version 2>/dev/null | awk '{split($2, v, "."); exit !(v[1] > 1 || v[2] >= 85)}' ||
        packages+=(cargo-web rustc-web)
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
}

guest_root() {
    rm -rf "$root"
    debootstrap --variant=minbase --include="$guest_packages" bookworm "$root" "$mirror"
    mkdir -p "$root/share" "$root/stacks" "$root/overlay" "$extra"
}

modules() {
    local version
    version=$(ls /usr/lib/uml/modules)
    mkdir -p "$root/usr/lib/modules"
    cp -r "/usr/lib/uml/modules/$version" "$root/usr/lib/modules/"
    chroot "$root" depmod "$version"
}

preloads() {
    gcc -O2 -Wall -shared -fPIC -o "$extra/keep_nagle.so" "$here/sources/keep_nagle.c" -ldl
    ! grep -qw amx_tile /proc/cpuinfo ||
        gcc -O2 -Wall -shared -fPIC -o "$folder/wide_registers.so" "$here/sources/wide_registers.c" -ldl
}

java_programs() {
    local part
    for part in target initiator; do
        mvn -q -B -f "$here/sources/$part-pom.xml" dependency:copy-dependencies \
            -DoutputDirectory="$extra/jscsi-$part"
    done
    mkdir -p "$extra/java"
    unzip -o -q -j "$extra"/jscsi-initiator/initiator-*.jar jscsi.xsd -d "$extra/java"
    unzip -o -q -j "$extra"/jscsi-target/target-*.jar jscsi-target.xsd -d "$extra/java"
    javac --release 17 -cp "$extra/jscsi-initiator/*" -d "$extra/java" "$here/sources/JavaInitiator.java"
    echo '<configuration><root level="OFF"/></configuration>' >"$extra/java/logback.xml"
    echo 'log4j.rootLogger=OFF' >"$extra/java/log4j.properties"
}

rust_initiator() {
    mkdir -p "$work" "$extra/rust"
    curl -sSfL "https://static.crates.io/crates/${crate%-*}/$crate.crate" -o "$work/crate.tar.gz"
    echo "$crate_sum  $work/crate.tar.gz" | sha256sum -c -
    tar -xzf "$work/crate.tar.gz" -C "$work"
    CARGO_TARGET_DIR=$work/target cargo test --locked --manifest-path "$work/$crate/Cargo.toml" --test integration --no-run
    cp "$work/$crate/tests/config.yaml" "$extra/rust/"
    cp "$(find "$work/target/debug/deps" -name 'integration-*' -perm -u+x -type f ! -name '*.d' | head -n 1)" \
        "$extra/rust/integration"
    rm -rf "$work"
}

step packages "$virtual" "$(cargo --version 2>/dev/null || true)" "$(command -v javac mvn debootstrap linux.uml || true)" -- host_packages
step root "$guest_packages" "$mirror" -- guest_root
[ -n "$virtual" ] || step modules root "$(ls /usr/lib/uml/modules)" "$folder/root.stamp" -- modules
step preloads "$here/sources/keep_nagle.c" "$here/sources/wide_registers.c" "$folder/root.stamp" -- preloads
step java "$here"/sources/{target-pom.xml,initiator-pom.xml,JavaInitiator.java} "$folder/root.stamp" -- java_programs
step rust "$crate" "$folder/root.stamp" -- rust_initiator
if [ -n "$virtual" ]; then
    version=$(apt-cache policy linux-source-6.12 | sed -n 's/^  Candidate: //p')
    [ -n "$version" ] || { echo "build.sh: apt offers no linux-source-6.12 (Debian 12: its security archive has it)" >&2; exit 1; }
    step kernel "$version" "$(gcc -dumpfullversion)" "$here"/virtual/kernel.{sh,patch,config} -- \
        "$here/virtual/kernel.sh" "$version" "$folder/linux-virtual"
fi
install -m 755 "$here/guest/init.sh" "$root/sbin/stacks-init"
