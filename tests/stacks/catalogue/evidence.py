# SPDX-License-Identifier: GPL-2.0-or-later
"""Short questions to the walker's evidence (tests/stacks/walker, plain data), for the checks of the catalogue. Units:
ms, bytes, counts, as the names say."""


def way(e, direction):
    """What the network did in a direction, "to_target" or "to_initiator"."""
    return e["between"][direction]


def lost(e):
    return way(e, "to_target")["lost"] + way(e, "to_initiator")["lost"]


def damaged(e):
    return e["ini"]["damaged_frames"] + e["tgt"]["damaged_frames"]


def base_ms(e):
    """The shortest round trip of the network."""
    ways = [way(e, d)["one_way"] for d in ("to_target", "to_initiator")]
    return sum(w.get("min_ms", 0) for w in ways)


def connections(e, tap="ini"):
    return e[tap]["connections"]


def directions(e, tap):
    for connection in connections(e, tap):
        yield connection["from_initiator"]
        yield connection["from_target"]


def senders(e):
    """Both directions of each connection as its sender's own tap saw them."""
    for connection in connections(e, "ini"):
        yield connection["from_initiator"]
    for connection in connections(e, "tgt"):
        yield connection["from_target"]


def repeats(e):
    return sum(s["repeats_in_work"] for s in senders(e))


def late_repeats(e):
    """Repeats after more than 150 ms in which their sender sent no data."""
    return sum(s["repeats_after_150ms_in_work"] for s in senders(e))


def statuses(e):
    out = {}
    for connection in connections(e):
        for name, count in connection["statuses_in_work"].items():
            out[name] = out.get(name, 0) + count
    return out


def not_good(e):
    return sum(n for name, n in statuses(e).items() if name != "GOOD")


def scan_answers(e):
    """CHECK CONDITIONs that belong to any scan of a disk: a command or field that the target does not know (5/20, 5/24),
    a unit attention (6)."""
    return sum(n for c in connections(e) for sense, n in c["senses_in_work"].items()
               if sense.startswith(("5/20/", "5/24/", "6/")))


def services(e, lun=None, reads=None):
    """Groups of GOOD tasks of the work, the largest first, that move data."""
    for group in e["services"]:
        is_read, is_write = group["cdb"].startswith("READ1"), group["cdb"].startswith("WRITE1")
        if not (is_read or is_write) or group["cdb"] == "READ CAPACITY10":
            continue
        if (lun is None or group["lun"] == lun) and (reads is None or reads == is_read):
            yield group


def service_ms(group):
    """The median of what the target took: to the first answer of a Read, from the last data of a Write."""
    name = "to_first_answer" if group["to_first_answer"]["n"] else "last_data_to_response"
    return group[name].get("p50_ms") or 0.0


def slowest_service_ms(e, **which):
    return max((service_ms(group) for group in services(e, **which)), default=0.0)


def tasks(e):
    return e["throughput"]["both"]["tasks"]


def resets(e):
    """Connections with commands that ended by RST although no Logout had been answered (a discovery session ends so)."""
    return sum(1 for c in connections(e) if c["commands"] and (c["from_initiator"]["rst"] or c["from_target"]["rst"])
               and not c["pdus"].get("Logout Response"))


def refused(e):
    return [status for c in connections(e) for status in c["login_statuses"] if status != "0000"]


def healthy(e, allow_errors=False):
    """What has to hold of a run in which nothing was done: (shown, sentence)."""
    faults = []
    if lost(e):
        faults.append(f"{lost(e)} packets lost")
    if repeats(e) > 3 + sum(s["segments"] for s in senders(e)) / 100:  # a tail probe that was not needed is ordinary
        faults.append(f"{repeats(e)} repeats")
    if damaged(e):
        faults.append(f"{damaged(e)} damaged frames")
    if not_good(e) > scan_answers(e) and not allow_errors:
        faults.append(f"{not_good(e)} commands not good")
    if refused(e) and not allow_errors:
        faults.append(f"logins refused: {refused(e)}")
    if resets(e):
        faults.append(f"{resets(e)} connections reset")
    if slowest_service_ms(e) > 8 + 2 * base_ms(e):
        faults.append(f"median service {slowest_service_ms(e):.1f} ms")
    if not allow_errors and not tasks(e):
        faults.append("no read or write")
    return not faults, "; ".join(faults) or f"{tasks(e)} reads and writes, nothing lost or repeated"
