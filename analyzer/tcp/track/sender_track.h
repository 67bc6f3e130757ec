// SPDX-License-Identifier: GPL-2.0-or-later
// SenderTrack: what passed the tap of one direction of a connection: how large the sender's segments are, the
// packets of its stream, what the receiver acknowledged, and which of that the sender can have known. One
// object a direction; whoever models the sender (the parts of Sender) reads it and keeps no history of its
// own of these.
//
// In: passes() and sent() with each segment of the sender, and of each segment of the receiver that carries
// an ACK what answer(), add_sacked(), sum_sacked() and take() are given. Out: the values below, as they are
// behind that segment.
#pragma once

#include "analyzer/tcp/track/ack_bounds.h"
#include "analyzer/tcp/track/acked_log.h"
#include "analyzer/tcp/track/known_acks.h"
#include "analyzer/tcp/track/sack_board.h"
#include "analyzer/tcp/track/segment_size.h"
#include "analyzer/tcp/track/sent_log.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class SenderTrack {
public:
    // Assumed while the full segment size is unknown: Ethernet with timestamps.
    static constexpr std::uint32_t default_segment = 1448;

    explicit SenderTrack(Side sender) : sender_(sender) {}
    SenderTrack(const SenderTrack &) = delete; // its parts refer to each other
    SenderTrack &operator=(const SenderTrack &) = delete;

    // A segment of the sender passes; the Connection includes it. To be called before its models see it.
    void passes(const Connection &, const SegmentReport &);
    // The capture begins within the connection, with data at this offset.
    void begins_at(std::uint64_t offset) { log_.begins_at(offset, segment()); }
    // The segment carries data, and has been judged: enters it into the log.
    void sent(const SegmentReport &r) { log_.add(*r.segment, r.offset, segment()); }

    // Returns what a segment of the receiver acknowledges: the latest ACK with what is new, but SACK blocks.
    AckSeen answer(const Connection &, const Segment &);
    // The receiver reported [from, to) behind its ACK. Bytes that never passed are not taken.
    void add_sacked(std::uint64_t from, std::uint64_t to) {
        if (to <= log_.end())
            board_.add(from, to);
    }
    // All blocks have been added: sets what the answer() SACKs.
    void sum_sacked(AckSeen &);
    // Takes the answer() into the log, if it brings something; those that neither bounds() nor known() needs
    // leave it.
    void take(const AckSeen &);
    // The segment only repeats the latest answer.
    void repeated(const Segment &s) {
        if (!acks_.empty())
            acks_.repeated(s.options.timestamp_value);
    }

    // Payload bytes of a full segment, if they are known.
    std::optional<std::uint32_t> full_segment() const { return full_; }
    std::uint32_t segment() const { return full_.value_or(default_segment); }
    // Offset of a sequence number near this one; empty before the first data.
    std::optional<std::int64_t> offset_of(std::uint32_t sequence, std::uint64_t near) const {
        if (!base_known_)
            return std::nullopt;
        return static_cast<std::int64_t>(near) +
               static_cast<std::int32_t>(sequence - base_ - static_cast<std::uint32_t>(near));
    }
    const SackBoard &board() const { return board_; }
    const AckedLog &acks() const { return acks_; }
    AckBounds &bounds() { return bounds_; }
    KnownAcks &known() { return known_; }
    const KnownAcks &known() const { return known_; }
    SentLog &sent_log() { return log_; }
    const SentLog &sent_log() const { return log_; }

private:
    const Side sender_;
    bool base_known_ = false;
    std::uint32_t base_ = 0; // sequence number of offset 0
    std::optional<std::uint32_t> full_;
    SegmentSize size_;
    SentLog log_;
    SackBoard board_;
    AckedLog acks_;
    AckBounds bounds_{acks_};
    KnownAcks known_{acks_};
};

} // namespace iscsiscope
