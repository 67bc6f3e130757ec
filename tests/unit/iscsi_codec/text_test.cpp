// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/text_keys.h"
#include "bytes.h"
#include "catch.h"

#include <rapidcheck.h>

#include <string>

using namespace iscsiscope;
using namespace std::string_literals;
using namespace std::string_view_literals;

TEST_CASE("Text of one PDU") {
    TextError error{};
    const auto pairs = parse_text(bytes("InitiatorName=iqn.a\0SessionType=Normal\0X-a=\0"sv), &error);
    CHECK(error == TextError::none);
    REQUIRE(pairs.size() == 3);
    CHECK(pairs[0] == KeyValue{"InitiatorName", "iqn.a"});
    CHECK(pairs[2] == KeyValue{"X-a", ""});
    REQUIRE(find_value(pairs, "SessionType") != nullptr);
    CHECK(*find_value(pairs, "SessionType") == "Normal");
    CHECK(find_value(pairs, "sessiontype") == nullptr); // case counts
    CHECK(parse_text({}, &error).empty());
    CHECK(error == TextError::none);
}

TEST_CASE("A value may hold '=' and UTF-8; padding inside the length is no pair") {
    TextError error{};
    const auto pairs = parse_text(bytes("CHAP_N=a=b\0TargetAlias=\xc3\xa9\0\0\0"sv), &error);
    CHECK(error == TextError::none);
    REQUIRE(pairs.size() == 2);
    CHECK(pairs[0].value == "a=b");
    CHECK(pairs[1].value == "\xc3\xa9");
}

TEST_CASE("Malformed pairs are named and left out, their neighbours are read") {
    const auto check = [](std::string_view text, TextError expected, std::size_t pairs) {
        TextError error{};
        CAPTURE(std::string(text));
        CHECK(parse_text(bytes(text), &error).size() == pairs);
        CHECK(error == expected);
    };
    check("A=1\0garbage\0B=2\0"sv, TextError::no_equals, 2);
    check("=1\0B=2\0"sv, TextError::bad_key, 1);
    check("A b=1\0B=2\0"sv, TextError::bad_key, 1);
    check("A=\x01\0B=2\0"sv, TextError::bad_value, 1);
    check("A=1\0B=2"sv, TextError::not_terminated, 1);
    check(std::string(64, 'k') + "=1\0"s, TextError::bad_key, 0);
    check(std::string(63, 'k') + "=1\0"s, TextError::none, 1);
    check("A=" + std::string(70000, 'v') + "\0B=2\0"s, TextError::bad_value, 1);
}

TEST_CASE("A collector bounds what it keeps") {
    TextCollector collector(10);
    collector.add(bytes("A=1\0B=2\0C=3\0"sv));
    CHECK(collector.size() == 10);
    CHECK(collector.finish() == std::vector<KeyValue>{{"A", "1"}, {"B", "2"}});
    CHECK(collector.error() == TextError::too_long);
    collector.add(bytes("D=4\0"sv)); // and starts anew
    CHECK(collector.error() == TextError::none);
    CHECK(collector.finish() == std::vector<KeyValue>{{"D", "4"}});
}

TEST_CASE("What follows missing bytes is not joined to what went before") {
    TextCollector collector;
    collector.add(bytes("A=1\0B=abc"sv), true);
    collector.add(bytes("def\0C=3\0"sv));
    CHECK(collector.finish() == std::vector<KeyValue>{{"A", "1"}, {"C", "3"}});
    CHECK(collector.error() == TextError::not_terminated);
}

TEST_CASE("Numbers") {
    std::uint64_t n = 0;
    CHECK((parse_number("262144", n) && n == 262144));
    CHECK((parse_number("0x40000", n) && n == 0x40000));
    CHECK_FALSE(parse_number("", n));
    CHECK_FALSE(parse_number("0x", n));
    CHECK_FALSE(parse_number("-1", n));
    CHECK_FALSE(parse_number("12 ", n));
    CHECK_FALSE(parse_number("99999999999999999999999", n));
}

TEST_CASE("Text survives build, any cutting into continued PDUs, and parse") {
    CHECK(rc::check(
        "text",
        [] {
            const auto count = *rc::gen::inRange(0, 8);
            std::vector<KeyValue> pairs;
            const auto character = rc::gen::elementOf(std::string("abcXYZ019.-+@_"));
            for (int i = 0; i < count; ++i) {
                auto key = *rc::gen::nonEmpty(rc::gen::container<std::string>(character));
                key.resize(std::min<std::size_t>(key.size(), 63));
                pairs.push_back({key, *rc::gen::container<std::string>(rc::gen::elementOf("ab=, :/\xc3"s))});
            }
            const auto text = build_text(pairs);
            TextCollector collector;
            std::span<const std::byte> left(text);
            while (!left.empty()) {
                const auto n = static_cast<std::size_t>(
                    *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{left.size()} + 1));
                collector.add(left.first(n));
                left = left.subspan(n);
            }
            RC_ASSERT(collector.finish() == pairs);
            RC_ASSERT(collector.error() == TextError::none);
        }));
}
