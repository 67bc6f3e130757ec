// SPDX-License-Identifier: GPL-2.0-or-later
// Findings in words, beside the sentences of their rules: what they cover, their evidence, what was ruled
// out.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/findings/kinds.h"

#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

struct Finding;
struct FindingsResult;
struct Report;

// The kind's name in words: "packet loss".
std::string words(FindingKind);
// The note of the findings' section.
std::string findings_note(const FindingsResult &);
// Returns the part of the capture that findings cover if there is a range or a filter; otherwise empty.
std::string findings_cover(const Report &);
inline constexpr std::string_view no_findings = "No performance problem found.";
// "Checked and ruled out: packet loss, reordering and 30 more."; empty if no cause was ruled out.
std::string ruled_out_words(const FindingsResult &);
// The numbers of the frames that prove it, in ascending order, each once.
std::vector<FrameNumber> evidence_frames(const Finding &);
// A Wireshark display filter of the frames that prove it: "frame.number in {12, 17}"; may be empty.
std::string evidence_filter(const Finding &);
std::string evidence_words(const Finding &); // "frame 12 (R2T), frame 17 (first data)"; may be empty
std::string also_words(const Finding &);     // the titles of `also`; may be empty

} // namespace iscsiscope
