// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/facts/icmp_facts.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace iscsiscope {
namespace {

// The ends of the targets: of connections with iSCSI, and of attempts at a port that is, or carries, iSCSI.
std::set<Endpoint> portals_of(const Facts &facts) {
    std::set<Endpoint> portals;
    for (const ConnectionFacts &c : facts.connections)
        portals.insert(c.record.target);
    std::set<std::uint16_t> ports;
    for (const Endpoint &p : portals)
        ports.insert(p.port);
    for (const PortalFacts &p : facts.portals)
        if (p.known_port || ports.contains(p.portal.port))
            portals.insert(p.portal);
    return portals;
}

} // namespace

bool says_unreachable(const IcmpError &e) {
    return e.reason != IcmpReason::too_big && e.reason != IcmpReason::slow_down &&
           e.reason != IcmpReason::reassembly_exceeded;
}

std::vector<IcmpError> take_icmp(Facts &facts, const std::vector<IcmpError> &errors) {
    const std::set<Endpoint> portals = portals_of(facts);
    std::vector<IcmpError> own;
    std::ranges::copy_if(errors, std::back_inserter(own), [&](const IcmpError &e) {
        return portals.contains(e.destination) || portals.contains(e.source);
    });
    for (const IcmpError &e : own) {
        const auto p = std::ranges::find(facts.portals, e.destination, &PortalFacts::portal);
        if (p == facts.portals.end() || !says_unreachable(e))
            continue;
        if (e.reason == IcmpReason::hops_exceeded)
            p->traced(e.source);
        else
            p->not_reached(e.source);
    }
    return own;
}

} // namespace iscsiscope
