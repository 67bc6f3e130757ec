// SPDX-License-Identifier: GPL-2.0-or-later
// The sections of text and HTML reports, in their order on the page. Each omits parts without data.
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/report/text/page.h"

#include <cstdint>

namespace iscsiscope {

// How much of a report is shown. `brief`: verdict, headline numbers and findings, each but the first in one
// line. `ordinary`: what most readers need, without what is small, equal or empty, and with the remedies of
// problems and of the first finding. `all`: everything.
enum class ReportDetail : std::uint8_t { brief, ordinary, all };

void capture_section(Page &, const Report &);
void no_iscsi_section(Page &, const Report &); // replaces all sections below
// True if the findings explain why there is no iSCSI: connection attempts to a portal that failed. They then
// follow the section above.
bool portal_failed(const Report &);
void verdict_section(Page &, const Report &);
// The four numbers and the outcome, behind the verdict. `brief` leaves out an outcome without trouble.
void headline_section(Page &, const Report &, ReportDetail = ReportDetail::all);
void cycles_section(Page &, const Report &);
void time_section(Page &, const Report &);
// The parts of the connections' time from 1 % on.
void time_overview(Page &, const Report &);
void phases_section(Page &, const Report &);
void bursts_section(Page &, const Report &);
void gaps_section(Page &, const Report &);
void commands_section(Page &, const Report &);
void trouble_section(Page &, const Report &);
// The same of a few lines; nothing if there is no trouble.
void trouble_overview(Page &, const Report &);
void anomalies_part(Page &, const Report &); // part of trouble_section and no_iscsi_section
void tcp_section(Page &, const Report &);
void findings_section(Page &, const Report &, ReportDetail = ReportDetail::all);
void ruled_out_section(Page &, const Report &);
void models_section(Page &, const Report &);
void sharing_section(Page &, const Report &); // connections, paths, mirrors
// Logins, lost connections, states of port groups and reservations by time; nothing if only logins and
// logouts are to be seen. all: without a bound of a few rows.
void paths_over_time_section(Page &, const Report &, bool all);
void load_section(Page &, const Report &); // depth, command window, pings, access patterns
void conformance_section(Page &, const Report &);
void slowest_section(Page &, const Report &);
void sessions_section(Page &, const Report &);
// Connections, keys in force and LUNs in a few lines.
void sessions_overview(Page &, const Report &);

// Writes all sections after the cycles by size, in their order.
void detail_sections(Page &, const Report &);

// "p99", "p99.9", "p50".
std::string quantile_name(double q);

} // namespace iscsiscope
