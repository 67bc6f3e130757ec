// SPDX-License-Identifier: GPL-2.0-or-later
// Figures as people read them: three digits, a unit that fits.
#pragma once

#include "analyzer/base/time.h"

#include <cstdint>
#include <optional>
#include <string>

namespace iscsiscope::human {

std::string duration(std::int64_t ns); // "850 ns", "12.3 µs", "4.56 ms", "1.2 s", "2 min 05 s"
std::string duration(std::optional<std::int64_t> ns); // "-" where nothing is known
std::string duration(Duration);
std::string bytes(std::uint64_t); // decimal: "512 B", "4.20 MB"
std::string block(std::uint64_t); // a size that was asked for: "512 KiB", "512 B"
std::string count(std::uint64_t); // "1,234,567"
std::string share(double);        // "12.3 %", "<0.1 %"
std::string change(double);       // of a share, signed: "+1.4 %", "-0.3 %"; "0.0 %", without sign
// a / b, 0 where b is not positive.
double ratio(double a, double b);
// "1 session", "2 sessions".
std::string plural(std::uint64_t n, const char *one, const char *more);

} // namespace iscsiscope::human
