// SPDX-License-Identifier: GPL-2.0-or-later
// The part of a capture that a report is of, in words.
#pragma once

#include <string>
#include <string_view>

namespace iscsiscope {

struct Report;

std::string range_words(const Report &); // the part of the capture that the report covers
// Returns a section's note; with a range or a filter, it adds that this does not limit the section.
std::string of_whole_capture(const Report &, std::string_view note);
// The same for a section that a range limits, and a filter does not.
std::string of_all_commands(const Report &, std::string_view note = {});

} // namespace iscsiscope
