// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/carriers/rtnetlink.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sys/socket.h>

namespace iscsiscope::testbed::shim {

// A netlink message under construction. Buffers are far larger than any message made here.
class Rtnetlink::Request {
public:
    template <typename Body>
    Request(std::uint16_t type, std::uint16_t flags, const Body &body) {
        header()->nlmsg_type = type;
        header()->nlmsg_flags = static_cast<std::uint16_t>(flags | NLM_F_REQUEST | NLM_F_ACK);
        header()->nlmsg_len = NLMSG_LENGTH(0);
        append(&body, sizeof body);
    }
    nlmsghdr *header() { return reinterpret_cast<nlmsghdr *>(buffer_.data()); }

    void attribute(std::uint16_t type, const void *data, std::size_t size) {
        const std::size_t start = open(type);
        append(data, size);
        close(start);
    }
    void attribute(std::uint16_t type, const std::string &text) {
        attribute(type, text.c_str(), text.size() + 1);
    }
    template <typename Number>
    void number(std::uint16_t type, Number value) {
        attribute(type, &value, sizeof value);
    }
    // A nested attribute lies between open() and close().
    std::size_t open(std::uint16_t type) {
        const std::size_t start = NLMSG_ALIGN(header()->nlmsg_len);
        header()->nlmsg_len = static_cast<std::uint32_t>(start);
        const rtattr attribute{0, type};
        append(&attribute, sizeof attribute);
        return start;
    }
    void close(std::size_t start) {
        reinterpret_cast<rtattr *>(buffer_.data() + start)->rta_len =
            static_cast<std::uint16_t>(header()->nlmsg_len - start);
    }
    void append(const void *data, std::size_t size) {
        const std::size_t at = NLMSG_ALIGN(header()->nlmsg_len);
        std::memcpy(buffer_.data() + at, data, size);
        header()->nlmsg_len = static_cast<std::uint32_t>(at + size);
    }

private:
    alignas(nlmsghdr) std::array<char, 1024> buffer_{};
};

Result<Rtnetlink> Rtnetlink::open() {
    FileDescriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    if (!socket.valid())
        return Failure{fmt::format("opening rtnetlink: {}", std::strerror(errno))};
    return Rtnetlink(std::move(socket));
}

Status Rtnetlink::execute(Request &request, const std::string &what) {
    request.header()->nlmsg_seq = ++sequence_;
    if (::send(socket_.get(), request.header(), request.header()->nlmsg_len, 0) < 0)
        return Failure{fmt::format("{}: {}", what, std::strerror(errno))};
    alignas(nlmsghdr) std::array<char, 16384> answer;
    const ssize_t size = ::recv(socket_.get(), answer.data(), answer.size(), 0);
    const auto *header = reinterpret_cast<const nlmsghdr *>(answer.data());
    if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(nlmsgerr))) || header->nlmsg_type != NLMSG_ERROR)
        return Failure{what + ": no answer from the kernel"};
    const auto *error = static_cast<const nlmsgerr *>(NLMSG_DATA(header));
    if (error->error != 0)
        return Failure{fmt::format("{}: {}", what, std::strerror(-error->error))};
    return {};
}

Result<int> Rtnetlink::index_of(const std::string &name) {
    ifinfomsg body{};
    Request request(RTM_GETLINK, 0, body);
    request.header()->nlmsg_flags = NLM_F_REQUEST;
    request.attribute(IFLA_IFNAME, name);
    request.header()->nlmsg_seq = ++sequence_;
    alignas(nlmsghdr) std::array<char, 16384> answer;
    ssize_t size = ::send(socket_.get(), request.header(), request.header()->nlmsg_len, 0);
    size = size < 0 ? size : ::recv(socket_.get(), answer.data(), answer.size(), 0);
    const auto *header = reinterpret_cast<const nlmsghdr *>(answer.data());
    if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(ifinfomsg))) || header->nlmsg_type != RTM_NEWLINK)
        return Failure{"network device " + name + " is not there"};
    return static_cast<const ifinfomsg *>(NLMSG_DATA(header))->ifi_index;
}

Status Rtnetlink::create_veth(const std::string &name, const std::string &peer, int peer_namespace) {
    const ifinfomsg body{};
    Request request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, body);
    request.attribute(IFLA_IFNAME, name);
    const std::size_t info = request.open(IFLA_LINKINFO);
    request.attribute(IFLA_INFO_KIND, "veth", 4);
    const std::size_t data = request.open(IFLA_INFO_DATA);
    const std::size_t other = request.open(VETH_INFO_PEER);
    request.append(&body, sizeof body);
    request.attribute(IFLA_IFNAME, peer);
    request.number(IFLA_NET_NS_FD, static_cast<std::uint32_t>(peer_namespace));
    request.close(other);
    request.close(data);
    request.close(info);
    return execute(request, "making a veth pair");
}

