// SPDX-License-Identifier: GPL-2.0-or-later
// SmallSegments: the segments of one sender that are smaller than the MSS, and what they show of Nagle's
// algorithm (RFC 896; Minshall's variant, as in Linux: a small segment waits for the ACK of the small one
// before).
//
// In: each payload frame of the sender, and each ACK of its receiver that advances. Out: the members of
// GapEvidence on small segments, and whether the algorithm holds what the sender has to send. Nothing is
// small while the MSS is unknown. States of the last small segment: none; unacknowledged; acknowledged.
// States of the algorithm: not known; seen, once `shown` small segments have left at once when the one before
// was acknowledged, and more than have left later; off, once one has left while another was unacknowledged,
// as its sender knew, for each `per_exception` that left at once: one that is an exception is due to an ACK
// that the capture lacks. Only segments of a sender count that had work outstanding before it
// knew of the ACK: the answer to a command that carried the ACK says nothing. And only if
// releases_stand_apart().
#pragma once

#include "analyzer/cycles/gaps/evidence/gap_evidence.h"
#include "analyzer/tcp/hosts/full_segment.h"
#include "analyzer/tcp/stream/connection.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// Payload bytes of a full segment of this side, if known: the other end's MSS less the twelve bytes that
// the timestamps option takes of each segment (RFC 7323 appendix A).
inline std::optional<std::uint32_t> full_segment(const Connection &tcp, Side sender) {
    return full_segment(tcp.end(other(sender)).mss, tcp.end(sender).timestamps);
}

// True if the segment, or the last part of an offloaded super-segment, is not full. False without known MSS.
inline bool is_small(const Connection &tcp, const SegmentReport &report) {
    const std::uint32_t length = report.segment->payload_length;
    const std::optional<std::uint32_t> full = full_segment(tcp, report.side);
    return full && length != *full && (length < *full || length % *full != 0);
}

// True if the segment, or super-segment, is at least a full one, so that its sender had more to send as far
// as TCP goes. largest: payload of a frame of the sender so far, this one included. inside_pdu: more of its
// PDU follows. A path may carry less than the MSS (RFC 8899), and the MSS may not be known: then a frame
// counts that is as large as any, ends inside a PDU, and has the bytes which an end that announces no MSS
// gets (536, RFC 9293 section 3.7.1).
inline bool fills_segment(const Connection &tcp, const SegmentReport &report, std::uint32_t largest,
                          bool inside_pdu) {
    const std::uint32_t length = report.segment->payload_length;
    const std::optional<std::uint32_t> full = full_segment(tcp, report.side);
    return (full && length >= *full) ||
           (inside_pdu && length >= (full ? std::max(min_segment, largest) : min_segment));
}

class SmallSegments {
public:
    static constexpr std::uint32_t shown = 4;
    // A capture that lacks more than one packet in so many shows nothing of a single one.
    static constexpr std::uint32_t per_exception = 16;

    // Takes an ACK that covers all bytes below the offset.
    void acknowledged(std::uint64_t offset, Time at, FrameNumber frame) {
        if (state_ == Last::unacknowledged && offset >= end_) {
            state_ = Last::acknowledged;
            acked_at_ = at;
            ack_frame_ = frame;
        }
    }
    // Takes a payload frame of the sender. small: is_small(). work_since: the sender had work outstanding
    // (HeldWork); Time::max(): not. now: its time, not before the last frame's.
    void sent(const Connection &tcp, const SegmentReport &report, bool small, Time work_since, Time now) {
        last_small_ = small;
        if (small && !report.repeats)
            note_small(tcp, report, work_since);
        // To the sender the segment was unacknowledged until the ACK had travelled from the tap to it.
        waits_ = state_ == Last::unacknowledged ||
                 (state_ == Last::acknowledged &&
                  now < acked_at_ + tcp.end(report.side).rtt.minimum.value_or(Duration{}));
    }

    // The sender's last payload frame was small.
    bool last_small() const { return last_small_; }
    // The last small segment passed then; Time::min() if there was none.
    Time at() const { return at_; }
    bool nagle_seen() const { return !off() && released_ >= shown && released_ > later_; }
    // The algorithm holds what the sender has: nothing that the ACK for its small segment releases can pass
    // the tap by now. to_sender: the round trip tap -> sender -> tap.
    bool holds(Duration to_sender, Time now) const {
        return waits_ && nagle_seen() && not_held(Duration{1}, to_sender, now) == Duration{};
    }
    // The part of a wait that ends now in which the algorithm held nothing back.
    Duration not_held(Duration wait, Duration to_sender, Time now) const;
    // ending_small: the frame that ended the gap is small. Called before sent() for that frame.
    void describe(GapEvidence &, bool ending_small) const;

private:
    enum class Last : std::uint8_t { none, unacknowledged, acknowledged };

    bool off() const { return early_ * std::uint64_t{per_exception} > released_; }
    void note_small(const Connection &, const SegmentReport &, Time work_since);

    // The last small segment, no repeat.
    Time at_ = Time::min();
    std::uint64_t end_ = 0; // end offset
    OptionalFrame frame_;
    Time acked_at_{}; // with Last::acknowledged: when the ACK that covers it passed
    OptionalFrame ack_frame_;
    Last state_ = Last::none;
    // Small segments sent at once when the one before was acknowledged, later than that, and before.
    std::uint32_t released_ = 0, later_ = 0, early_ = 0;
    bool last_small_ = false;
    bool waits_ = false; // when it sent its last payload frame, the small segment was unacknowledged to it
};

} // namespace iscsiscope
