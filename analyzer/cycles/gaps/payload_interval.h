// SPDX-License-Identifier: GPL-2.0-or-later
// PayloadInterval: the interval that the last payload frame of a connection, of either direction, has begun.
//
// In: each payload frame, and the ACKs that advance between them. Out: since when it lasts, whether a segment
// continues the bytes of that frame, and what the ledger is to know of it. States: closed, at first and after
// close(); open, from a payload frame on, unanswered until an ACK for new bytes of that frame's sender.
#pragma once

#include "analyzer/cycles/gaps/gap_surroundings.h"
#include "analyzer/tcp/hosts/host_moment.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace iscsiscope {

class PayloadInterval {
public:
    // The surroundings must outlive the object.
    explicit PayloadInterval(const GapSurroundings &around) : around_(around) {}

    // The payload frame that ends at the offset begins an interval. now: its time, not before start().
    void begin(const SegmentReport &frame, std::uint64_t end_offset, Time now) {
        const Connection &tcp = around_.tcp;
        others_mark_ = tcp.hosts != nullptr ? tcp.hosts->of[index(around_.target())].others : 0;
        open_ = true;
        start_ = now;
        frame_ = frame.segment->frame;
        sender_ = frame.side;
        end_offset_ = end_offset;
        answered_ = false;
        const auto &a = tcp.end(frame.side).rtt.minimum, &b = tcp.end(other(frame.side)).rtt.minimum;
        rtt_share_ = a && b ? (*a + *b) / 8 : Duration{-1};
    }
    // An ACK for new bytes has come from this end.
    void acknowledged(Side by) {
        if (by != sender_)
            answered_ = true;
    }
    // It has ended by something other than payload.
    void close() { open_ = false; }

    bool open() const { return open_; }
    // Of the frame that began it: its time, its number, its sender.
    Time start() const { return start_; }
    FrameNumber frame() const { return frame_; }
    Side sender() const { return sender_; }
    // An ACK for new bytes of its sender has passed since.
    bool answered() const { return answered_; }
    // 1/8 of the sum of both minimum RTTs at its start; negative: not known.
    Duration rtt_share() const { return rtt_share_; }

    // The end of the interval, if what ends it has this time: no interval is negative.
    Time end_at(Time at) const { return std::max(at, start_); }
    // True if the segment's first byte follows the last one of the frame that began it.
    bool continued_by(const SegmentReport &report) const {
        return report.side == sender_ && report.offset == end_offset_;
    }
    // The interval for the ledger, ended at that time by a frame of this end. sent_by: see IntervalEnd.
    IntervalEnd to(Side ended_by, std::optional<Time> sent_by, Time now) const {
        IntervalEnd end{start_, now, ended_by != around_.initiator, sent_by};
        if (const HostMoment *hosts = around_.tcp.hosts) {
            const HostSeen &target = hosts->of[index(around_.target())];
            end.other_bytes = target.others - others_mark_;
            end.target = &target;
        }
        return end;
    }

private:
    const GapSurroundings &around_;
    Time start_{};
    FrameNumber frame_ = 0;
    std::uint64_t end_offset_ = 0;  // of the payload of that frame
    Duration rtt_share_{-1};        // see above
    std::uint64_t others_mark_ = 0; // HostSeen::others of the target then
    Side sender_{};
    bool open_ = false;
    bool answered_ = false;
};

} // namespace iscsiscope
