// SPDX-License-Identifier: GPL-2.0-or-later
// Framing of received bytes and the queue of PDUs to send, without sockets; the link over a socket pair.
#include "catch.h"

#include "analyzer/iscsi/codec/wire.h"
#include "sample-captures/testbed/wire/tcp_link.h"

#include <asio/buffer.hpp>
#include <asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

using namespace iscsiscope;
using namespace iscsiscope::testbed;

namespace {

using Bytes = std::vector<std::byte>;

HeaderBytes header_of(std::uint8_t mark) {
    HeaderBytes header{};
    wire::store8(&header[16], mark); // in the Initiator Task Tag
    return header;
}

Bytes on_the_wire(const FramedPdu &pdu) {
    Bytes all;
    for (const auto part : pdu.parts())
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

void give(PduReader &reader, std::span<const std::byte> bytes, std::int64_t ns) {
    const std::span<std::byte> room = reader.room();
    REQUIRE(room.size() >= bytes.size());
    std::copy(bytes.begin(), bytes.end(), room.begin());
    reader.received(bytes.size(), ns);
}

Bytes taken(SendQueue &queue) {
    Bytes all;
    for (const iovec &piece : queue.pieces()) {
        const auto *from = static_cast<const std::byte *>(piece.iov_base);
        all.insert(all.end(), from, from + piece.iov_len);
    }
    return all;
}

} // namespace

TEST_CASE("a stream cut anywhere gives the same PDUs and the times of the reads", "[wire]") {
    const Bytes data(10, std::byte{7});
    const DigestUse digests{true, true};
    Bytes stream = on_the_wire(FramedPdu(header_of(1), data, digests));
    const std::size_t first = stream.size();
    const Bytes second = on_the_wire(FramedPdu(header_of(2), {}, digests));
    stream.insert(stream.end(), second.begin(), second.end());
    for (std::size_t cut = 1; cut < stream.size(); ++cut) {
        PduReader reader("target");
        reader.set_digests(digests);
        give(reader, std::span(stream).first(cut), 100);
        std::vector<std::pair<std::int64_t, std::int64_t>> times;
        std::size_t count = 0;
        const auto look = [&] {
            while (const auto pdu = reader.next()) {
                ++count;
                CHECK(pdu->data.size() == (count == 1 ? data.size() : 0));
                CHECK(pdu->data_digest_ok);
                times.emplace_back(pdu->header_ns, pdu->received_ns);
            }
        };
        look();
        give(reader, std::span(stream).subspan(cut), 200);
        look();
        REQUIRE(count == 2);
        CHECK(times[0].first == (cut >= basic_header_size ? 100 : 200));
        CHECK(times[0].second == (cut >= first ? 100 : 200));
        CHECK(times[1].first == (cut >= first + basic_header_size ? 100 : 200));
        CHECK(times[1].second == 200);
    }
}

TEST_CASE("digests that do not match, and segments that are too long", "[wire]") {
    const Bytes data(8, std::byte{1});
    const DigestUse digests{true, true};
    FramedPdu spoiled(header_of(1), data, digests);
    PduReader reader("target");
    reader.set_digests(digests);
    SECTION("data: the PDU is delivered and marked") {
        spoiled.spoil_data_digest();
        give(reader, on_the_wire(spoiled), 1);
        const auto pdu = reader.next();
        REQUIRE(pdu);
        CHECK(!pdu->data_digest_ok);
        CHECK(reader.error().empty());
    }
    SECTION("header: the stream cannot be followed") {
        spoiled.spoil_header_digest();
        give(reader, on_the_wire(spoiled), 1);
        CHECK(!reader.next());
        CHECK(reader.error() == "header digest error in a PDU from the target");
    }
    SECTION("a data segment above the limit") {
        reader.limit_data_segment(7);
        give(reader, on_the_wire(spoiled), 1);
        CHECK(!reader.next());
        CHECK(reader.error().find("8 bytes where 7 are allowed") != std::string::npos);
    }
}

TEST_CASE("a PDU longer than the buffer finds room", "[wire]") {
    const Bytes data(1 << 20, std::byte{3});
    const Bytes stream = on_the_wire(FramedPdu(header_of(1), data, {}));
    PduReader reader("initiator");
    reader.limit_data_segment(1 << 20);
    std::size_t at = 0;
    for (std::int64_t ns = 1; at < stream.size(); ++ns) {
        CHECK(!reader.next());
        const std::size_t n = std::min(reader.room().size(), stream.size() - at);
        give(reader, std::span(stream).subspan(at, n), ns);
        at += n;
    }
    const auto pdu = reader.next();
    REQUIRE(pdu);
    CHECK(std::equal(data.begin(), data.end(), pdu->data.begin(), pdu->data.end()));
}

TEST_CASE("the queue reports the send that took a PDU's first and its last byte", "[wire]") {
    const Bytes data(100, std::byte{5});
    SendQueue queue(false, 1000);
    std::vector<std::int64_t> firsts, lasts;
    for (int i = 0; i < 3; ++i) {
        OutgoingPdu pdu;
        pdu.data = data;
        pdu.first_byte_handed = [&](std::int64_t ns) { firsts.push_back(ns); };
        pdu.last_byte_handed = [&](std::int64_t ns) { lasts.push_back(ns); };
        queue.add(std::move(pdu), {});
    }
    const std::size_t size = basic_header_size + data.size();
    CHECK(taken(queue).size() == 3 * size);
    queue.handed(size + 1, 10);
    CHECK(firsts == std::vector<std::int64_t>{10, 10});
    CHECK(lasts == std::vector<std::int64_t>{10});
    CHECK(taken(queue).size() == 2 * size - 1);
    queue.handed(size - 1, 20);
    queue.handed(size, 30);
    CHECK(firsts == std::vector<std::int64_t>{10, 10, 30});
    CHECK(lasts == std::vector<std::int64_t>{10, 20, 30});
    CHECK(queue.empty());
    CHECK(queue.bytes() == 0);
}

TEST_CASE("limits of one call", "[wire]") {
    const Bytes data(100, std::byte{5});
    SendQueue legacy(true, 1000), small(false, 60);
    for (SendQueue *queue : {&legacy, &small})
        for (int i = 0; i < 2; ++i) {
            OutgoingPdu pdu;
            pdu.data = data;
            queue->add(std::move(pdu), {true, false});
        }
    CHECK(taken(legacy).size() == basic_header_size + digest_size);
    legacy.handed(basic_header_size + digest_size, 1);
    CHECK(taken(legacy).size() == data.size());
    CHECK(taken(small).size() == 60);
}

namespace {

struct Peer final : PduLinkEvents {
    void on_pdu(const IncomingPdu &pdu) override {
        bytes += pdu.data.size();
        if (link != nullptr && bytes >= wanted)
            link->close_when_sent("enough");
    }
    void on_link_down(std::string_view why) override { reason = why; }
    PduLink *link = nullptr;
    std::size_t bytes = 0, wanted = 0;
    std::string reason;
};

// Two ends of a TCP connection over loopback.
std::pair<asio::ip::tcp::socket, asio::ip::tcp::socket> connected_pair(asio::io_context &io) {
    asio::ip::tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    asio::ip::tcp::socket here(io), there(io);
    here.connect(acceptor.local_endpoint());
    acceptor.accept(there);
    return {std::move(here), std::move(there)};
}

} // namespace

TEST_CASE("two links over TCP: PDUs arrive, the end of one is reported to the other", "[wire]") {
    asio::io_context io(1);
    auto [here, there] = connected_pair(io);
    TcpLinkSettings settings;
    settings.end = LinkEnd::target;
    std::string ended;
    const auto initiator = std::make_shared<TcpLink>(std::move(here), TcpLinkSettings{});
    const auto target =
        std::make_shared<TcpLink>(std::move(there), settings, [&](const TcpLink &link, std::string_view why) {
            CHECK(!link.is_open());
            ended = why;
        });
    CHECK(initiator->name() == target->name());
    Peer at_initiator, at_target;
    at_target.link = target.get();
    at_target.wanted = 20 * 8192;
    initiator->start(at_initiator);
    target->start(at_target);
    const auto data = std::make_shared<Bytes>(8192, std::byte{9});
    std::int64_t first = 0, last = 0;
    for (int i = 0; i < 20; ++i) {
        OutgoingPdu pdu;
        pdu.data = *data;
        pdu.owner = data;
        pdu.first_byte_handed = [&](std::int64_t ns) { first = ns; };
        pdu.last_byte_handed = [&](std::int64_t ns) { last = ns; };
        initiator->queue(std::move(pdu));
    }
    initiator->flush();
    io.run();
    CHECK(at_target.bytes == 20 * 8192);
    CHECK(first > 0);
    CHECK(last >= first);
    CHECK(ended == "enough");
    CHECK(at_target.reason.empty()); // no event after close_when_sent
    CHECK(at_initiator.reason == "the target closed the connection");
    CHECK(!initiator->is_open());
    CHECK(initiator->bytes_sent() == target->bytes_received());
}

namespace {

struct Counter final : PduLinkEvents {
    void on_pdu(const IncomingPdu &) override {
        if (++pdus == hold_at)
            link->hold_input(true);
    }
    void on_link_down(std::string_view) override {}
    void on_room() override { ++rooms; }
    PduLink *link = nullptr;
    int pdus = 0, hold_at = 0, rooms = 0;
};

// Long enough for what must not happen to happen.
void run_for_a_moment(asio::io_context &io) {
    io.restart();
    io.run_for(std::chrono::milliseconds(100));
}

// What must happen may take its time on a busy machine: at most a minute.
template <typename Condition>
void run_until(asio::io_context &io, Condition &&reached) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!reached() && std::chrono::steady_clock::now() < end) {
        io.restart();
        io.run_for(std::chrono::milliseconds(5));
    }
}

} // namespace

