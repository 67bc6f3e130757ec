// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/repeats/undecided_repeats.h"

namespace iscsiscope {

// More segments than the window after a timeout allows: the repeat was a tail loss probe.
void UndecidedRepeats::sent_new(const Segment &s, std::uint64_t known, LossState &state) {
    if (after_timeout_.repeat == 0)
        return;
    if (after_timeout_.segments == 0) {
        after_timeout_.known = known;
        after_timeout_.echo = s.options.timestamp_echo;
    }
    const bool same = after_timeout_.known == known && after_timeout_.echo == s.options.timestamp_echo;
    if (same && ++after_timeout_.segments <= max_after_timeout)
        return;
    for (UndecidedRepeat &u : waiting_) {
        if (u.record.frame != after_timeout_.repeat)
            continue;
        u.maybe_probe = false;
        if (after_timeout_.segments > max_after_timeout) {
            state.uses_probes();
            if (u.record.kind == RetransmissionClass::timeout)
                u.record.kind = RetransmissionClass::tail_probe;
        }
    }
    after_timeout_ = {};
}

bool UndecidedRepeats::duplicate_received(std::uint64_t from, std::uint64_t to, FrameNumber frame) {
    for (UndecidedRepeat &u : waiting_) {
        if (u.record.offset < to && u.end > from && !u.duplicate_reported) {
            u.duplicate_reported = true;
            u.was_spurious(known_frame(frame));
            return true;
        }
    }
    return false;
}

void UndecidedRepeats::acked(const Segment &s, std::uint64_t offset, bool sack) {
    for (UndecidedRepeat &u : waiting_) {
        if (u.acked_at || offset < u.end)
            continue;
        u.acked_at = s.time;
        // The answer to the repeat itself would report it as a duplicate (RFC 2883).
        if (s.payload_length == 0 && s.options.sack_count == 0 && s.options.has_timestamps &&
            s.options.timestamp_echo == u.timestamp && sack)
            u.loss_shown = true;
        if (u.maybe_probe)
            after_timeout_ = {u.record.frame, 0, 0, 0};
        // RFC 3522: the echo shows that the ACK answers a segment sent before the repeat.
        if (u.echo_conclusive && s.options.has_timestamps &&
            static_cast<std::int32_t>(s.options.timestamp_echo - u.timestamp) < 0 &&
            u.record.kind != RetransmissionClass::spurious)
            u.was_spurious(s.frame);
    }
}

void UndecidedRepeats::count(UndecidedRepeat &u, bool probes, DirectionTally &tally) {
    TcpRetransmission &record = u.record;
    if (u.maybe_probe && probes && record.kind == RetransmissionClass::timeout)
        record.kind = RetransmissionClass::tail_probe;
    TcpDirectionTroubles &f = tally.troubles();
    if (u.expiry && record.kind == RetransmissionClass::timeout)
        f.timeouts.add(record.silence, record.frame);
    ++f.retransmissions[static_cast<std::size_t>(record.kind)];
    keep_earlier(f.first_retransmission, record.frame);
    f.lost_before_tap += record.place == LossPlace::before_tap ? 1 : 0;
    f.lost_behind_tap += record.place == LossPlace::behind_tap ? 1 : 0;
    f.loss_not_shown += record.place == LossPlace::behind_tap && !u.loss_shown ? 1 : 0;
    f.lost_unknown_place += record.place == LossPlace::unknown ? 1 : 0;
    if (record.place != LossPlace::none && record.attempt == 1 && record.flight)
        f.lost_flights.add(static_cast<double>(*record.flight));
}

} // namespace iscsiscope
