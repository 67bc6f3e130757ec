// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/rates.h"

#include "analyzer/base/ratio.h"

namespace iscsiscope {

Rates rates(std::uint64_t tasks, std::uint64_t bytes, std::optional<Duration> over) {
    const double seconds = static_cast<double>(to_ns(over.value_or(Duration{}))) / 1e9;
    return {quotient(bytes, seconds), quotient(tasks, seconds)};
}

Rates rates(const Report &r, TaskType type) {
    return rates(r.of(type).count, r.of(type).bytes, r.elapsed());
}

std::optional<double> mean_outstanding(const Report &r, TaskType type) {
    return quotient(r.of(type).of(CycleFigure::response_time).sum(), r.elapsed().value_or(Duration{}));
}

} // namespace iscsiscope
