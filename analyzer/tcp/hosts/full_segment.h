// SPDX-License-Identifier: GPL-2.0-or-later
// How many bytes of payload fill a segment, by what the ends of its connection have announced.
#pragma once

#include <cstdint>
#include <optional>

namespace iscsiscope {

// What an end that announces no MSS gets (RFC 9293 section 3.7.1).
inline constexpr std::uint32_t min_segment = 536;

// mss: of the receiver; empty: not known. timestamps: the sender's segments carry them, and their option
// takes 12 bytes with its padding (RFC 7323 appendix A). Empty if the MSS is not known.
constexpr std::optional<std::uint32_t> full_segment(std::optional<std::uint16_t> mss, bool timestamps) {
    const std::uint32_t options = timestamps ? 12 : 0;
    return mss && *mss > options ? std::optional(*mss - options) : std::nullopt;
}

} // namespace iscsiscope
