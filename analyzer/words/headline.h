// SPDX-License-Identifier: GPL-2.0-or-later
// The four headline numbers of a report and the sentence on how its commands ended, as every format shows
// them.
#pragma once

#include "analyzer/figures/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// One number with its unit, and what it is of. `detail` is read behind `value` and may be empty.
struct HeadlineNumber {
    std::string_view name; // "Throughput"
    std::string value;     // "4.58 MB/s"; "-" if it is not known
    std::string detail;    // "while reading, 32 IOPS; 691 kB/s over all 3.11 s"
};

// Returns throughput, response time, commands in flight and whose the busy time is, in this order. Where
// contents were cut or are unseen and commands may have been missed, the throughput is that of the payload on
// the wire (docs/figures.md, "Rates").
std::vector<HeadlineNumber> headline(const Report &);

// "4.58 MB/s while reading, 32 IOPS": value and detail as they are read behind the name; "not known".
std::string words(const HeadlineNumber &);

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

// True if each command with this sense data is part of every healthy device scan: a command that targets do
// not support, or the first one behind a login.
bool of_every_scan(const SenseTally &);
// The same of one command that moves no data of the medium. sense: as in CycleRecord.
bool of_every_scan(TaskType, std::uint32_t sense);

// Returns "12 %", "3.4 %", "99.6 %": without decimals from 10 to 99. share: 0..1.
std::string rough_share(double share);

} // namespace iscsiscope
