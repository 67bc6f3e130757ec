// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/compare/ends_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/tcp/pair/pair_figures.h"

#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {

std::string matched_words(const PairFigures &p) {
    return fmt::format("{}; {} in the first only, {} in the second only",
                       human::plural(p.connections.size(), "connection", "connections"), p.only_a, p.only_b);
}

std::string clock_words(const PairFigures &p) {
    if (!p.clock)
        return "no segment matched in both directions: offset and delays are not known";
    if (p.clock->same_clock)
        return fmt::format("one clock stamped both captures, as --same-clock states: no offset and no drift; "
                           "one-way delays are absolute, right within the time stamps' {}",
                           human::duration(p.same_clock->precision));
    return fmt::format("the second capture's is {} {} the first's, ± {} (half the least round trip: an "
                       "asymmetric path cannot be distinguished from an offset)",
                       human::duration(Duration(std::abs(to_ns(p.clock->offset)))),
                       p.clock->offset < Duration{0} ? "behind" : "ahead of",
                       human::duration(p.clock->asymmetry));
}

std::string same_clock_warning(const PairFigures &p) {
    if (!p.same_clock || p.same_clock->holds())
        return "";
    const SameClockCheck &c = *p.same_clock;
    std::string words =
        fmt::format("the captures contradict --same-clock: {} of {} segments would arrive before they were "
                    "sent, by up to "
                    "{}",
                    human::count(c.negative), human::count(c.segments), human::duration(-c.least));
    if (c.measured)
        words += fmt::format("; the second clock is off by {}{} ± {}, which is used instead",
                             c.measured->offset < Duration{0} ? "-" : "+",
                             human::duration(Duration(std::abs(to_ns(c.measured->offset)))),
                             human::duration(c.measured->asymmetry));
    return words;
}

std::string drift_words(const PairFigures &p) {
    return !p.clock               ? ""
           : p.clock->drift_known ? fmt::format("{:+.2f} ppm", p.clock->drift_ppm)
                                  : "common time too short to measure (1 s is needed)";
}

} // namespace iscsiscope
