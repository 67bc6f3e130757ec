// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/track/sender_track.h"

#include <algorithm>

namespace iscsiscope {

void SenderTrack::passes(const Connection &c, const SegmentReport &r) {
    const Segment &s = *r.segment;
    if (s.payload_length == 0 || r.probe || r.before_start)
        return;
    base_ = s.sequence + ((s.flags & tcp_syn) != 0 ? 1U : 0U) - static_cast<std::uint32_t>(r.offset);
    base_known_ = true;
    size_.sent(s.payload_length);
    full_ = size_.value(c, sender_);
}

AckSeen SenderTrack::answer(const Connection &c, const Segment &s) {
    full_ = size_.value(c, sender_);
    const ConnectionEnd &receiver = c.end(other(sender_));
    const AckSeen &before = acks_.empty() ? AckedLog::nothing : acks_.latest();
    AckSeen a;
    a.time = s.time;
    a.frame = s.frame;
    a.timestamp = s.options.timestamp_value;
    a.pure = s.payload_length == 0;
    a.acked = c.end(sender_).acked_offset;
    a.set_edge(before.edge());
    a.duplicates = a.acked > before.acked ? 0U : before.duplicates;
    a.scaled = receiver.window_scale_known;
    a.window = a.scaled ? receiver.receive_window : (s.flags & tcp_syn) == 0 ? s.window : 0;
    log_.reached(a.acked, segment());
    a.packets = log_.packets_to(a.acked, segment());
    return a;
}

void SenderTrack::sum_sacked(AckSeen &a) {
    if (!board_.ranges().empty())
        board_.acknowledged(a.acked);
    if (board_.ranges().empty())
        return;
    const auto small = [](std::uint64_t n) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(n, 0xffffffff));
    };
    const auto packets_to = [&](std::uint64_t offset) { return log_.packets_to(offset, segment()); };
    const std::uint64_t highest = board_.ranges().back().end;
    a.sacked_bytes = small(board_.bytes());
    a.sacked_packets = small(
        board_.packets([&](const SackBoard::Range &r) { return packets_to(r.end) - packets_to(r.begin); }));
    a.sacked_span = small(highest - a.acked);
    a.sacked_span_packets = small(packets_to(highest) - a.packets);
}

void SenderTrack::take(const AckSeen &a) {
    if (acks_.empty()) {
        acks_.add(a, true);
        return;
    }
    const AckSeen &before = acks_.latest();
    const bool news = a.acked > before.acked || a.edge() != before.edge() ||
                      a.highest() != before.highest() || a.duplicates != before.duplicates;
    if (!news && before.same_state(a)) {
        acks_.repeated(a.timestamp);
        return;
    }
    acks_.forget_below(std::min(bounds_.first(), known_.number_at_send()));
    acks_.add(a, news);
}

} // namespace iscsiscope
