# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads pages of the Linux kernel's trace ring buffer (trace_pipe_raw) into events.

In: the bytes of the pages, and texts of tracefs' header_page and events/*/format, whose layout they state. Out: for each
event, in order, its name and a dict of its fields: integers, bytes for arrays, text for strings, and "time_ns" on the trace
clock. ValueError if the pages are not as the kernel's Documentation/trace/ring-buffer-design.rst and
include/linux/ring_buffer.h state them, or if the kernel lost events between them."""

import re
import struct

PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31    # type_len of what is no event
LOST = 3 << 30    # bits of a page's commit: events were lost before it
HIGH_BITS = 0xf8 << 56    # of a time, which an absolute stamp does not hold
FIELD = re.compile(r"\tfield:(.*?);\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);")
INTEGERS = {(1, 0): "B", (1, 1): "b", (2, 0): "H", (2, 1): "h", (4, 0): "I", (4, 1): "i", (8, 0): "Q", (8, 1): "q"}


def name_of(declaration):
    """Of "unsigned char cdb[32]", "__data_loc char[] msg" or "const void *skaddr"."""
    return re.sub(r"\[[^]]*\]$", "", declaration).split()[-1].lstrip("*")


class Format:
    """What one event's record holds."""

    def __init__(self, text):
        self.name = re.search(r"^name: (\S+)", text, re.M).group(1)
        self.number = int(re.search(r"^ID: (\d+)", text, re.M).group(1))
        self.symbols = {int(number): name for number, name in re.findall(r'\{ *(\d+), *"(\w+)" *\}', text)}
        self.fields = []
        for declaration, offset, size, signed in FIELD.findall(text):
            name = name_of(declaration)
            self.fields.append((name, declaration, int(offset), int(size), int(signed)))

    def read(self, data):
        out = {}
        for name, declaration, offset, size, signed in self.fields:
            if name.startswith("common_"):
                continue
            if declaration.startswith("__data_loc"):
                place = struct.unpack_from("<I", data, offset)[0]
                value = data[place & 0xffff:(place & 0xffff) + (place >> 16)]
                out[name] = value.rstrip(b"\0").decode(errors="replace") if " char[]" in declaration and \
                    "unsigned" not in declaration else value
            elif (size, signed) in INTEGERS and "[" not in declaration:
                out[name] = struct.unpack_from("<" + INTEGERS[size, signed], data, offset)[0]
            else:
                out[name] = data[offset:offset + size]
        return out


def header(text):
    """Offsets of commit and data in a page, and the page's size."""
    places = {name_of(d): (int(o), int(s)) for d, o, s, _ in FIELD.findall(text)}
    return places["commit"][0], places["data"][0], sum(places["data"])


def records(pages, page_format):
    """(time in ns, record) of every event in the pages."""
    commit_at, data_at, size = header(page_format)
    if len(pages) % size:
        raise ValueError(f"{len(pages)} bytes are not whole pages of {size}")
    for begin in range(0, len(pages), size):
        page = pages[begin:begin + size]
        now, commit = struct.unpack_from("<Q", page)[0], struct.unpack_from("<Q", page, commit_at)[0]
        if commit & LOST:
            raise ValueError(f"events were lost before the page at byte {begin}")
        at, end = data_at, data_at + (commit & 0xfffff)
        while at < end:
            word = struct.unpack_from("<I", page, at)[0]
            kind, delta = word & 31, word >> 5
            at += 4
            if kind == PADDING:
                if delta == 0:
                    break
                at += struct.unpack_from("<I", page, at)[0]
                now += delta
            elif kind == TIME_EXTEND:
                now += delta + (struct.unpack_from("<I", page, at)[0] << 27)
                at += 4
            elif kind == TIME_STAMP:
                stamp = delta + (struct.unpack_from("<I", page, at)[0] << 27) | now & HIGH_BITS
                now = stamp if stamp >= now else stamp + (1 << 59)
                at += 4
            else:
                length = 4 * kind
                if kind == 0:
                    length = struct.unpack_from("<I", page, at)[0] - 4
                    at += 4
                now += delta
                yield now, page[at:at + length]
                at += length


def events(pages, page_format, formats):
    """(name, fields) of every event of a known format."""
    known = {f.number: f for f in map(Format, formats)}
    for time_ns, record in records(pages, page_format):
        form = known.get(struct.unpack_from("<H", record)[0])
        if form:
            yield form.name, {"time_ns": time_ns, **form.read(record)}
