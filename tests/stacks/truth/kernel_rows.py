# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernel knew of a run: its trace events (ring_buffer.py) as truth rows.

In: events in order, the port that the target listens on, the address of TCP's retransmission timer. Out: dicts with `row`,
`side` (`initiator`, `target`), times on the captures' clock in ns. Names and units are those of the testbed's truth
(docs/formats.md, "Truth rows") where it states the same thing. `connection` is address:port>address:port, initiator first.

| row | one per | members |
| --- | --- | --- |
| tcp_info | segment that a socket received | connection, time_ns, and what held until then, before it was taken in: ca_state, cwnd, ssthresh (segments), snd_mss, rtt_us (smoothed), rto_us, unacked, sacked, lost, retrans (segments), snd_una, snd_nxt (sequence numbers), snd_wnd, rcv_wnd (bytes) |
| ca_state | change of the congestion state | connection, time_ns, state |
| retransmission | segment sent again | connection, time_ns, seq, end_seq, reason |
| timer | end of a socket's retransmission timer | time_ns, kind (rto, tail_loss_probe, reordering_timer; null: nothing was sent again); connection, where an event in its course names it |
| reset | RST sent | connection, time_ns |
| command | SCSI command | itt as the captures show it, opcode, lun, cdb (hex). initiator: submitted_ns (to the driver), handed_ns (its PDU was made), status_ns (done), result; target: received_ns (CDB taken), serviced_ns (its data are there, or stored), status |
| bio | request to a block device | device (major, minor), sector, sectors, kind, start_ns, end_ns, error. The side is not known |
| drop | packet that the kernel dropped | time_ns, reason. The side is not known |

