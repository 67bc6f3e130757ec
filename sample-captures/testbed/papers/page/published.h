// SPDX-License-Identifier: GPL-2.0-or-later
// What a paper published: figures and series from one JSON file a study, with their source.
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/papers/lab/plot.h"

#include <map>
#include <string>
#include <string_view>

namespace iscsiscope::testbed::papers {

class Published {
public:
    // A sentence where the file cannot be read or is not as meant.
    static Result<Published> load(const std::string &path);

    const std::string &title() const { return title_; }
    const std::string &source() const { return source_; }
    const std::string &set_up() const { return set_up_; }
    // A name that the file does not have gives 0 or no points, and stands in missing() afterwards.
    double value(const std::string &name) const;
    Points series(const std::string &name) const;
    // y of a series at x; 0 where it has no such point.
    double at(const std::string &series, double x) const;
    const std::vector<std::string> &missing() const { return missing_; }

private:
    std::string title_, source_, set_up_;
    std::map<std::string, double> values_;
    std::map<std::string, Points> series_;
    mutable std::vector<std::string> missing_;
};

} // namespace iscsiscope::testbed::papers
