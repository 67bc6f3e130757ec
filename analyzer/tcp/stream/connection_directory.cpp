// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/stream/connection_directory.h"

#include "analyzer/tcp/hosts/full_segment.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// The ranks of eviction, lowest first (ConnectionLimits).
constexpr std::uint8_t rank_ended = 0, rank_without_payload = 1, rank_not_needed = 2, rank_followed = 3;

// A connection that may be evicted, by its rank and by how long it has been idle.
struct Candidate {
    std::uint8_t rank;
    FrameNumber last_frame;
    std::uint32_t slot;

    bool operator<(const Candidate &other) const {
        return rank != other.rank ? rank < other.rank : last_frame < other.last_frame;
    }
};

} // namespace

bool ConnectionDirectory::Entry::belongs(const Segment &s, Side &side) const {
    const Endpoint &a = ends[0].endpoint, &b = ends[1].endpoint;
    if (a == s.source && b == s.destination) {
        side = Side::opener;
        return true;
    }
    if (b == s.source && a == s.destination) {
        side = Side::acceptor;
        return true;
    }
    return false;
}

inline std::uint32_t ConnectionDirectory::find(const Segment &s, Side &side) {
    if (recent_[0] != none && entries_[recent_[0]].belongs(s, side)) [[likely]]
        return recent_[0];
    return look_up(s, side);
}

std::uint32_t ConnectionDirectory::look_up(const Segment &s, Side &side) {
    if (recent_[1] != none && entries_[recent_[1]].belongs(s, side))
        return recent_[1];
    const std::uint32_t slot =
        table_.find(hash_of_pair(s.source, s.destination),
                    [&](std::uint32_t candidate) { return entries_[candidate].belongs(s, side); });
    if (slot != none)
        recent_ = {slot, recent_[0]};
    return slot;
}

std::uint32_t ConnectionDirectory::open(const Segment &s) {
    if (table_.size() >= limits_.max_connections || ++opened_since_check_ > limits_.max_followed / 8)
        keep_to_limits(s);
    std::uint32_t slot;
    if (free_slots_.empty()) {
        slot = static_cast<std::uint32_t>(entries_.size());
        entries_.emplace_back();
    } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
    }
    Entry &e = entries_[slot];
    e = {};
    e.used = true;
    e.stream = StreamId{next_stream_++};
    e.starts_with_syn = (s.flags & tcp_syn) != 0;
    const bool from_acceptor = (s.flags & (tcp_syn | tcp_ack)) == (tcp_syn | tcp_ack);
    e.ends[0].endpoint = from_acceptor ? s.destination : s.source;
    e.ends[1].endpoint = from_acceptor ? s.source : s.destination;
    table_.insert(hash_of_pair(s.source, s.destination), slot);
    recent_ = {slot, recent_[0]};
    return slot;
}

void ConnectionDirectory::forget(std::uint32_t slot, CloseReason reason, Time at, FrameNumber frame) {
    Entry &e = entries_[slot];
    closings_.push_back({slot, reason, at, frame, e.hosts()});
    table_.erase(hash_of_pair(e.ends[0].endpoint, e.ends[1].endpoint), slot);
    if (e.payload)
        e.payload->hosts.leave(hosts_);
    e.payload.reset();
    e.used = false;
    recent_ = {none, none};
    free_slots_.push_back(slot);
}

// Evicts connections beyond the limits, and a sixteenth more: one search serves many openings.
void ConnectionDirectory::keep_to_limits(const Segment &s) {
    opened_since_check_ = 0;
    const auto evict = [&](std::vector<Candidate> &all, std::size_t number) {
        const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(number, all.size()));
        std::nth_element(all.begin(), end, all.end());
        std::sort(all.begin(), end);
        for (auto it = all.begin(); it != end; ++it) {
            forgotten_ += it->rank == rank_ended ? 0 : 1;
            forget(it->slot, CloseReason::evicted, s.time, s.frame);
        }
    };
    std::vector<Candidate> all, followed;
    for (std::uint32_t slot = 0; slot < entries_.size(); ++slot) {
        const Entry &e = entries_[slot];
        if (!e.used)
            continue;
        const std::uint8_t rank = e.ended      ? rank_ended
                                  : !e.payload ? rank_without_payload
                                  : !e.matters ? rank_not_needed
                                               : rank_followed;
        all.push_back({rank, e.last_frame, slot});
        if (rank == rank_followed || (rank == rank_ended && e.payload))
            followed.push_back(all.back());
    }
    if (followed.size() > limits_.max_followed)
        evict(followed, followed.size() - limits_.max_followed + limits_.max_followed / 16);
    else if (table_.size() >= limits_.max_connections)
        evict(all, all.size() / 16 + 1);
    const auto gone = [&](const Ended &e) {
        return !entries_[e.slot].used || entries_[e.slot].stream != e.stream;
    };
    while (!ended_.empty() && gone(ended_.front()))
        ended_.pop_front();
}

void ConnectionDirectory::forget_ended(Time now) {
    while (!ended_.empty() && now - ended_.front().when > linger) {
        const Ended e = ended_.front();
        ended_.pop_front();
        if (entries_[e.slot].used && entries_[e.slot].stream == e.stream)
            forget(e.slot, CloseReason::fin, now, last_frame_);
    }
}

