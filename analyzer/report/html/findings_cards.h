// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/report/html/html_page.h"

namespace iscsiscope::html {

// The findings, each with its evidence and remedy, and what was ruled out. Nothing without findings.
void findings_cards(HtmlPage &, const Report &);

} // namespace iscsiscope::html
