// SPDX-License-Identifier: GPL-2.0-or-later
// Codes of the protocol and kinds of the engine in the user's words.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iscsiscope {

struct Report;
struct Finding;
struct FindingsResult;

// What was waited for during such a gap, or, of no gap, what transfer is: the clause of the glossary.
std::string_view explanation(std::optional<GapKind>);
// "closed", as a clause: "connection closed by FIN".
std::string_view explanation(ConnectionOutcome);
// "at the initiator", "at 0.31 of the way to the target (0.28 to 0.35)": what its bounds allow to say.
std::string position_words(const CapturePosition &);
// "LUN reset requested", "Reject: data digest error".
std::string event_words(Opcode, std::uint8_t code);
// "authentication failed (class 2, detail 1)".
std::string login_status_words(std::uint8_t status_class, std::uint8_t detail);
// "READ(10)", "opcode 0xc1".
std::string command_words(std::uint8_t opcode, std::optional<std::uint16_t> service_action);
// "ILLEGAL REQUEST, INVALID FIELD IN CDB (05/24/00)".
std::string sense_words(std::uint32_t sense);
// "disk", "tape" ...
std::string_view device_words(std::optional<std::uint8_t> type);
std::string_view link_type_words(std::uint32_t link_type);
// The service that as a rule listens there; empty: not known.
std::string_view port_words(std::uint16_t port);

// Why tasks without an answer may have had one all the same; empty: nothing speaks for it.
std::string unanswered_doubt(const Report &, std::uint64_t unanswered, std::uint64_t without_command);

std::string range_words(const Report &); // what of the capture the report is of
// A section's note, with the remark that the range does not bound it, where there is one.
std::string of_whole_capture(const Report &, std::string_view note);

// What the findings' section says of itself, of one finding's evidence, and of its other causes.
std::string findings_note(const FindingsResult &);
// What they are of, where a range or a filter was asked for; empty: all of the capture, as everything else.
std::string findings_cover(const Report &);
inline constexpr std::string_view no_findings = "None: nothing that was looked for costs time worth a line.";
std::string evidence_words(const Finding &); // "frame 12 (R2T), frame 17 (first data)"; empty: none
std::string also_words(const Finding &);     // "Seen in the same gaps: nagle."; empty: none

} // namespace iscsiscope