A retransmission's reason is the timer in whose course it happened, else the congestion state: `rto`, `tail_loss_probe`,
`reordering_timer` (RACK's), `fast` (in Recovery, at an ACK), `after_rto` (in Loss, at an ACK), `other`. Two things are put together and no event of
the kernel's: which of a socket's timers ended, from the congestion state in its course; and which command a PDU belongs to,
from the order in which a host's commands and its session's PDUs come."""

import ipaddress
import re
import struct

STATES = ("open", "disorder", "cwr", "recovery", "loss")
PREPARED = re.compile(r"iscsi prep \[(\w+) cid (\d+) sc \S+ cdb 0x([0-9a-f]+) itt 0x([0-9a-f]+) len (\d+) cmdsn (\d+)")
BY_STATE = {"loss": "rto", "recovery": "reordering_timer"}    # which timer ended, by the congestion state in its course
NO_SSTHRESH = 0x7fffffff
IPV6 = 10    # AF_INET6
MINOR_BITS = 20


def on_the_wire(tag):
    """A task tag as the captures show it: Linux keeps it in its own byte order."""
    return struct.unpack(">I", struct.pack("<I", tag & 0xffffffff))[0]


def socket_address(data):
    """Of a struct sockaddr_in or sockaddr_in6: (address, port)."""
    family, port = struct.unpack_from("<H", data)[0], struct.unpack_from(">H", data, 2)[0]
    return ipaddress.ip_address(data[8:24] if family == IPV6 else data[4:8]), port


def with_port(address, port):
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    return f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"


class Rows:
    """Takes events in order; `rows` holds what came of them, `finish` closes what is open."""

    def __init__(self, port, timer_address, symbols):
        self.port, self.timer_address, self.symbols = port, timer_address, symbols
        self.rows, self.states = [], {}
        self.timer = None    # row of the timer that runs now
        self.hosts, self.sessions = [], []    # SCSI hosts and iSCSI sessions in the order of their first command
        self.submitted, self.dispatched = {}, {}    # host → commands without a PDU; (host, tag) → command
        self.at_target, self.bios = {}, {}

    def take(self, name, event):
        method = getattr(self, name, None)
        if method:
            method(event)

    def add(self, row, **members):
        self.rows.append({"row": row, **members})
        return self.rows[-1]

    # ---- TCP

    def end(self, source, destination):
        """(side, connection) of a socket."""
        if source[1] == self.port:
            return "target", f"{with_port(*destination)}>{with_port(*source)}"
        return "initiator", f"{with_port(*source)}>{with_port(*destination)}"

    def of_socket(self, e):
        """The same from an event with separate addresses and ports."""
        six = e["family"] == IPV6
        return self.end((ipaddress.ip_address(e["saddr_v6" if six else "saddr"]), e["sport"]),
                        (ipaddress.ip_address(e["daddr_v6" if six else "daddr"]), e["dport"]))

    def ours(self, e):
        return self.port in (e["sport"], e["dport"])

    def tcp_probe(self, e):
        if not self.ours(e):
            return
        side, connection = self.end(socket_address(e["saddr"]), socket_address(e["daddr"]))
        # What the socket sends in answer may bear the same time as the segment: the values end just before it.
        self.add("tcp_info", side=side, connection=connection, time_ns=e["time_ns"] - 1, ca_state=e["ca_state"],
                 cwnd=e["snd_cwnd"], ssthresh=None if e["ssthresh"] >= NO_SSTHRESH else e["ssthresh"], snd_mss=e["mss"],
                 rtt_us=e["srtt"], rto_us=e["rto"], unacked=e["packets_out"], sacked=e["sacked_out"], lost=e["lost_out"],
                 retrans=e["retrans_out"], snd_una=e["snd_una"], snd_nxt=e["snd_nxt"], snd_wnd=e["snd_wnd"],
                 rcv_wnd=e["rcv_wnd"])

    def tcp_cong_state_set(self, e):
        if not self.ours(e):
            return
        side, connection = self.of_socket(e)
        self.states[side, connection] = STATES[e["cong_state"]]
        self.add("ca_state", side=side, connection=connection, time_ns=e["time_ns"], state=STATES[e["cong_state"]])
        self.name_timer(side, connection)
        if self.timer:
            self.timer["kind"] = BY_STATE.get(STATES[e["cong_state"]], self.timer["kind"])

    def tcp_retransmit_skb(self, e):
        if not self.ours(e):
            return
        side, connection = self.of_socket(e)
        state = self.states.get((side, connection), "open")
        self.name_timer(side, connection)
        if self.timer:
            self.timer["kind"] = self.timer["kind"] or BY_STATE.get(state, "tail_loss_probe")
            reason = self.timer["kind"]
        else:
            reason = {"loss": "after_rto", "recovery": "fast"}.get(state, "other")
        self.add("retransmission", side=side, connection=connection, time_ns=e["time_ns"], seq=e["seq"],
                 end_seq=e["end_seq"], reason=reason)

    def tcp_send_reset(self, e):
        source, destination = socket_address(e["saddr"]), socket_address(e["daddr"])
        if self.port in (source[1], destination[1]):
            side, connection = self.end(source, destination)
            self.add("reset", side=side, connection=connection, time_ns=e["time_ns"])

    def timer_expire_entry(self, e):
        if e["function"] == self.timer_address:
            self.timer = self.add("timer", side=None, connection=None, time_ns=e["time_ns"], kind=None)

    def timer_expire_exit(self, _):
        self.timer = None

    def name_timer(self, side, connection):
        if self.timer:
            self.timer |= {"side": side, "connection": connection}

    # ---- initiator

    def scsi_dispatch_cmd_start(self, e):
        host = e["host_no"]
        if host not in self.hosts:
            self.hosts.append(host)
        row = self.add("command", side="initiator", itt=None, opcode=e["opcode"], lun=e["lun"], cdb=e["cmnd"].hex(),
                       submitted_ns=e["time_ns"], handed_ns=None, status_ns=None, result=None)
        self.submitted.setdefault(host, []).append(row)
        self.dispatched[host, e["driver_tag"]] = row

    def iscsi_dbg_session(self, e):
        found = PREPARED.search(e["msg"])
        if not found:
            return
        if e["dname"] not in self.sessions:
            self.sessions.append(e["dname"])
        place = self.sessions.index(e["dname"])
        waiting = self.submitted.get(self.hosts[place], []) if place < len(self.hosts) else []
        if not waiting:    # a command that the driver made itself
            return
        row = waiting.pop(0)
        row |= {"itt": on_the_wire(int(found.group(4), 16)), "handed_ns": e["time_ns"]}

    def scsi_dispatch_cmd_done(self, e):
        row = self.dispatched.pop((e["host_no"], e["driver_tag"]), None)
        if row:
            row |= {"status_ns": e["time_ns"], "result": e["result"]}
            waiting = self.submitted[e["host_no"]]
            if row["handed_ns"] is None and row in waiting:    # it ended before its PDU was made
                waiting.remove(row)

    # ---- target

    def target_sequencer_start(self, e):
        self.at_target[e["initiator"], e["tag"]] = self.add(
            "command", side="target", itt=on_the_wire(e["tag"]), opcode=e["opcode"], lun=e["unpacked_lun"],
            cdb=e["cdb"].hex(), received_ns=e["time_ns"], serviced_ns=None, status=None)

    def target_cmd_complete(self, e):
        row = self.at_target.pop((e["initiator"], e["tag"]), None)
        if row:
            row |= {"serviced_ns": e["time_ns"], "status": e["scsi_status"]}

    def block_bio_queue(self, e):
        key = e["dev"], e["sector"], e["nr_sector"]
        row = self.add("bio", device=[e["dev"] >> MINOR_BITS, e["dev"] & (1 << MINOR_BITS) - 1], sector=e["sector"],
                       sectors=e["nr_sector"], kind=e["rwbs"].rstrip(b"\0").decode(), start_ns=e["time_ns"], end_ns=None,
                       error=None)
        self.bios.setdefault(key, []).append(row)

    def block_bio_complete(self, e):
        waiting = self.bios.get((e["dev"], e["sector"], e["nr_sector"]))
        if waiting:
            waiting.pop(0).update(end_ns=e["time_ns"], error=e["error"])

    # ---- the network

    def kfree_skb(self, e):
        self.add("drop", time_ns=e["time_ns"], reason=self.symbols.get(e["reason"], str(e["reason"])).lower())
