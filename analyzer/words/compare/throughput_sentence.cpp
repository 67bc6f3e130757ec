// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/compare/throughput_sentence.h"

#include "analyzer/base/number_format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::string rate_words(const Rates &r) {
    return fmt::format("{} ({} in {} of data time)", human::megabyte_rate(*r.throughput),
                       human::plural(r.tasks, "Read or Write", "Reads and Writes"),
                       human::duration(*r.data_time));
}

// Names the owner whose part of the busy time explains the change; empty if none does.
std::string owner_clause(const ThroughputChange &t) {
    if (!t.owner)
        return "";
    const auto shown = [](double ns) { return human::duration(static_cast<std::int64_t>(ns)); };
    return fmt::format("; of the busy time per MB, the {}'s part changed most, from {} to {}",
                       name(t.owner->owner), shown(t.owner->before), shown(t.owner->after));
}

} // namespace

std::string throughput_sentence(const ThroughputChange &t) {
    const Rates &before = t.before, &after = t.after;
    constexpr double same = 0.02;
    constexpr std::uint64_t few = 20; // tasks
    if (!before.throughput || !after.throughput || *before.throughput == 0) {
        const auto missing = [](const Rates &r) { return !r.throughput || r.bytes == 0; };
        return fmt::format("The throughput cannot be compared: {} no Read or Write with an answer and data.",
                           missing(before) && missing(after) ? "the captures have"
                           : missing(before)                 ? "the capture before has"
                                                             : "the capture after has");
    }
    if (!t.comparable()) {
        return fmt::format("The throughput cannot be compared: {} tasks that were not found.",
                           !t.before_whole && !t.after_whole ? "both captures hold"
                           : !t.before_whole                 ? "the capture before holds"
                                                             : "the capture after holds");
    }
    const double change = *after.throughput / *before.throughput - 1;
    std::string text = std::abs(change) < same
                           ? fmt::format("The throughput is the same within {}", human::share(same))
                       : change > 9 ? fmt::format("The throughput is {:.0f} times as high", change + 1)
                                    : fmt::format("The throughput is {} {}", human::share(std::abs(change)),
                                                  change > 0 ? "higher" : "lower");
    text += fmt::format(": {} before, {} after", rate_words(before), rate_words(after));
    return text + (std::min(before.tasks, after.tasks) < few
                       ? fmt::format("; fewer than {} tasks are too few to judge.", few)
                       : owner_clause(t) + ".");
}

} // namespace iscsiscope
