# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a finding's times are those of a fault. In: `times` of a finding of `report --format json`, first and last moment
of the fault, begin and end of the capture; all in ns. Right: begin and end each within 0.5 s or 5 % of the capture;
"throughout" is right where the fault begins and ends that near to the capture's own ends."""


def right(times, first, last, begin, end):
    tolerance = max(500_000_000, (end - begin) // 20)
    if times["throughout"]:
        return first - begin <= tolerance and end - last <= tolerance
    if not times["parts"]:
        return False
    return abs(times["parts"][0]["from"] - first) <= tolerance and abs(times["parts"][-1]["to"] - last) <= tolerance


def best(judged):
    """Of several findings of one fault (losses, and timeouts after some of them) one has to be right. None: not judged."""
    return None if None in judged else any(judged)
