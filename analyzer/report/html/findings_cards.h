// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/report/html/html_page.h"

namespace iscsiscope::html {

// Adds the findings, each with its evidence and remedy, and the causes ruled out; nothing without findings.
void findings_cards(HtmlPage &, const Report &);

} // namespace iscsiscope::html
