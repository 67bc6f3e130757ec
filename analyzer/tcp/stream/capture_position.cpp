// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/stream/capture_position.h"

#include <algorithm>

namespace iscsiscope {

std::optional<CapturePosition> capture_position(const Connection &c, Side initiator) {
    constexpr double reaction = 200'000; // reaction time of a host, ns
    constexpr std::uint64_t answers = 8; // of which at least one is usually not delayed
    constexpr double held_back = 0.5e9;  // longest delay of an ACK, ns (RFC 9293)
    const RttTrack &near = c.end(initiator).rtt, &far = c.end(other(initiator)).rtt;
    if (!near.minimum || !far.minimum)
        return std::nullopt;
    const bool handshake = c.end(Side::opener).syn_seen && c.end(Side::acceptor).syn_seen;
    const auto least = [&](const RttTrack &t) {
        const double minimum = static_cast<double>(t.minimum->count());
        const double doubt = handshake ? reaction : t.answers >= answers ? reaction + minimum / 8 : held_back;
        return std::max(minimum - doubt, 0.0);
    };
    const double a = static_cast<double>(near.minimum->count()),
                 b = static_cast<double>(far.minimum->count());
    const auto share = [](double part, double rest, double none) {
        return part + rest > 0 ? part / (part + rest) : none;
    };
    return CapturePosition{share(a, b, 0.5), share(least(near), b, 0), share(a, least(far), 1)};
}

} // namespace iscsiscope
