// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/json_row.h"
#include "sample-captures/testbed/common/file_descriptor.h"
#include "sample-captures/testbed/run/commands/stream_parts.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

namespace iscsiscope::testbed::run {
namespace {

using shim::FileDescriptor;

// Answers one request with one write of so many bytes. False: the connection is done.
bool answer_turn(int fd, std::vector<char> &data) {
    std::array<unsigned char, stream_request_size> request{};
    if (!read_all(fd, request.data(), request.size()))
        return false;
    std::uint64_t wanted = 0;
    for (const unsigned char byte : request)
        wanted = wanted << 8U | byte;
    constexpr std::uint64_t most = 1ULL << 30U;
    data.resize(std::min(wanted, most));
    std::size_t sent = 0;
    while (sent < data.size()) {
        const ssize_t size = ::send(fd, data.data() + sent, data.size() - sent, MSG_NOSIGNAL);
        if (size < 0 && errno != EINTR)
            return false;
        sent += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
    }
    return true;
}

// One step of a connection that poll reported. Adds to bytes what it moved. False: the connection is done.
bool serve(int fd, Listener kind, std::vector<char> &buffer, std::uint64_t &bytes,
           const SocketSettings &socket) {
    if (kind == Listener::answers)
        return answer_turn(fd, buffer);
    const ssize_t size = kind == Listener::sends
                             ? ::send(fd, buffer.data(), buffer.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                             : ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size <= 0)
        return size < 0 && (errno == EAGAIN || errno == EINTR);
    bytes += static_cast<std::uint64_t>(size);
    if (kind != Listener::sends)
        renew_ack_mode(fd, socket.ack_mode);
    if (kind == Listener::echoes)
        (void)!::send(fd, buffer.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL);
    return true;
}

// The sentence of what failed; empty: the socket listens.
std::string start_listening(const StreamOptions &options, FileDescriptor &listener) {
    const std::string host = options.address.empty() ? "0.0.0.0" : options.address;
    addrinfo hints{}, *found = nullptr;
    hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
    hints.ai_socktype = SOCK_STREAM;
    if (::getaddrinfo(host.c_str(), std::to_string(options.port).c_str(), &hints, &found) != 0)
        return host + " is not an address";
    listener = FileDescriptor(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int one = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    std::string failed = apply_before_connect(listener.get(), options.socket);
    if (failed.empty() &&
        (::bind(listener.get(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(listener.get(), 64) != 0))
        failed = std::string("listening: ") + std::strerror(errno);
    ::freeaddrinfo(found);
    return failed;
}

} // namespace

int stream_listen(const StreamOptions &options) {
    end_on_signals();
    FileDescriptor listener;
    if (const std::string failed = start_listening(options, listener); !failed.empty())
        return stream_failed(failed, 0);
    const std::string address = local_address(listener.get());
    std::printf("ready port %s\n", address.substr(address.rfind(':') + 1).c_str());
    std::fflush(stdout);
    const short events = options.listener == Listener::sends ? POLLOUT : POLLIN;
    std::vector<FileDescriptor> connections;
    std::vector<char> buffer(options.listener == Listener::sends ? options.block : std::size_t{1} << 18U,
                             'x');
    std::uint64_t bytes = 0;
    while (stream_end_requested == 0) {
        std::vector<pollfd> polled = {{listener.get(), POLLIN, 0}};
        for (const FileDescriptor &connection : connections)
            polled.push_back({connection.get(), events, 0});
        if (::poll(polled.data(), polled.size(), 100) <= 0)
            continue; // 100 ms: SIGTERM may come between the test above and poll
        for (std::size_t i = polled.size() - 1; i > 0; --i)
            if (polled[i].revents != 0 &&
                !serve(polled[i].fd, options.listener, buffer, bytes, options.socket))
                connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i) - 1);
        if (polled[0].revents != 0) {
            FileDescriptor connection(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (connection.valid()) {
                apply_accepted(connection.get(), options.socket);
                connections.push_back(std::move(connection));
            }
        }
    }
    return stream_finished(JsonObject("stream").text("side", "listener").number("bytes", bytes).str(),
                           options.truth);
}

} // namespace iscsiscope::testbed::run
