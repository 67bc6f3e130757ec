// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers with units as options, scenarios and expressions write them: "5ms", "64KiB", "100Mbit/s", "5%".
//
// Units, in any place the same:
//   time   ns us µs ms s min h
//   bytes  B, kB (KB) MB GB TB of 1000, KiB MiB GiB TiB of 1024
//   rate   bit kbit Mbit Gbit or a unit of bytes, with /s behind it
//   share  %
// Where an option takes one kind of quantity, these rules hold besides:
//   - A number is decimal, with a point or an exponent ("1.5", "1e3"); it is never negative. Spaces may
//     stand between it and its unit.
//   - A time needs a unit, 0 excepted: "10" is refused, for it could be seconds or milliseconds.
//   - A bare number is bytes where a size is meant; K, M, G and T alone are KiB, MiB, GiB and TiB. A
//     lower-case k is refused: it could be 1000 or 1024.
//   - A rate needs a unit, 0 excepted, but not its "/s": "100Mbit" is 100Mbit/s and "10MB" is 10MB/s.
//   - A share is a number from 0 to 1 or a percentage from 0 to 100.
//   - What is no whole number of nanoseconds, bytes or bits a second is refused: "127.3KiB" is a mistake.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/base/value.h"

#include <cstdint>
#include <string_view>

namespace iscsiscope {

// Each reads the whole text.
Result<Duration> parse_duration(std::string_view text);   // at most 100 years, so that a sum with now fits
Result<std::uint64_t> parse_rate(std::string_view text);  // bits a second
Result<std::uint64_t> parse_bytes(std::string_view text); // at most 2^62
Result<double> parse_share(std::string_view text);        // 0..1

// A quantity of any kind, as the expression language has it; hexadecimal ("0x28") without a unit too.
struct Quantity {
    Value value; // time in nanoseconds, bytes, bytes a second, shares as 0..1; whole numbers stay whole
    Unit unit = Unit::none;
    std::size_t length = 0; // characters taken
};
// Reads one from the front of the text, which begins with a digit or a point.
Result<Quantity> read_quantity(std::string_view text);

} // namespace iscsiscope
