// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/hosts/host_pairs.h"

#include <algorithm>

namespace iscsiscope {

void HostAccount::note_payload(Time now, std::uint32_t bytes, bool full) {
    if (last_payload && last_full)
        rate.add(bytes, std::max(Duration{}, now - *last_payload));
    last_payload = now;
    last_full = full;
    payload += bytes;
}

HostPairs::Entry HostPairs::join(const Key &key) {
    const Entry entry = pairs_.try_emplace(key).first;
    ++entry->second.shares;
    return entry;
}

void HostPairs::leave(Entry entry) {
    if (--entry->second.shares != 0)
        return;
    for (HostAccount &host : entry->second.of)
        if (host.silences)
            retired_.push_back(std::move(host.silences));
    pairs_.erase(entry);
}

void HostPairs::event(HostAccount &host, Silences HostSilences::*of, Events &events, Time now) {
    if (events.last == Events::never) [[unlikely]] {
        events = {now, now};
        return;
    }
    if (now - events.last >= Silences::min_silence) [[unlikely]] {
        auto more =
            host.silences ? std::make_unique<HostSilences>(*host.silences) : std::make_unique<HostSilences>();
        (*more.*of).add(events.last, now);
        if (host.silences)
            retired_.push_back(std::move(host.silences));
        host.silences = std::move(more);
    }
    events.last = std::max(events.last, now);
}

void HostPairs::sent(HostAccount &host, Time now, bool answers) {
    event(host, &HostSilences::frames, host.frames, now);
    if (answers)
        event(host, &HostSilences::answers, host.answers, now);
}

void HostShare::join(HostPairs &pairs, const IpAddress &opener, const IpAddress &acceptor,
                     std::uint16_t service) {
    pair_ = pairs.join({std::min(opener, acceptor), std::max(opener, acceptor), service});
    const std::uint8_t first = opener <= acceptor ? 0 : 1;
    place_ = {first, static_cast<std::uint8_t>(1 - first)};
    own_ = {};
}

void HostShare::leave(HostPairs &pairs) {
    if (joined())
        pairs.leave(pair_);
    place_ = {nowhere, nowhere};
}

void HostShare::note(HostPairs &pairs, Side sender, Time now, std::uint32_t payload, bool answers,
                     bool full) {
    HostAccount &from = host(sender);
    pairs.sent(from, now, answers);
    if (payload != 0) {
        from.note_payload(now, payload, full);
        own_[index(sender)] += payload;
    }
}

} // namespace iscsiscope
