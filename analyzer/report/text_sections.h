// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of the text report, in their order on the page. Each leaves out what is not there.
#pragma once

#include "analyzer/report/report.h"
#include "analyzer/report/text_page.h"

namespace iscsiscope {

void capture_section(TextPage &, const Report &);
void no_iscsi_section(TextPage &, const Report &); // instead of all below
void summary_section(TextPage &, const Report &);
void cycles_section(TextPage &, const Report &);
void time_section(TextPage &, const Report &);
void phases_section(TextPage &, const Report &);
void bursts_section(TextPage &, const Report &);
void gaps_section(TextPage &, const Report &);
void commands_section(TextPage &, const Report &);
void trouble_section(TextPage &, const Report &);
void slowest_section(TextPage &, const Report &);
void sessions_section(TextPage &, const Report &);

// "p99", "p99.9", "p50".
std::string quantile_name(double q);

} // namespace iscsiscope
