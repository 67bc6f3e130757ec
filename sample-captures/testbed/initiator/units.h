// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers with units as the command line and the scenarios write them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope::testbed::initiator {

// Bytes: "4096", "64KiB", "127.5KiB", "1MB". Nothing if malformed, negative, beyond 2^62 or not a whole
// number of bytes.
std::optional<std::uint64_t> parse_size(std::string_view text);

// "10s", "30ms", "250us", "100ns", "1.5s"; a bare number is seconds. Nothing if malformed, negative or
// beyond ten years.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

// Bytes a second from "100Mbit", "1Gbit", "900kbit" (decimal), or a size a second such as "10MB".
std::optional<std::uint64_t> parse_rate(std::string_view text);

} // namespace iscsiscope::testbed::initiator
