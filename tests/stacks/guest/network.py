# SPDX-License-Identifier: GPL-2.0-or-later
"""The network of the guest: initiator (the first namespace) - router - target, over two paths that share both hosts.

    i1 10.10.1.1, fd00:1::1   ra1 router1 rb1   t1 10.20.1.2, fd00:21::2   namespace "target"
    i2 10.10.2.1, fd00:2::1   ra2 router2 rb2   t2 10.20.2.2, fd00:22::2   the same namespace

netem and tbf stand in the routers, `to_target` on rb, `to_initiator` on ra, so both taps (i1, t1) are outside of what
is done to the packets, and one kernel's clock stamps both. In: a run's "network" and "sysctl" (README.md, "A run").
Units: tc's own."""

from shell import inside, read, run, write

PATHS = (1, 2)
HOSTS = {"initiator": "", "target": "target"}


def portal_address(path=1, version=4):
    return f"10.20.{path}.2" if version == 4 else f"fd00:2{path}::2"


def with_port(address, port):
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def build():
    """Makes namespaces, links, addresses and routes; once for the life of a guest."""
    run("ip netns add target")
    run("ip -n target link set lo up")
    for k in PATHS:
        r = f"router{k}"
        run(f"ip netns add {r}")
        run(f"ip link add i{k} type veth peer name ra{k} netns {r}")
        run(f"ip -n {r} link add rb{k} type veth peer name t{k} netns target")
        batch("", f"addr add 10.10.{k}.1/24 dev i{k}\naddr add fd00:{k}::1/64 dev i{k} nodad\nlink set i{k} up\n")
        batch(r, f"link set lo up\naddr add 10.10.{k}.254/24 dev ra{k}\naddr add fd00:{k}::fe/64 dev ra{k} nodad\n"
                 f"link set ra{k} up\naddr add 10.20.{k}.254/24 dev rb{k}\n"
                 f"addr add fd00:2{k}::fe/64 dev rb{k} nodad\nlink set rb{k} up\n")
        batch("target", f"addr add 10.20.{k}.2/24 dev t{k}\naddr add fd00:2{k}::2/64 dev t{k} nodad\n"
                        f"link set t{k} up\nroute add 10.10.{k}.0/24 via 10.20.{k}.254\n"
                        f"route add fd00:{k}::/64 via fd00:2{k}::fe\n")
        batch("", f"route add 10.20.{k}.0/24 via 10.10.{k}.254\nroute add fd00:2{k}::/64 via fd00:{k}::fe\n")
        with inside(r):
            write("/proc/sys/net/ipv4/ip_forward", 1)
            write("/proc/sys/net/ipv6/conf/all/forwarding", 1)


def batch(namespace, lines):
    run(["ip", "-batch", "-"], namespace, text_in=lines)


def devices():
    for k in PATHS:
        yield "", f"i{k}"
        yield f"router{k}", f"ra{k}"
        yield f"router{k}", f"rb{k}"
        yield "target", f"t{k}"


class Network:
    """What one run does to the network; `restore` undoes all of it."""

    def __init__(self):
        self.sysctls = []     # (namespace, path, old value)
        self.queues = {}      # device -> tc arguments in force
        self.offloads = None
        self.mtu = None
        self.rules = set()    # routers that have iptables rules
        self.narrowed = []    # router's devices whose MTU an event changed

    def apply(self, network, sysctl):
        self.set_offloads(bool(network.get("offloads")))
        self.set_mtu(network.get("mtu", 1500))
        for host, values in sysctl.items():
            for key, value in values.items():
                self.set_sysctl(HOSTS[host], key, value)
        for host in HOSTS:
            self.set_sysctl(HOSTS[host], "net.ipv4.tcp_no_metrics_save", 1)
        for k in PATHS:
            self.shape(k, network.get(f"to_target{'' if k == 1 else k}", ""),
                       network.get(f"to_initiator{'' if k == 1 else k}", ""))

    def shape(self, path, to_target=None, to_initiator=None):
        """Sets tc's root queue of either direction of a path; "" removes it, None leaves it."""
        for device, words in ((f"rb{path}", to_target), (f"ra{path}", to_initiator)):
            if words is None or self.queues.get(device, "") == words:
                continue
            if self.queues.get(device):
                run(f"tc qdisc del dev {device} root", f"router{path}", check=False)
            if words:
                run(f"tc qdisc add dev {device} root {words}", f"router{path}")
            self.queues[device] = words

    def set_sysctl(self, namespace, key, value):
        path = "/proc/sys/" + key.replace(".", "/")
        with inside(namespace):
            old = read(path)
            write(path, value)
        self.sysctls.append((namespace, path, old))

    def set_offloads(self, on):
        if self.offloads == on:
            return
        state = "on" if on else "off"
        for namespace, device in devices():
            words = [x for name in ("tx", "rx", "sg", "tso", "gso", "gro") for x in (name, state)]
            run(["ethtool", "-K", device] + words, namespace, check=False)
            # TCP builds super-packets whatever ethtool says, and a queue would take each as one packet.
            run(f"ip link set {device} gso_max_segs {65535 if on else 1}", namespace)
        self.offloads = on

    def set_mtu(self, mtu):
        if (self.mtu or 1500) == mtu:
            return
        for namespace, device in devices():
            self.device_mtu(namespace, device, mtu)
        self.mtu = mtu

    @staticmethod
    def device_mtu(namespace, device, mtu):
        run(f"ip link set {device} mtu {mtu}", namespace)

    def narrow(self, mtu, path=1):
        """Gives both links of a router another MTU, until `restore`."""
        for device in (f"ra{path}", f"rb{path}"):
            self.device_mtu(f"router{path}", device, mtu)
            self.narrowed.append((f"router{path}", device))

    def rule(self, words, path=1):
        """Adds an iptables rule in a router; `clear_rules` removes all."""
        run(f"iptables-legacy {words}", f"router{path}")
        self.rules.add(path)

    def clear_rules(self):
        for path in self.rules:
            run("iptables-legacy -F", f"router{path}", check=False)
        self.rules.clear()

    def restore(self):
        self.clear_rules()
        for k in PATHS:
            self.shape(k, "", "")
        for namespace, device in self.narrowed:
            self.device_mtu(namespace, device, self.mtu or 1500)
        self.narrowed.clear()
        for namespace, path, old in reversed(self.sysctls):
            with inside(namespace):
                write(path, old)
        self.sysctls.clear()

    def counters(self):
        """tc's own counters of the routers, as text: sent, dropped, overlimits."""
        return {k: run("tc -s qdisc show", f"router{k}", check=False) for k in PATHS
                if self.queues.get(f"ra{k}") or self.queues.get(f"rb{k}")}
