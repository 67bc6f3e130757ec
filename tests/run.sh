#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs the packages, configures, builds and tests. Ends with CTest's summary.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/run.sh [build] [mode] [options]

Builds (default: preset unity: that of dev with sixteen sources a unit; GCC, warnings are errors)
  --dev            preset dev: file by file, for work on a few files
  --asan           AddressSanitizer and UndefinedBehaviorSanitizer
  --tsan           ThreadSanitizer
  --clang          preset dev with Clang 14
  --release        preset release

Modes (default: install packages, build everything, run all tests; ends with CTest's summary)
  of the code
    --engine         build and run the tests of the engine alone (tests/unit); with --asan what CI does
    --without-captures  the tests that read given captures, where none are given: none may fail, and at most six be
                     skipped (their names are printed)
    --format         clang-format over the whole tree; a file that it would change is an error
    --tidy           clang-tidy; every warning is an error
                     (--only REGEX: which files; --changed N: those that the last N commits changed, newest
                     first; --minutes M: no new file after that time, and how many were left is printed)
    --fuzz SECONDS   build the libFuzzer targets and run each for that long (--only: which)
    --damaged N      N damaged captures reported in every format under the sanitizers: about an hour for 20,000
                     (tests/unit/cli/damaged_captures.py; the normal run has a short form)
  of the engine, on runs of the testbed
    --grid           errors of the congestion window over 108 runs, with and without timestamps: about 20
                     minutes (tests/unit/tcp_inference/grid.sh; its environment variables choose a subset)
    --kinds          kinds of idle gaps and limits of the sender against the scenario and TCP_INFO's clocks, on
                     12 s runs of tests/testbed/tcp_evidence/kinds: about 90 s
    --faults         the fault matrix: the finding that must be first for faults that the testbed makes
    --inject         every allocation and every call that reads or writes files fails in turn, in each format and
                     over a run of the testbed: an hour (tests/faults; --only: which of them)
    --dialogues      whose time it is on 500 random dialogues whose truth is known by construction, and the first finding
                     on 500 with faults: two minutes
                     (tests/dialogues/README.md)
    --predictions    predict against experiment: predicted from one run, measured in another
  on other people's initiators and targets
    --stacks         makes labelled runs in a guest (root, network; some 30 minutes) and judges the reports on them:
                     tests/stacks/README.md (--runs N, --seed N, --virtual, --jitter US, --only REGEX: see
                     tests/stacks/run.sh --help)
  of the front ends
    --browser        all tests, with the HTML report opened in Chromium (installs it)
    --gui-bench      frame times of the desktop program at ten million cycles (release build)
    --wireshark-versions [RELEASE…]  the plugin built and all its tests run with the Wireshark of each Debian release:
                     bookworm (4.0), trixie (4.4), sid (the newest); default: all three, in clean roots that stay in
                     build/roots (root, network; tests/plugin/wireshark_versions.sh --help)
    --packages [RELEASE…]  the packages of Debian releases, default bookworm, trixie and sid, made in clean roots,
                     installed, run and removed (root, network; packaging/build.sh --help)
    --wireshark-gui  the plugin in Wireshark itself, with screenshots (installs it)
    --wireshark-robustness  the plugin under the sanitizers: its tests, everything that can be done to a file, the
                     fuzz corpus (the normal run has a short form)
    --wireshark-bench  CPU and memory that the plugin adds to tshark, on a release build
  of fleets of captures
    --fleet [N]      N captures (2000) over two worker processes, one of which is killed: each once, time against
                     `iscsiscope report --jobs 2`, memory, ten questions, the page (tests/fleet/trial.py; needs 2.5 MB
                     a capture, PyPI)
  of speed
    --bench          whole-program and micro benchmarks on a release build: tests/bench/run.sh

Options
  --only REGEX     only the tests (targets, files) whose name matches
  -j N             parallel jobs (default: the number of processors)
  --no-install     do not look for missing packages
  -v, --verbose    every line that the tests print; without it, figures, skips, what was not judged, failures

Tests that read real captures take them from $ISCSISCOPE_CAPTURES, else from ../shared/captures beside
this folder; without them they take the bundled ones, or are skipped with a line that says so. Those of tests/query take some of them, or all
with ISCSISCOPE_ALL_CAPTURES=1.
TEXT
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"

preset=unity folder=build/unity what=test seconds=0 count=0 only='' changed='' minutes='' engine=0 without=0
jobs=$(nproc) install=1 verbose=0
configure=() stacks=() releases=()
need_value() { [ $# -ge 2 ] || { echo "tests/run.sh: $1 needs a value" >&2; exit 2; }; }
while [ $# -gt 0 ]; do
    case $1 in
        --dev | --asan | --tsan | --release) preset=${1#--} folder=build/${1#--} ;;
        --clang)
            preset=dev folder=build/clang
            configure=(-DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14)
            ;;
        --fuzz) need_value "$@"; preset=fuzz folder=build/fuzz what=fuzz seconds=$2; shift ;;
        --damaged) need_value "$@"; preset=asan folder=build/asan what=damaged count=$2; shift ;;
        --engine) engine=1 ;;
        --without-captures) without=1 ;;
        --format) what=format ;;
        --tidy) # of files, not of units; clang-tidy cannot read GCC's precompiled headers
            what=tidy preset=dev folder=build/tidy
            configure=(-DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
            ;;
        --changed) need_value "$@"; changed=$2; shift ;;
        --minutes) need_value "$@"; minutes=$2; shift ;;
        --browser) export ISCSISCOPE_BROWSER=1 ;;
        --bench) what=bench ;;
        --gui-bench) preset=release folder=build/release what=gui-bench ;;
        --wireshark-robustness) preset=asan folder=build/asan what=wireshark-robustness ;;
        --wireshark-gui | --wireshark-bench) what=${1#--} ;;
        --wireshark-versions | --packages)
            what=${1#--}
            while [ $# -ge 2 ] && [[ $2 != -* ]]; do releases+=("$2"); shift; done
            ;;
        --fleet)
            what=fleet count=2000
            if [ $# -ge 2 ] && [[ $2 =~ ^[0-9]+$ ]]; then count=$2; shift; fi
            ;;
        --grid | --kinds | --dialogues) what=${1#--} ;;
        --faults | --predictions | --inject) what=${1#--} ;;
        --stacks) what=stacks ;;
        --virtual) stacks+=("$1") ;;
        --runs | --seed | --jitter) need_value "$@"; stacks+=("$1" "$2"); shift ;;
        --only) need_value "$@"; only=$2; shift ;;
        -j) need_value "$@"; jobs=$2; shift ;;
        -j*) jobs=${1#-j} ;;
        --no-install) install=0 ;;
        -v | --verbose) verbose=1 ;;
        -h | --help) usage; exit 0 ;;
        *) echo "tests/run.sh: unknown argument $1" >&2; usage >&2; exit 2 ;;
    esac
    shift
