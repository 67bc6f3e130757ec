// SPDX-License-Identifier: GPL-2.0-or-later
// For each kind of finding one set of made-up facts in which it is found: words_of_<kind>() in *_cases.cpp. A
// kind without one does not link.
#pragma once

#include "analyzer/findings/findings_input.h"

namespace iscsiscope::made {

#define ISCSISCOPE_WORDS_CASE(kind, ...) FindingsResult words_of_##kind();
ISCSISCOPE_FINDING_KINDS(ISCSISCOPE_WORDS_CASE)
#undef ISCSISCOPE_WORDS_CASE

} // namespace iscsiscope::made
