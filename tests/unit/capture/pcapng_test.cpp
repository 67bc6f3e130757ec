// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/files/time_unit.h"
#include "catch.h"
#include "files.h"
#include "packets.h"

using namespace capture_test;
using iscsiscope::AnomalyKind;
using iscsiscope::TimeUnit;

namespace {

Bytes byte_option(Order order, std::uint16_t code, std::uint8_t value) {
    return option(order, code, Writer().u8(value).done());
}
Bytes u64_option(Order order, std::uint16_t code, std::uint64_t value) {
    return option(order, code, Writer(order).u64(value).done());
}
Bytes text_option(Order order, std::uint16_t code, std::string_view value) {
    return option(order, code, Writer().text(value).done());
}

} // namespace

TEST_CASE("pcapng with sections of both byte orders, several interfaces, old and simple packets") {
    const auto first = GENERATE(Order::little, Order::big);
    const Order second = first == Order::little ? Order::big : Order::little;
    const Bytes frame = pattern(61);
    const Bytes image =
        section(first, text_option(first, 3, "host") + text_option(first, 1, "the first comment")) +
        interface(first, 1, 96, text_option(first, 2, "eth0")) +
        interface(first, 276, 0, text_option(first, 2, "any") + byte_option(first, 9, 9)) +
        packet(first, 1, 1'000'000'123'456'789, frame, 1514) + packet(first, 0, 5'000'000, frame) +
        block(first, 4, Bytes(4)) + // name resolution
        block(first, 2,             // obsolete packet: interface 0, 3 drops
              Writer(first).u16(0).u16(3).u32(0).u32(6'000'000).u32(61).u32(70).bytes(frame).done()) +
        block(first, 3, Writer(first).u32(200).bytes(pattern(96)).done()) + // simple packet, cut at 96
        section(second, text_option(second, 1, "another")) + interface(second, 101) +
        block(second, 0x80001234, pattern(20)) + packet(second, 0, 7'000'000, frame);
    const ReadFile file = read_image(image);
    CHECK(file.anomalies.count(AnomalyKind::time_went_back) == 1); // the clocks of the sample differ
    CHECK(file.anomalies.all.size() == 1);
    CHECK(file.frames == std::vector<ReadFrame>{{1, 1'000'000'123'456'789, 276, 1514, frame},
                                                {2, 5'000'000'000, 1, 61, frame},
                                                {3, 6'000'000'000, 1, 70, frame},
                                                {4, 6'000'000'000, 1, 200, pattern(96)},
                                                {5, 7'000'000'000, 101, 61, frame}});
    CHECK(file.info.format == "pcapng");
    CHECK(file.info.comment == "the first comment");
    CHECK(file.info.time_precision_digits == 9);
    REQUIRE(file.info.interfaces.size() == 3);
    CHECK(file.info.interfaces[0].name == "eth0");
    CHECK(file.info.interfaces[0].snap_length == 96);
    CHECK(file.info.interfaces[0].dropped == 3);
    CHECK(file.info.interfaces[1].name == "any");
    CHECK_FALSE(file.info.interfaces[1].dropped.has_value());
    CHECK(file.info.interfaces[2].link_type == 101);
}

TEST_CASE("a simple packet is no longer than its original and its interface's snap length") {
    const Bytes start = section(Order::little) + interface(Order::little, 1, 50);
    const auto simple = [&](std::uint32_t original, std::size_t size) {
        return block(Order::little, 3, Writer(Order::little).u32(original).bytes(pattern(size)).done());
    };
    const ReadFile file = read_image(start + simple(200, 50) + simple(13, 13) + simple(0, 0));
    REQUIRE(file.frames.size() == 3);
    CHECK(file.frames[0].bytes == pattern(50)); // not the two bytes of padding
    CHECK(file.frames[1].bytes == pattern(13));
    CHECK(file.frames[2].bytes.empty());
    CHECK(file.info.complete);
}

TEST_CASE("pcapng drop counters: the last statistics outrank the packets' own") {
    const Order order = GENERATE(Order::little, Order::big);
    const Bytes start = section(order) + interface(order, 1) + interface(order, 1);
    const Bytes dropped_7 = u64_option(order, 4, 7);
    const auto statistics = [&](std::uint64_t interface_drops, std::uint64_t os_drops) {
        return block(order, 5,
                     Writer(order)
                         .u32(1)
                         .u64(0)
                         .bytes(u64_option(order, 4, 999)) // received
                         .bytes(u64_option(order, 5, interface_drops))
                         .bytes(u64_option(order, 7, os_drops))
                         .done());
    };
    const Bytes packets =
        packet(order, 1, 1, pattern(9), {}, dropped_7) + packet(order, 1, 2, pattern(9), {}, dropped_7);
    CHECK(read_image(start + packets).info.interfaces.at(1).dropped == 14);
    const ReadFile file = read_image(start + packets + statistics(1, 2) + statistics(20, 3) + packets);
    CHECK(file.info.interfaces.at(1).dropped == 23);
    CHECK_FALSE(file.info.interfaces.at(0).dropped.has_value());
    CHECK(file.frames.size() == 4);
}

TEST_CASE("pcapng time units") {
    struct Row {
        int resolution;
        std::int64_t offset;
        std::uint64_t units;
        std::int64_t ns;
        int digits;
    };
    constexpr std::int64_t end = (std::int64_t{1} << 62) - 1;
    const auto row = GENERATE(values<Row>({
        {0, 0, 1'700'000'000, 1'700'000'000'000'000'000, 0},
        {3, 0, 1'700'000'000'123, 1'700'000'000'123'000'000, 3},
        {6, 0, 1'700'000'000'123'456, 1'700'000'000'123'456'000, 6},
        {7, 0, 12'345'678, 1'234'567'800, 7},
        {9, 0, 1'000'000'123'456'789, 1'000'000'123'456'789, 9},
        {12, 0, 1'234'567'890'123'999, 1'234'567'890'123, 9},
        {28, 0, ~std::uint64_t{0}, 1, 9}, // 1.8 ns
        {29, 0, ~std::uint64_t{0}, 0, 9},
        {127, 0, ~std::uint64_t{0}, 0, 9},
        {0x80, 0, 3, 3'000'000'000, 0},
        {0x80 | 1, 0, 3, 1'500'000'000, 0},
        {0x80 | 10, 0, 1025, 1'000'976'562, 3},
        {0x80 | 32, 0, (std::uint64_t{5} << 32) + (1U << 31), 5'500'000'000, 9},
        {0x80 | 127, 0, ~std::uint64_t{0}, 0, 9},
        {6, 3600, 1, 3'600'000'001'000, 6},
        {6, -10, 1, -9'999'999'000, 6},
        {9, 1, 0, 1'000'000'000, 9},
        {0x80 | 1, -1, 3, 500'000'000, 0},
        // Times beyond the range of nanoseconds become the last time; they do not overflow.
        {0, 0, ~std::uint64_t{0}, end, 0},
        {6, 0, ~std::uint64_t{0}, end, 6},
        {9, 0, ~std::uint64_t{0}, end, 9},
        {9, INT64_MAX, ~std::uint64_t{0}, end, 9},
        {9, INT64_MIN, 0, -end + end % 1'000'000'000, 9},
    }));
    INFO(row.resolution << " " << row.offset << " " << row.units);
    const TimeUnit unit(static_cast<std::uint8_t>(row.resolution), row.offset);
    CHECK(to_ns(unit.time(row.units)) == row.ns);
    CHECK(unit.digits() == row.digits);

    // The same by way of a file.
    const Order order = Order::big;
    const ReadFile file =
        read_image(section(order) +
                   interface(order, 1, 0,
                             byte_option(order, 9, static_cast<std::uint8_t>(row.resolution)) +
                                 u64_option(order, 14, static_cast<std::uint64_t>(row.offset))) +
                   packet(order, 0, row.units, pattern(9)));
    REQUIRE(file.frames.size() == 1);
    CHECK(file.frames[0].time_ns == row.ns);
    CHECK(file.info.time_precision_digits == row.digits);
}

TEST_CASE("blocks of no interest are skipped however long they are") {
    const Order order = Order::little;
    const ReadFile file =
        read_image(section(order) + interface(order, 1) + block(order, 10, Bytes(100)) +
                       block(order, 0x0bad, Bytes(20U << 20)) + packet(order, 0, 1, pattern(60)),
                   100'000);
    CHECK(file.frames.size() == 1);
    CHECK(file.info.complete);
    CHECK(file.anomalies.all.empty());
}

TEST_CASE("pcapng damage costs the damaged blocks only") {
    const Order order = GENERATE(Order::little, Order::big);
    const Bytes start = section(order) + interface(order, 1);
    const Bytes good = packet(order, 0, 1, pattern(61)) + packet(order, 0, 2, pattern(30));
    const auto damaged = [&](const Bytes &between) {
        ReadFile file = read_image(start + good + between + good);
        CHECK(file.frames.size() == 4);
        CHECK(file.anomalies.count(AnomalyKind::file_damaged) == 1);
        CHECK_FALSE(file.info.complete);
        return file;
    };
    SECTION("noise") {
        damaged(Bytes(400));
    }
    SECTION("a length that is none") {
        damaged(Writer(order).u32(6).u32(0xfffffffe).zeros(40).done());
        damaged(Writer(order).u32(6).u32(0).zeros(40).done());
        damaged(Writer(order).u32(5).u32(0x7ffffffc).zeros(40).done());
        damaged(Writer(order).u32(0x00010203).u32(0xfffffffc).zeros(40).done());
    }
    SECTION("lengths that differ") {
        damaged(Writer(order).u32(6).u32(64).zeros(52).u32(60).done());
    }
    SECTION("a section of neither byte order") {
        damaged(Writer(order).u32(0x0a0d0d0a).u32(28).u32(0x12345678).zeros(12).u32(28).done());
    }
    SECTION("a length that leads beyond the end of the file") {
        damaged(Writer(order).u32(6).u32(100'000).zeros(40).done());
        damaged(Writer(order).u32(10).u32(0x7ffffffc).zeros(40).done()); // a block that may be long
        damaged(Writer(order).u32(0x0bad).u32(5'000).zeros(40).done());
    }
    SECTION("more captured bytes than the block holds") {
        damaged(block(order, 6, Writer(order).u32(0).u64(0).u32(100).u32(100).zeros(60).done()));
        damaged(block(order, 6, Writer(order).u32(0).u64(0).u32(0xffffffff).u32(100).zeros(60).done()));
    }
    SECTION("an interface that was not described") {
        damaged(packet(order, 1, 3, pattern(61)));
        damaged(block(order, 5, Writer(order).u32(9).u64(0).done()));
    }
    SECTION("blocks too small for their type") {
        for (const std::uint32_t type : {1U, 2U, 3U, 5U, 6U})
            damaged(block(order, type, {}));
        damaged(block(order, 6, Bytes(16)));
    }
    SECTION("an option longer than its block is passed over") {
        const ReadFile file = read_image(
            section(order) + interface(order, 1, 0, Writer(order).u16(2).u16(0xffff).done()) + good);
        CHECK(file.frames.size() == 2);
        CHECK(file.info.complete);
    }
}

TEST_CASE("a long block that ends with the input has hidden what it held") {
    const Order order = Order::little;
    for (const std::uint32_t type : {10U, 0x0badU}) {
        const Bytes image = section(order) + interface(order, 1) + packet(order, 0, 1, pattern(61)) +
                            Writer(order).u32(type).u32(0x7ffffffc).done() + packet(order, 0, 2, pattern(30));
        const ReadFile piped = read_pipe(image);
        CHECK_FALSE(piped.info.complete);
        CHECK(piped.anomalies.count(AnomalyKind::file_damaged) == 1);
        CHECK(piped.frames.size() == 1);
    }
}

TEST_CASE("interfaces without end do not fill memory") {
    const Order order = Order::little;
    const Bytes one = interface(order, 1);
    Bytes image = section(order);
    for (int i = 0; i < 70'000; ++i)
        image.insert(image.end(), one.begin(), one.end());
    const ReadFile file =
        read_image(image + packet(order, 65'535, 1, pattern(60)) + packet(order, 65'536, 1, pattern(60)));
    CHECK(file.info.interfaces.size() == 65'536);
    CHECK(file.frames.size() == 1);
    CHECK_FALSE(file.info.complete);
}