done

[ $install -eq 0 ] || [ $what = wireshark-versions ] || [ $what = packages ] || tests/packages.sh ${ISCSISCOPE_BROWSER:+chromium poppler-utils}
if [ $what = bench ]; then
    [ $install -eq 1 ] || exec tests/bench/run.sh --no-install -j "$jobs"
    exec tests/bench/run.sh -j "$jobs" # it needs one package more
fi
if [ $what = format ]; then
    git ls-files -z '*.h' '*.cpp' | xargs -0 -n 50 -P "$jobs" clang-format-14 --dry-run -Werror
    echo "FIGURE: clang-format: $(git ls-files '*.h' '*.cpp' | wc -l) files, none would change"
    exit 0
fi
case $what in
    wireshark-versions) exec tests/plugin/wireshark_versions.sh -j "$jobs" ${only:+--only "$only"} "${releases[@]}" ;;
    packages)
        [ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie sid)
        exec packaging/build.sh -j "$jobs" "${releases[@]}"
        ;;
    wireshark-gui) exec tests/plugin/wireshark_gui.sh ;;
    wireshark-bench) exec tests/plugin/bench.sh -j "$jobs" ;;
esac

cmake --preset "$preset" -B "$folder" "${configure[@]}"
[ $install -eq 0 ] || [ $what != test ] || [ $engine -eq 1 ] || tests/query/install.sh "$folder/tests/query/venv"
if [ $what = fleet ] || { [ $what = test ] && [ $engine -eq 0 ] && [ $install -eq 1 ]; }; then
    tests/fleet/install.sh "$folder/tests/fleet/venv"
fi

