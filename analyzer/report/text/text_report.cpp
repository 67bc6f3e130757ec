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
    load_section(page, r);
    commands_section(page, r);
    trouble_section(page, r);
    conformance_section(page, r);
    sessions_section(page, r);
}

std::string text_report(const Report &r, const TextStyle &style) {
    TextPage page(style);
    const bool iscsi = r.capture.coverage.connections != 0;
    if (iscsi || portal_failed(r))
        verdict_section(page, r);
    capture_section(page, r);
    if (!iscsi) {
        no_iscsi_section(page, r);
        if (portal_failed(r))
            findings_section(page, r);
        return page.finish();
    }
    summary_section(page, r);
    findings_section(page, r);
    cycles_section(page, r);
    time_section(page, r);
    detail_sections(page, r);
    return page.finish();
}

} // namespace iscsiscope
