// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/common/socket_settings.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace iscsiscope::testbed {

namespace {

std::string refused(const char *what) {
    return std::string("cannot set ") + what + ": " + std::strerror(errno);
}

// The forced option passes the system's limit where this process has the privilege. The kernel cuts the
// plain option to its limit without an error, so the value set is read back.
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

std::string set_window_clamp(int fd, const SocketSettings &settings) {
    if (!settings.window_clamp)
        return {};
    const int clamp = static_cast<int>(*settings.window_clamp);
    return setsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &clamp, sizeof clamp) == 0 ? std::string{}
                                                                                    : refused("window clamp");
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
    if (error.empty())
        error = set_window_clamp(fd, settings);
    if (!error.empty())
        return error;
    if (!settings.congestion.empty() &&
        setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, settings.congestion.c_str(),
                   static_cast<socklen_t>(settings.congestion.size())) != 0)
        return "congestion control \"" + settings.congestion +
               "\" cannot be used here: " + std::strerror(errno);
    if (settings.pacing_rate > 0 && setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &settings.pacing_rate,
                                               sizeof settings.pacing_rate) != 0)
        return refused("pacing rate");
    const int no_delay = settings.no_delay ? 1 : 0;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay) != 0)
        return refused("TCP_NODELAY");
    return {};
}

std::string apply_connected(int fd, const SocketSettings &settings) {
    std::string error = set_window_clamp(fd, settings);
    if (error.empty())
        renew_ack_mode(fd, settings.ack_mode);
    return error;
}

std::string apply_accepted(int fd, const SocketSettings &settings) {
    std::string error = apply_before_connect(fd, settings);
    return error.empty() ? apply_connected(fd, settings) : error;
}

void renew_ack_mode(int fd, AckMode mode) {
    if (mode == AckMode::system)
        return;
    const int quick = mode == AckMode::quick ? 1 : 0;
    setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &quick, sizeof quick);
}

std::string local_address(int fd) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    return getsockname(fd, reinterpret_cast<sockaddr *>(&address), &size) == 0 ? address_text(address)
                                                                               : std::string{};
}

std::string connection_name(int fd, bool initiator_here) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (getpeername(fd, reinterpret_cast<sockaddr *>(&peer), &size) != 0)
        return {};
    const std::string here = local_address(fd), there = address_text(peer);
    return initiator_here ? here + ">" + there : there + ">" + here;
}

} // namespace iscsiscope::testbed
