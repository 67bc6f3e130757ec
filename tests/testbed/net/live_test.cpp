// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of `iscsiscope-testbed watch`: a stream whose reader is slow or goes, the capture filter, the
// place that is watched, and a load that lasts. Whole runs are in tests/plugin/test_extcap.py.
#include "catch.h"

#include "sample-captures/testbed/net/pcapng_writer.h"
#include "sample-captures/testbed/net/stream_writer.h"
#include "sample-captures/testbed/run/live/load_duration.h"
#include "sample-captures/testbed/run/live/packet_filter.h"
#include "sample-captures/testbed/run/live/watch_point.h"

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <poll.h>
#include <thread>
#include <unistd.h>

using namespace iscsiscope::testbed;
using namespace iscsiscope::testbed::run;
using Bytes = std::vector<std::uint8_t>;

namespace {

struct Pipe {
    shim::FileDescriptor reader, writer;
    Pipe() {
        ::signal(SIGPIPE, SIG_IGN);
        int ends[2] = {-1, -1};
        REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
        reader = shim::FileDescriptor(ends[0]);
        writer = shim::FileDescriptor(ends[1]);
    }
    Bytes read_all() const {
        Bytes all;
        std::array<std::uint8_t, 65536> part{};
        for (ssize_t size; (size = ::read(reader.get(), part.data(), part.size())) > 0;)
            all.insert(all.end(), part.begin(), part.begin() + size);
        return all;
    }
};

bool eventually(const std::function<bool()> &holds) {
    for (int i = 0; i < 12'000 && !holds(); ++i) // two minutes end what hangs
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return holds();
}

bool can_be_read(int fd) {
    pollfd file{fd, POLLIN, 0};
    return ::poll(&file, 1, 0) == 1;
}

scenario::Scenario load(const std::string &arguments = R"(["iscsi://{target}/x/0", "--size=1MiB"])") {
    auto loaded = scenario::load_scenario(R"(
[[host]]
name = "initiator"
[[host]]
name = "target"
[[link]]
name = "near"
delay = "2ms"
[[link]]
name = "far"
delay = "8ms"
[[path]]
between = ["initiator", "target"]
links = ["near", "far"]
[[tap]]
name = "switch"
link = "far"
place = "before_queue"
[[program]]
host = "target"
run = "target"
options = { portal = "{target}:3260", name = "x", lun = "ram:1MiB" }
[[program]]
host = "initiator"
run = "initiator"
arguments = )" + arguments + R"(
options = { workload = "seq-read", count = 100, duration = "3s", depth = 2 }
)",
                                          "name", {});
    REQUIRE(loaded.scenario);
    return std::move(*loaded.scenario);
}

// A UDP packet of 10.77.0.1 to 10.77.0.2 of `size` bytes, to the port.
Bytes udp(std::uint8_t port, std::size_t size = 40) {
    Bytes ip(size);
    ip[0] = 0x45;
    ip[2] = static_cast<std::uint8_t>(size >> 8U);
    ip[3] = static_cast<std::uint8_t>(size & 0xffU);
    ip[9] = 17;
    const std::array<std::uint8_t, 8> addresses = {10, 77, 0, 1, 10, 77, 0, 2};
    std::copy(addresses.begin(), addresses.end(), ip.begin() + 12);
    ip[23] = port;
    return ip;
}

} // namespace

TEST_CASE("a stream brings every byte in order") {
    const Pipe pipe;
    shim::StreamWriter stream(shim::FileDescriptor(::dup(pipe.writer.get())));
    Bytes sent, got;
    for (std::uint8_t i = 0; i < 100; ++i) {
        const Bytes piece(7777, i);
        sent.insert(sent.end(), piece.begin(), piece.end());
        REQUIRE(stream.give(piece));
    }
    CHECK(eventually([&] {
        const Bytes more = pipe.read_all();
        got.insert(got.end(), more.begin(), more.end());
        return got.size() == sent.size();
    }));
    CHECK(got == sent);
    CHECK(eventually([&] { return stream.done(); }));
    CHECK_FALSE(can_be_read(stream.ended_fd()));
}

