# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates over time of cut captures. usage: rates.py PROGRAM

They rest on the TCP payload that passed, so that captures cut to 96 and 128 bytes must have those of the whole capture,
and a capture of which hardly a PDU is found must have the rate that its segments add up to."""
import json
import os
import subprocess
import sys
import tempfile

import frames
import judge

# Reads, writes, digests, losses, small blocks, four sessions, two sessions at once, a login in the middle.
WHOLE = ("a_read_4MiB_512K_16ms.ini", "b_write_4MiB_256K_5ms_r2t64k.tgt", "d_write_4MiB_loss0.5_reno.ini",
         "e_read_2MiB_digests.ini", "f_raid1_write_0ms_25ms.ini-any", "g_4sessions_write_20mbit_drops.ini",
         "i_randread_4K_qd8.ini", "l_blackout_noop_relogin.ini", "o_offloads_on_read_write.ini")
BUNDLED = ("plain-read.initiator", "r2t-ping-pong.target", "loss-timeout.target", "digests.initiator",
           "mcs-unequal.initiator", "tgt-qemu")
LOST = "n_cwnd_write_reno_20mbit.ini"
SNAPS = (96, 128)


def report(program, path, *options):
    done = subprocess.run([program, "report", "--format", "json", *options, path], capture_output=True, timeout=600,
                          check=True)
    return json.loads(done.stdout)


def rates(of):
    """The rates that rest on no task, and the throughput by connection and interval."""
    return {"wire": of["rates"]["wire"], "wire_bytes": of["rates"]["both"]["wire_bytes"],
            "throughput": [{"total_stream_bytes": t["total_stream_bytes"], "total_rate": t["total_rate"],
                            "intervals": [(i["stream_bytes"], i["rate"]) for i in t["intervals"]]}
                           for t in of["session_analysis"]["throughput"]]}


def payload(path):
    """TCP payload without repeats, that is, the highest sequence numbers less the first ones, and the time in ns from the
    first to the last segment that brought new payload."""
    link, all_frames = frames.read(path)
    first, end, times = {}, {}, []
    for f in all_frames:
        s = frames.segment_of(link, f.data)
        if s is None or s.length == 0:
            continue
        first.setdefault(s.flow, s.sequence)
        reached = (s.sequence + s.length - first[s.flow]) % 2**32
        if end.get(s.flow, 0) < reached < 2**31:
            end[s.flow] = reached
            times.append(f.time_ns)
    return sum(end.values()), max(times) - min(times)


def main():
    program = sys.argv[1]
    paths = {os.path.basename(p).removesuffix(".zst").removesuffix(".pcap").removesuffix(".pcapng"): p
             for p in judge.captures()}
    failed, judged = [], 0

    def check(holds, what):
        if not holds:
            failed.append(what)
            print("FAILED:", what)

    with tempfile.TemporaryDirectory(prefix="iscsiscope-rates-") as folder:
        for name in WHOLE + BUNDLED:
            if name not in paths:
                print(f"SKIPPED: {name} is not there")
                continue
            link, kept = frames.read(paths[name])
            made = os.path.join(folder, "cut.pcap")
            frames.write(made, link, kept)
            truth = report(program, made, "--interval", "500ms")
            of_tcp = sum(d["bytes"] + d["unseen_bytes"] for d in truth["tcp"])
            check(truth["rates"]["both"]["wire_bytes"] == of_tcp, f"{name}: wire_bytes and the TCP directions differ")
            check(truth["rates"]["tasks_known"], f"{name}: not all tasks of the whole capture are known")
            for snap in SNAPS:
                frames.write(made, link, kept, snap)
                cut = report(program, made, "--interval", "500ms")
                check(cut["coverage"]["cut_bytes"] > 0, f"{name}: nothing was cut at {snap} bytes")
                check(rates(cut) == rates(truth), f"{name}: rates at {snap} bytes are not those of the whole capture")
                judged += 1
            print(f"FIGURE: {name}: {truth['rates']['wire']['average_wire_rate'] / 1e6:.3f} MB/s on the wire, "
                  f"{sum(len(t['intervals']) for t in truth['session_analysis']['throughput'])} intervals")
        link, kept = frames.read(os.path.join(judge.SOURCE, "sample-captures", "bundle", "command-window",
                                              "command-window.initiator.pcapng.zst"))
        ends = 0
        for start in range(100, 400, 10):  # four frames each: some are known to be iSCSI only when the capture ends
            frames.write(made := os.path.join(folder, "few.pcap"), link, kept[start:start + 4])
            few = report(program, made)
            wire = few["rates"]["wire"]
            passed = wire["bytes_to_target"] + wire["bytes_to_initiator"] - wire["unseen_bytes"]
            check(passed == few["coverage"]["iscsi_bytes"], f"frames {start + 1} to {start + 4}: {passed} bytes passed")
            ends += passed > 0
        check(ends > 5, f"{ends} captures of four frames with iSCSI")
        if LOST in paths:
            sum_of_segments, time_ns = payload(paths[LOST])
            of = report(program, paths[LOST])
            rate = of["rates"]["wire"]["average_wire_rate"]
            expected = sum_of_segments / (time_ns / 1e9)
            check(abs(rate / expected - 1) < 0.01, f"{LOST}: {rate:.0f} bytes/s, its segments give {expected:.0f}")
            check(of["rates"]["both"]["wire_rate"] is None, f"{LOST}: a wire rate over the data time of a few tasks")
            intervals = of["session_analysis"]["throughput"][0]["intervals"]
            busy = max(i["rate"]["sum"] for i in intervals)
            check(1e6 < busy < 2.6e6, f"{LOST}: {busy:.0f} bytes/s at most, over a link of 2.5 MB/s")
            text = subprocess.run([program, "report", paths[LOST]], capture_output=True, text=True, check=True).stdout
            short = text[:text.index("FINDINGS")]
            check("<0.01" not in short and f"Throughput {rate / 1e3:.0f} kB/s" in " ".join(short.split()),
                  f"{LOST}: the headline does not state {rate / 1e3:.0f} kB/s")
            judged += 1
            print(f"FIGURE: {LOST}: {rate / 1e6:.3f} MB/s, its segments give {expected / 1e6:.3f} MB/s")
        else:
            print(f"SKIPPED: {LOST} is not there")
    check(judged > 0, "no capture was judged")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
