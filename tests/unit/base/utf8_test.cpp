// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/text/utf8.h"
#include "catch.h"

#include <vector>

using namespace iscsiscope;

namespace {

// The sequence of any value, well-formed or not, in the shortest form or in a longer one.
std::string encoded(std::uint32_t value, std::size_t length) {
    if (length == 1)
        return {static_cast<char>(value)};
    std::string out(length, '\0');
    for (std::size_t i = length; --i > 0; value >>= 6)
        out[i] = static_cast<char>(0x80 | (value & 0x3f));
    out[0] = static_cast<char>((0xf00 >> length & 0xff) | value);
    return out;
}

} // namespace

TEST_CASE("only the shortest form of a Unicode scalar value is UTF-8") {
    constexpr std::uint32_t limits[] = {0, 0x80, 0x800, 0x10000, 0x110000}; // of each length
    for (std::uint32_t value = 0; value < 0x110000; value += value < 0x3000 ? 1 : 17) {
        const bool surrogate = value >= 0xd800 && value < 0xe000;
        for (std::size_t length = 1; length <= 4; ++length) {
            if (value >= limits[length])
                continue; // it does not fit
            const bool shortest = value >= limits[length - 1];
            const std::string bytes = encoded(value, length);
            INFO(value << " in " << length);
            REQUIRE(is_utf8(bytes) == (shortest && !surrogate));
            REQUIRE(utf8_sequence(bytes) == (shortest && !surrogate ? length : 0));
        }
    }
    CHECK_FALSE(is_utf8(encoded(0x110000, 4)));
    CHECK_FALSE(is_utf8("\xf8\x88\x80\x80\x80"));
    CHECK_FALSE(is_utf8("\xff"));
    CHECK_FALSE(is_utf8("\x80"));
    CHECK_FALSE(is_utf8("x\xe2\x82"));
    CHECK(is_utf8(""));
}

TEST_CASE("bytes that are no UTF-8 are shown one by one, and what is shown is UTF-8") {
    CHECK(utf8_text("iqn.\xed\xa0\x80x") == R"(iqn.\xED\xA0\x80x)");
    CHECK(utf8_text("\xc0\xaf") == R"(\xC0\xAF)");
    CHECK(utf8_text("µ→\U0001F4BE") == "µ→\U0001F4BE");
    CHECK(utf8_text("\xe2\x82\xe2\x82\xac") == "\\xE2\\x82€");
    CHECK(utf8_text("a\nb") == "a\nb");
    std::uint32_t random = 1;
    for (int i = 0; i < 20'000; ++i) {
        std::string bytes;
        for (int n = 0; n < 12; ++n) {
            random = random * 1664525 + 1013904223;
            bytes.push_back(static_cast<char>((random >> 24) | (random & 0x8000 ? 0xc0 : 0)));
        }
        const std::string shown = utf8_text(bytes), printable = printable_text(bytes);
        REQUIRE(is_utf8(shown));
        REQUIRE(is_utf8(printable));
        REQUIRE(utf8_text(shown) == shown);
        REQUIRE(printable_text(printable) == printable);
        REQUIRE(is_utf8(utf8_prefix(shown, 7)));
    }
}

TEST_CASE("a printable text stays on its line and in its direction") {
    CHECK(printable_text("a\x1b[2J\r\n\x7f") == R"(a\x1B[2J\x0D\x0A\x7F)");
    CHECK(printable_text("\xc2\x9b"
                         "2J") == R"(\xC2\x9B2J)");                     // CSI as one C1 character
    CHECK(printable_text("x\xe2\x80\xaegnp") == R"(x\xE2\x80\xAEgnp)"); // right-to-left override
    CHECK(printable_text("\xe2\x81\xa6\xd8\x9c") == R"(\xE2\x81\xA6\xD8\x9C)");
    CHECK(printable_text("Müller → 磁盘") == "Müller → 磁盘");
}

TEST_CASE("a prefix ends between two characters") {
    CHECK(utf8_prefix("abc", 5) == "abc");
    CHECK(utf8_prefix("abc", 2) == "ab");
    CHECK(utf8_prefix("aµb", 2) == "a");
    CHECK(utf8_prefix("a€", 3) == "a");
    CHECK(utf8_prefix("a€", 2) == "a");
    CHECK(utf8_prefix("a€b", 4) == "a€");
    CHECK(utf8_prefix("\U0001F4BE", 3).empty());
    CHECK(utf8_prefix("µ", 0).empty());
}
