// SPDX-License-Identifier: GPL-2.0-or-later
// HostPairs: what each of two hosts sends to the other, over all TCP connections between them that belong to
// one service. Of other services nothing follows: a device may let them pass, or they may take another link.
//
// In: every segment, in file order, through the HostShare of its connection. Out: for each the HostMoment
// behind it. What a moment points to stays as it is; once a new silence has replaced it, take_retired() hands
// it over, and it is freed when no earlier moment is in use. Memory: a pair, with two HostSilences at most,
// for each two hosts and service that have a connection with payload. The two ends of a connection of one
// host with itself count as two hosts.
#pragma once

#include "analyzer/capture/segment.h"
#include "analyzer/tcp/hosts/carried_rate.h"
#include "analyzer/tcp/hosts/host_moment.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

using RetiredSilences = std::vector<std::unique_ptr<const HostSilences>>;

// What one host sends.
struct HostAccount {
    std::unique_ptr<const HostSilences> silences; // null: none yet
    Events frames, answers;
    std::optional<Time> last_payload;
    std::uint64_t payload = 0; // bytes
    CarriedRate rate;
    bool last_full = false; // the last payload filled a segment

    // full: the payload fills a segment. Only behind such frames bytes pass at the pace of the link: behind a
    // smaller one its host may have had nothing to send.
    void note_payload(Time now, std::uint32_t bytes, bool full);
};

class HostPairs {
public:
    // Two hosts, the smaller address first, and the number of a service.
    struct Key {
        IpAddress low, high;
        std::uint16_t service = 0;
        friend auto operator<=>(const Key &, const Key &) = default;
    };
    struct Pair {
        std::array<HostAccount, 2> of{}; // the host with the smaller address first
        std::size_t shares = 0;          // connections
    };
    using Entry = std::map<Key, Pair>::iterator;

    Entry join(const Key &);
    void leave(Entry);
    // The host has sent a frame; answers: with an ACK for new bytes.
    void sent(HostAccount &, Time now, bool answers);
    RetiredSilences take_retired() { return std::exchange(retired_, {}); }
    bool has_retired() const { return !retired_.empty(); }

private:
    void event(HostAccount &, Silences HostSilences::*of, Events &, Time now);

    std::map<Key, Pair> pairs_;
    RetiredSilences retired_;
};

// One connection's part in the account of its two hosts. It has to leave() before it is destroyed.
class HostShare {
public:
    // Until then it takes no part, and nothing is known of its hosts.
    bool joined() const { return place_[0] != nowhere; }
    // The hosts of its ends, by Side.
    void join(HostPairs &pairs, const IpAddress &opener, const IpAddress &acceptor, std::uint16_t service);
    void leave(HostPairs &pairs);
    // Takes a segment of the connection. answers: its ACK is for new bytes. full: its payload fills a
    // segment.
    void note(HostPairs &, Side sender, Time now, std::uint32_t payload, bool answers, bool full);
    HostMoment moment() const {
        return joined() ? HostMoment{{seen(Side::opener), seen(Side::acceptor)}} : HostMoment{};
    }

private:
    HostAccount &host(Side s) const { return pair_->second.of[place_[index(s)]]; }
    HostSeen seen(Side s) const {
        const HostAccount &h = host(s);
        return {h.silences.get(), h.frames, h.answers, h.payload - own_[index(s)], h.rate.known()};
    }

    static constexpr std::uint8_t nowhere = 2;

    HostPairs::Entry pair_{};
    std::array<std::uint64_t, 2> own_{};                     // bytes of payload of this connection, by Side
    std::array<std::uint8_t, 2> place_ = {nowhere, nowhere}; // in the pair, by Side
};

} // namespace iscsiscope