TEST_CASE("input that is held is not read; what was received comes when it is released", "[wire]") {
    asio::io_context io(1);
    auto [here, there] = connected_pair(io);
    TcpLinkSettings settings;
    settings.end = LinkEnd::target;
    const auto initiator = std::make_shared<TcpLink>(std::move(here), TcpLinkSettings{});
    const auto target = std::make_shared<TcpLink>(std::move(there), settings);
    Counter at_initiator, at_target;
    at_target.link = target.get();
    at_target.hold_at = 5;
    initiator->start(at_initiator);
    target->start(at_target);
    for (int i = 0; i < 20000; ++i)
        initiator->queue({});
    initiator->flush();
    run_until(io, [&] { return at_target.pdus >= 5; });
    run_for_a_moment(io);
    CHECK(at_target.pdus == 5);
    CHECK(target->bytes_received() <= 65536);
    target->hold_input(false);
    run_until(io, [&] { return at_target.pdus >= 20000; });
    CHECK(at_target.pdus == 20000);
    target->hold_input(true); // while it waits for more
    initiator->send({});
    run_for_a_moment(io);
    CHECK(at_target.pdus == 20000);
    target->hold_input(false);
    run_until(io, [&] { return at_target.pdus >= 20001; });
    CHECK(at_target.pdus == 20001);
    target->close("done");
    initiator->close("done");
}

