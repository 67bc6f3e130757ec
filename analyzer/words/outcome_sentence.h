// SPDX-License-Identifier: GPL-2.0-or-later
// How the commands of a capture ended, and what of them is not in it, as sentences.
#pragma once

#include <string>
#include <string_view>

namespace iscsiscope {

struct Report;

struct OutcomeSentence {
    std::string text;
    bool harmless = true; // every Read and Write was good, and what else failed is part of every device scan
};
// "All 1,234 commands succeeded." or how many of which kind failed and how.
OutcomeSentence outcome_sentence(const Report &);

// Why there is no headline: no command in the capture, or none in the range and for the filter.
std::string_view no_command_sentence(const Report &);
// That there were more commands than those found; empty if there were not.
std::string missed_commands_sentence(const Report &);

} // namespace iscsiscope
