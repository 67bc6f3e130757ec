// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/run/host_setup.h"

namespace iscsiscope::testbed::run {

struct TruthPart {
    std::string host;    // added to each row
    std::string program; // likewise
    std::string path;    // a .jsonl file one of the programs wrote; skipped if it is not there
};

// Writes `path`: `head` first, then the parts' rows as they are (with "host" and "program" added),
// then `rows`. A line that is no JSON object makes the merge fail, with its place.
Status merge_truth(const std::string &path, const std::string &head, const std::vector<TruthPart> &parts,
                   const std::vector<std::string> &rows);

} // namespace iscsiscope::testbed::run
