// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/report/html/html_page.h"

namespace iscsiscope::html {

// Adds the verdict as a sentence, how the commands ended, and the four headline numbers as cards.
void headline_cards(HtmlPage &, const Report &);
// Returns Read or Write: the type with more response times, which is the one of the headline.
TaskType headline_type(const Report &);

} // namespace iscsiscope::html
