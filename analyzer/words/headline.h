// SPDX-License-Identifier: GPL-2.0-or-later
// The four headline numbers of a report, as every format shows them.
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
    bool list = false;     // the detail has further values like the first
};

// Returns throughput, response time, commands in flight and whose the busy time is, in this order. Where
// contents were cut or are unseen and commands may have been missed, the throughput is that of the payload on
// the wire (docs/figures.md, "Rates").
std::vector<HeadlineNumber> headline(const Report &);

// "4.58 MB/s while reading, 32 IOPS": value and detail as they are read behind the name; "not known".
std::string words(const HeadlineNumber &);

} // namespace iscsiscope
