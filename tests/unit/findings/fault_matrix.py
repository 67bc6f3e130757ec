#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The fault matrix: each fault at three severities and a clean twin, two seeds, made by the testbed when this runs;
the parameters of the second seed are drawn anew each time. The right finding must be first in 90 % of the faulty runs,
and no clean twin may show a problem. A run that its own truth calls not valid is made again before anything has looked
at its captures, and counted."""

import argparse
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import typing

import lab


class Fault(typing.NamedTuple):
    severities: list
    base: typing.Callable  # → scenario
    change: typing.Callable  # (scenario, severity): brings the fault in
    failing: bool  # its programs fail by intention
    twin: typing.Callable  # (scenario): more that the clean twin needs; None: the base
    shown: bool  # a guess, which never stands first: it must be among the findings, and in no twin


def faults():
    """name → Fault"""
    S = lab.Scenario
    f = {}

    def fault(name, severities, base, change, failing=False, twin=None, shown=False):
        f[name] = Fault(severities, base, change, failing, twin, shown)

    def reads(delay="5ms", rate="100Mbit/s", **more):
        def make():
            s = S(**dict({"count": 160}, **more))
            s.link.update(delay=delay, rate=rate)
            return s
        return make

    def writes(delay="5ms", **more):
        return reads(delay, **dict({"workload": "seq-write"}, **more))

    def target(**options):
        return lambda s, _: s.target.update(options)

    def slow_start_done(**more):
        return reads(**dict({"block": "128KiB", "depth": 4, "count": 60}, **more))

    fault("delayed_ack", [0.2, 1, 3], reads(block="1KiB", count=60, depth=1, **{"delayed-ack": True}),
          lambda s, v: (s.link.update(delay=f"{v:.3f}ms", rate="20Mbit/s"), s.target.update({"legacy-send": True})),
          twin=lambda s: (s.link.update(delay="0.1ms", rate="5Mbit/s"), s.initiator.pop("delayed-ack"),
                          s.initiator.update(block="8KiB")))
    fault("nagle", [4, 8, 16], reads(block="8KiB", depth=1, count=40),
          lambda s, v: (s.link.update(delay=f"{v:.3f}ms"), s.target.update({"legacy-send": True, "phase-collapse": "off"})),
          twin=lambda s: s.link.update(delay="0.1ms", rate="5Mbit/s"))
    fault("no_window_scaling", [10, 20, 40], slow_start_done(),
          lambda s, v: s.link.update(delay=f"{v:.3f}ms", strip_window_scale=True))
    fault("small_receive_window", [24, 32, 48], slow_start_done(delay="10ms"),
          lambda s, v: s.hosts["initiator"].update(window_clamp=f"{v:.0f}KiB"))
    # Drawn up to a fifth smaller: RFC 7143 section 13.12 allows 512 at least.
    fault("small_data_segments", [640, 768, 1024], slow_start_done(count=60),
          lambda s, v: s.initiator.update(key=[f"MaxRecvDataSegmentLength={v:.0f}"]))
    fault("r2t_ping_pong", [8, 16, 32], writes(block="128KiB", depth=4, count=24),
          lambda s, v: s.initiator.update(key=["InitialR2T=Yes", "ImmediateData=No", f"MaxBurstLength={v * 1024:.0f}",
                                               "FirstBurstLength=512"]))
    fault("no_unsolicited_data", [8, 16, 32], writes(delay="10ms", block="16KiB", depth=4),
          lambda s, v: s.initiator.update(block=f"{v:.0f}KiB", key=["InitialR2T=Yes", "ImmediateData=No"]))
    fault("slow_r2t_answer", [20, 40, 80], writes(delay="2ms", block="64KiB", depth=4, count=60),
          lambda s, v: s.initiator.update({"r2t-delay": f"{v:.0f}ms", "key": ["InitialR2T=Yes", "ImmediateData=No"]}))
    fault("queue_depth", [5, 10, 20], slow_start_done(),
          lambda s, v: (s.link.update(delay=f"{v:.3f}ms"), s.initiator.update(block="8KiB", depth=1, count=60)))
    fault("command_window", [1, 2, 3], reads(block="8KiB", depth=16, count=200),
          lambda s, v: s.target.update({"command-window": max(1, round(v))}))
    fault("slow_target", [15, 30, 60], reads(delay="2ms", block="16KiB", depth=4, count=80, workload="rand-read"),
          lambda s, v: s.target.update(lun=[f"ram:64MiB,service=constant:{v:.1f}ms"]))
    fault("head_of_line", [20, 40, 80], reads(block="4KiB", count=80, depth=1, delay="0.5ms"),
          lambda s, v: (s.link.update(rate=f"{v:.0f}Mbit/s"),
                        s.initiator.update({"block": "528KiB", "split": "4KiB,512KiB,12KiB", "depth": 3,
                                            "open-requests": 1, "count": 30})),
          twin=lambda s: s.link.update(rate="5Mbit/s", delay="0.1ms"))
    fault("abort_storm", [10, 20, 40], reads(block="16KiB", count=200),
          lambda s, v: (s.target.update({"drop-response": round(v)}), s.initiator.update({"abort-after": "400ms"})))
    fault("target_closed", [20, 40, 80], reads(block="64KiB", count=200),
          lambda s, v: s.target.update({"close-after": round(v)}), failing=True)
    fault("nop_timeout", [2, 3, 4], reads(block="64KiB", count=400),
          lambda s, v: (s.target.update({"nop-interval": "200ms", "nop-timeout": "800ms"}),
                        s.link.update(outages=[{"from": "0.4s", "until": f"{v + 0.4:.1f}s"}])), failing=True)
    fault("login_trouble", [1, 2, 4], reads(),
          lambda s, v: (s.target.update(chap="someone:a-secret-of-14"),
                        s.programs.extend(dict(s.initiator) for _ in range(round(v) - 1))), failing=True)
    fault("digest_error", [20, 40, 80], reads(block="64KiB", count=200, digests=True),
          lambda s, v: s.target.update({"spoil-data-digest": round(v)}), failing=True)
    fault("incast", [12, 16, 24], lambda: guests(S),
          lambda s, v: s.backward.update(rate="50Mbit/s", access_rate="500Mbit/s", queue_packets=round(v)),
          twin=lambda s: s.backward.update(rate="100Mbit/s", queue_packets=4000))
    fault("packet_loss", [0.005, 0.01, 0.02], slow_start_done(count=80),
          lambda s, v: s.backward.update(loss=round(v, 4)))
    fault("retransmission_timeout", [0.02, 0.04, 0.08], lambda: no_recovery(S),
          lambda s, v: s.backward.update(loss=round(v, 4)))
    fault("bufferbloat", [12, 20, 32], reads(block="64KiB", depth=1, count=60, delay="1ms"),
          lambda s, v: (s.link.update(rate="20Mbit/s", queue_packets=4000), s.initiator.update(depth=round(v))),
          twin=lambda s: s.link.update(rate="20Mbit/s", queue_packets=4000))
    # The segments and pings that vanish are seen by their sender's capture only. Drawn up to a quarter larger, a size
    # must stay below the hosts' 1500, or nothing vanishes.
    fault("mtu_black_hole", [800, 1000, 1180], reads(block="64KiB", count=40),
          lambda s, v: s.backward.update(black_hole_mtu=round(v)), failing=True)
    fault("reordering", [0.01, 0.03, 0.06], slow_start_done(count=60),
          lambda s, v: s.backward.update(reorder={"probability": round(v, 3), "delay": "4ms"}))
    fault("duplication", [0.01, 0.05, 0.1], slow_start_done(count=60),
          lambda s, v: s.backward.update(duplicate=round(v, 3)))
    fault("mirror_laggard", [10, 20, 40], lambda: mirror(S),
          lambda s, v: s.more_targets[0][1].update(delay=f"{v:.3f}ms"))
    fault("io_split", [4, 8, 16], reads(block="252KiB", depth=1, count=20, delay="0.1ms"),
          lambda s, v: (s.link.update(delay=f"{v:.3f}ms"), s.initiator.update(split="65536")))
    fault("misaligned_io", [512, 1024, 2048], reads(block="64KiB"),
          lambda s, v: s.initiator.update(offset=f"{max(1, round(v / 512)) * 512}"))
    fault("application_idle", [20, 50, 100], reads(block="64KiB", depth=4, count=60, delay="2ms"),
          lambda s, v: s.initiator.update(depth=1, think=f"{v:.0f}ms", count=30))
    fault("small_send_buffer", [8, 16, 24], slow_start_done(delay="10ms", count=40),
          lambda s, v: s.target.update({"send-buffer": f"{v:.0f}KiB"}))
    # Pauses beyond 60 ms: what a full receiver keeps from its program's socket Linux acknowledges up to 40 ms late
    # (TCP_DELACK_MIN), and a shorter pause ends before a window of zero was ever announced.
    fault("zero_window", [80, 120, 200], slow_start_done(delay="1ms", rcvbuf="64KiB", count=30),
          lambda s, v: s.initiator.update({"read-pause": f"{v:.0f}ms", "read-pause-every": "128KiB"}),
          # A program may come late by itself: with room in the system's own buffer none sees it.
          twin=lambda s: s.initiator.pop("rcvbuf"))
    fault("blocking_command", [8, 16, 24],
          reads(delay="0.1ms", workload="rand-read", block="16KiB", depth=8, count=400, span="32MiB"),
          lambda s, v: (s.target.update(lun=["disk:64MiB,seek=0.1ms..0.2ms,rotation=0.1ms,rate=200MB/s"]),
                        s.initiator.update({"write-same-every": 40, "write-same-size": f"{v:.0f}MiB"})),
          twin=lambda s: s.target.update(lun=["disk:64MiB,seek=0.1ms..0.2ms,rotation=0.1ms,rate=200MB/s"]))
    fault("path_imbalance", [0.05, 0.1, 0.25], lambda: two_paths(S),
          lambda s, v: s.programs[1].update(count=max(4, round(200 * v)), depth=1, think="20ms"))
    fault("connection_imbalance", [20, 40, 60], lambda: two_ways(S),
          lambda s, v: s.more_addresses[0][1].update(delay=f"{v:.1f}ms"))
    fault("access_trouble", [5, 10, 20], reads(delay="1ms", **{"keep-going": True}),
          lambda s, v: s.target.update({"reservation-conflict": round(v)}), failing=True)
    fault("command_errors", [5, 10, 20], reads(delay="1ms", **{"keep-going": True}),
          lambda s, v: s.target.update({"check-condition": round(v)}), failing=True)
    fault("one_direction_slow", [8, 12, 16], lambda: both_ways(S),
          lambda s, v: s.backward.update(rate=f"{v:.1f}Mbit/s"))
    fault("digest_cost", [1000, 1500, 2000], reads(delay="0.2ms", rate="200Mbit/s", block="512KiB", depth=2, count=20,
                                                key=["MaxRecvDataSegmentLength=65536"], digests=True),
          lambda s, v: s.target.update({"digest-work": round(v)}), shown=True)
    fault("capture_quality", [0.03, 0.06, 0.12], reads(delay="0.5ms", block="64KiB"),
          lambda s, v: setattr(s, "lose_frames", v))
    return f


class Bench:
    """Runs a scenario and says what is found: None if no run was valid."""

    def __init__(self, testbed, printer, keep):
        self.testbed, self.printer, self.keep = testbed, printer, keep

    def judge(self, scenario, folder, name, failing, side, good):
        name = name.replace(".", "_")
        captures = lab.run(self.testbed, scenario, folder, name, failing=failing)
        if captures is None:
            return None
        found = lab.found_in(self.printer, captures[side])
        if self.keep and not good(found):
            self.keep.mkdir(parents=True, exist_ok=True)
            for made in folder.glob(name + ".*"):
                shutil.copy(made, self.keep)
        return found


def guests(S):
    s = S(workload="seq-read", block="256KiB", depth=1, size="2MiB")
    s.link = {"delay": "500us", "rate": "500Mbit/s"}
    s.target["lun"] = ["ram:16MiB"] * 4
    s.programs = [dict(s.programs[0], lun=i, name=f"iqn.2026-11.example:guest-{i}") for i in range(4)]
    return s


def no_recovery(S):
    s = S(block="4KiB", depth=1, count=120)
    s.link = {"delay": "0.5ms", "rate": "2Mbit/s"}
    s.hosts["target"] = {"sysctl": {"net.ipv4.tcp_early_retrans": 0, "net.ipv4.tcp_recovery": 0}}
    return s


def mirror(S):
    s = S(workload="seq-write", block="16KiB", depth=1, count=60)
    s.link = {"delay": "1ms", "rate": "10Mbit/s"}
    s.more_targets = [("far", {"delay": "1ms", "rate": "10Mbit/s"})]
    return s


def two_paths(S):
    """Two sessions of one initiator with one LUN."""
    s = S(block="64KiB", depth=4, count=200)
    s.link = {"delay": "0.2ms", "rate": "100Mbit/s"}
    s.programs = [dict(s.programs[0]), dict(s.programs[0])]
    return s


def two_ways(S):
    """Two connections of one session, each over a way of its own."""
    s = S(block="32KiB", depth=8, count=300, connections=2, dispatch="least-loaded",
          **{"more-portals": ["{target:2}"]})
    s.link = {"delay": "2ms", "rate": "50Mbit/s"}
    s.hosts["target"]["addresses"] = ["10.77.0.2", "10.77.0.12"]
    s.more_addresses = [("10.77.0.12", dict(s.link))]
    return s


def both_ways(S):
    """One program reads; behind it another writes as much at once."""
    s = S(workload="rand-read", block="64KiB", depth=1, count=40)
    s.link = {"delay": "0.1ms", "rate": "400Mbit/s"}
    s.programs = [dict(s.programs[0]), dict(s.programs[0], workload="rand-write", count=100, start="3s")]
    return s


class Score:
    """What was judged so far."""

    def __init__(self):
        self.right = self.judged = self.dirty = self.twins = self.shown = self.to_show = 0
        self.invalid, self.wrong = [], []

    def fault(self, name, fault, v, found):
        """→ the cell's word"""
        if found is None:
            self.invalid.append(f"{name} {v:.3g}")
            return "not valid"
        good = is_right(name, fault, found)
        if fault.shown:
            self.to_show += 1
            self.shown += good
            return "shown" if good else "NOT SHOWN"
        self.judged += 1
        self.right += good
        if not good:
            self.wrong.append(f"{name} {v:.3g}: {found[0]}")
        return "first" if good else found[0]

    def twin(self, name, fault, seed, found):
        if found is None:
            self.invalid.append(f"{name} twin")
            return "not valid"
        good = is_clean(name, fault, found)
        self.twins += 1
        self.dirty += not good
        if not good:
            self.wrong.append(f"{name} twin, seed {seed}: {found[1]}")
        return "clean" if good else "PROBLEM " + found[1]

    def passed(self):
        return (self.judged + self.to_show > 0 and self.right >= 0.9 * self.judged and self.dirty == 0
                and self.shown == self.to_show and not self.invalid)

    def tell(self):
        share = self.right / self.judged if self.judged else 1
        print(f"FIGURE: fault matrix: right finding first in {self.right} of {self.judged} ({share:.1%}); bar 90 %")
        if self.to_show:
            print("FIGURE: fault matrix: digest_cost, a guess and never first, shown in "
                  f"{self.shown} of {self.to_show}")
        print(f"FIGURE: fault matrix: clean twins with a problem: {self.dirty} of {self.twins}; bar 0")
        waits = lab.run.waits or [0]
        crowded = sum(w > lab.LONGEST_WAIT for w in waits)
        print(f"FIGURE: fault matrix: a program waited for a processor for {statistics.median(waits):.1%} of the run's "
              f"time (median of {len(waits)} runs), {max(waits):.1%} at most; more than {lab.LONGEST_WAIT:.0%}, and "
              f"judged all the same after {lab.CROWDED_TRIES} tries: {crowded}")
        waiting = sum(lab.CROWDED in line for line in lab.run.repeated)
        print(f"FIGURE: fault matrix: runs repeated, before anything looked at them: {waiting} for such a wait, "
              f"{len(lab.run.repeated) - waiting} for not being valid; cells without a valid one: {len(self.invalid)}")
        for line in lab.run.repeated:
            if lab.CROWDED not in line:  # those are counted above
                print("repeated: " + line)
        for line in self.wrong:
            print("wrong: " + line)
        if self.invalid:
            print("not judged, no valid run: " + ", ".join(self.invalid))


