// SPDX-License-Identifier: GPL-2.0-or-later
// Figures, times and names as people read them. A figure has three digits and a unit that fits.
#pragma once

#include "analyzer/base/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iscsiscope::human {

std::string duration(std::int64_t ns); // "850 ns", "12.3 µs", "4.56 ms", "1.2 s", "2 min 05 s"
std::string duration(std::optional<std::int64_t> ns); // "-" where nothing is known
std::string duration(Duration);
std::string bytes(std::uint64_t);                   // decimal: "512 B", "4.20 MB"
std::string rate(double bytes_per_second);          // "512 B/s", "4.20 MB/s"; nothing below 0
std::string megabyte_rate(double bytes_per_second); // where rates are compared: "0.0042 MB/s", "4.2 MB/s"
std::string block(std::uint64_t);                   // a size that was asked for: "512 KiB", "512 B"
std::string count(std::uint64_t);                   // "1,234,567"
std::string share(double);                          // "12.3 %", "<0.1 %"
std::string change(double); // of a share, signed: "+1.4 %", "-0.3 %"; "0.0 %", without sign
std::string instant(Time);  // "2024-05-01 12:00:00.123456 UTC"
// Of the wire: bytes that are no printable ASCII become '?', so that no name can steer a terminal.
std::string name(std::string_view);
// Of the file system: control characters become '?', all else stays.
std::string path(std::string_view);
// "1 session", "2 sessions".
std::string plural(std::uint64_t n, const char *one, const char *more);

} // namespace iscsiscope::human
