# SPDX-License-Identifier: GPL-2.0-or-later
"""Beside study 5: the same target behind Fibre Channel's rate, and what a Write costs more than a Read. No claim is
judged."""

from __future__ import annotations

from .claim import ADDITION, Claim, Finding
from .points import mean
from .runs import raid
from .runs.raid_reasons import WAYS_OF_WRITES, measure  # noqa: F401

NAME = "raid-reasons"
TITLE = "iPosRAID: Fibre Channel and Writes"
SOURCE = "Ryu et al.: iPosRAID, an iSCSI RAID target with one TCP connection per session, 2002."
METHOD = """\
The paper measures the same RAID behind Fibre Channel too: 94.6 MB/s of constant reads, 93.7 of constant writes.
Here it is the target of study 5 (`raid`) with what stands for Fibre Channel of 1 Gbit/s: a link of 100 MB/s of
payload, and no cost of a connection. That rate is set, so that constant requests show only that nothing else holds
them; what sequential and random requests reach is the disks' own.

The claim `constant-write` of study 5 is not reproduced: Writes are as fast as Reads here but for their R2Ts. Writes
of 512 KB are run with R2Ts for all of their data, and without any, beside Reads.

Each point is the mean of 2 runs, each with its own seed; bars go from the lowest to the highest run."""
SYMBOLS = {
    "constant, sequential, random": "the same address again and again; one after the other; anywhere",
    "MB/s": "1,000,000 bytes a second; KB of sizes are 1024 bytes",
}


def show_fibre_channel(points: dict) -> Finding:
    largest = {load: mean(points, "rate", "Fibre Channel", load=load, size=512) for load in raid.LOADS}
    return Finding(
        ADDITION,
        "512 KB, MB/s: " + ", ".join(f"{load} {value:.1f}" for load, value in largest.items()),
        "published 94.6 of constant reads and 93.7 of constant writes. Against study 5 the network's share is"
        " what constant requests gain here; sequential and random ones are held by the disks in both",
    )


def show_writes(points: dict) -> Finding:
    read = mean(points, "rate", "writes", way="read")
    rates = {way: mean(points, "rate", "writes", way=way) for way in WAYS_OF_WRITES}
    return Finding(
        ADDITION,
        f"512 KB: read {read:.2f}, write "
        + ", ".join(f"{way} {value:.2f} ({value / read:.2f} of a read)" for way, value in rates.items())
        + " MB/s",
        "what R2Ts have to do with the claim `constant-write` (at most 0.95 of a read; the paper's 19 of 23"
        " MB/s are 0.83)",
    )


CLAIMS = [
    Claim(
        "fibre-channel",
        "Not judged, as its rate is set here: the same RAID behind Fibre Channel.",
        "94.6 and 93.7 MB/s",
        "none",
        show_fibre_channel,
        "figures 4, 6",
    ),
    Claim("writes", "Not in the paper: Writes with and without R2Ts.", "", "none", show_writes),
]
