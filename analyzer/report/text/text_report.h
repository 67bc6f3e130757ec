// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/report/text/text_page.h"

#include <string>

namespace iscsiscope {

// The report as a storage engineer reads it on a terminal.
std::string text_report(const Report &, const TextStyle &);

} // namespace iscsiscope