TEST_CASE(
    "room is reported when less than half of the bound waits; a link that closes does not wait for ever",
    "[wire]") {
    asio::io_context io(1);
    auto [here, there] = connected_pair(io);
    TcpLinkSettings settings;
    settings.end = LinkEnd::target;
    settings.output_bound = [] { return std::size_t{1} << 20; };
    settings.linger = std::chrono::milliseconds(50);
    std::string ended;
    const auto target = std::make_shared<TcpLink>(
        std::move(there), settings, [&](const TcpLink &, std::string_view why) { ended = why; });
    Counter at_target;
    at_target.link = target.get();
    target->start(at_target);
    const auto data = std::make_shared<Bytes>(65536, std::byte{9});
    const auto send = [&](int count) {
        for (int i = 0; i < count; ++i) {
            OutgoingPdu pdu;
            pdu.data = *data;
            pdu.owner = data;
            target->send(std::move(pdu));
        }
    };
    send(1000); // far more than the socket holds
    CHECK(target->waiting() > target->output_bound());
    target->ask_for_room();
    run_for_a_moment(io);
    CHECK(at_target.rooms == 0);
    Bytes sink(1 << 20);
    here.non_blocking(true);
    run_until(io, [&, &reader = here] {
        asio::error_code none;
        reader.read_some(asio::buffer(sink), none);
        return at_target.rooms > 0;
    });
    CHECK(at_target.rooms == 1);
    CHECK(target->waiting() < target->output_bound() / 2);
    send(1000);
    target->close_when_sent("no more");
    CHECK(target->is_open());
    run_until(io, [&] { return !target->is_open(); });
    CHECK_FALSE(target->is_open());
    CHECK(ended == "no more");
}
