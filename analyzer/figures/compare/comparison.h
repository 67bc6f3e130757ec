// SPDX-License-Identifier: GPL-2.0-or-later
// compare(): the differences between two reports.
#pragma once

#include "analyzer/base/value.h"
#include "analyzer/figures/rates.h"
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

// The owner whose part of the busy time explains how the throughput changed: ns for each MB.
struct OwnerChange {
    Owner owner{};
    double before = 0, after = 0;
};

// The throughput over data time of both captures, and what it rests on.
struct ThroughputChange {
    Rates before, after;
    bool before_whole = false, after_whole = false; // all tasks were found (tasks_known)
    std::optional<OwnerChange> owner;               // empty: none explains the change

    // True if both throughputs are known and of all tasks, and the first is not 0.
    bool comparable() const;
};

struct Comparison {
    std::string before, after; // names of the captures
    ThroughputChange throughput;
    std::vector<Difference> differences;
    std::vector<FindingChange> findings; // of either capture
    std::vector<SettingChange> settings; // those that differ
};

Comparison compare(const Report &before, const Report &after, const std::vector<double> &quantiles);

} // namespace iscsiscope
