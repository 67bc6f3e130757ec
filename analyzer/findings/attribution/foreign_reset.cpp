// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/attribution/foreign_reset.h"

#include "analyzer/base/number_format.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Routes of equal cost may differ by a hop or two; systems begin at 64, 128 or 255.
constexpr unsigned same_way = 2;

// Later connections of this address have the hardware address and the time to live of the RST.
bool address_moved(const Facts &facts, const ConnectionFacts &c, const ForeignReset &r) {
    const auto address = [&](const ConnectionFacts &k) {
        return (r.of_target ? k.record.target : k.record.initiator).address;
    };
    return std::ranges::any_of(facts.connections, [&](const ConnectionFacts &k) {
        const TcpDirectionFigures *f =
            k.direction(r.of_target ? PduDirection::to_initiator : PduDirection::to_target);
        return &k != &c && f != nullptr && k.record.start > c.record.start && address(k) == address(c) &&
               f->face.any && f->face.hops_off(r.face) == 0 && !f->face.foreign_mac(r.face);
    });
}

// An RST answers the other end's last segment if that end had been silent for a round trip before: then it is
// no answer to an earlier one.
void compare_times(ForeignReset &r, const SenderFace &other, Time at, std::optional<Duration> round_trip) {
    // Shorter round trips are within what a capture's clock and a busy tap add to single packets.
    constexpr Duration least = std::chrono::microseconds(100);
    if (!round_trip || *round_trip < least || !other.any || at < other.last ||
        other.pause_before < *round_trip)
        return;

    r.round_trip = round_trip;
    if (at - other.last < *round_trip)
        r.too_soon = at - other.last;
}

} // namespace

std::optional<ForeignReset> foreign_reset(const Facts &facts, const ConnectionFacts &c, const FirstEnd &end) {
    if (!end.known || !end.by_reset)
        return std::nullopt;
    const FinalDirectionFigures &own = end.by_target ? c.to_initiator : c.to_target;
    const FinalDirectionFigures &other = end.by_target ? c.to_target : c.to_initiator;
    if (!own || !own->face.any)
        return std::nullopt;
    ForeignReset r;
    r.of_target = end.by_target;
    r.frame = end.frame;
    r.face = own->reset_face;
    r.usual = own->face;
    r.other_mac = own->face.foreign_mac(r.face);
    r.hops_off = own->face.hops_off(r.face);
    if (other)
        compare_times(r, other->face, end.time,
                      end.by_target ? c.record.rtt_to_target : c.record.rtt_to_initiator);
    // The time alone may be chance: the end itself may have closed just then.
    const bool device = r.too_soon && *r.too_soon * 2 < *r.round_trip && r.hops_off > 0;
    if ((!r.other_mac && r.hops_off <= same_way && !device) || address_moved(facts, c, r))
        return std::nullopt;
    return r;
}

std::string difference_words(const ForeignReset &r) {
    std::string mac, ttl, soon;
    if (r.other_mac)
        mac = "MAC address " + to_text(r.face.mac) + " instead of " + to_text(r.usual.mac);
    if (r.hops_off > 0)
        ttl = "TTL " + std::to_string(r.face.ttl) + " instead of " +
              std::to_string(r.face.ttl > r.usual.max_ttl ? r.usual.max_ttl : r.usual.min_ttl);
    if (r.too_soon)
        soon = ", and came sooner than a round trip of " + human::duration(*r.round_trip);
    return "has " + mac + (!mac.empty() && !ttl.empty() ? " and " : "") + ttl + soon;
}

} // namespace iscsiscope
