// SPDX-License-Identifier: GPL-2.0-or-later
// Parses numbers with units, as options, scenarios and expressions write them: "5ms", "64KiB", "100Mbit/s".
//
// The units are the same everywhere:
//   time   ns us µs ms s min h
//   bytes  B, kB (KB) MB GB TB of 1000, KiB MiB GiB TiB of 1024
//   rate   bit kbit Mbit Gbit or a unit of bytes, followed by /s
//   share  %
// Where an option takes one kind of quantity, these rules hold too:
//   - A number is decimal, with a point or an exponent ("1.5", "1e3"), and not negative. Spaces may precede
//     its unit.
//   - A time needs a unit, except 0: "10" is refused, for it could be seconds or milliseconds.
//   - A size without a unit is in bytes; K, M, G and T alone are KiB, MiB, GiB and TiB. A
//     lower-case k is refused: it could be 1000 or 1024.
//   - A rate needs a unit, except 0, but not its "/s": "100Mbit" is 100Mbit/s and "10MB" is 10MB/s.
//   - A share is a number from 0 to 1 or a percentage from 0 to 100.
//   - A quantity that is not a whole number of nanoseconds, bytes or bits per second is refused: "127.3KiB".
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/base/value.h"

#include <cstdint>
#include <string_view>

namespace iscsiscope {

// Each parses the whole text.
Result<Duration> parse_duration(std::string_view text);   // at most 100 years: added to a date it still fits
Result<std::uint64_t> parse_rate(std::string_view text);  // bits per second
Result<std::uint64_t> parse_bytes(std::string_view text); // at most 2^62
Result<double> parse_share(std::string_view text);        // 0..1

// A quantity of any kind in the expression language, which also has hexadecimal numbers ("0x28", no unit).
struct Quantity {
    Value value; // nanoseconds, bytes, bytes per second or a share from 0 to 1; integers stay integers
    Unit unit = Unit::none;
    std::size_t length = 0; // characters taken
};
// Parses a quantity at the front of the text, which begins with a digit or a point.
Result<Quantity> read_quantity(std::string_view text);

} // namespace iscsiscope
