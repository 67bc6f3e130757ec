// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/live_tcp.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace iscsiscope::testbed::run {
namespace {

constexpr std::uint32_t established = 1u << 1; // TCP_ESTABLISHED, as a bit of idiag_states

struct Request {
    nlmsghdr header{};
    inet_diag_req_v2 body{};
};

bool ask(int fd) {
    Request r;
    r.header.nlmsg_len = sizeof r;
    r.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    r.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    r.body.sdiag_family = AF_INET;
    r.body.sdiag_protocol = IPPROTO_TCP;
    r.body.idiag_ext = 1 << (INET_DIAG_INFO - 1);
    r.body.idiag_states = established;
    return ::send(fd, &r, sizeof r, 0) == static_cast<ssize_t>(sizeof r);
}

// Bytes of the congestion window in one answer.
std::uint64_t window_of(const char *message, std::size_t length) {
    constexpr std::size_t begin = NLMSG_ALIGN(sizeof(inet_diag_msg));
    for (std::size_t at = begin; at + sizeof(nlattr) <= length;) {
        nlattr attribute{};
        std::memcpy(&attribute, message + at, sizeof attribute);
        if (attribute.nla_len < sizeof attribute || at + attribute.nla_len > length)
            return 0;
        if (attribute.nla_type == INET_DIAG_INFO) {
            tcp_info info{};
            std::memcpy(&info, message + at + NLA_HDRLEN,
                        std::min<std::size_t>(sizeof info, attribute.nla_len - NLA_HDRLEN));
            return std::uint64_t{info.tcpi_snd_cwnd} * info.tcpi_snd_mss;
        }
        at += NLA_ALIGN(attribute.nla_len);
    }
    return 0;
}

// The answers are ready when the request was taken: the kernel makes them as they are read.
std::uint64_t sum_of_windows(int fd) {
    std::array<char, 16384> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): recv fills it
    std::uint64_t sum = 0;
    for (;;) {
        const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got <= 0)
            return sum;
        auto left = static_cast<std::size_t>(got);
        const char *at = buffer.data();
        while (left >= sizeof(nlmsghdr)) {
            nlmsghdr header{};
            std::memcpy(&header, at, sizeof header);
            if (header.nlmsg_len < sizeof header || header.nlmsg_len > left ||
                header.nlmsg_type == NLMSG_DONE || header.nlmsg_type == NLMSG_ERROR)
                return sum;
            sum += window_of(at + NLMSG_HDRLEN, header.nlmsg_len - NLMSG_HDRLEN);
            const std::size_t step = NLMSG_ALIGN(header.nlmsg_len);
            if (step >= left)
                break;
            at += step;
            left -= step;
        }
    }
}

} // namespace

LiveTcp::LiveTcp(const std::vector<shim::NetNamespace> &spaces) {
    for (const shim::NetNamespace &space : spaces) {
        int fd = -1;
        // A socket belongs to the network namespace that it was made in.
        (void)space.inside([&fd]() -> Status {
            fd = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
            return {};
        });
        sockets_.emplace_back(fd);
    }
}

std::vector<std::uint64_t> LiveTcp::cwnd_bytes() {
    std::vector<std::uint64_t> sums;
    for (const shim::FileDescriptor &s : sockets_)
        sums.push_back(s.get() >= 0 && ask(s.get()) ? sum_of_windows(s.get()) : 0);
    return sums;
}

} // namespace iscsiscope::testbed::run
