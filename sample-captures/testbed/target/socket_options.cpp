// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/socket_options.h"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace iscsiscope::testbed {
namespace {

bool set(int fd, int level, int option, std::uint32_t value, std::string_view name, std::string &error) {
    const int number = static_cast<int>(value);
    if (::setsockopt(fd, level, option, &number, sizeof number) == 0)
        return true;
    error = fmt::format("cannot set {} to {}: {}", name, value, std::strerror(errno));
    return false;
}

} // namespace

bool set_socket_options(int fd, const SocketKnobs &knobs, std::string &error) {
    if (knobs.send_buffer && !set(fd, SOL_SOCKET, SO_SNDBUF, *knobs.send_buffer, "SO_SNDBUF", error))
        return false;
    if (knobs.receive_buffer && !set(fd, SOL_SOCKET, SO_RCVBUF, *knobs.receive_buffer, "SO_RCVBUF", error))
        return false;
    if (knobs.window_clamp &&
        !set(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, *knobs.window_clamp, "TCP_WINDOW_CLAMP", error))
        return false;
    const std::string &control = knobs.congestion_control;
    if (!control.empty() && ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, control.data(),
                                         static_cast<socklen_t>(control.size())) != 0) {
        error =
            fmt::format("congestion control \"{}\" cannot be used here: {}", control, std::strerror(errno));
        return false;
    }
    return set(fd, IPPROTO_TCP, TCP_NODELAY, knobs.nagle ? 0 : 1, "TCP_NODELAY", error);
}

} // namespace iscsiscope::testbed