def is_right(name, fault, found):
    return name in found[2] if fault.shown else found[0] == name


def is_clean(name, fault, found):
    return found[1] == "none" and not (fault.shown and name in found[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="build folder")
    parser.add_argument("names", nargs="*", help="only these faults")
    parser.add_argument("--draw", type=int, default=random.SystemRandom().randrange(1 << 32), metavar="SEED",
                        help="draw the parameters that an earlier run printed")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="seeds with parameters drawn (1)")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="put the captures of wrong cells there")
    options = parser.parse_args()
    table = faults()
    if unknown := [n for n in options.names if n not in table]:
        parser.error("no such fault: " + ", ".join(unknown))
    tools = lab.tools(options.build)
    if tools is None:
        sys.exit(77)
    rng = random.Random(options.draw)
    print(f"drawn with --draw {options.draw}")
    score, bench = Score(), Bench(*tools, options.keep)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name in options.names or table:
            fault, row = table[name], []
            side = "target" if name in ("mtu_black_hole", "nop_timeout") else "initiator"
            for seed in range(1, options.repeat + 2):
                for severity in fault.severities:
                    v = severity if seed == 1 else severity * rng.uniform(0.8, 1.25)
                    s = fault.base()
                    s.seed = seed if seed == 1 else rng.randrange(2, 1 << 30)
                    fault.change(s, v)
                    found = bench.judge(s, folder, f"{name}-{seed}-{severity}", fault.failing, side,
                                        lambda f: is_right(name, fault, f))
                    row.append(score.fault(name, fault, v, found))
                s = fault.base()
                s.seed = seed
                if fault.twin:
                    fault.twin(s)
                found = bench.judge(s, folder, f"{name}-{seed}-twin", False, "initiator",
                                    lambda f: is_clean(name, fault, f))
                row.append(score.twin(name, fault, seed, found))
            print(f"{name:24} " + "  ".join(f"{x:9}" for x in row), flush=True)
            for made in folder.iterdir():
                made.unlink()
    score.tell()
    sys.exit(0 if score.passed() else 1)


if __name__ == "__main__":
    main()