# Each fuzz target is a program fuzz_<name>. Seeds: what earlier runs and the captures gave in
# build/fuzz/corpus/<name>, and tests/fuzz/corpus/<name>. What it finds stays in build/fuzz/findings/<name>.
run_fuzz_targets() {
    local target name failed=0 count=0 running=() names=()
    while IFS= read -r target; do
        name=$(basename "$target")
        name=${name#fuzz_}
        [[ $name =~ $only ]] || continue
        count=$((count + 1))
        mkdir -p "$folder/corpus/$name" "$folder/findings/$name"
        local seeds=()
        [ -d "tests/fuzz/corpus/$name" ] && seeds=("tests/fuzz/corpus/$name")
        "$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 \
            -artifact_prefix="$folder/findings/$name/" "$folder/corpus/$name" "${seeds[@]}" \
            >"$folder/findings/$name.log" 2>&1 &
        running+=($!) names+=("$name")
        if [ ${#running[@]} -ge "$jobs" ]; then wait_for_targets; fi
    done < <(find "$folder" -type f -name 'fuzz_*' -perm -u+x -not -name '*.*' -not -path '*/CMakeFiles/*' | sort)
    wait_for_targets
    echo "FIGURE: fuzz: $count targets, $seconds s each, $failed with a finding"
    [ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
}
wait_for_targets() {
    local i log result
    for i in "${!running[@]}"; do
        log=$folder/findings/${names[$i]}.log
        result=clean
        wait "${running[$i]}" || { result=FINDING failed=$((failed + 1)); tail -n 30 "$log"; }
        echo "fuzz ${names[$i]}: $result, $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs"
    done
    running=() names=()
}

# Passes CTest's own lines; of what the tests print only figures, skips and what was not judged, and all of a test that
# failed.
condense() {
    awk '
        match($0, /^[0-9]+: /) {
            number = $0; sub(/:.*/, "", number)
            text = substr($0, RLENGTH + 1)
            if (text ~ /^(FIGURE|SKIPPED|skipped|NOT JUDGED)/) print "    " text
            else output[number] = output[number] $0 "\n"
            fflush(); next
        }
        /^ *[0-9]+\/[0-9]+ Test +#[0-9]+:/ {
            number = $0; sub(/^[^#]*#/, "", number); sub(/:.*/, "", number)
            print
            if ($0 ~ /\*\*\*/ && $0 !~ /\*\*\*Skipped/) printf "%s", output[number]
            delete output[number]; fflush(); next
        }
        /^(test [0-9]+$|Test (command|timeout|environment)|Working Directory|Constructing|Done constr|Checking test|Added 0|UpdateCTest|Parse Config|Updating test list| *Start +[0-9]+:|$)/ { next }
        { print; fflush() }'
}

# The tests with the label `captures`, with no given captures. Few may be skipped: a clone alone has to test nearly all.
run_without_captures() {
    local most=6 log=without-captures.log failed=0 skipped
    ISCSISCOPE_CAPTURES=/nonexistent ctest -V -j "$jobs" --no-tests=ignore -L '^captures$' "${filter[@]}" |
        tee "$log" | { if [ $verbose -eq 1 ]; then cat; else condense; fi; } || failed=1
    # Not counted: what is skipped for another reason, such as a program that is not installed.
    mapfile -t skipped < <(awk '
        /^[0-9]+: SKIPPED: .*captures?/ { number = $1; sub(":", "", number); wants[number] = 1 }
        / Test +#[0-9]+: .*\*\*\*Skipped/ {
            number = $0; sub(/^[^#]*#/, "", number); name = number
            sub(/:.*/, "", number); sub(/^[0-9]+: */, "", name); sub(/[ .].*/, "", name)
            if (number in wants) print name
        }' "$log")
    echo "FIGURE: without given captures: ${#skipped[@]} tests skipped for want of them (at most $most): ${skipped[*]}"
    [ $failed -eq 0 ] && [ ${#skipped[@]} -le $most ]
}

case $what in
    gui-bench)
        tests/gui/bench.sh "$folder"
        ;;
    test)
        filter=()
        [ -z "$only" ] || filter=(-R "$only")
        if [ $engine -eq 1 ]; then
            cmake --build "$folder" -j "$jobs" --target engine_tests
            filter+=(-L '^engine$')
        else
            cmake --build "$folder" -j "$jobs"
        fi
        cd "$folder"
        if [ $without -eq 1 ]; then
            run_without_captures
        elif [ $verbose -eq 1 ]; then
            ctest -V -j "$jobs" --no-tests=error "${filter[@]}"
        else
            ctest -V -j "$jobs" --no-tests=error "${filter[@]}" | condense
        fi
        ;;
    fleet)
        cmake --build "$folder" -j "$jobs" --target iscsiscope
        ISCSISCOPE=$top/$folder/analyzer/cli/iscsiscope PYTHONDONTWRITEBYTECODE=1 \
            "$folder/tests/fleet/venv/bin/python" tests/fleet/trial.py --captures "$count" --folder "$top/$folder/fleet"
        ;;
    wireshark-robustness)
        cmake --build "$folder" -j "$jobs" --target iscsiscope iscsiscope_plugin
        cd "$folder"
        ctest -V --no-tests=error -R '^plugin' | condense
        ;;
    grid)
        cmake --build "$folder" -j "$jobs" --target tcp_grid iscsiscope-testbed
        missed=0
        tests/unit/tcp_inference/grid.sh "$folder" || missed=1
        tests/unit/tcp_inference/grid.sh --no-timestamps "$folder" || missed=1
        exit $missed
        ;;
    kinds)
        cmake --build "$folder" -j "$jobs" --target tcp_evidence iscsiscope-testbed
        runs=$(mktemp -d)
        trap 'rm -rf "$runs"' EXIT
        for scenario in tests/testbed/tcp_evidence/kinds/*.toml; do
            for attempt in 1 2 3; do # what its own truth calls not valid is made again
                "$folder/sample-captures/testbed/iscsiscope-testbed" run "$scenario" -o "$runs" \
                    --progress none >/dev/null && break
                [ $attempt -lt 3 ] || { echo "tests/run.sh: no valid run of $scenario" >&2; exit 1; }
            done
        done
        ISCSISCOPE_SOURCE_DIR=$top ISCSISCOPE_EVIDENCE=$folder/tests/testbed/tcp_evidence/tcp_evidence \
            python3 tests/testbed/tcp_evidence/kinds.py "$runs"
        ;;
    damaged)
        cmake --build "$folder" -j "$jobs" --target iscsiscope
        UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONDONTWRITEBYTECODE=1 \
            python3 tests/unit/cli/damaged_captures.py "$folder/analyzer/cli/iscsiscope" --count "$count" \
            --keep "$folder/findings"
        ;;
    faults | predictions)
        cmake --build "$folder" -j "$jobs" --target print_findings iscsiscope-testbed
        script=tests/unit/findings/fault_matrix.py
        [ $what = faults ] || script=tests/unit/model/predict_check.py
        # --only: names of faults or pairs, one
        PYTHONDONTWRITEBYTECODE=1 python3 $script "$folder" ${only:+"$only"}
        ;;
    inject)
        cmake --build "$folder" -j "$jobs" --target iscsiscope iscsiscope-testbed iscsiscope_faults
        ISCSISCOPE=$folder/analyzer/cli/iscsiscope ISCSISCOPE_TESTBED=$folder/sample-captures/testbed/iscsiscope-testbed \
            ISCSISCOPE_SOURCE_DIR=$top PYTHONDONTWRITEBYTECODE=1 \
            ISCSISCOPE_FAULTS=$folder/tests/faults/libiscsiscope_faults.so \
            python3 tests/faults/inject.py ${only:+--only "$only"}
        ;;
    dialogues)
        cmake --build "$folder" -j "$jobs" --target iscsiscope
        wrong=0
        for list in "" --faults; do
            PYTHONDONTWRITEBYTECODE=1 python3 tests/dialogues/judge.py "$folder/analyzer/cli/iscsiscope" $list || wrong=1
        done
        [ "$wrong" = 0 ]
        ;;
    stacks)
        cmake --build "$folder" -j "$jobs" --target iscsiscope
        exec tests/stacks/run.sh "$folder/analyzer/cli/iscsiscope" "${stacks[@]}" ${only:+--only "$only"}
        ;;
    fuzz)
        cmake --build "$folder" -j "$jobs" --target fuzz_targets
        PYTHONDONTWRITEBYTECODE=1 python3 tests/differential/fuzz_seeds.py "$folder/corpus" || true
        run_fuzz_targets
        ;;
    tidy)
        # Nothing is compiled, but sources that moc makes are included.
        ninja -C "$folder" -t targets all | sed -n 's/^\([a-z_]*_autogen\):.*/\1/p' |
            xargs -r cmake --build "$folder" -j "$jobs" --target
        tests/tidy.sh "$folder" "$jobs" "$only" "$changed" "$minutes"
        ;;
esac
