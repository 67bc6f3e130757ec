#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs as root in a clean root folder of a Debian release; packaging/build.sh calls it. In /given lie the packages and a
# capture. Each package is installed with what it depends on and nothing else, used as an ordinary user, removed; then
# nothing of it may be left. Leaves /root/screenshot.png. Ends at the first thing that is not as it should be.
set -euo pipefail

stage='' work=/home/tester
trap '[ -z "$stage" ] || echo "FAILED: $stage" >&2' EXIT
begin() { stage=$*; echo "== $stage"; }
fail() { echo "WRONG: $*" >&2; exit 1; }
apt_get() { apt-get -q -y -o Acquire::Check-Valid-Until=false --no-install-recommends "$@"; }
deb() { # deb PACKAGE: its file
    local found=(/given/"$1"_*.deb)
    [ -e "${found[0]}" ] || fail "there is no package $1"
    echo "${found[0]}"
}
as_user() { (cd $work && runuser -u tester -- env HOME=$work "$@"); }
# Every file and folder but those that the use of a system changes, and those of the user.
files() {
    find / -xdev \( -path /given -o -path /home -o -path /tmp -o -path /proc -o -path /sys -o -path /dev -o -path /run \
        -o -path /root -o -path '/var/lib/apt/*' -o -path '/var/cache/*' -o -path '/var/log/*' \
        -o -path '/var/lib/dpkg/*-old' \) -prune -o -printf '%y %p\n' | sort
}

