// SPDX-License-Identifier: GPL-2.0-or-later
// Where a capture was taken, what it holds, and what it may lack, in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iscsiscope {

struct CapturePosition;
struct Report;

// "at the initiator", "at 0.31 of the way to the target (0.28 to 0.35)", "at a place that is not known": as
// precise as its bounds allow.
std::string position_words(const CapturePosition &);
std::string_view link_type_words(std::uint32_t link_type);
// Returns the service that usually listens on the port; empty if not known.
std::string_view port_words(std::uint16_t port);
// Returns why tasks without an answer may have had one that the capture misses; may be empty.
std::string unanswered_doubt(const Report &, std::uint64_t unanswered, std::uint64_t without_command);

} // namespace iscsiscope
