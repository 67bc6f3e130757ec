// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/units.h"
#include "catch.h"

#include <utility>
#include <vector>

using namespace iscsiscope;
using namespace std::chrono_literals;

namespace {

template <class T>
void reads(Result<T> (*parse)(std::string_view), const std::vector<std::pair<const char *, T>> &table) {
    for (const auto &[text, value] : table) {
        INFO(text);
        const Result<T> r = parse(text);
        REQUIRE(r.ok());
        CHECK(r.value() == value);
    }
}

template <class T>
void refuses(Result<T> (*parse)(std::string_view),
             const std::vector<std::pair<const char *, const char *>> &table) {
    for (const auto &[text, why] : table) {
        INFO(text);
        const Result<T> r = parse(text);
        REQUIRE_FALSE(r.ok());
        INFO(r.failure().message);
        CHECK(r.failure().message.find(why) != std::string::npos);
        CHECK(r.failure().message.starts_with('"' + std::string(text) + '"'));
    }
}

constexpr const char *no_number = "does not begin with a number", *no_unit = "has no unit",
                     *other_unit = "has an unknown unit", *no_whole = "is not a whole multiple",
                     *too_large = "is too large";

} // namespace

TEST_CASE("times need a unit, 0 excepted, and are whole nanoseconds") {
    reads<Duration>(parse_duration, {{"100ns", 100ns},
                                     {"250us", 250us},
                                     {"250µs", 250us},
                                     {"30ms", 30ms},
                                     {"0.14ms", 140us},
                                     {"1.5s", 1500ms},
                                     {"1e3ms", 1s},
                                     {"2min", 2min},
                                     {"1 min", 1min},
                                     {"1.5h", 90min},
                                     {"0", 0ns},
                                     {"0s", 0ns},
                                     {"876000h", 876000h}});
    refuses<Duration>(parse_duration, {{"", no_number},
                                       {"ms", no_number},
                                       {"-1s", no_number},
                                       {"nan ms", no_number},
                                       {"inf", no_number},
                                       {"10", no_unit},
                                       {"1.5", no_unit},
                                       {"5kB", other_unit},
                                       {"5msx", other_unit},
                                       {"5 parsecs", other_unit},
                                       {"1h30", other_unit},
                                       {"1.2.3ms", other_unit},
                                       {"0x10ms", other_unit},
                                       {"10S", other_unit},
                                       {"0.5ns", no_whole},
                                       {"0.0000001ns", no_whole},
                                       {"1000000h", too_large},
                                       {"999999999999s", too_large},
                                       {"99999999999999999999ms", too_large}});
}

TEST_CASE("a bare size is bytes, and a size is whole bytes") {
    reads<std::uint64_t>(parse_bytes, {{"10", 10},
                                       {"4096", 4096},
                                       {"1e3", 1000},
                                       {"7B", 7},
                                       {"1kB", 1000},
                                       {"1KB", 1000},
                                       {"10MB", 10'000'000},
                                       {"2GB", 2'000'000'000},
                                       {"1TB", 1'000'000'000'000},
                                       {"64KiB", 65536},
                                       {"64 KiB", 65536},
                                       {"1.5KiB", 1536},
                                       {"127.5KiB", 130560},
                                       {"0.5MiB", 524288},
                                       {"1GiB", 1073741824},
                                       {"1TiB", 1099511627776},
                                       {"1K", 1024},
                                       {"1M", 1048576},
                                       {"1.5G", 1610612736},
                                       {"1T", 1099511627776},
                                       {"4611686018427387904", 4611686018427387904}});
    refuses<std::uint64_t>(parse_bytes, {{"", no_number},
                                         {"KiB", no_number},
                                         {"-1", no_number},
                                         {"inf", no_number},
                                         {"nan", no_number},
                                         {"1k", other_unit},
                                         {"64kib", other_unit},
                                         {"0x10", other_unit},
                                         {"127.3KiB5", other_unit},
                                         {"1Mbit", other_unit},
                                         {"1.3", no_whole},
                                         {"127.3KiB", no_whole},
                                         {"4611686018427387905", too_large},
                                         {"18446744073709551616", too_large},
                                         {"16777216TiB", too_large},
                                         {"9e99", too_large},
                                         {"1e30", too_large}});
}

TEST_CASE("rates are bits a second and need a unit") {
    reads<std::uint64_t>(parse_rate, {{"9600bit/s", 9600},
                                      {"100bit/s", 100},
                                      {"165746kbit/s", 165'746'000},
                                      {"100Mbit/s", 100'000'000},
                                      {"100Mbit", 100'000'000},
                                      {"2.5Gbit/s", 2'500'000'000},
                                      {"1B/s", 8},
                                      {"1kB/s", 8000},
                                      {"40MB/s", 320'000'000},
                                      {"10MB", 80'000'000},
                                      {"1GB/s", 8'000'000'000},
                                      {"1MiB/s", 8'388'608},
                                      {"1M/s", 8'388'608},
                                      {"0", 0}});
    refuses<std::uint64_t>(parse_rate, {{"fast", no_number},
                                        {"10", no_unit},
                                        {"10/s", other_unit},
                                        {"10k", other_unit},
                                        {"10ms", other_unit},
                                        {"1%", other_unit},
                                        {"0.1bit/s", no_whole},
                                        {"9e18B/s", too_large}});
}

TEST_CASE("shares are from 0 to 1 or percentages") {
    reads<double>(parse_share,
                  {{"0", 0}, {"0.25", 0.25}, {"1", 1}, {"25%", 0.25}, {"25 %", 0.25}, {"100%", 1}});
    CHECK(parse_share("0.1%").value() == Approx(0.001));
    refuses<double>(parse_share, {{"", "not a share"},
                                  {"%", "not a share"},
                                  {"-1%", "not a share"},
                                  {"101%", "not a share"},
                                  {"2", "not a share"},
                                  {"5ms", "not a share"},
                                  {"nan%", "not a share"}});
}

TEST_CASE("a quantity is read from the front of an expression") {
    struct Case {
        const char *text;
        std::size_t length;
        Unit unit;
        double value;
    };
    for (const Case &c : {Case{"5ms)", 3, Unit::time, 5e6},
                          {"64KiB and", 5, Unit::bytes, 65536},
                          {"0x28,", 4, Unit::none, 40},
                          {"5 ms", 1, Unit::none, 5},
                          {"1e3", 3, Unit::none, 1e3},
                          {"100Mbit/s", 9, Unit::rate, 12.5e6},
                          {"9600bit/s", 9, Unit::rate, 1200},
                          {"10MB/s", 6, Unit::rate, 1e7},
                          {"5%", 2, Unit::share, 0.05}}) {
        INFO(c.text);
        const auto r = read_quantity(c.text);
        REQUIRE(r.ok());
        const Value &v = r.value().value;
        CHECK(r.value().length == c.length);
        CHECK(r.value().unit == c.unit);
        CHECK((v.type() == ValueType::natural ? static_cast<double>(v.as_natural()) : v.as_number()) ==
              Approx(c.value));
    }
    for (const char *wrong :
         {"5parsecs", "1K", "100Mbit", "1.2.3", "5_", "0x", "0x12345678123456789", "1e999"}) {
        INFO(wrong);
        CHECK_FALSE(read_quantity(wrong).ok());
    }
}
