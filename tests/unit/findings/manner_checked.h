// SPDX-License-Identifier: GPL-2.0-or-later
// Findings of made-up input → the same, after a check of their words (manner.h).
#pragma once

#include "catch.h"
#include "findings/manner.h"

#include <utility>

namespace iscsiscope::made {

// Fails the test case for each complaint.
inline FindingsResult manner_checked(FindingsResult result) {
    for (const Finding &finding : result.findings)
        for (const std::string &complaint : test::complaints(finding)) {
            INFO(finding.title << "\n" << finding.sentence << "\n" << finding.remedy);
            FAIL_CHECK(complaint);
        }
    return result;
}

} // namespace iscsiscope::made