Status Rtnetlink::bring_up(const std::string &name, std::uint32_t mtu, std::uint32_t queue_length,
                           bool no_arp) {
    const Result<int> index = index_of(name);
    if (!index.ok())
        return index.failure();
    ifinfomsg body{};
    body.ifi_index = index.value();
    body.ifi_flags = no_arp ? IFF_UP | IFF_NOARP : IFF_UP;
    body.ifi_change = body.ifi_flags;
    Request request(RTM_NEWLINK, 0, body);
    request.number(IFLA_MTU, mtu);
    request.number(IFLA_TXQLEN, queue_length);
    return execute(request, "bringing " + name + " up");
}

Status Rtnetlink::set_loopback_up() {
    const Result<int> index = index_of("lo");
    if (!index.ok())
        return index.failure();
    ifinfomsg body{};
    body.ifi_index = index.value();
    body.ifi_flags = body.ifi_change = IFF_UP;
    Request request(RTM_NEWLINK, 0, body);
    return execute(request, "bringing lo up");
}

Status Rtnetlink::add_address(const std::string &name, Ipv4 address) {
    const Result<int> index = index_of(name);
    if (!index.ok())
        return index.failure();
    ifaddrmsg body{};
    body.ifa_family = AF_INET;
    body.ifa_prefixlen = 32;
    body.ifa_index = static_cast<std::uint32_t>(index.value());
    Request request(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, body);
    request.number(IFA_LOCAL, htonl(address));
    request.number(IFA_ADDRESS, htonl(address));
    return execute(request, "giving " + name + " the address " + to_string(address));
}

Status Rtnetlink::add_default_route(const std::string &name, const RouteMetrics &route) {
    const Result<int> index = index_of(name);
    if (!index.ok())
        return index.failure();
    rtmsg body{};
    body.rtm_family = AF_INET;
    body.rtm_table = RT_TABLE_MAIN;
    body.rtm_protocol = RTPROT_STATIC;
    body.rtm_scope = RT_SCOPE_LINK;
    body.rtm_type = RTN_UNICAST;
    Request request(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, body);
    request.number(RTA_OIF, static_cast<std::uint32_t>(index.value()));
    const std::size_t metrics = request.open(RTA_METRICS);
    if (route.window_clamp > 0)
        request.number(RTAX_WINDOW, route.window_clamp);
    if (route.initial_window > 0)
        request.number(RTAX_INITCWND, route.initial_window);
    if (!route.congestion_control.empty())
        request.attribute(RTAX_CC_ALGO, route.congestion_control);
    request.close(metrics);
    return execute(request, "routing through " + name);
}

Status Rtnetlink::set_noqueue(const std::string &name) {
    const Result<int> index = index_of(name);
    if (!index.ok())
        return index.failure();
    tcmsg body{};
    body.tcm_family = AF_UNSPEC;
    body.tcm_ifindex = index.value();
    body.tcm_parent = TC_H_ROOT;
    Request request(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE, body);
    request.attribute(TCA_KIND, "noqueue");
    return execute(request, "taking the queueing discipline off " + name);
}

Result<DeviceStats> Rtnetlink::stats(const std::string &name) {
    const Result<int> index = index_of(name);
    if (!index.ok())
        return index.failure();
    ifinfomsg body{};
    body.ifi_index = index.value();
    Request request(RTM_GETLINK, 0, body);
    request.header()->nlmsg_flags = NLM_F_REQUEST;
    alignas(nlmsghdr) std::array<char, 16384> answer;
    ssize_t size = ::send(socket_.get(), request.header(), request.header()->nlmsg_len, 0);
    size = size < 0 ? size : ::recv(socket_.get(), answer.data(), answer.size(), 0);
    const auto *header = reinterpret_cast<const nlmsghdr *>(answer.data());
    if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(ifinfomsg))) || header->nlmsg_type != RTM_NEWLINK)
        return Failure{"reading the counters of " + name};
    auto left = static_cast<int>(header->nlmsg_len - NLMSG_LENGTH(sizeof(ifinfomsg)));
    const auto *attribute = IFLA_RTA(static_cast<const ifinfomsg *>(NLMSG_DATA(header)));
    for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
        // Kernels lengthen this structure; only its oldest members are read.
        if (attribute->rta_type != IFLA_STATS64 || RTA_PAYLOAD(attribute) < 8 * sizeof(std::uint64_t))
            continue;
        std::array<std::uint64_t, 8> v{};
        std::memcpy(v.data(), RTA_DATA(attribute), sizeof v);
        return DeviceStats{v[0], v[1], v[4] + v[6], v[5] + v[7]}; // packets, errors + dropped
    }
    return Failure{"the kernel keeps no counters for " + name};
}

} // namespace iscsiscope::testbed::shim
