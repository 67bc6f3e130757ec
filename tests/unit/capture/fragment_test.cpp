// SPDX-License-Identifier: GPL-2.0-or-later
// Fragmented datagrams: any cutting, any order, copies, losses, bounded memory.
#include "analyzer/capture/decode/ip_reassembly.h"
#include "catch.h"
#include "decoding.h"

#include <algorithm>
#include <numeric>
#include <rapidcheck.h>

using namespace capture_test;
using iscsiscope::AnomalyKind;

namespace {

// The parts of a datagram of which each but the last is a multiple of 8 bytes, as IP packets.
std::vector<Bytes> fragments(const Bytes &datagram, const std::vector<std::size_t> &ends, bool v6,
                             std::uint16_t id = 77, std::uint8_t protocol = 6) {
    std::vector<Bytes> packets;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        const bool more = end != datagram.size();
        const Bytes part = slice(datagram, begin, end);
        packets.push_back(
            v6 ? ipv6(ipv6_fragment(protocol, id, static_cast<std::uint16_t>(begin), more, part),
                      {.next_header = 44})
               : ipv4(part, {.protocol = protocol,
                             .id = id,
                             .fragment = static_cast<std::uint16_t>((more ? 0x2000 : 0) | begin / 8)}));
        begin = end;
    }
    return packets;
}

} // namespace

TEST_CASE("fragments in any cutting and order, with copies, make the datagram") {
    CHECK(rc::check(
        "fragments",
        [] {
            const bool v6 = *rc::gen::arbitrary<bool>();
            const Tcp segment{.payload = pattern(*rc::gen::inRange<std::size_t>(4, 9000), 5)};
            const Bytes datagram = tcp(segment);
            std::vector<std::size_t> ends;
            for (std::size_t at = 0; at < datagram.size();) {
                at = std::min(datagram.size(), at + 8 * *rc::gen::inRange<std::size_t>(1, 200));
                ends.push_back(at);
            }
            RC_PRE(ends.size() > 1U);
            auto packets = fragments(datagram, ends, v6);
            std::vector<std::size_t> order(packets.size());
            std::iota(order.begin(), order.end(), 0U);
            // A shuffle, then copies of what has already come, all before the last.
            for (std::size_t i = order.size() - 1; i > 0; --i)
                std::swap(order[i], order[*rc::gen::inRange<std::size_t>(0, i + 1)]);
            const std::size_t copied = *rc::gen::inRange<std::size_t>(0, order.size() - 1);
            order.insert(order.end() - 1, order[copied]);

            Decoding decode;
            for (std::size_t i = 0; i < order.size(); ++i) {
                const auto found =
                    decode(link_raw, packets[order[i]], SIZE_MAX, static_cast<std::int64_t>(i));
                RC_ASSERT(found.has_value() == (i == order.size() - 1));
                if (found) {
                    RC_ASSERT(found->frame == order.size());
                    RC_ASSERT(to_ns(found->time) == static_cast<std::int64_t>(i));
                    RC_ASSERT(found->sequence == segment.sequence);
                    RC_ASSERT(found->payload_length == segment.payload.size());
                    RC_ASSERT(found->data == segment.payload);
                }
            }
            decode.decoder.finish();
            RC_ASSERT(decode.anomalies.all.empty());
            RC_ASSERT(decode.decoder.protocols().tcp == order.size());
        }));
}

TEST_CASE("what the snap length took of fragments is missing from there on") {
    const Bytes datagram = tcp({.payload = pattern(2980)}); // 3000 bytes
    const auto packets = fragments(datagram, {1000, 2000, 3000}, false);
    Decoding decode;
    CHECK_FALSE(decode(link_raw, packets[2]));
    CHECK_FALSE(decode(link_raw, packets[1], 20 + 600));
    const auto segment = decode(link_raw, packets[0]);
    REQUIRE(segment.has_value());
    CHECK(segment->payload_length == 2980);
    CHECK(segment->data == slice(pattern(2980), 0, 1580));
    // The first one cut inside its TCP header.
    CHECK_FALSE(decode(link_raw, packets[2]));
    CHECK_FALSE(decode(link_raw, packets[1]));
    CHECK_FALSE(decode(link_raw, packets[0], 20 + 19));
    CHECK(decode.anomalies.count(AnomalyKind::header_cut) == 1);
    CHECK(decode.anomalies.all.size() == 1);
}

TEST_CASE("fragments of different datagrams are kept apart") {
    Decoding decode;
    const Bytes a = tcp({.sequence = 1, .payload = pattern(80)});
    const Bytes b = tcp({.sequence = 2, .payload = pattern(80)});
    CHECK_FALSE(decode(link_raw, fragments(a, {48, 100}, false, 1)[0]));
    CHECK_FALSE(decode(link_raw, fragments(b, {48, 100}, false, 2)[0]));
    CHECK_FALSE(decode(link_raw, fragments(b, {48, 100}, true, 1)[0]));
    CHECK_FALSE(decode(link_raw, fragments(b, {48, 100}, false, 1, 17)[0])); // UDP
    CHECK(decode(link_raw, fragments(a, {48, 100}, false, 1)[1])->sequence == 1);
    CHECK(decode(link_raw, fragments(b, {48, 100}, false, 2)[1])->sequence == 2);
    CHECK(decode(link_raw, fragments(b, {48, 100}, true, 1)[1])->sequence == 2);
    // The same number again is another datagram.
    CHECK_FALSE(decode(link_raw, fragments(b, {48, 100}, false, 1)[0]));
    CHECK(decode(link_raw, fragments(b, {48, 100}, false, 1)[1])->sequence == 2);
    CHECK(decode.anomalies.all.empty());
    CHECK(decode.counted() == decode.frames);
}

