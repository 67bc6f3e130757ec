// SPDX-License-Identifier: GPL-2.0-or-later
// The Python package of the studies: `sample-captures/studies`, or share/iscsiscope/studies beside an
// installed program.
#pragma once

#include "analyzer/base/result.h"

#include <string>
#include <vector>

namespace iscsiscope::testbed::papers {

struct PythonRun {
    std::vector<std::string> names; // which studies; empty: all
    std::string folder;
    bool quick = false, keep = false;
    unsigned seed = 1;
};

class PythonStudies {
public:
    // Finds the package, and an interpreter that has what it needs. The sentence of a failure names the
    // packages.
    static Result<PythonStudies> find();

    // The interpreter takes this process over. Comes back only with the reason why it could not.
    std::string become(const PythonRun &) const;

private:
    std::string package_, python_; // the package's folder; the program
};

} // namespace iscsiscope::testbed::papers
