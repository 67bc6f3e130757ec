// SPDX-License-Identifier: GPL-2.0-or-later
// compare(): the differences between two reports.
#pragma once

#include "analyzer/base/value.h"
#include "analyzer/figures/report.h"

#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

// One figure of both captures; `before` or `after` is empty if it is not known there.
struct Difference {
    std::string
        group; // "both" (Reads and Writes together), "read", "write", "control", "time", "owners", "tcp"
    std::string name; // as in --fail-on and the JSON report
    Unit unit{};
    std::optional<double> before, after;
    bool better_when_higher = false, neutral = false; // neutral: neither is better

    // Returns (after - before) / before; empty if either is not known or `before` is 0.
    std::optional<double> change() const;
};

struct FindingChange {
    FindingKind kind{};
    std::string title;
    std::optional<double> before, after; // Finding::share, of busy time; empty: not among the findings
    std::optional<Severity> severity_before, severity_after;
};

struct SettingChange {
    std::string name;
    std::string before, after; // empty: not known
};

struct Comparison {
    std::string before, after; // names of the captures
    std::string sentence;      // how the throughput over data time differs, with what it rests on
    std::vector<Difference> differences;
    std::vector<FindingChange> findings; // of either capture
    std::vector<SettingChange> settings; // those that differ
};

Comparison compare(const Report &before, const Report &after, const std::vector<double> &quantiles);

} // namespace iscsiscope