TEST_CASE("fragments of a VXLAN packet, and VXLAN packets of fragments") {
    const Bytes datagram = tcp();
    const Bytes inner = ethernet(0x0800, ipv4(datagram));
    const Bytes outer = udp(4789, vxlan(inner));
    Decoding decode;
    const auto outers = fragments(outer, {64, 128, outer.size()}, false, 5, 17);
    CHECK_FALSE(decode(link_raw, outers[1]));
    CHECK_FALSE(decode(link_raw, outers[2]));
    auto segment = decode(link_raw, outers[0]);
    REQUIRE(segment.has_value());
    CHECK(segment->data == pattern(100));
    // Both at once: the inner fragment's bytes lie in the buffer of the outer datagram.
    const auto inners = fragments(datagram, {56, datagram.size()}, true, 6);
    for (int i = 0; i < 2; ++i) {
        const Bytes carried = udp(4789, vxlan(ethernet(0x86dd, inners[i == 0 ? 1 : 0])));
        const auto parts =
            fragments(carried, {72, carried.size()}, false, static_cast<std::uint16_t>(100 + i), 17);
        CHECK_FALSE(decode(link_raw, parts[1]));
        segment = decode(link_raw, parts[0]);
    }
    REQUIRE(segment.has_value());
    CHECK(segment->data == pattern(100));
    CHECK(decode.anomalies.all.empty());
    CHECK(decode.counted() == decode.frames);
}

TEST_CASE("IPv6 fragments with headers behind the fragment header") {
    const Bytes datagram = extension(6, tcp(), 3);
    Decoding decode;
    const auto packets = fragments(datagram, {40, datagram.size()}, true, 9, 60);
    CHECK_FALSE(decode(link_raw, packets[0]));
    const auto segment = decode(link_raw, packets[1]);
    REQUIRE(segment.has_value());
    CHECK(segment->data == pattern(100));
}

TEST_CASE("fragments that overlap end their datagram as malformed") {
    const auto packet = [](std::size_t begin, std::size_t end, bool more) {
        return ipv4(slice(tcp({.payload = pattern(180)}), begin, end),
                    {.fragment = static_cast<std::uint16_t>((more ? 0x2000 : 0) | begin / 8)});
    };
    const auto second = GENERATE_COPY(values<Bytes>({
        packet(56, 120, true), // begins inside
        packet(0, 80, true),   // contains it
        packet(0, 48, true),   // is contained
        packet(8, 32, true),   //
        packet(8, 40, false),  // ends the datagram before bytes already seen
    }));
    Decoding decode;
    CHECK_FALSE(decode(link_raw, packet(0, 64, true)));
    CHECK_FALSE(decode(link_raw, second));
    CHECK(decode.anomalies.count(AnomalyKind::malformed_frame) == 1);
    CHECK_FALSE(decode(link_raw, packet(64, 200, false)));
    decode.decoder.finish();
    CHECK(decode.anomalies.count(AnomalyKind::fragment_lost) == 1);
    CHECK(decode.anomalies.all.size() == 2);
    // Two last fragments that do not agree, and bytes behind the last.
    Decoding other;
    CHECK_FALSE(other(link_raw, packet(64, 128, false)));
    CHECK_FALSE(other(link_raw, packet(128, 200, false)));
    CHECK_FALSE(other(link_raw, packet(64, 128, false)));
    CHECK_FALSE(other(link_raw, packet(128, 192, true)));
    CHECK(other.anomalies.count(AnomalyKind::malformed_frame) == 2);
}

TEST_CASE("datagrams are given up after 30 s, when memory is short, and at the end") {
    const auto first = [](unsigned id) {
        return fragments(tcp({.payload = pattern(2000)}), {1024, 2020}, false,
                         static_cast<std::uint16_t>(id))[0];
    };
    const auto last = [](unsigned id) {
        return fragments(tcp({.payload = pattern(2000)}), {1024, 2020}, false,
                         static_cast<std::uint16_t>(id))[1];
    };
    constexpr std::int64_t second = 1'000'000'000;
    Decoding decode;
    CHECK_FALSE(decode(link_raw, first(1), SIZE_MAX, 0));
    CHECK_FALSE(decode(link_raw, first(2), SIZE_MAX, second));
    CHECK(decode(link_raw, last(1), SIZE_MAX, 30 * second).has_value());
    CHECK_FALSE(decode(link_raw, last(2), SIZE_MAX, 31 * second + 1));
    REQUIRE(decode.anomalies.all.size() == 1);
    CHECK(decode.anomalies.all[0].kind == AnomalyKind::fragment_lost);
    CHECK(decode.anomalies.all[0].frame == 2);
    decode.decoder.finish();
    CHECK(decode.anomalies.count(AnomalyKind::fragment_lost) == 2);

    Decoding many;
    constexpr unsigned datagrams = 20'000;
    for (unsigned id = 0; id < datagrams; ++id)
        CHECK_FALSE(many(link_raw, first(id)));
    const std::size_t lost = many.anomalies.count(AnomalyKind::fragment_lost);
    const std::size_t kept = datagrams - lost;
    CHECK(kept * 1024 <= iscsiscope::IpReassembly::max_memory);
    CHECK(kept * 2048 >= iscsiscope::IpReassembly::max_memory);
    CHECK(many(link_raw, last(datagrams - 1)).has_value()); // the newest are kept
    many.decoder.finish();
    CHECK(many.anomalies.count(AnomalyKind::fragment_lost) == datagrams - 1);
    // Memory is charged, and given back, exactly: the same again gives up as many.
    many.anomalies.all.clear();
    for (unsigned id = 0; id < datagrams; ++id)
        CHECK_FALSE(many(link_raw, first(id)));
    CHECK(many.anomalies.count(AnomalyKind::fragment_lost) == lost);
}