# with_packages PACKAGE… COMMAND: installs them with what they depend on, runs the function, removes them.
with_packages() {
    local names=("${@:1:$#-1}") command=${*: -1} debs=() needs='' name part
    for name in "${names[@]}"; do
        debs+=("$(deb "$name")")
        part=$(dpkg-deb -f "$(deb "$name")" Depends)
        needs+=${needs:+, }$part
    done
    apt_get satisfy "$needs" >/root/apt.log 2>&1 || { tail -n 20 /root/apt.log; fail "dependencies: $needs"; }
    files >/root/before
    dpkg -i "${debs[@]}" >/root/dpkg.log 2>&1 || { cat /root/dpkg.log; fail "dpkg -i ${names[*]}"; }
    "$command"
    dpkg --purge "${names[@]}" >/root/dpkg.log 2>&1 || { cat /root/dpkg.log; fail "dpkg --purge ${names[*]}"; }
    ! grep -i warning /root/dpkg.log || fail "the removal of ${names[*]} warns"
    files >/root/after
    diff /root/before /root/after >/root/difference || { cat /root/difference; fail "the removal of ${names[*]} left these"; }
    echo "FIGURE: ${names[*]}: installed $(cat "${names[@]/#//root/files.}" | wc -l) files, none is left"
}
# What a package has installed, counted before it is removed.
count() { local name; for name in "$@"; do dpkg -L "$name" | while read -r f; do [ -d "$f" ] || echo "$f"; done >"/root/files.$name"; done; }

use_cli() {
    count iscsiscope
    as_user iscsiscope --version | tee /root/version
    grep -qE '^iscsiscope [0-9.]+ \(commit [0-9a-f]{7,}(-dirty)?\)$' /root/version || fail "--version states no commit"
    as_user iscsiscope report /given/capture.pcapng.zst >/root/report
    grep -q '^VERDICT' /root/report || fail "no verdict in the report"
    grep -q '1,456 PDUs' /root/report || fail "another number of PDUs in the report"
    as_user iscsiscope report /given/capture.pcapng.zst --format html -o report.html --quiet
    grep -q dygraph $work/report.html || fail "the HTML report has no charts"
    as_user iscsiscope cycles /given/capture.pcapng.zst >/root/cycles
    echo "FIGURE: iscsiscope: a report, a page of $(stat -c %s $work/report.html) bytes, $(($(wc -l </root/cycles) - 1)) cycles"
    manual iscsiscope.1 iscsiscope-terms.7
}
# Manual pages are excluded from a minimal root only by dpkg's settings, which debootstrap does not make.
manual() {
    local page
    for page in "$@"; do
        zcat "/usr/share/man/man${page##*.}/$page.gz" | grep '^\.SH NAME' >/dev/null || fail "no manual page $page"
    done
}
use_gui() {
    count iscsiscope-gui
    as_user env QT_QPA_PLATFORM=offscreen iscsiscope-gui --screenshot shot.png /given/capture.pcapng.zst
    cp $work/shot.png /root/screenshot.png
    [ "$(head -c 8 /root/screenshot.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "the screenshot is no PNG"
    [ "$(stat -c %s /root/screenshot.png)" -gt 40000 ] || fail "the screenshot is nearly empty"
    as_user iscsiscope-gui --version
    echo "FIGURE: iscsiscope-gui: a screenshot of $(stat -c %s /root/screenshot.png) bytes"
    manual iscsiscope-gui.1
}
# A run that the machine's load made invalid (exit code 1) is made again.
run_scenario() { # run_scenario COMMAND… (before the testbed's)
    local attempt code
    for attempt in 1 2 3 4 5; do
        code=0
        "$@" iscsiscope-testbed run plain-read -o $work/run --progress none >/root/run.log 2>&1 || code=$?
        [ $code -ne 0 ] || return 0
        [ $code -eq 1 ] || break
    done
    cat /root/run.log
    fail "iscsiscope-testbed run plain-read: exit code $code, attempt $attempt"
}
use_testbed() {
    count iscsiscope-testbed
    as_user iscsiscope-testbed list >/root/list
    grep -q '^plain-read ' /root/list || fail "the bundled scenarios are not found"
    local who='root'
    rm -rf $work/run
    run_scenario
    if as_user unshare --user --map-root-user true 2>/dev/null; then
        rm -rf $work/run
        run_scenario as_user
        who='root, and an ordinary user'
    fi
    [ -s $work/run/plain-read.initiator.pcapng ] || fail "the run left no capture"
    [ -e /usr/share/iscsiscope/sample-captures/plain-read/plain-read.initiator.pcapng.zst ] || fail "no sample captures"
    [ -e /usr/share/iscsiscope/studies/__main__.py ] || fail "no studies"
    echo "FIGURE: iscsiscope-testbed: $(wc -l </root/list) scenarios, a run as $who: $(stat -c %s $work/run/plain-read.initiator.pcapng) bytes of capture"
    manual iscsiscope-testbed.1
}
use_plugin() {
    count wireshark-plugin-iscsiscope iscsiscope-testbed
    as_user tshark -G plugins 2>/dev/null >/root/plugins
    grep -q '^iscsiscope\.so' /root/plugins || { cat /root/plugins; fail "tshark does not load the plugin"; }
    zstd -qdf /given/capture.pcapng.zst -o $work/capture.pcapng
    as_user tshark -r capture.pcapng -Y iscsiscope.cycle.response_time -T fields -e iscsiscope.cycle.response_time \
        >/root/cycles 2>/root/tshark.log || { cat /root/tshark.log; fail "tshark with the plugin"; }
    [ "$(wc -l </root/cycles)" -ge 300 ] || fail "tshark shows $(wc -l </root/cycles) cycles"
    as_user tshark -C 'iSCSI cycles' -r capture.pcapng -c 20 >/root/profile 2>&1 || { cat /root/profile; fail "the profile"; }
    ! grep -i 'not found\|not exist' /root/profile || fail "the profile is not found"
    as_user tshark -D 2>/dev/null | grep iscsi-testbed >/dev/null || fail "the interface iscsi-testbed is not listed"
    local who=() name=root
    if as_user unshare --user --map-root-user true 2>/dev/null; then
        who=(as_user) name='an ordinary user'
    fi
    "${who[@]}" tshark -i iscsi-testbed -c 200 -a duration:20 -Y iscsiscope.cycle.response_time >/root/live 2>/root/live.log ||
        { cat /root/live.log; fail "tshark -i iscsi-testbed"; }
    [ -s /root/live ] || { cat /root/live.log; fail "the interface iscsi-testbed gave no cycles"; }
    echo "FIGURE: wireshark-plugin-iscsiscope: $(tshark --version 2>/dev/null | head -n 1 | grep -o '[0-9][0-9.]*[0-9]' | head -n 1)," \
        "$(wc -l </root/cycles) cycles of the capture, $(wc -l </root/live) in 200 live packets as $name"
    manual iscsiscope-plugin-install.1 iscsiscope-extcap.1
}

begin "a user, tshark and zstd"
useradd -m tester
apt_get update >/dev/null
apt_get install tshark zstd >/root/apt.log 2>&1 || { tail -n 20 /root/apt.log; exit 1; }
begin iscsiscope
with_packages iscsiscope use_cli
begin iscsiscope-testbed
with_packages iscsiscope-testbed use_testbed
begin wireshark-plugin-iscsiscope
with_packages wireshark-plugin-iscsiscope iscsiscope-testbed use_plugin
begin iscsiscope-gui
with_packages iscsiscope-gui use_gui

begin "all by apt, with what is recommended"
apt-get -q -y install bash-completion zsh fish /given/*.deb >/root/apt.log 2>&1 || { tail -n 20 /root/apt.log; exit 1; }
# The studies' program and package find each other; a study itself takes longer than a test of packages should.
as_user iscsiscope-testbed papers --help >/dev/null
as_user env PYTHONPATH=/usr/share/iscsiscope python3 -m studies --list >/root/studies
grep -q latency /root/studies || fail "the studies are not listed"
for shell in bash zsh fish; do
    case $shell in
        bash) file=bash-completion/completions/iscsiscope ;;
        zsh) file=zsh/vendor-completions/_iscsiscope ;;
        fish) file=fish/vendor_completions.d/iscsiscope.fish ;;
    esac
    [ -e "/usr/share/$file" ] || fail "no completions for $shell"
done
# The names of its loader before and since version 2.12.
as_user bash -c '. /usr/share/bash-completion/bash_completion
    _completion_loader iscsiscope || _comp_load iscsiscope
    complete -p iscsiscope' >/dev/null 2>&1 || fail "bash does not load the completions of iscsiscope"
# shellcheck disable=SC2016 # expanded by zsh
as_user zsh -fc 'autoload -Uz compinit; compinit -u; [[ $_comps[iscsiscope] = _iscsiscope ]]' || fail "zsh does not know them"
as_user fish -c 'complete -C "iscsiscope rep"' | grep '^report' >/dev/null || fail "fish does not offer report"
apt-get -q -y purge 'iscsiscope*' wireshark-plugin-iscsiscope >/root/apt.log 2>&1 || { tail -n 20 /root/apt.log; exit 1; }
[ -z "$(find /usr /etc /var/lib /opt -name '*iscsiscope*' -not -path '/var/lib/apt/*')" ] || fail "files are left"
echo "FIGURE: all together with apt, removed without a rest; completions load in bash, zsh and fish; studies: $(cut -d' ' -f1 /root/studies | paste -sd' ')"

begin "the archive, from a folder"
mkdir /opt/somewhere
tar -xzf /given/*.tar.gz -C /opt/somewhere
place=$(dirname "$(find /opt/somewhere -path '*/bin/iscsiscope')")
as_user "$place/iscsiscope" report /given/capture.pcapng.zst --brief >/root/report
grep -q '^VERDICT' /root/report || fail "no verdict in the report"
as_user "$place/iscsiscope-testbed" list | grep '^plain-read ' >/dev/null || fail "the archive's testbed does not find its scenarios"
echo "FIGURE: the archive runs from ${place%/bin}"
stage=''
