#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""predict held against experiment: a run with setting A is measured and predicts B, which then runs. The pairs are
listed here beforehand, each changing throughput by 30 % or more. Median error at most 10 %, none beyond 25 %.

usage: predict_check.py BUILD_FOLDER [NAME...]"""

import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "findings"))
import lab  # noqa: E402


def read(**more):
    return lab.Scenario(**dict({"block": "64KiB", "depth": 1, "count": 60}, **more))


def write(keys=(), **more):
    options = dict({"workload": "seq-write", "block": "128KiB", "depth": 1, "count": 30}, **more)
    if keys:
        options["key"] = list(keys)
    return lab.Scenario(**options)


def on(scenario, **link):
    scenario.link.update(link)
    return scenario


NO_UNSOLICITED = ("InitialR2T=Yes", "ImmediateData=No", "FirstBurstLength=8192")


def clamp(scenario, window):
    scenario.hosts["initiator"] = {"window_clamp": window}
    return scenario


def nagle(on_):
    s = on(read(block="8KiB", count=40), delay="16ms")
    if on_:
        s.target.update({"legacy-send": True, "phase-collapse": "off"})
    return s


# name, A, what --set says, B
PAIRS = [
    ("block up", on(read(block="32KiB"), delay="8ms"), ["block=131072"], on(read(block="128KiB"), delay="8ms")),
    ("block down", on(read(block="128KiB"), delay="8ms"), ["block=32768"], on(read(block="32KiB"), delay="8ms")),
    ("depth up", on(read(block="16KiB", count=120), delay="8ms"), ["depth=4"],
     on(read(block="16KiB", depth=4, count=240), delay="8ms")),
    ("depth up to the path's rate", on(read(), delay="8ms"), ["depth=16"],
     on(read(depth=16, count=400), delay="8ms")),
    ("depth down", on(read(depth=4, count=160), delay="8ms"), ["depth=1"], on(read(), delay="8ms")),
    ("delay up", on(read(), delay="4ms"), ["delay=16000000"], on(read(), delay="16ms")),
    ("delay down", on(read(), delay="16ms"), ["delay=4000000"], on(read(), delay="4ms")),
    ("MaxBurstLength up", on(write(NO_UNSOLICITED + ("MaxBurstLength=8192",)), delay="4ms"), ["MaxBurstLength=65536"],
     on(write(NO_UNSOLICITED + ("MaxBurstLength=65536",)), delay="4ms")),
    ("MaxBurstLength down", on(write(NO_UNSOLICITED + ("MaxBurstLength=65536",)), delay="4ms"),
     ["MaxBurstLength=16384"], on(write(NO_UNSOLICITED + ("MaxBurstLength=16384",)), delay="4ms")),
    ("InitialR2T, FirstBurstLength", on(write(NO_UNSOLICITED + ("MaxBurstLength=16384",)), delay="4ms"),
     ["InitialR2T=0", "FirstBurstLength=131072", "ImmediateData=1"], on(write(), delay="4ms")),
    ("FirstBurstLength up", on(write(("FirstBurstLength=16384",), block="64KiB"), delay="8ms"),
     ["FirstBurstLength=65536"], on(write(("FirstBurstLength=65536",), block="64KiB"), delay="8ms")),
    ("ImmediateData", on(write(("InitialR2T=Yes", "ImmediateData=No"), block="16KiB"), delay="8ms"),
     ["ImmediateData=1"], on(write(("InitialR2T=Yes", "ImmediateData=Yes"), block="16KiB"), delay="8ms")),
    ("MaxOutstandingR2T up", on(write(NO_UNSOLICITED + ("MaxBurstLength=8192",)), delay="4ms"),
     ["MaxOutstandingR2T=4"], on(write(NO_UNSOLICITED + ("MaxBurstLength=8192", "MaxOutstandingR2T=4")), delay="4ms")),
    ("window down", on(read(block="256KiB", depth=8, count=100), delay="16ms"), ["window=65536"],
     on(clamp(read(block="256KiB", depth=8, count=100), "64KiB"), delay="16ms")),
    ("window up", on(clamp(read(block="256KiB", depth=8, count=60), "32KiB"), delay="16ms"), ["window=131072"],
     on(clamp(read(block="256KiB", depth=8, count=100), "128KiB"), delay="16ms")),
    ("connections up", on(clamp(read(block="256KiB", depth=8, count=60), "32KiB"), delay="16ms"),
     ["connections=4"],
     on(clamp(read(block="256KiB", depth=8, count=120, connections=4), "32KiB"), delay="16ms")),
    ("TCP_NODELAY", nagle(True), ["TCP_NODELAY=1"], nagle(False)),
    ("Nagle", nagle(False), ["TCP_NODELAY=0"], nagle(True)),
    ("phase collapse", nagle(True), ["phase-collapse=1"], nagle(False)),
    ("loss", on(read(block="256KiB", depth=16, count=160), delay="10ms"), ["loss=0.005"],
     on(read(block="256KiB", depth=16, count=100), delay="10ms", loss=0.005)),
]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tools = lab.tools(pathlib.Path(sys.argv[1]))
    if tools is None:
        sys.exit(77)
    testbed, printer = tools
    errors, guesses, unchanged, missing = [], [], [], []
    print(f"{'pair':30} {'A MB/s':>8} {'predicted':>9} {'interval':>15} {'B MB/s':>8} {'error':>8} {'no change':>9}")
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, a, changes, b) in enumerate(PAIRS):
            if sys.argv[2:] and name not in sys.argv[2:]:
                continue
            runs = [lab.run(testbed, s, pathlib.Path(scratch), f"{number}-{side}") for side, s in (("a", a), ("b", b))]
            if None in runs:
                print(f"{name:30} not judged: no valid run")
                missing.append(name)
                continue
            measured, _, predicted, low, high = lab.prediction(printer, runs[0]["initiator"], changes)
            then = lab.prediction(printer, runs[1]["initiator"], changes)[0]
            error, guess = predicted / then - 1, measured / then - 1
            if abs(then / measured - 1) < 0.3:
                unchanged.append(name)
            errors.append(abs(error))
            guesses.append(abs(guess))
            print(f"{name:30} {measured / 1e6:8.3f} {predicted / 1e6:9.3f} {low / 1e6:6.2f} to {high / 1e6:5.2f} "
                  f"{then / 1e6:8.3f} {error:+8.1%} {guess:+9.1%}", flush=True)
    if not errors:
        sys.exit(77)
    print(f"FIGURE: predict: median error {statistics.median(errors):.1%} (bar 10 %), worst {max(errors):.1%} (bar 25 %) "
          f"over {len(errors)} pairs; without the model ('no change'): median {statistics.median(guesses):.1%}, worst "
          f"{max(guesses):.1%}")
    print(f"FIGURE: predict: runs repeated for not being valid: {len(lab.run.repeated)}, pairs without a valid one: "
          f"{len(missing)}")
    if unchanged:
        print("changed throughput by less than 30 %: " + ", ".join(unchanged))
    sys.exit(0 if statistics.median(errors) <= 0.1 and max(errors) <= 0.25 and not missing else 1)


if __name__ == "__main__":
    main()
