# SPDX-License-Identifier: GPL-2.0-or-later
"""Beside study 5: what is run and measured."""

from __future__ import annotations

from . import raid

SIZES = [8, 128, 512]  # KB
REPEATS = 2
FIBRE_CHANNEL = {  # 100 MB/s of payload
    "link.processor-1.rate": '"829Mbit/s"',
    "link.lan.rate": '"2Gbit/s"',
}
WAYS_OF_WRITES = {
    "asked for": ["InitialR2T=Yes", "ImmediateData=No"],
    "not asked for": [
        "InitialR2T=No",
        "ImmediateData=Yes",
        "FirstBurstLength=524288",
        "MaxBurstLength=524288",
    ],
}


def fibre_channel(lab, load: str, size: float, repeat: int) -> dict:
    return raid.one(lab, "Fibre Channel", load, size, repeat, FIBRE_CHANNEL)


def write(lab, way: str, repeat: int) -> dict:
    keys = ", ".join(f'"{key}"' for key in WAYS_OF_WRITES[way])
    settings = {"program.load.options.key": f"[{keys}]"}
    if way == "not asked for":
        settings["program.target.options.key"] = f"[{keys}]"
    return raid.one(lab, "writes", "constant write", 512, repeat, settings, way=way)


def measure(lab) -> dict:
    if lab.quick:
        return {"rows": [fibre_channel(lab, load, 512, 0) for load in ("constant read", "random read")]}
    rows = []
    for repeat in range(REPEATS):
        rows += [fibre_channel(lab, load, size, repeat) for load in raid.LOADS for size in SIZES]
        rows += [write(lab, way, repeat) for way in WAYS_OF_WRITES]
        rows.append(raid.one(lab, "writes", "constant read", 512, repeat, way="read"))
    return {"rows": rows}
