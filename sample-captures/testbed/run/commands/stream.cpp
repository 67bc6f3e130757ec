// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/commands/stream.h"

#include "analyzer/base/json_row.h"
#include "analyzer/base/units.h"
#include "sample-captures/testbed/common/file_descriptor.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace iscsiscope::testbed::run {
namespace {

using shim::FileDescriptor;

constexpr const char *usage =
    "usage: iscsiscope-testbed stream listen --port N [--echo | --turns]\n"
    "       iscsiscope-testbed stream send --to ADDRESS:PORT (--bytes SIZE | --time T) [--congestion NAME]\n"
    "       iscsiscope-testbed stream ping --to ADDRESS:PORT [--count N] [--interval T]\n"
    "       iscsiscope-testbed stream turns --to ADDRESS:PORT --bytes SIZE [--count N]\n"
    "Every form takes --truth FILE. listen prints a line that begins with ready; it and send count bytes of\n"
    "payload; ping exchanges single bytes with a listener started with --echo; turns asks a listener "
    "started\n"
    "with --turns for SIZE bytes, N times, each time when the bytes before have arrived.\n";

std::int64_t clock_ns(clockid_t id) {
    timespec t{};
    ::clock_gettime(id, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

int fail(const std::string &what) {
    std::fprintf(stderr, "stream: %s: %s\n", what.c_str(), std::strerror(errno));
    return 2;
}

// Prints the result and, where asked, writes it as a truth row.
int finish(const std::string &row, const std::string &truth) {
    std::printf("%s\n", row.c_str());
    if (truth.empty()) {
        return 0;
    }
    std::FILE *file = std::fopen(truth.c_str(), "w");
    if (file == nullptr) {
        return fail("writing " + truth);
    }
    const bool written = std::fprintf(file, "%s\n", row.c_str()) > 0;
    return std::fclose(file) == 0 && written ? 0 : fail("writing " + truth);
}

volatile std::sig_atomic_t told_to_end = 0;
void on_term(int) {
    told_to_end = 1;
}

bool read_all(int fd, char *to, std::size_t size) {
    while (size > 0) {
        const ssize_t got = ::recv(fd, to, size, 0);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        to += std::max<ssize_t>(got, 0);
        size -= static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    return true;
}

// What a turn asks for: the number of bytes wanted, big-endian.
constexpr std::size_t request_size = 8;

// Answers one request with one write of so many bytes. False: the connection is done.
bool answer_turn(int fd, std::vector<char> &data) {
    std::array<unsigned char, request_size> request{};
    if (!read_all(fd, reinterpret_cast<char *>(request.data()), request.size())) {
        return false;
    }
    std::uint64_t wanted = 0;
    for (const unsigned char byte : request) {
        wanted = wanted << 8U | byte;
    }
    constexpr std::uint64_t most = 1ULL << 30U;
    data.resize(std::min(wanted, most));
    std::size_t sent = 0;
    while (sent < data.size()) {
        const ssize_t size = ::send(fd, data.data() + sent, data.size() - sent, MSG_NOSIGNAL);
        if (size < 0 && errno != EINTR) {
            return false;
        }
        sent += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
    }
    return true;
}

enum class Listener : std::uint8_t { reads, echoes, answers };

// Accepts any number of connections and reads (or echoes, or answers turns) until SIGTERM.
int listen_main(std::uint16_t port, Listener kind, const std::string &truth) {
    struct sigaction action {};
    action.sa_handler = on_term;
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
    const FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int one = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (::bind(listener.get(), reinterpret_cast<sockaddr *>(&address), sizeof address) != 0 ||
        ::listen(listener.get(), 64) != 0) {
        return fail("listening");
    }
    std::printf("ready port %u\n", unsigned{port});
    std::fflush(stdout);
    std::vector<FileDescriptor> connections;
    std::vector<char> buffer(1 << 18);
    std::uint64_t bytes = 0;
    while (told_to_end == 0) {
        std::vector<pollfd> polled = {{listener.get(), POLLIN, 0}};
        for (const FileDescriptor &connection : connections) {
            polled.push_back({connection.get(), POLLIN, 0});
        }
        if (::poll(polled.data(), polled.size(), 100) <= 0) {
            continue; // 100 ms: SIGTERM may come between the test above and poll
        }
        for (std::size_t i = polled.size() - 1; i > 0; --i) {
            if (polled[i].revents == 0) {
                continue;
            }
            if (kind == Listener::answers) {
                if (!answer_turn(polled[i].fd, buffer)) {
                    connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i) - 1);
                }
                continue;
            }
            const ssize_t size = ::recv(polled[i].fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) {
                connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i) - 1);
                continue;
            }
            bytes += size > 0 ? static_cast<std::uint64_t>(size) : 0;
            if (kind == Listener::echoes && size > 0) {
                (void)!::send(polled[i].fd, buffer.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL);
            }
        }
        if (polled[0].revents != 0) {
            FileDescriptor connection(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (connection.valid()) {
                ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                connections.push_back(std::move(connection));
            }
        }
    }
    return finish(JsonObject("stream").text("side", "listener").number("bytes", bytes).str(), truth);
}

bool connect_to(const std::string &to, const std::string &congestion, FileDescriptor &out) {
    const std::size_t colon = to.rfind(':');
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (colon == std::string::npos ||
        ::inet_pton(AF_INET, to.substr(0, colon).c_str(), &address.sin_addr) != 1) {
        errno = EINVAL;
        return false;
    }
    address.sin_port = htons(static_cast<std::uint16_t>(std::strtoul(to.c_str() + colon + 1, nullptr, 10)));
    out = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!congestion.empty() && ::setsockopt(out.get(), IPPROTO_TCP, TCP_CONGESTION, congestion.c_str(),
                                            static_cast<socklen_t>(congestion.size())) != 0) {
        return false;
    }
    return ::connect(out.get(), reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
}

// Sends until `bytes` or `time` is over; the rate counts what was acknowledged, from connect on.
int send_main(const std::string &to, const std::string &congestion, std::uint64_t bytes, std::int64_t time_ns,
              const std::string &truth) {
    FileDescriptor socket;
    const std::int64_t start = clock_ns(CLOCK_MONOTONIC);
    const std::int64_t start_real = clock_ns(CLOCK_REALTIME);
    if (!connect_to(to, congestion, socket)) {
        return fail("connecting to " + to);
    }
    const std::vector<char> data(1 << 17, 'x');
    std::uint64_t sent = 0;
    while (time_ns > 0 ? clock_ns(CLOCK_MONOTONIC) - start < time_ns : sent < bytes) {
        const std::size_t piece =
            time_ns > 0 ? data.size() : std::min<std::uint64_t>(data.size(), bytes - sent);
        const ssize_t size = ::send(socket.get(), data.data(), piece, MSG_NOSIGNAL);
        if (size < 0 && errno != EINTR) {
            return fail("sending");
        }
        sent += size > 0 ? static_cast<std::uint64_t>(size) : 0;
    }
    tcp_info info{};
    socklen_t size = sizeof info;
    ::getsockopt(socket.get(), IPPROTO_TCP, TCP_INFO, &info, &size);
    ::shutdown(socket.get(), SHUT_WR);
    char rest = 0;
    (void)!::recv(socket.get(), &rest, 1, 0); // the listener closes when it has everything
    const std::int64_t took = clock_ns(CLOCK_MONOTONIC) - start;
    return finish(JsonObject("stream")
                      .text("side", "sender")
                      .number("start_ns", start_real)
                      .number("took_ns", took)
                      .number("bytes", sent)
                      .real("mbytes_per_second", static_cast<double>(sent) * 1e3 / static_cast<double>(took))
                      .number("segments_retransmitted", info.tcpi_total_retrans)
                      .str(),
                  truth);
}

int ping_main(const std::string &to, std::uint64_t count, std::int64_t interval_ns,
              const std::string &truth) {
    FileDescriptor socket;
    if (!connect_to(to, "", socket)) {
        return fail("connecting to " + to);
    }
    const int one = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    std::vector<std::int64_t> times;
    for (std::uint64_t i = 0; i < count; ++i) {
        char byte = 'p';
        const std::int64_t start = clock_ns(CLOCK_MONOTONIC);
        if (::send(socket.get(), &byte, 1, MSG_NOSIGNAL) != 1 || ::recv(socket.get(), &byte, 1, 0) != 1) {
            return fail("exchanging bytes");
        }
        times.push_back(clock_ns(CLOCK_MONOTONIC) - start);
        const timespec pause{interval_ns / 1'000'000'000, interval_ns % 1'000'000'000};
        ::nanosleep(&pause, nullptr);
    }
    std::sort(times.begin(), times.end());
    const auto quantile = [&times](double q) {
        const auto rank = static_cast<std::size_t>(q * static_cast<double>(times.size()));
        return times.empty() ? 0 : times[std::min(rank, times.size() - 1)];
    };
    return finish(JsonObject("ping")
                      .number("count", count)
                      .number("min_ns", quantile(0))
                      .number("p50_ns", quantile(0.5))
                      .number("p99_ns", quantile(0.99))
                      .number("max_ns", quantile(1))
                      .str(),
                  truth);
}

// Asks `count` times for `bytes` and takes them, one turn after the other.
int turns_main(const std::string &to, std::uint64_t bytes, std::uint64_t count, const std::string &truth) {
    FileDescriptor socket;
    if (!connect_to(to, "", socket)) {
        return fail("connecting to " + to);
    }
    const int one = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    std::array<unsigned char, request_size> request{};
    for (std::size_t i = 0; i < request.size(); ++i) {
        request[i] = static_cast<unsigned char>(bytes >> (8 * (request.size() - 1 - i)) & 0xffU);
    }
    std::vector<char> data(bytes);
    const std::int64_t start = clock_ns(CLOCK_MONOTONIC);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
                static_cast<ssize_t>(request.size()) ||
            !read_all(socket.get(), data.data(), data.size())) {
            return fail("a turn");
        }
    }
    return finish(JsonObject("turns")
                      .number("count", count)
                      .number("bytes", bytes)
                      .number("took_ns", clock_ns(CLOCK_MONOTONIC) - start)
                      .str(),
                  truth);
}

} // namespace

