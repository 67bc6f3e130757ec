// SPDX-License-Identifier: GPL-2.0-or-later
// Rule small_send_buffer: the bytes in flight stay below both windows because the send buffer is full.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {
namespace {

// A full send buffer passes its size per round trip. A sender with more in flight and a much lower rate
// paused at times for its own reasons (a busy processor), which looks the same in a single wait.
bool sets_the_rate(const ConnectionFacts &k) {
    constexpr double least = 0.2;
    const bool reads = k.record.bytes_to_initiator >= k.record.bytes_to_target;
    const TcpDirectionFigures *f = k.direction(reads ? PduDirection::to_initiator : PduDirection::to_target);
    if (f == nullptr || f->largest_flight == 0 || !k.rtt() || k.busy() <= Duration{})
        return true; // not known
    const auto bytes = static_cast<double>(reads ? k.record.bytes_to_initiator : k.record.bytes_to_target);
    const double round_trips = static_cast<double>(to_ns(k.busy())) / static_cast<double>(to_ns(*k.rtt()));
    return bytes >= least * static_cast<double>(f->largest_flight) * round_trips;
}

// Returns the findings to which the waits of a sender with room in both windows went.
std::string counted_for(const RuleContext &c) {
    std::string names;
    for (std::size_t i = 0; i < finding_kind_count; ++i) {
        const auto kind = static_cast<FindingKind>(i);
        if (c.lost.to(kind).by_cause.contains(Cause::send_buffer))
            names += (names.empty() ? "" : ", ") + std::string(name(kind));
    }
    return names;
}

} // namespace

Verdict small_send_buffer(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::small_send_buffer);
    if (lost.waits.count == 0) {
        Waits waits; // that other findings explain
        for (const ConnectionFacts &k : c.facts.connections)
            for (const auto &[key, of] : k.waits)
                if (key.cause == Cause::send_buffer)
                    waits.merge(of);
        if (waits.count != 0)
            return none(human::plural(waits.count, "wait", "waits") + " (" + human::duration(waits.time) +
                        ") mid-PDU while both windows had room " + (waits.count == 1 ? "is" : "are") +
                        " counted for another finding: " + counted_for(c));
        return none("no sender stalled mid-PDU while both windows had room");
    }
    Finding f = begin_finding(FindingKind::small_send_buffer, c);
    if (auto ordinary = ordinary_waits(f, c))
        return none(std::move(*ordinary));
    const ConnectionFacts *k = connection_of(c.facts, lost.worst_stream());
    std::string sender = "the sender", most, receiver = "the receiver";
    bool target = false;
    if (k != nullptr)
        for (const auto *d : {&k->to_target, &k->to_initiator})
            if (*d && (*d)->send_plateau) {
                target = d == &k->to_initiator;
                sender = end_with_address(k, target);
                receiver = target ? "the initiator" : "the target";
                most = "at most " + human::bytes(*(*d)->send_plateau);
                f.title = std::string("The ") + (target ? "target" : "initiator") +
                          "'s send buffer seems too small";
                add_figure(f, "send_plateau", static_cast<double>(*(*d)->send_plateau), FigureUnit::bytes);
            }
    f.sentence = capitalized(sender) + " kept " + (most.empty() ? "less" : most) + " in flight" +
                 (most.empty() ? " than" : " towards " + receiver + ", less than") +
                 " receive and congestion window allowed, as with a full send buffer." +
                 lost_sentence(f, lost);
    if (k != nullptr && !sets_the_rate(*k)) {
        f.at_most = Severity::notice;
        f.title = "Senders pause as with a full send buffer";
        f.sentence += " Something else set the rate: far less than a buffer per round trip was sent.";
        f.remedy = "Follow the other findings first. ";
    }
    f.remedy += "Raise the send buffer of " +
                std::string(most.empty() ? "the end that sends the data"
                            : target     ? "the target"
                                         : "the initiator") +
                " to at least rate times round trip (Linux: third value of net.ipv4.tcp_wmem, and "
                "net.core.wmem_max if the program sets SO_SNDBUF).";
    if (queue_stands(c))
        f.remedy = shorten_queue_first;
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
