// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/commands/stream.h"

#include "analyzer/base/units.h"
#include "sample-captures/testbed/run/commands/stream_parts.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <sys/socket.h>

namespace iscsiscope::testbed::run {

volatile std::sig_atomic_t stream_end_requested = 0;

namespace {

constexpr const char *usage =
    "usage: iscsiscope-testbed stream listen --port N [--address A] [--echo | --turns | --send]\n"
    "       iscsiscope-testbed stream send|receive --to HOST:PORT (--bytes SIZE | --time T) [--connections "
    "N]\n"
    "       iscsiscope-testbed stream ping --to HOST:PORT [--count N] [--interval T]\n"
    "       iscsiscope-testbed stream turns --to HOST:PORT --bytes SIZE [--count N]\n"
    "Every form takes --truth FILE and socket options: --sndbuf, --rcvbuf, --window-clamp SIZE, --window "
    "SIZE\n"
    "(buffers of twice this, clamped to it), --congestion NAME, --nagle, --nodelay, --quickack, "
    "--delayed-ack,\n"
    "--pace RATE; send, receive and listen --send take --block SIZE, the bytes of one call. listen prints a\n"
    "line that begins with ready (--port 0: any free port); it, send and receive count bytes of payload "
    "until\n"
    "the first bound, SIGINT or SIGTERM; receive takes what a listener started with --send sends; ping\n"
    "exchanges single bytes with a listener started with --echo; turns asks a listener started with --turns\n"
    "for SIZE bytes, N times, each time when the bytes before have arrived.\n";

void request_end(int) {
    stream_end_requested = 1;
}

template <class Number>
bool parse_number(const std::string &text, Number &into) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc{} && end == text.data() + text.size();
}

template <class Number>
bool parse_size(const std::string &text, std::uint64_t most, Number &into) {
    const auto size = parse_bytes(text);
    std::uint64_t bytes = size.ok() ? size.value() : 0;
    if ((!size.ok() && !parse_number(text, bytes)) || bytes == 0 || bytes > most)
        return false;
    into = static_cast<std::uint32_t>(bytes);
    if constexpr (sizeof(into) == sizeof bytes)
        into = bytes;
    return true;
}

bool parse_time(const std::string &text, std::int64_t &into) {
    const auto time = parse_duration(text);
    into = time.ok() ? to_ns(time.value()) : 0;
    return time.ok();
}

// Options without a value. False: not one of them.
bool take_flag(const std::string &key, StreamOptions &o) {
    if (key == "--echo" || key == "--turns" || key == "--send") {
        o.listener = key == "--echo"    ? Listener::echoes
                     : key == "--turns" ? Listener::answers
                                        : Listener::sends;
    } else if (key == "--nagle" || key == "--nodelay") {
        o.socket.no_delay = key == "--nodelay";
    } else if (key == "--quickack" || key == "--delayed-ack") {
        o.socket.ack_mode = key == "--quickack" ? AckMode::quick : AckMode::delayed;
    } else {
        return false;
    }
    return true;
}

// False: no such option, or not a value of it.
bool take_value(const std::string &key, const std::string &value, StreamOptions &o) {
    constexpr std::uint64_t largest_option = 0x3fffffff; // of a size that setsockopt takes as an int
    std::uint32_t size = 0;
    if (key == "--sndbuf" || key == "--rcvbuf" || key == "--window-clamp" || key == "--window") {
        if (!parse_size(value, key == "--window" ? largest_option / 2 : largest_option, size))
            return false;
        if (key == "--window") {
            o.socket.send_buffer = o.socket.receive_buffer = 2 * size;
            o.socket.window_clamp = size;
        } else {
            (key == "--sndbuf"   ? o.socket.send_buffer
             : key == "--rcvbuf" ? o.socket.receive_buffer
                                 : o.socket.window_clamp) = size;
        }
        return true;
    }
    if (key == "--pace") {
        const auto rate = parse_rate(value);
        o.socket.pacing_rate = rate.ok() ? static_cast<std::uint64_t>(rate.value()) / 8 : 0;
        return o.socket.pacing_rate > 0;
    }
    std::string *text = key == "--to"           ? &o.to
                        : key == "--address"    ? &o.address
                        : key == "--congestion" ? &o.socket.congestion
                        : key == "--truth"      ? &o.truth
                                                : nullptr;
    if (text != nullptr) {
        *text = value;
        return true;
    }
    return (key == "--port" && parse_number(value, o.port)) ||
           (key == "--connections" && parse_number(value, o.connections) && o.connections > 0 &&
            o.connections <= 1024) ||
           (key == "--count" && parse_number(value, o.count)) ||
           (key == "--bytes" && parse_size(value, ~std::uint64_t{0}, o.bytes)) ||
           (key == "--block" && parse_size(value, 1U << 30U, o.block)) ||
           (key == "--time" && parse_time(value, o.time_ns)) ||
           (key == "--interval" && parse_time(value, o.interval_ns));
}

} // namespace

void end_on_signals() {
    struct sigaction action {};
    action.sa_handler = request_end;
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
}

int stream_failed(const std::string &what, int error) {
    std::fprintf(stderr, "stream: %s%s%s\n", what.c_str(), error != 0 ? ": " : "",
                 error != 0 ? std::strerror(error) : "");
    return 2;
}

int stream_finished(const std::string &row, const std::string &truth) {
    std::printf("%s\n", row.c_str());
    if (truth.empty())
        return 0;
    std::FILE *file = std::fopen(truth.c_str(), "w");
    if (file == nullptr)
        return stream_failed("writing " + truth, errno);
    const bool written = std::fprintf(file, "%s\n", row.c_str()) > 0;
    return std::fclose(file) == 0 && written ? 0 : stream_failed("writing " + truth, errno);
}

bool read_all(int fd, void *to, std::size_t size) {
    auto *at = static_cast<char *>(to);
    while (size > 0) {
        const ssize_t got = ::recv(fd, at, size, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += std::max<ssize_t>(got, 0);
        size -= static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    return true;
}

std::vector<std::string> stream_option_names() {
    return {"echo",   "turns",  "send",         "nagle", "nodelay", "quickack", "delayed-ack", "sndbuf",
            "rcvbuf", "window", "window-clamp", "pace",  "to",      "address",  "congestion",  "truth",
            "port",   "count",  "connections",  "bytes", "block",   "time",     "interval"};
}

int stream_main(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    StreamOptions options;
    options.socket.no_delay = what != "send"; // unless --nodelay
    bool port_given = false;
    for (int i = 2; i < argc; ++i) {
        const std::string key = argv[i];
        if (take_flag(key, options))
            continue;
        port_given = port_given || key == "--port";
        if (i + 1 >= argc || !take_value(key, argv[i + 1], options)) {
            std::fprintf(stderr, "stream: %s is not understood\n%s", key.c_str(), usage);
            return 2;
        }
        ++i;
    }
    const bool bounded = options.bytes > 0 || options.time_ns > 0;
    if (what == "listen" && port_given)
        return stream_listen(options);
    if ((what == "send" || what == "receive") && !options.to.empty() && bounded)
        return what == "send" ? stream_send(options) : stream_receive(options);
    if (what == "turns" && !options.to.empty() && options.bytes > 0 && options.bytes <= 1ULL << 30U)
        return stream_turns(options);
    if (what == "ping" && !options.to.empty())
        return stream_ping(options);
    std::fprintf(stderr, "%s", usage);
    return what == "--help" || what == "-h" ? 0 : 2;
}

} // namespace iscsiscope::testbed::run
