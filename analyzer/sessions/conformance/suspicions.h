// SPDX-License-Identifier: GPL-2.0-or-later
// Suspicions: breaches that the capture shows only if it holds all that the other end had sent before: an
// answer to no request, a number beyond those used. What the other end had sent may pass the tap late or not
// at all, so each waits for the next PDU of the other direction: if that began to pass after the suspect PDU,
// nothing was missing.
//
// State: 16 suspicions of one direction of a connection; a further one is not counted.
#pragma once

#include "analyzer/sessions/conformance/rule_counts.h"

#include <array>
#include <vector>

namespace iscsiscope {

class Suspicions {
public:
    static constexpr std::size_t max_waiting = 16;

    void add(Rule rule, const Occasion &o, RuleFigures figures = {}) {
        std::vector<Waiting> &all = waiting_[static_cast<std::size_t>(o.pdu.direction)];
        if (!o.pdu.overtakes && all.size() < max_waiting)
            all.push_back({violation_of(rule, o, figures), o.pdu.first_seen, {}});
    }
    // A PDU passed: decides on those that wait for its direction.
    void pdu(const Pdu &p, RuleCounts &counts) {
        std::vector<Waiting> &all = waiting_[static_cast<std::size_t>(opposite(p.direction))];
        if (!all.empty())
            decide(all, p.first_seen, counts);
        for (Waiting &w : waiting_[static_cast<std::size_t>(p.direction)])
            if (!w.next_request)
                w.next_request = request_tag(p);
    }
    // The connection ended, and of neither direction a byte is missing: all are right.
    void end(RuleCounts &counts) {
        for (std::vector<Waiting> &all : waiting_)
            decide(all, Time::max(), counts);
    }
    void forget() {
        for (std::vector<Waiting> &all : waiting_)
            all.clear();
    }

private:
    struct Waiting {
        Violation violation;
        Time since{};
        std::optional<std::uint32_t> next_request; // the tag of the first request after it
    };
    static void decide(std::vector<Waiting> &all, Time passed, RuleCounts &counts) {
        for (const Waiting &w : all)
            if (passed > w.since)
                counts.broken(w.violation, w.next_request);
        all.clear();
    }

    std::array<std::vector<Waiting>, 2> waiting_; // by PduDirection of the suspect PDU
};

} // namespace iscsiscope
