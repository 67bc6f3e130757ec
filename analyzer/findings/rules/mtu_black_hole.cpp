// SPDX-License-Identifier: GPL-2.0-or-later
// Rule mtu_black_hole: full-size segments are retransmitted repeatedly and not acknowledged, while small
// ones are (RFC 2923 section 2.1).
#include "analyzer/findings/rules/icmp_words.h"
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

// The smaller of the sizes that both SYNs offered.
std::optional<std::uint32_t> agreed_mss(const ConnectionFacts &c) {
    if (!c.to_target || !c.to_initiator || !c.to_target->mss_offered || !c.to_initiator->mss_offered)
        return std::nullopt;
    return std::min(*c.to_target->mss_offered, *c.to_initiator->mss_offered);
}

// What says that packets of these segments between these hosts, in this direction, are too large. Of IPv6 too
// the headers are 40 bytes or more.
std::optional<IcmpError> too_big(const std::vector<IcmpError> &all, const Endpoint &from, const Endpoint &to,
                                 std::uint32_t segment) {
    constexpr std::uint32_t headers = 40;
    return commonest(all, [&](const IcmpError &e) {
        return e.reason == IcmpReason::too_big && e.source.address == from.address &&
               e.destination.address == to.address && (!e.mtu || *e.mtu < segment + headers);
    });
}

Verdict no_hole(const std::vector<IcmpError> &all) {
    const std::string none_lost =
        "no size of segment was sent again and again without an ACK while smaller ones got through";
    const auto icmp = commonest(all, [](const IcmpError &e) { return e.reason == IcmpReason::too_big; });
    return none(icmp ? icmp_words(*icmp) + ", but " + none_lost : none_lost);
}

} // namespace

Verdict mtu_black_hole(const RuleContext &c) {
    const TcpDirectionFigures *hole = nullptr;
    const ConnectionFacts *connection = nullptr;
    for (const ConnectionFacts &k : c.facts.connections)
        for (const auto *d : {&k.to_target, &k.to_initiator})
            if (*d && swallows_large(**d) &&
                (hole == nullptr || (*d)->black_holed_repeats > hole->black_holed_repeats)) {
                hole = &**d;
                connection = &k;
            }
    if (hole == nullptr)
        return no_hole(c.in.capture.icmp);
    Finding f = begin_finding(FindingKind::mtu_black_hole, c);
    const Lost &lost = c.lost.to(FindingKind::mtu_black_hole);
    f.stream = connection->record.stream;
    const std::uint32_t passed =
        hole->passed_black_hole != 0 ? hole->passed_black_hole : hole->largest_acked_segment;
    const std::optional<std::uint32_t> mss = agreed_mss(*connection);
    const bool to_target = connection->to_target && hole == &*connection->to_target;
    f.sentence = "Segments of " + human::count(*hole->smallest_black_holed) + " bytes and more to " +
                 end_with_address(connection, to_target) +
                 (hole->retransmitted() != 0 ? " were sent repeatedly and never acknowledged"
                                             : " never came through") +
                 ", while segments of up to " + human::count(passed) + " bytes got through";
    if (mss)
        f.sentence += " (MSS agreed: " + human::count(*mss) + " bytes)";
    if (hole->largest_acked_segment >= *hole->smallest_black_holed)
        f.sentence += "; at other times " + human::count(hole->largest_acked_segment) +
                      " bytes passed: the path changed";
    f.sentence += "." + lost_sentence(f, lost);
    const Endpoint &initiator = connection->record.initiator, &target = connection->record.target;
    const std::optional<IcmpError> icmp =
        too_big(c.in.capture.icmp, to_target ? initiator : target, to_target ? target : initiator,
                *hole->smallest_black_holed);
    if (icmp)
        add_icmp(f, *icmp);
    if (hole->black_hole_frame)
        f.evidence.insert(f.evidence.begin(), {*hole->black_hole_frame, "a large segment sent again"});
    add_figure(f, "smallest_never_acknowledged", *hole->smallest_black_holed, FigureUnit::bytes);
    add_figure(f, "largest_acknowledged", passed, FigureUnit::bytes);
    if (mss)
        add_figure(f, "mss", *mss, FigureUnit::bytes);
    // A ping's payload is the packet less 28 bytes of headers, the MSS the packet less 40 (RFC 6691).
    const std::uint32_t ping = mss.value_or(*hole->smallest_black_holed + 12) + 12;
    f.remedy = "Set the same MTU on both ends and on everything between (test: ping -M do -s " +
               std::to_string(ping) + " must be answered), or " +
               (icmp ? "find why the sender does not follow the messages of " + to_text(icmp->sender) +
                           " (a filter before it)"
                     : std::string("let ICMP 'fragmentation needed' through")) +
               ". Until then clamp the MSS "
               "(iptables … -j TCPMSS --clamp-mss-to-pmtu) or set net.ipv4.tcp_mtu_probing=1 at the sender.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