// Notes what the segment shows of its connection.
inline void ConnectionDirectory::note(Entry &e, std::uint32_t slot, Side side, const Segment &s) {
    End &end = e.ends[index(side)];
    e.last_frame = s.frame;
    end.seen = true;
    if ((s.flags & (tcp_syn | tcp_fin | tcp_rst)) == 0) [[likely]]
        return;
    if ((s.flags & tcp_syn) != 0 && !end.syn) {
        end.syn = true;
        end.initial_sequence = s.sequence;
    }
    if ((s.flags & tcp_fin) != 0)
        end.fin = true;
    if (!e.ended && ((s.flags & tcp_rst) != 0 || (e.ends[0].fin && e.ends[1].fin))) {
        e.ended = true;
        ended_.push_back({s.time, slot, e.stream});
    }
}

// The segment carries the first payload of the connection.
void ConnectionDirectory::begin_account(Entry &e, const Segment &first) {
    e.payload = std::make_unique<Payload>();
    const FirstPayload shows = look_at_first_ ? look_at_first_(first, e.starts_with_syn) : FirstPayload{};
    e.matters = shows.matters;
    e.payload->hosts.join(hosts_, e.ends[0].endpoint.address, e.ends[1].endpoint.address, shows.service);
    for (const Side side : {Side::opener, Side::acceptor})
        if (const End &peer = e.ends[index(other(side))]; peer.syn) { // acknowledged with the handshake
            e.payload->last[index(side)].acknowledged = peer.initial_sequence + 1;
            e.has[index(side)].acks = true;
        }
}

// Adds the segment to the account of its hosts, in which the connection takes part from its first payload on.
// A copy that a mirror port made is not payload again.
inline void ConnectionDirectory::account(Entry &e, Side side, const Segment &s) {
    End &end = e.ends[index(side)];
    const End &peer = e.ends[index(other(side))];
    if (s.options.has_timestamps)
        end.stamps = true;
    if ((s.flags & tcp_syn) != 0 && s.options.has_mss && s.options.mss != 0)
        end.mss = s.options.mss;
    if (!e.payload) {
        if (s.payload_length == 0)
            return;
        begin_account(e, s);
    }
    Payload::Last &last = e.payload->last[index(side)];
    Has &has = e.has[index(side)];
    bool answers = false;
    if ((s.flags & tcp_ack) != 0) {
        const auto more = static_cast<std::int32_t>(s.acknowledgment - last.acknowledged);
        answers = !has.acks || (more > 0 && !(peer.fin && more == 1)); // a FIN is no byte of the stream
        if (!has.acks || more > 0)
            last.acknowledged = s.acknowledgment;
        has.acks = true;
    }
    std::uint32_t length = s.payload_length;
    if (length != 0) {
        const bool copy =
            s.copy || (has.payload && s.has_ip_id && s.ip_id == last.ip_id && s.sequence == last.sequence &&
                       static_cast<std::uint16_t>(length) == last.length);
        last.sequence = s.sequence;
        last.length = static_cast<std::uint16_t>(length);
        last.ip_id = s.ip_id;
        has.payload = true;
        length = copy ? 0 : length;
    }
    const auto full = full_segment(peer.mss != 0 ? std::optional(peer.mss) : std::nullopt, end.stamps);
    e.payload->hosts.note(hosts_, side, s.time, length, answers, length >= full.value_or(min_segment));
}

Placement ConnectionDirectory::place(const Segment &s) {
    closings_.clear();
    if (!ended_.empty() && s.time - ended_.front().when > linger) [[unlikely]]
        forget_ended(s.time);
    last_time_ = s.time;
    last_frame_ = s.frame;
    Placement at;
    at.slot = find(s, at.side);
    if (at.slot != none && (s.flags & (tcp_syn | tcp_ack)) == tcp_syn) [[unlikely]] {
        // A SYN that cannot belong to the known connection of these endpoints.
        const Entry &e = entries_[at.slot];
        const End &end = e.ends[index(at.side)];
        if (end.syn ? end.initial_sequence != s.sequence : end.seen || e.has_payload(other(at.side))) {
            forget(at.slot, CloseReason::reuse, s.time, s.frame);
            at.slot = none;
        }
    }
    if (at.slot == none) [[unlikely]] {
        at.slot = open(s);
        at.opens = true;
        entries_[at.slot].belongs(s, at.side);
    }
    Entry &e = entries_[at.slot];
    at.stream = e.stream;
    account(e, at.side, s);
    note(e, at.slot, at.side, s);
    at.hosts = e.hosts();
    return at;
}

std::vector<std::uint32_t> ConnectionDirectory::open_slots() const {
    std::vector<std::uint32_t> open;
    for (std::uint32_t slot = 0; slot < entries_.size(); ++slot)
        if (entries_[slot].used)
            open.push_back(slot);
    std::sort(open.begin(), open.end(),
              [this](std::uint32_t a, std::uint32_t b) { return entries_[a].stream < entries_[b].stream; });
    return open;
}

} // namespace iscsiscope
