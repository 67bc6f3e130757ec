# SPDX-License-Identifier: GPL-2.0-or-later
"""A plan: what one run shall do, drawn anew from a seed, and what a good diagnosis says of it.

In: a fault of the catalogue, one of its strengths (clean: all the same without the fault), a loop (closed: the next
command follows a completion; paced: commands are issued independently of completions), a stack (initiator, target), a
seed. Out: the description that the guest carries out (README.md, "A run") and the label. Units: delays in ms one way,
blocks in bytes, rates as tc writes them."""

import math
import random

VIEWS = ("snap96", "snap128", "snap256", "middle", "to_target_only", "to_initiator_only")    # views.py
NAME = "iqn.2026-11.lab.stacks:disk"
SECRET = ["stacks-user", "stacks-secret-01"]
QUEUE = "limit 100000"    # packets: netem's default of 1000 would drop
KiB, MiB = 1024, 1 << 20


class Plan:
    def __init__(self, fault, strength, loop, stack, seed):
        self.fault, self.strength, self.loop, self.stack, self.seed = fault, strength, loop, stack, seed
        self.random = random.Random(f"{fault.name} {stack} {'' if fault.draws_alike else strength} {loop} {seed}")
        self.drawn = {}
        self.want, self.allowed = list(fault.want), list(fault.allowed)
        initiator, target = stack
        self.d = {"name": "", "stack": {"initiator": initiator, "target": target}, "network": {},
                  "sysctl": {"initiator": {}, "target": {}}, "during": {}, "events": [], "work": [],
                  "target": {"name": NAME, "luns": [{"backing": "memory"}]},
                  "initiator": {"settings": {"node.conn[0].timeo.noop_out_interval": 0,
                                             "node.conn[0].timeo.noop_out_timeout": 0}}}
        fault.build(self)
        self.allowed += self.of_the_stack()
        if fault.views and self.random.random() < 0.3:
            self.d["view"] = self.drawn["view"] = [self.random.choice(("ini", "tgt")), self.random.choice(VIEWS)]
        if strength == "clean":
            self.want, self.allowed = [], fault.allowed_when_clean + self.of_the_stack()

    def of_the_stack(self):
        """Kinds that are true of a stack as it comes, whatever is done: they may be shown beside the fault. tgtd takes
        8 KiB of immediate data, so a longer write waits for an R2T; LIO's devices here take 127 KiB at most, so a longer
        request comes in pieces."""
        kinds, (initiator, target) = [], self.stack
        for item in self.d["work"]:
            if target == "tgtd" and "write" in item["rw"] and item.get("block", 0) > 8 * KiB:
                kinds.append("no_unsolicited_data")
            if target == "lio" and item.get("block", 0) > 127 * KiB:
                kinds.append("io_split")
        return sorted(set(kinds) - set(self.fault.want))

    # ---- drawing

    def pick(self, name, *options):
        self.drawn[name] = self.random.choice(options)
        return self.drawn[name]

    def between(self, name, low, high, digits=2):
        """Uniform in the logarithm, so that small values come as often as large ones."""
        value = math.exp(self.random.uniform(math.log(low), math.log(high)))
        self.drawn[name] = round(value, digits)
        return self.drawn[name]

    def chance(self, name, share):
        if self.random.random() >= share:
            return False
        self.drawn[name] = True
        return True

    def by_strength(self, name, mild, strong):
        """A value of the fault's own, from (low, high) of its strength; None in a clean run."""
        if self.strength == "clean":
            return None
        return self.between(name, *(mild if self.strength == "mild" else strong))

    @property
    def faulty(self):
        return self.strength != "clean"

    # ---- network

    def way(self, low=0.2, high=12.0, plain=False):
        """Delay of both directions, and what differs from site to site: addresses, TCP options, offloads, MTU. plain:
        nothing but the delay is drawn, for faults that are made of packets of one size."""
        if self.stack[0] == "libiscsi":  # iscsi-perf cannot be slowed down, so the way bounds it
            low, high = max(low, 2), max(high, 6)
        self.delay = self.between("delay_ms", low, high)
        self.delays = [self.delay, self.delay]
        self.d["network"] = {"to_target": self.queue(0), "to_initiator": self.queue(1), "ip": 4}
        if plain:
            return
        initiator, target = self.stack
        if not {"jscsi", "rust"} & {initiator, target} and self.chance("ipv6", 0.15):
            self.d["network"]["ip"] = 6
        if self.chance("no_timestamps", 0.15):
            self.sysctl("initiator", "net.ipv4.tcp_timestamps", 0)
        elif self.chance("no_sack", 0.1):
            self.sysctl("initiator", "net.ipv4.tcp_sack", 0)
        if self.chance("offloads", 0.1):
            self.d["network"]["offloads"] = True
        elif self.chance("mtu_9000", 0.1):
            self.d["network"]["mtu"] = 9000

    def queue(self, direction, words=""):
        return f"netem delay {self.delays[direction]}ms {words} {QUEUE}".replace("  ", " ")

    def during(self, to_target=None, to_initiator=None, path=1):
        """tc's words while the work goes on; None leaves the plain delay."""
        self.d["during"][str(path)] = [to_target, to_initiator]

    def sysctl(self, host, key, value):
        self.d["sysctl"][host][key] = value

    def no_tail_loss_probe(self):
        """Else it fires before a delayed ACK, in a guest whose timer ticks every 10 ms."""
        for host in ("initiator", "target"):
            self.sysctl(host, "net.ipv4.tcp_early_retrans", 0)

    # ---- work

    def io(self, rw, block, depth, seconds=1.5, most=2 * MiB, least=0, **more):
        """One item of the work: as many I/Os as the loop takes in about `seconds`, between `least` and `most` bytes. Paced work asks
        for a third of what a closed loop would carry, at random moments."""
        if self.stack[1] == "jscsi":  # its command window is 1
            depth = 1
        cycle = (2 * self.delay + 1.0 + block / 12000) / 1000
        ios = int(min(max(12, least / block, depth * seconds / cycle), max(8, most / block), 600))
        item = {"rw": rw, "block": block, "depth": depth, "ios": ios, **more}
        if self.stack[0] == "libiscsi":
            item |= {"seconds": max(1, min(2, round(seconds))), "block": min(block, 16 * KiB), "depth": min(depth, 2)}
        if self.loop == "paced":
            rate = max(5, int(depth / cycle / 3))
            item |= {"rate": min(rate, 300), "depth": max(depth, 16), "ios": max(int(least / block), min(ios, int(min(rate, 300) * 3) + 8))}
        self.d["work"].append(item)
        self.drawn.setdefault("work", []).append(f"{rw} {item['block']} depth {item['depth']}")
        return item

    def event(self, at, do, **more):
        self.d["events"].append({"at": at, "do": do, **more})

    def setting(self, key, value):
        self.d["initiator"]["settings"][key] = value

    def keys(self, **values):
        """Text keys (RFC 7143 section 13) at both ends, where the target lets them be set."""
        for key, value in values.items():
            self.setting(("node.conn[0].iscsi." if key in ("MaxRecvDataSegmentLength", "HeaderDigest", "DataDigest")
                          else "node.session.iscsi.") + key, value)
        own = {k: v for k, v in values.items() if not k.endswith("Digest")}
        if self.stack[1] in ("lio", "tgtd", "istgt"):
            self.d["target"].setdefault("parameters", {}).update(own)

    def reads(self):
        return all("read" in item["rw"] for item in self.d["work"])

    def finish(self, name):
        """The description and, in it, the label."""
        severity = "none" if not self.want else self.fault.severity[self.strength]
        also = [] if not self.want else self.fault.also[self.strength]
        return {**self.d, "name": name, "fault": self.fault.name, "strength": self.strength, "loop": self.loop,
                "seed": self.seed, "drawn": self.drawn, "what_was_done": self.fault.done,
                "want": self.want, "allowed": self.allowed, "want_severity": severity, "severity_also_ok": also}