int stream_main(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    std::map<std::string, std::string> given;
    for (int i = 2; i < argc; ++i) {
        const std::string key = argv[i];
        const bool known = key == "--port" || key == "--to" || key == "--bytes" || key == "--time" ||
                           key == "--congestion" || key == "--count" || key == "--interval" ||
                           key == "--truth";
        if (key == "--echo" || key == "--turns") {
            given[key] = "1";
        } else if (known && i + 1 < argc) {
            given[key] = argv[++i];
        } else {
            std::fprintf(stderr, "stream: %s is not understood\n%s", key.c_str(), usage);
            return 2;
        }
    }
    const auto number = [&given](const char *key, std::uint64_t otherwise) {
        return given.count(key) > 0 ? std::strtoull(given[key].c_str(), nullptr, 10) : otherwise;
    };
    const auto time = [&given](const char *key, std::int64_t otherwise) {
        const auto parsed = parse_duration(given[key]);
        return parsed.ok() ? to_ns(parsed.value()) : otherwise;
    };
    if (what == "listen" && number("--port", 0) > 0 && number("--port", 0) < 65536) {
        return listen_main(static_cast<std::uint16_t>(number("--port", 0)),
                           given.count("--turns") > 0  ? Listener::answers
                           : given.count("--echo") > 0 ? Listener::echoes
                                                       : Listener::reads,
                           given["--truth"]);
    }
    if (what == "send" && (given.count("--bytes") > 0 || time("--time", 0) > 0)) {
        const auto size = parse_bytes(given["--bytes"]);
        const std::uint64_t bytes = size.ok() ? size.value() : number("--bytes", 0);
        if (bytes > 0 || time("--time", 0) > 0) {
            return send_main(given["--to"], given["--congestion"], bytes, time("--time", 0),
                             given["--truth"]);
        }
    }
    if (what == "turns") {
        const auto size = parse_bytes(given["--bytes"]);
        if (size.ok() && size.value() > 0 && size.value() <= 1ULL << 30U) {
            return turns_main(given["--to"], size.value(), number("--count", 100), given["--truth"]);
        }
    }
    if (what == "ping" && given.count("--to") > 0) {
        return ping_main(given["--to"], number("--count", 100), time("--interval", 5'000'000),
                         given["--truth"]);
    }
    std::fprintf(stderr, "%s", usage);
    return what == "--help" || what == "-h" ? 0 : 2;
}

} // namespace iscsiscope::testbed::run
