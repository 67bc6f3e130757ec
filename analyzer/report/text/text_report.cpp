// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/text/text_report.h"

#include "analyzer/report/text/text_sections.h"

#include <fmt/format.h>

namespace iscsiscope {

std::string quantile_name(double q) {
    return fmt::format("p{:g}", q * 100);
}

void detail_sections(Page &page, const Report &r) {
    phases_section(page, r);
    bursts_section(page, r);
    gaps_section(page, r);
    slowest_section(page, r);
    models_section(page, r);
    tcp_section(page, r);
    sharing_section(page, r);
    paths_over_time_section(page, r, true);
    load_section(page, r);
    commands_section(page, r);
    trouble_section(page, r);
    conformance_section(page, r);
    sessions_section(page, r);
}

namespace {

void without_iscsi(Page &page, const Report &r, ReportDetail detail) {
    if (portal_failed(r)) {
        verdict_section(page, r);
        findings_section(page, r, detail);
    }
    if (detail == ReportDetail::brief && portal_failed(r))
        return;
    capture_section(page, r);
    no_iscsi_section(page, r);
}

} // namespace

void write_report(Page &page, const Report &r, ReportDetail detail) {
    if (r.capture.coverage.connections == 0) {
        without_iscsi(page, r, detail);
        return;
    }
    verdict_section(page, r);
    headline_section(page, r, detail);
    findings_section(page, r, detail);
    if (detail == ReportDetail::brief)
        return;
    capture_section(page, r);
    cycles_section(page, r);
    if (detail == ReportDetail::ordinary) {
        time_overview(page, r);
        trouble_overview(page, r);
        paths_over_time_section(page, r, false);
        sessions_overview(page, r);
        page.blank();
        page.line("--all shows every section, --brief the verdict and findings only.", 0, Tone::dim);
        return;
    }
    time_section(page, r);
    detail_sections(page, r);
    ruled_out_section(page, r);
}

std::string text_report(const Report &r, const TextStyle &style, ReportDetail detail) {
    TextPage page(style);
    write_report(page, r, detail);
    return page.finish();
}

} // namespace iscsiscope
