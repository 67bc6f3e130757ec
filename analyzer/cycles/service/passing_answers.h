// SPDX-License-Identifier: GPL-2.0-or-later
// PassingAnswers: the time in which PDUs of the target were passing the tap on one connection. An answer that
// is behind them in the stream had to wait for them. The Data-In PDUs of a task that follow each other
// directly pass as one. Bounded: the oldest spans are forgotten, and what they held is then not known.
#pragma once

#include "analyzer/base/containers/fifo.h"
#include "analyzer/base/time.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace iscsiscope {

class PassingAnswers {
public:
    static constexpr std::size_t most = 1024;

    // Takes a delivered PDU of the target; they come in the order of the stream. data_of: the task of a
    // Data-In.
    void add(Time first_seen, Time delivered, std::optional<CycleId> data_of) {
        const bool joins = data_of && data_of == last_data_of_ && !spans_.empty();
        last_data_of_ = data_of;
        if (joins) {
            spans_.back().to = std::max(spans_.back().to, delivered);
            return;
        }
        const Time from = spans_.empty() ? first_seen : std::max(first_seen, spans_.back().to);
        if (!data_of && from >= delivered)
            return;
        if (!spans_.empty() && spans_.back().from == spans_.back().to)
            spans_.back() = {from, std::max(from, delivered)};
        else
            spans_.push({from, std::max(from, delivered)});
        if (spans_.size() > most) {
            known_from_ = spans_.front().to;
            spans_.pop();
        }
    }

    // Returns the time within [from, to) in which PDUs passed; empty if it is not known any more.
    std::optional<Duration> within(Time from, Time to) const {
        if (from < known_from_)
            return std::nullopt;
        Duration sum{};
        for (std::size_t i = spans_.size(); i > 0 && spans_[i - 1].to > from; --i)
            sum += std::max(Duration{}, std::min(spans_[i - 1].to, to) - std::max(spans_[i - 1].from, from));
        return sum;
    }

    // Nothing before this time will be asked for again.
    void forget_before(Time t) {
        while (spans_.size() > 1 && spans_.front().to < t) {
            known_from_ = spans_.front().to;
            spans_.pop();
        }
    }

private:
    struct Span {
        Time from{}, to{};
    };

    Fifo<Span> spans_;                    // disjoint, in order
    Time known_from_ = Time::min();       // end of the last span forgotten
    std::optional<CycleId> last_data_of_; // of the last PDU
};

} // namespace iscsiscope
