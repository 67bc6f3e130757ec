// SPDX-License-Identifier: GPL-2.0-or-later
// AckBounds: between which ACKs of an AckedLog lies the last one that the data's sender knew when it sent a
// segment: by the timestamp that the segment echoes (RFC 7323 section 4.3), or by time. Entries before the
// earliest one that a later segment can still show are left behind.
#pragma once

#include "analyzer/tcp/track/acked_log.h"

#include <cstdint>

namespace iscsiscope {

class AckBounds {
public:
    // The log must outlive the object.
    explicit AckBounds(const AckedLog &log) : log_(log) {}

    // The ACK that the sender of a segment certainly knew, and the last one that it can have known. Pointers
    // are valid until the log changes.
    struct Known {
        const AckSeen *least = nullptr, *most = nullptr;
        bool exact_tick = false; // an ACK with the echoed timestamp is in the capture
    };
    // The first and the last ACK with this timestamp. Leaves older ones behind; the timestamps must ascend,
    // except for reordering. Requires a log that is not empty.
    Known at_timestamp(std::uint32_t echoed);
    // Leaves behind what had passed the tap by this time, except the last of it.
    void forget_before(Time);

    // Returns the last ACK that had passed the tap by this time; null: none. near: a hint where to search,
    // updated by the call; 0 at first.
    const AckSeen *last_by(Time, std::uint64_t &near) const;
    // True if it is the latest ACK, or of its state.
    bool is_latest(const AckSeen *a) const {
        return a != nullptr && !log_.empty() && a->state == log_.latest().state;
    }
    bool in_order() const { return log_.in_order(); }
    // Everything below this number has been left behind.
    std::uint64_t first() const { return first_ > log_.first() ? first_ : log_.first(); }

private:
    std::uint64_t search(Time) const;

    const AckedLog &log_;
    std::uint64_t first_ = 1;
    std::uint64_t at_ = 1;          // the last entry that latest_echo_ allows; the next search starts here
    std::uint64_t answered_to_ = 0; // end of the log at the last call of at_timestamp(); 0: there was none
    std::uint32_t latest_echo_ = 0; // its argument
    bool exact_ = false;            // its answer
};

} // namespace iscsiscope
