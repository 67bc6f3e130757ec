# SPDX-License-Identifier: GPL-2.0-or-later
"""What the captures of initiator and target show together: the delay between them, quiet intervals, a
packet ladder.

Both captures of a run have one clock."""

from __future__ import annotations

import numpy

from . import packets

ISCSI = ":3260"
COMMAND = 48  # bytes of a PDU without data


def delay_ns(near, far) -> float:
    """One way, of the commands: from the initiator's end to the target's, the median."""
    sent = near[near["destination"].str.endswith(ISCSI) & (near["payload"] == COMMAND)]
    arrived = far[far["destination"].str.endswith(ISCSI) & (far["payload"] == COMMAND)]
    both = sent.merge(arrived, on="seq")
    return float((both["time_ns_y"] - both["time_ns_x"]).median())


def waits(run, reads) -> dict:
    """d, and of the Reads: the segments with payload from the target, and the quiet intervals, which are
    stretches longer than d/2 in which neither end sends or receives a segment (in units of d)."""
    near = packets.segments(run.capture("initiator"))
    far = packets.segments(run.capture("target"))
    d = delay_ns(near, far)
    near_times, far_times = near["time_ns"].to_numpy(), far["time_ns"].to_numpy()
    data_times = near[near["source"].str.endswith(ISCSI) & (near["payload"] > 0)]["time_ns"].to_numpy()
    counts, quiet = [], []
    for read in reads.itertuples():
        begin, end = read.start_ns, read.start_ns + int(read.response_time_ns)
        counts.append(int(((data_times >= begin) & (data_times <= end)).sum()))
        times = numpy.concatenate([t[(t >= begin) & (t <= end)] for t in (near_times, far_times)])
        quiet.append([float(gap / d) for gap in numpy.diff(numpy.sort(times)) if gap > d / 2])
    four = [intervals for intervals in quiet if len(intervals) == 4]
    return {
        "d_ms": d / 1e6,
        "segments": float(numpy.median(counts)),
        "segments_as_median": float(numpy.mean(numpy.array(counts) == numpy.median(counts))),
        "quiet": float(numpy.median([len(intervals) for intervals in quiet])),
        "quiet_four_share": len(four) / max(len(quiet), 1),
        "quiet_lengths": [round(float(value), 3) for value in numpy.median(four, axis=0)] if four else [],
    }


def ladder(run, read) -> list[list]:
    """Every segment of a Read: ms since the command at the initiator and at the target, 1 if it came from
    the target, payload."""
    near, far = packets.segments(run.capture("initiator")), packets.segments(run.capture("target"))
    same = ["source", "seq", "ack", "payload", "flags"]
    both = near.merge(far, on=same, suffixes=("_near", "_far"))
    begin = int(read["start_ns"])
    end = begin + int(read["response_time_ns"])
    both = both[(both["time_ns_near"] >= begin) & (both["time_ns_near"] <= end)]
    rows = []
    for segment in both.itertuples():
        times = [round((t - begin) / 1e6, 3) for t in (segment.time_ns_near, segment.time_ns_far)]
        rows.append([*times, int(segment.source.endswith(ISCSI)), int(segment.payload)])
    return rows
