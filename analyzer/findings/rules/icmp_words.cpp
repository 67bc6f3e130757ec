// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/icmp_words.h"

#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>
#include <iterator>

namespace iscsiscope {
namespace {

std::string what_it_says(const IcmpError &e) {
    switch (e.reason) {
    case IcmpReason::too_big:
        return e.mtu ? "packets of more than " + human::count(*e.mtu) + " bytes do not pass"
                     : "packets of " + human::count(e.largest_packet) + " bytes do not pass";
    case IcmpReason::prohibited:
        return "a filter prohibits these packets";
    case IcmpReason::network_unreachable:
        return "there is no route to " + to_text(e.destination.address);
    case IcmpReason::host_unreachable:
        return "host " + to_text(e.destination.address) + " cannot be reached";
    case IcmpReason::protocol_unreachable:
        return "TCP is rejected";
    case IcmpReason::port_unreachable:
        return "a firewall rejects these packets (port unreachable; a host would answer with a RST)";
    case IcmpReason::hops_exceeded:
        return "the packets have passed as many routers as they may";
    case IcmpReason::reassembly_exceeded:
        return "fragments of the packets are missing";
    case IcmpReason::header_refused:
        return "it does not take the IP header of these packets";
    case IcmpReason::slow_down:
        return "its queue is full (source quench)";
    }
    return {};
}

} // namespace

std::string icmp_words(const IcmpError &e) {
    return to_text(e.sender) + " says by ICMP that " + what_it_says(e);
}

std::vector<IcmpError> summed(const std::vector<IcmpError> &all) {
    std::vector<IcmpError> sums;
    for (const IcmpError &e : all) {
        const auto same = std::ranges::find_if(sums, [&](const IcmpError &k) {
            return k.sender == e.sender && k.type == e.type && k.code == e.code && k.mtu == e.mtu &&
                   k.source.address == e.source.address && k.destination.address == e.destination.address;
        });
        if (same == sums.end()) {
            sums.push_back(e);
            continue;
        }
        same->messages += e.messages;
        same->last_frame = std::max(same->last_frame, e.last_frame);
        same->largest_packet = std::max(same->largest_packet, e.largest_packet);
    }
    return sums;
}

std::optional<IcmpError> commonest(const std::vector<IcmpError> &all,
                                   const std::function<bool(const IcmpError &)> &holds) {
    std::vector<IcmpError> chosen;
    std::ranges::copy_if(all, std::back_inserter(chosen), holds);
    const std::vector<IcmpError> sums = summed(chosen);
    const auto most = std::ranges::max_element(sums, {}, &IcmpError::messages);
    return most != sums.end() ? std::optional(*most) : std::nullopt;
}

void add_icmp(Finding &f, const IcmpError &e) {
    f.sentence += " " + icmp_words(e) + " (" + human::plural(e.messages, "message", "messages") + ").";
    add_evidence(f, e.first_frame, "the ICMP message");
}

} // namespace iscsiscope
