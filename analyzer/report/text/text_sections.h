// SPDX-License-Identifier: GPL-2.0-or-later
// The sections of text and HTML reports, in their order on the page. Each omits parts without data.
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/report/text/page.h"

namespace iscsiscope {

void capture_section(Page &, const Report &);
void no_iscsi_section(Page &, const Report &); // replaces all sections below
// True if the findings explain why there is no iSCSI: connection attempts to a portal that failed. They then
// follow the section above.
bool portal_failed(const Report &);
void verdict_section(Page &, const Report &);
void summary_section(Page &, const Report &);
void cycles_section(Page &, const Report &);
void time_section(Page &, const Report &);
void phases_section(Page &, const Report &);
void bursts_section(Page &, const Report &);
void gaps_section(Page &, const Report &);
void commands_section(Page &, const Report &);
void trouble_section(Page &, const Report &);
void anomalies_part(Page &, const Report &); // part of trouble_section and no_iscsi_section
void tcp_section(Page &, const Report &);
void findings_section(Page &, const Report &);
void models_section(Page &, const Report &);
void sharing_section(Page &, const Report &); // connections, paths, mirrors
void load_section(Page &, const Report &);    // depth, command window, pings, access patterns
void conformance_section(Page &, const Report &);
void slowest_section(Page &, const Report &);
void sessions_section(Page &, const Report &);

// Writes all sections after the cycles by size, in their order.
void detail_sections(Page &, const Report &);

// "p99", "p99.9", "p50".
std::string quantile_name(double q);

} // namespace iscsiscope
