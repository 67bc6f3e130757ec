// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/json_row.h"
#include "sample-captures/testbed/common/file_descriptor.h"
#include "sample-captures/testbed/run/commands/stream_parts.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <exception>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace iscsiscope::testbed::run {
namespace {

using shim::FileDescriptor;

std::int64_t clock_ns(clockid_t id) {
    timespec t{};
    ::clock_gettime(id, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// The sentence of what failed; empty: connected.
std::string connect_to(const StreamOptions &options, FileDescriptor &out) {
    const std::string &to = options.to;
    const std::size_t colon = to.rfind(':');
    std::string host = colon == std::string::npos ? std::string{} : to.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (host.empty() || ::getaddrinfo(host.c_str(), to.c_str() + colon + 1, &hints, &found) != 0)
        return to + " is not a HOST:PORT that can be resolved";
    out = FileDescriptor(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    std::string failed = apply_before_connect(out.get(), options.socket);
    if (failed.empty() && ::connect(out.get(), found->ai_addr, found->ai_addrlen) != 0)
        failed = "connecting to " + to + ": " + std::strerror(errno);
    ::freeaddrinfo(found);
    return failed.empty() ? apply_connected(out.get(), options.socket) : failed;
}

struct Stream {
    FileDescriptor socket;
    std::uint64_t limit = 0; // bytes; 0: none
    std::uint64_t bytes = 0; // moved
    std::uint64_t segments_retransmitted = 0;
    std::string failed;         // sentence; empty: done
    int error = 0;              // its errno
    std::exception_ptr failure; // an exception that ended its thread
};

// Bytes that the next call moves; 0: a bound is reached.
std::size_t next_piece(const StreamOptions &options, const Stream &stream, std::int64_t start) {
    const bool over = options.time_ns > 0 && clock_ns(CLOCK_MONOTONIC) - start >= options.time_ns;
    if (over || stream_end_requested != 0)
        return 0;
    return stream.limit == 0 ? options.block
                             : std::min<std::uint64_t>(options.block, stream.limit - stream.bytes);
}

// Waits until the descriptor is ready, at most 100 ms so that bounds and signals are seen. False: it is not.
bool wait_for(int fd, short events) {
    pollfd polled{fd, events, 0};
    return ::poll(&polled, 1, 100) > 0;
}

void send_one(const StreamOptions &options, Stream &stream, std::int64_t start) {
    const std::vector<char> data(options.block, 'x');
    const int fd = stream.socket.get();
    while (const std::size_t piece = next_piece(options, stream, start)) {
        const ssize_t size = ::send(fd, data.data(), piece, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size < 0 && errno == EAGAIN) {
            // A try before the socket reports room would keep its buffer fuller than a call that waits.
            while (next_piece(options, stream, start) > 0 && !wait_for(fd, POLLOUT)) {
            }
        } else if (size < 0 && errno != EINTR) {
            stream.failed = "sending";
            stream.error = errno;
            return;
        }
        stream.bytes += size > 0 ? static_cast<std::uint64_t>(size) : 0;
    }
    tcp_info info{};
    socklen_t size = sizeof info;
    ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size);
    stream.segments_retransmitted = info.tcpi_total_retrans;
    ::shutdown(fd, SHUT_WR);
    int patience = 20; // of 100 ms once an end is requested
    while (patience > 0 && !wait_for(fd, POLLIN))
        patience -= stream_end_requested != 0 ? 1 : 0;
    char rest = 0;
    if (::recv(fd, &rest, 1, MSG_DONTWAIT) < 0) { // the listener closes when it has everything
        stream.failed = "waiting until the listener has everything";
        stream.error = errno;
    }
}

void receive_one(const StreamOptions &options, Stream &stream, std::int64_t start) {
    std::vector<char> data(options.block);
    const int fd = stream.socket.get();
    while (const std::size_t piece = next_piece(options, stream, start)) {
        if (!wait_for(fd, POLLIN))
            continue;
        const ssize_t size = ::recv(fd, data.data(), piece, 0);
        if (size == 0 || (size < 0 && errno != EINTR)) {
            stream.failed = "receiving";
            stream.error = size == 0 ? ECONNRESET : errno;
            return;
        }
        renew_ack_mode(fd, options.socket.ack_mode);
        stream.bytes += size > 0 ? static_cast<std::uint64_t>(size) : 0;
    }
}

using MoveBytes = void (*)(const StreamOptions &, Stream &, std::int64_t start);

// The rate counts from before connecting; a sender's bytes were acknowledged by the listener's end.
int run_streams(const StreamOptions &options, const char *side, MoveBytes move_bytes) {
    end_on_signals();
    const std::int64_t start = clock_ns(CLOCK_MONOTONIC);
    const std::int64_t start_real = clock_ns(CLOCK_REALTIME);
    const std::uint64_t n = options.connections;
    std::vector<Stream> streams(options.bytes > 0 ? std::min(n, options.bytes) : n);
    for (std::size_t i = 0; i < streams.size(); ++i) {
        streams[i].limit = options.bytes / n + (i < options.bytes % n ? 1 : 0);
        if (const std::string failed = connect_to(options, streams[i].socket); !failed.empty())
            return stream_failed(failed, 0);
    }
    {
        std::vector<std::jthread> threads; // joined at the end of the block
        threads.reserve(streams.size());
        for (Stream &stream : streams)
            threads.emplace_back([&] {
                try {
                    move_bytes(options, stream, start);
                } catch (...) {
                    stream.failure = std::current_exception();
                }
            });
    }
    const std::int64_t took = clock_ns(CLOCK_MONOTONIC) - start;
    std::uint64_t bytes = 0, retransmitted = 0;
    std::string each;
    for (const Stream &stream : streams) {
        if (stream.failure)
            std::rethrow_exception(stream.failure);
        if (!stream.failed.empty())
            return stream_failed(stream.failed, stream.error);
        bytes += stream.bytes;
        retransmitted += stream.segments_retransmitted;
        each += (each.empty() ? "[" : ",") + std::to_string(stream.bytes);
    }
    JsonObject row("stream");
    row.text("side", side)
        .number("start_ns", start_real)
        .number("took_ns", took)
        .number("bytes", bytes)
        .real("mbytes_per_second", static_cast<double>(bytes) * 1e3 / static_cast<double>(took))
        .number("segments_retransmitted", retransmitted);
    if (streams.size() > 1)
        row.json("stream_bytes", each + "]");
    return stream_finished(row.str(), options.truth);
}

} // namespace

int stream_send(const StreamOptions &options) {
    return run_streams(options, "sender", send_one);
}

int stream_receive(const StreamOptions &options) {
    return run_streams(options, "receiver", receive_one);
}

int stream_ping(const StreamOptions &options) {
    FileDescriptor socket;
    if (const std::string failed = connect_to(options, socket); !failed.empty())
        return stream_failed(failed, 0);
    std::vector<std::int64_t> times;
    for (std::uint64_t i = 0; i < options.count; ++i) {
        char byte = 'p';
        const std::int64_t start = clock_ns(CLOCK_MONOTONIC);
        if (::send(socket.get(), &byte, 1, MSG_NOSIGNAL) != 1 || ::recv(socket.get(), &byte, 1, 0) != 1)
            return stream_failed("exchanging bytes", errno);
        times.push_back(clock_ns(CLOCK_MONOTONIC) - start);
        const timespec pause{options.interval_ns / 1'000'000'000, options.interval_ns % 1'000'000'000};
        ::nanosleep(&pause, nullptr);
    }
    std::sort(times.begin(), times.end());
    const auto quantile = [&times](double q) {
        const auto rank = static_cast<std::size_t>(q * static_cast<double>(times.size()));
        return times.empty() ? 0 : times[std::min(rank, times.size() - 1)];
    };
    return stream_finished(JsonObject("ping")
                               .number("count", options.count)
                               .number("min_ns", quantile(0))
                               .number("p50_ns", quantile(0.5))
                               .number("p99_ns", quantile(0.99))
                               .number("max_ns", quantile(1))
                               .str(),
                           options.truth);
}

// Asks `count` times for `bytes` and takes them, one turn after the other.
int stream_turns(const StreamOptions &options) {
    FileDescriptor socket;
    if (const std::string failed = connect_to(options, socket); !failed.empty())
        return stream_failed(failed, 0);
    std::array<unsigned char, stream_request_size> request{};
    for (std::size_t i = 0; i < request.size(); ++i)
        request[i] = static_cast<unsigned char>(options.bytes >> (8 * (request.size() - 1 - i)) & 0xffU);
    std::vector<char> data(options.bytes);
    const std::int64_t start = clock_ns(CLOCK_MONOTONIC);
    for (std::uint64_t i = 0; i < options.count; ++i)
        if (::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
                static_cast<ssize_t>(request.size()) ||
            !read_all(socket.get(), data.data(), data.size()))
            return stream_failed("a turn", errno);
    return stream_finished(JsonObject("turns")
                               .number("count", options.count)
                               .number("bytes", options.bytes)
                               .number("took_ns", clock_ns(CLOCK_MONOTONIC) - start)
                               .str(),
                           options.truth);
}

} // namespace iscsiscope::testbed::run
