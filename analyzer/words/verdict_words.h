// SPDX-License-Identifier: GPL-2.0-or-later
// The verdict on a capture in words (docs/figures.md, "Verdict").
#pragma once

#include "analyzer/figures/verdict/verdict.h"

#include <string>

namespace iscsiscope {

// Returns one to five short sentences: the first problem, or that there is none with the first thing noticed;
// the host's idleness if it is more than half; whose the busy time is; and how sure that is.
std::string verdict_words(const Report &, const CaptureVerdict &);

} // namespace iscsiscope
