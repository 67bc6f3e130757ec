// SPDX-License-Identifier: GPL-2.0-or-later
// Wording: codes of the protocol and kinds of the engine as words for people.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/findings/kinds.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

enum class Bottleneck : std::uint8_t;
struct Report;
struct Finding;
struct FindingsResult;
struct ModelInput;
struct CaptureSummary;
struct UnreadTraffic;

// Returns the glossary's clause: what is awaited during a gap of this kind; if empty, what transfer is.
std::string_view explanation(std::optional<GapKind>);
// "closed", as a clause: "connection closed by FIN".
std::string_view explanation(ConnectionOutcome);
std::string_view explanation(Owner);
// "CHECK CONDITION", "ended by a reset": behind a number of tasks.
std::string_view outcome_words(TaskOutcome);
// "at the initiator", "at 0.31 of the way to the target (0.28 to 0.35)", "at a place that is not known": as
// precise as its bounds allow.
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
// Returns the service that usually listens on the port; empty if not known.
std::string_view port_words(std::uint16_t port);

// What it is and how much of it: "RoCE v2, RDMA over UDP: 12 packets".
std::string unread_words(const UnreadTraffic &);
// Returns why nothing of it is read, and how figures can be had, as sentences.
std::string_view unread_reason(const UnreadTraffic &);
// Returns "RoCE v2, RDMA over UDP: 12 packets; ..."; empty if there is nothing that cannot be read.
std::string unread_summary(const CaptureSummary &);

// Returns why tasks without an answer may have had one that the capture misses; may be empty.
std::string unanswered_doubt(const Report &, std::uint64_t unanswered, std::uint64_t without_command);

std::string range_words(const Report &); // the part of the capture that the report covers
// Returns a section's note; with a range, it adds that the range does not limit this section.
std::string of_whole_capture(const Report &, std::string_view note);

// "6 of 9 Reads, of 256 KiB, 1.57 MB in 650 ms with one of them open": what a model and the measurement
// beside it are of.
std::string modelled_tasks(const ModelInput &);

// The note of the findings' section.
std::string findings_note(const FindingsResult &);
// Returns the part of the capture that findings cover if there is a range or a filter; otherwise empty.
std::string findings_cover(const Report &);
inline constexpr std::string_view no_findings = "No performance problem found.";
// The numbers of the frames that prove it, in ascending order, each once.
std::vector<FrameNumber> evidence_frames(const Finding &);
// A Wireshark display filter of the frames that prove it: "frame.number in {12, 17}"; may be empty.
std::string evidence_filter(const Finding &);
// Names in words: "packet loss", "logged out".
std::string words(FindingKind);
// "the rate of the path": what holds a modelled throughput.
std::string_view words(Bottleneck);
std::string words(ConnectionOutcome);
std::string evidence_words(const Finding &); // "frame 12 (R2T), frame 17 (first data)"; may be empty
std::string also_words(const Finding &);     // the titles of `also`; may be empty

} // namespace iscsiscope
