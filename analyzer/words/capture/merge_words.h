// SPDX-License-Identifier: GPL-2.0-or-later
// Sentences on captures that were merged by time (MergeSummary), for reports and remarks.
#pragma once

#include <string>
#include <vector>

namespace iscsiscope {

struct CaptureSummary;

// "Frame numbers are those of `mergecap -w merged.pcapng A B`", or why they are not. Empty: not a merged
// capture.
std::string frame_number_words(const CaptureSummary &);
// What makes figures less certain: clocks that differ, steps of a clock, files that do not overlap in time.
// Each is a sentence.
std::vector<std::string> merge_remarks(const CaptureSummary &);
// Which files hold the same packets, and from which one they are taken. Each is a sentence.
std::vector<std::string> same_packet_words(const CaptureSummary &);

} // namespace iscsiscope
