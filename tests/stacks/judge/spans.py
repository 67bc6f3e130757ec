# SPDX-License-Identifier: GPL-2.0-or-later
"""Arithmetic of sets of time spans.

In and out: lists of spans (from, to). Every function but `merged` expects and gives spans that are in order, not empty
and do not touch. Units: those that come in, integer nanoseconds everywhere in the judge.
"""


def merged(spans):
    """The union of any spans."""
    found = []
    for low, high in sorted(span for span in spans if span[1] > span[0]):
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found


def common(one, other):
    """What lies in both sets."""
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        low, high = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if high > low:
            found.append((low, high))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return found


def without(one, other):
    """What lies in the first set and not in the other."""
    found, at = [], 0
    for low, high in one:
        while at < len(other) and other[at][1] <= low:
            at += 1
        place = at
        while place < len(other) and other[place][0] < high:
            if other[place][0] > low:
                found.append((low, other[place][0]))
            low = max(low, other[place][1])
            place += 1
        if low < high:
            found.append((low, high))
    return found


def moved(spans, by):
    """The same set, later by `by`."""
    return [(low + by, high + by) for low, high in spans]


def length(spans):
    """The sum of the lengths."""
    return sum(high - low for low, high in spans)