TEST_CASE("a reader that has gone ends the stream, with or without bytes to write") {
    const bool waiting = GENERATE(false, true);
    Pipe pipe;
    shim::StreamWriter stream(std::move(pipe.writer));
    if (waiting)
        REQUIRE(stream.give(Bytes(1U << 20U)));
    CHECK_FALSE(can_be_read(stream.ended_fd()));
    pipe.reader.reset();
    CHECK(eventually([&] { return can_be_read(stream.ended_fd()); }));
    CHECK(stream.done());
    CHECK_FALSE(stream.failure());
    CHECK_FALSE(stream.give(Bytes(1)));
}

TEST_CASE("packets that a slow reader would make wait beyond the bound are left out and counted") {
    const Pipe pipe;
    const auto stream = std::make_shared<shim::StreamWriter>(shim::FileDescriptor(::dup(pipe.writer.get())));
    shim::PcapngWriter capture(stream, {}, "", "here", "");
    const Bytes packet = udp(1, 1500);
    const std::uint64_t packets = (shim::StreamWriter::max_waiting_bytes + (8U << 20U)) / 1500;
    for (std::uint64_t i = 0; i < packets; ++i)
        capture.packet(1, packet, 0, 1);
    capture.flush();
    CHECK(capture.left_out() > 0);
    CHECK(capture.left_out() < packets / 4);
    CHECK_FALSE(stream->done()); // and its destructor does not wait for the reader
}

TEST_CASE("a capture filter keeps what it describes") {
    const auto framing = GENERATE(shim::CaptureFraming::ethernet, shim::CaptureFraming::raw);
    auto filter = compile_filter("udp dst port 7 and src host 10.77.0.1", framing);
    REQUIRE(filter.ok());
    const Pipe pipe;
    {
        const auto stream =
            std::make_shared<shim::StreamWriter>(shim::FileDescriptor(::dup(pipe.writer.get())));
        shim::PcapngWriter capture(stream, {framing, 0}, "", "here", "");
        capture.flush();
        CHECK(eventually([&] { return stream->done(); }));
        CHECK_FALSE(pipe.read_all().empty());
        capture.keep_only(std::move(filter.value()));
        CHECK(capture.packet(1, udp(8), 0, 1) == 0);
        capture.flush();
        CHECK(capture.packet(2, udp(7), 0, 1) == 1);
        CHECK(capture.packet(3, udp(9), 0, 1) == 1);
        capture.flush();
        CHECK(eventually([&] { return stream->done(); }));
    }
    // One enhanced packet block: 32 bytes around the packet, padded to a multiple of four.
    CHECK(pipe.read_all().size() == (framing == shim::CaptureFraming::ethernet ? 32 + 56 : 32 + 40));
    const auto wrong = compile_filter("udp prot 7", framing);
    REQUIRE_FALSE(wrong.ok());
    CHECK(wrong.failure().message.find("capture filter \"udp prot 7\": ") == 0);
}

TEST_CASE("hosts, taps and links can be watched") {
    using Kind = WatchPoint::Kind;
    for (const auto &[name, kind, number] : {std::tuple{"", Kind::host, 0U},
                                             {"target", Kind::host, 1U},
                                             {"switch", Kind::tap, 0U},
                                             {"near", Kind::tap, 1U}}) {
        scenario::Scenario scenario = load();
        const auto point = find_watch_point(scenario, name);
        INFO(name);
        REQUIRE(point.ok());
        CHECK(point.value().kind == kind);
        CHECK(point.value().number == number);
        CHECK(scenario.network.taps.size() == (point.value().name == "near" ? 2 : 1));
    }
    scenario::Scenario scenario = load();
    const auto none = find_watch_point(scenario, "nowhere");
    REQUIRE_FALSE(none.ok());
    CHECK(none.failure().message ==
          "scenario name has no host, tap or link \"nowhere\"; it has initiator, target, switch, near, far");
}

TEST_CASE("a load lasts whatever bounds the scenario gives it") {
    scenario::Scenario scenario = load();
    const std::vector<std::string> target = scenario.programs[0].arguments;
    set_load_duration(scenario, std::chrono::seconds(5));
    CHECK(scenario.duration == std::optional<iscsiscope::Duration>(std::chrono::seconds(5)));
    CHECK(scenario.programs[0].arguments == target);
    CHECK(scenario.programs[1].arguments == std::vector<std::string>{"iscsi://10.77.0.2/x/0", "--depth", "2",
                                                                     "--workload", "seq-read", "--duration",
                                                                     "0"});
    set_load_duration(scenario, iscsiscope::Duration{0});
    CHECK_FALSE(scenario.duration);
}
