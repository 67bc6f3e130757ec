// SPDX-License-Identifier: GPL-2.0-or-later
// ReportNames: the figures of a report as names of the expression language, for --fail-on:
//   read.response_time.p99, write.count, gap.target_r2t.share, outcome.aborted, anomaly.stream_hole
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/query/expression.h"

namespace iscsiscope {

class ReportNames final : public NameSource {
public:
    // The report must outlive the object. With an empty report an expression can be checked before reading.
    explicit ReportNames(const Report &report) : report_(report) {}

    std::variant<std::monostate, const Column *, NamedConstant> find(std::string_view name) const override;
    std::vector<std::string> names() const override;
    std::string_view what() const override { return "figure of the report"; }

private:
    std::optional<NamedConstant> of_type(TaskType, std::string_view rest) const;
    std::optional<NamedConstant> of_gap(std::string_view rest) const;

    const Report &report_;
};

} // namespace iscsiscope
