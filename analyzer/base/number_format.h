// SPDX-License-Identifier: GPL-2.0-or-later
// Formats figures, times and names for people: a figure has three digits and a unit of fitting size.
#pragma once

#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iscsiscope::human {

std::string duration(std::int64_t ns); // "850 ns", "12.3 µs", "4.56 ms", "1.2 s", "2 min 05 s"
std::string duration(std::optional<std::int64_t> ns); // "-" if empty
std::string duration(Duration);
std::string bytes(std::uint64_t);                   // decimal: "512 B", "4.20 MB"
std::string rate(double bytes_per_second);          // "512 B/s", "4.20 MB/s"; a negative rate is shown as 0
std::string megabyte_rate(double bytes_per_second); // for comparing rates: "0.0042 MB/s", "4.2 MB/s"
std::string block(std::uint64_t);                   // a requested size: "512 KiB", "512 B"
std::string count(std::uint64_t);                   // "1,234,567"
std::string share(double);                          // "12.3 %", "<0.1 %"
std::string change(double);                         // change by a share: "+1.4 %", "-0.3 %", "0.0 %"
std::string frame(OptionalFrame);                   // "1234"; "-" if empty
std::string frames(OptionalFrame from, OptionalFrame to); // "12–19"; "from 12", "up to 19", "-" likewise
std::string instant(Time);                                // "2024-05-01 12:00:00.123456 UTC"
// A name from the wire: bytes that are not UTF-8 and control characters are shown as \xHH (utf8.h), so that
// it cannot control a terminal.
std::string name(std::string_view);
std::string name(std::string_view, std::size_t most); // cut to so many bytes
// A path of the file system, likewise.
std::string path(std::string_view);
// "1 session", "2 sessions".
std::string plural(std::uint64_t n, const char *one, const char *more);

} // namespace iscsiscope::human
