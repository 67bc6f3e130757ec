// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/session/socket_settings.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace iscsiscope::testbed::initiator {

namespace {

std::string refused(const char *what) {
    return std::string("cannot set ") + what + ": " + std::strerror(errno);
}

// The forced variant passes the system's limit where this process may; else the plain one is checked
// for having been cut.
std::string set_buffer(int fd, int force_option, int option, std::uint32_t bytes, const char *what) {
    const int wanted = static_cast<int>(bytes);
    if (setsockopt(fd, SOL_SOCKET, force_option, &wanted, sizeof wanted) == 0)
        return {};
    if (setsockopt(fd, SOL_SOCKET, option, &wanted, sizeof wanted) != 0)
        return refused(what);
    int got = 0;
    socklen_t size = sizeof got;
    if (getsockopt(fd, SOL_SOCKET, option, &got, &size) == 0 && got / 2 < wanted)
        return std::string("the system limits the ") + what + " to " + std::to_string(got / 2) +
               " bytes (sysctl net.core.rmem_max, wmem_max), " + std::to_string(bytes) + " were asked for";
    return {};
}

std::string address_text(const sockaddr_storage &address) {
    char text[INET6_ADDRSTRLEN] = {};
    if (address.ss_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &address, sizeof v4);
        inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
        return std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
    }
    if (address.ss_family != AF_INET6)
        return {};
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return "[" + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
}

} // namespace

std::string apply_before_connect(int fd, const SocketSettings &settings) {
    std::string error;
    if (settings.send_buffer)
        error = set_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, *settings.send_buffer, "send buffer");
    if (error.empty() && settings.receive_buffer)
        error = set_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, *settings.receive_buffer, "receive buffer");
    if (!error.empty())
        return error;
    if (settings.window_clamp) {
        const int clamp = static_cast<int>(*settings.window_clamp);
        if (setsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &clamp, sizeof clamp) != 0)
            return refused("window clamp");
    }
    if (!settings.congestion.empty() &&
        setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, settings.congestion.c_str(),
                   static_cast<socklen_t>(settings.congestion.size())) != 0)
        return refused(("congestion control \"" + settings.congestion + "\"").c_str());
    if (settings.pacing_rate > 0 && setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &settings.pacing_rate,
                                               sizeof settings.pacing_rate) != 0)
        return refused("pacing rate");
    const int no_delay = settings.no_delay ? 1 : 0;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay) != 0)
        return refused("TCP_NODELAY");
    return {};
}

std::string apply_connected(int fd, const SocketSettings &settings) {
    if (settings.window_clamp) {
        const int clamp = static_cast<int>(*settings.window_clamp);
        if (setsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &clamp, sizeof clamp) != 0)
            return refused("window clamp");
    }
    renew_ack_mode(fd, settings.ack_mode);
    return {};
}

void renew_ack_mode(int fd, AckMode mode) {
    if (mode == AckMode::system)
        return;
    const int quick = mode == AckMode::quick ? 1 : 0;
    setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &quick, sizeof quick);
}

std::string connection_name(int fd, bool initiator_here) {
    sockaddr_storage here{}, there{};
    socklen_t here_size = sizeof here, there_size = sizeof there;
    if (getsockname(fd, reinterpret_cast<sockaddr *>(&here), &here_size) != 0 ||
        getpeername(fd, reinterpret_cast<sockaddr *>(&there), &there_size) != 0)
        return {};
    const std::string a = address_text(here), b = address_text(there);
    return initiator_here ? a + ">" + b : b + ">" + a;
}

} // namespace iscsiscope::testbed::initiator
