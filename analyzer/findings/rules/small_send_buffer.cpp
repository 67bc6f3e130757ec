// SPDX-License-Identifier: GPL-2.0-or-later
// Rule small_send_buffer: the bytes in flight stay below both windows because the send buffer is full.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {
namespace {

const ConnectionFacts *worst_of(const RuleContext &c, const Lost &lost) {
    for (const ConnectionFacts &k : c.facts.connections)
        if (lost.worst_stream() == k.record.stream)
            return &k;
    return nullptr;
}

// A full send buffer passes its size per round trip. A sender with more in flight and a much lower rate
// paused at times for its own reasons (a busy processor), which looks the same in a single wait.
bool sets_the_rate(const ConnectionFacts &k) {
    constexpr double least = 0.2;
    const bool reads = k.record.bytes_to_initiator >= k.record.bytes_to_target;
    const TcpDirectionFigures *f = k.direction(reads ? PduDirection::to_initiator : PduDirection::to_target);
    if (f == nullptr || f->largest_flight == 0 || !k.rtt() || k.active() <= Duration{})
        return true; // not known
    const auto bytes = static_cast<double>(reads ? k.record.bytes_to_initiator : k.record.bytes_to_target);
    const double round_trips = static_cast<double>(to_ns(k.active())) / static_cast<double>(to_ns(*k.rtt()));
    return bytes >= least * static_cast<double>(f->largest_flight) * round_trips;
}

} // namespace

Verdict small_send_buffer(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::small_send_buffer);
    if (lost.waits.count == 0)
        return none(
            "no sender stood still with room in window and congestion window and data of one PDU left");
    Finding f = begin_finding(FindingKind::small_send_buffer, c);
    if (auto ordinary = ordinary_waits(f, c))
        return none(std::move(*ordinary));
    f.sentence =
        "The sender kept less under way than window and congestion window allowed, as one whose send "
        "buffer is full does: " +
        lost_words(f, lost) + ".";
    for (const ConnectionFacts &k : c.facts.connections)
        for (const auto *d : {&k.to_target, &k.to_initiator})
            if (lost.worst_stream() == k.record.stream && *d && (*d)->send_plateau) {
                f.sentence += " It stood at " + human::bytes(*(*d)->send_plateau) + " on its way to the " +
                              (d == &k.to_target ? "target" : "initiator") + ".";
                add_figure(f, "send_plateau", static_cast<double>(*(*d)->send_plateau), FigureUnit::bytes);
            }
    if (const ConnectionFacts *k = worst_of(c, lost); k != nullptr && !sets_the_rate(*k)) {
        f.severity = Severity::notice;
        f.sentence +=
            " Far less than a buffer of that size lets through at this round trip was sent: over all "
            "something else set the rate.";
    }
    f.remedy = "Give the sender a send buffer of at least rate times round trip (Linux: third value of "
               "net.ipv4.tcp_wmem, net.core.wmem_max where the program sets SO_SNDBUF).";
    if (queue_stands(c))
        f.remedy = shorten_queue_first;
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
