// SPDX-License-Identifier: GPL-2.0-or-later
// Since when and until when a finding held, in seconds from the first frame, as `--range` takes them.
#pragma once

#include "analyzer/findings/findings_input.h"

#include <string>

namespace iscsiscope {

// "From 5.02 to 8.11 s (frame 812); 78 % of the busy time there." Empty if it held throughout, or if no time
// was lost to it.
std::string when_words(const FindingTimes &, const CaptureFacts &);

} // namespace iscsiscope
