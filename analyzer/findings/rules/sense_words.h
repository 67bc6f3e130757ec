// SPDX-License-Identifier: GPL-2.0-or-later
// What sense data and other answers of targets mean in words, and what to do about them: by sense key,
// additional sense code, operation code and state. The one place of these remedies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iscsiscope {

// A command that a target refused, as far as the remedy depends on it.
struct RefusedCommand {
    std::uint32_t sense = 0;                  // packed() of sense.h
    std::optional<std::uint8_t> opcode;       // empty: not in the file
    std::optional<std::uint32_t> asked_bytes; // expected data transfer length
};

// "05/25/00": key, additional sense code and qualifier as T10 and the logs of hosts write them; "05/…" where
// the code is cut.
std::string sense_digits(std::uint32_t sense);
// "LOGICAL UNIT NOT SUPPORTED (05/25/00)": T10's name and the digits; these alone for a code without a name.
std::string sense_text(std::uint32_t sense);
// "WRITE SAME(16)"; "operation code 0xc1" for a code without a name. Of codes with service actions the
// general one.
std::string command_name(std::uint8_t opcode);

std::string_view remedy_of(const RefusedCommand &);
// Remedy for commands that were rejected as PDUs (RFC 7143 section 11.17.1), by the reason of the Reject.
std::string_view remedy_of_reject(std::uint8_t reason);

} // namespace iscsiscope
