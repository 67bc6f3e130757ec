// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/repeats/reordering.h"

namespace iscsiscope {
namespace {

std::optional<Duration> shortest_round_trip(const Connection &c) {
    const auto &a = c.ends[0].rtt.minimum, &b = c.ends[1].rtt.minimum;
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

} // namespace

bool is_reordered(const Connection &c, const Segment &s, const SentLog::Sent &by,
                  std::optional<Duration> tick, ReorderingProof &proof) {
    const std::optional<Duration> trip = shortest_round_trip(c);
    if (s.options.has_timestamps && by.timestamp != 0) {
        const auto step = static_cast<std::int32_t>(s.options.timestamp_value - by.timestamp);
        proof = ReorderingProof::timestamp;
        if (step != 0)
            return step < 0;
        // Its sender's clock did not advance in between: a repeat would have come a round trip later.
        if (tick && trip && *trip >= 2 * *tick)
            return true;
    }
    if (s.has_ip_id && s.ip_id != 0 && by.ip_id != 0) {
        proof = ReorderingProof::ip_id;
        return static_cast<std::int16_t>(static_cast<std::uint16_t>(s.ip_id - by.ip_id)) < 0;
    }
    // A repeat comes no sooner than a round trip after the hole.
    proof = ReorderingProof::quick;
    return trip && s.time - by.first < *trip * 9 / 10;
}

} // namespace iscsiscope
