// SPDX-License-Identifier: GPL-2.0-or-later
// HostMoment: what the two hosts of a connection had sent to each other, over all TCP connections between
// them of the same service, when one of its segments had passed. HostShare makes it; it shows whether a
// single connection is silent or the whole path.
#pragma once

#include "analyzer/base/saturating.h"
#include "analyzer/tcp/hosts/side.h"
#include "analyzer/tcp/hosts/silences.h"

#include <array>
#include <cstdint>

namespace iscsiscope {

// The silences of one host: of its frames, and of its ACKs for new bytes.
struct HostSilences {
    Silences frames, answers;
};

// One host at that moment.
struct HostSeen {
    const HostSilences *silences = nullptr; // null: none; who makes the moment keeps them (HostPairs)
    Events frames, answers;
    std::uint64_t others = 0; // bytes of payload that it had sent on the other connections, repeats included
    double rate = 0;          // bytes per nanosecond that its path carries (CarriedRate); 0: not known

    // True if the host sent no frame for at least half of the interval.
    bool silent_in(Time from, Time to) const {
        const Duration silent = silences != nullptr ? silences->frames.latest(from, to, frames)
                                                    : Silences().latest(from, to, frames);
        return silent * 2 >= to - from;
    }
    // For so long in the interval, no ACK for new bytes came from the host.
    Duration unanswered_in(Time from, Time to) const {
        return silences != nullptr ? silences->answers.longest(from, to, answers)
                                   : Silences().longest(from, to, answers);
    }
    // The time that so many bytes need on its path; zero while its rate is not known.
    Duration time_of(std::uint64_t bytes) const {
        return rate == 0 ? Duration{} : Duration{saturated_integer(static_cast<double>(bytes) / rate)};
    }
};

struct HostMoment {
    std::array<HostSeen, 2> of; // the hosts of the two ends of the connection, by Side
};

} // namespace iscsiscope
