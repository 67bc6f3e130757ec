// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons as text and as JSON.
#pragma once

#include "analyzer/figures/compare/comparison.h"
#include "analyzer/figures/compare/ends.h"
#include "analyzer/report/text/text_page.h"

#include <string>

namespace iscsiscope {

std::string compare_text(const Comparison &, const TextStyle &);
std::string compare_json(const Comparison &);
std::string ends_text(const Ends &, const TextStyle &);
std::string ends_json(const Ends &);

} // namespace iscsiscope
