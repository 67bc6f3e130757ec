# SPDX-License-Identifier: GPL-2.0-or-later
"""Small figures of lists of numbers.

In: numbers. Out: quantiles and unions. Units: those that come in, except `spread`, which takes nanoseconds and gives
milliseconds.
"""


def quantile(ordered, share):
    """The element at `share` of an ordered list (the upper one of two neighbours); None for an empty list."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None


def spread(durations):
    """n, min, p50, p90 and max of durations in nanoseconds, as milliseconds."""
    ordered = sorted(durations)
    if not ordered:
        return {'n': 0}
    named = {'min_ms': ordered[0], 'p50_ms': quantile(ordered, .5), 'p90_ms': quantile(ordered, .9), 'max_ms': ordered[-1]}
    return {'n': len(ordered), **{name: round(value / 1e6, 6) for name, value in named.items()}}


def union(spans):
    """The total length of the union of spans (from, to)."""
    total, reached = 0, None
    for low, high in sorted(spans):
        if reached is None or low > reached:
            total += high - low
            reached = high
        elif high > reached:
            total += high - reached
            reached = high
    return total


def max_at_once(spans):
    """The largest number of spans (from, to) that cover one moment; a span that ends when another begins is over."""
    spans = list(spans)
    events = sorted([(low, 1) for low, _ in spans] + [(high, -1) for _, high in spans])
    now = most = 0
    for _, step in events:
        now += step
        most = max(most, now)
    return most
