# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP segments of a testbed capture, for what the analyzer has no table of: plain streams, and ladders.

Reads the pcapng that the testbed writes (docs/formats.md): little-endian, one interface, nanoseconds,
Ethernet or raw IPv4."""

from __future__ import annotations

import pathlib
import struct

import pandas

SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
ETHERNET, RAW_IP = 1, 101


def segments(capture: pathlib.Path):
    """One row a segment: time_ns, source and destination ("address:port"), seq, ack, payload, flags,
    window."""
    data = capture.read_bytes()
    at, link_type, rows = 0, ETHERNET, []
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == INTERFACE:
            link_type = struct.unpack_from("<H", data, at + 8)[0]
        elif kind == PACKET:
            high, low = struct.unpack_from("<II", data, at + 12)
            row = _segment(data, at + 28 + (14 if link_type == ETHERNET else 0))
            if row:
                rows.append((high << 32 | low, *row))
        at += length
    columns = ["time_ns", "source", "destination", "seq", "ack", "payload", "flags", "window"]
    return pandas.DataFrame(rows, columns=columns)


def _segment(data: bytes, ip: int):
    if data[ip] >> 4 != 4 or data[ip + 9] != 6:
        return None
    total = struct.unpack_from(">H", data, ip + 2)[0]
    tcp = ip + (data[ip] & 15) * 4
    source_port, port, seq, ack, offset, flags, window = struct.unpack_from(">HHIIBBH", data, tcp)
    payload = total - (tcp - ip) - (offset >> 4) * 4
    source = ".".join(map(str, data[ip + 12 : ip + 16])) + f":{source_port}"
    destination = ".".join(map(str, data[ip + 16 : ip + 20])) + f":{port}"
    return source, destination, seq, ack, payload, flags, window


def answers(frame, server_port: int):
    """Of a plain request and answer stream: one row an answer, with its segments between two requests.
    first_ns and last_ns are the arrivals of its first and last segment, bytes_behind the payload behind
    the first segment."""
    data = frame[frame["payload"] > 0]
    from_server = data["source"].str.endswith(f":{server_port}")
    turn = (~from_server).cumsum()[from_server]
    rows = []
    for _, part in data[from_server].groupby(turn):
        if len(part) > 1:
            rows.append((part["time_ns"].iloc[0], part["time_ns"].iloc[-1], part["payload"].iloc[1:].sum()))
    return pandas.DataFrame(rows, columns=["first_ns", "last_ns", "bytes_behind"])


def stream_rate(frame, last_share: float = 1.0) -> float:
    """Bytes a second of payload in the direction that carries most, over the last share of its time."""
    data = frame[frame["payload"] > 0]
    busiest = data.groupby("source")["payload"].sum().idxmax()
    data = data[data["source"] == busiest]
    first, last = data["time_ns"].iloc[0], data["time_ns"].iloc[-1]
    part = data[data["time_ns"] >= last - (last - first) * last_share]
    return float(part["payload"].iloc[1:].sum() / (part["time_ns"].iloc[-1] - part["time_ns"].iloc[0]) * 1e9)
